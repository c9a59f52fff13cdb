"""``git toolcache stats``: figures for people, as JSON and as a page."""

from __future__ import annotations

import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from gitcache.core.journal_line import line_of
from tests.cli.conftest import Within
from tests.support.calls import declare
from tests.support.footprint import footprint
from tests.support.repository import Repo

EVIL = '<script>alert("1")</script>[red]&\x1b[31m'


@pytest.fixture
def tools(repo: Repo) -> Repo:
    declare(repo, {"test": "echo out", "lint": "exit 7"})
    repo.commit("tools")
    return repo


@pytest.fixture
def used(tools: Repo, within: Within) -> Repo:
    """Return a repository with a run and two hits of ``test``, and a run of ``lint``."""
    for name in ("test", "test", "lint", "test"):
        within(tools.path, "run", name)
    return tools


def note(repo: Repo, **values: Any) -> None:
    """Append a line to the journal: that of a miss, but for *values*."""
    line = line_of(
        **{
            **{"at": 1_780_000_000.0, "tool": "build", "key": "cd" * 32, "source": "run"},
            **{"outcome": "passed", "stored": True, "focused": False, "duration": 754.0},
            **{"saved": 0.0, "worktree": "/elsewhere/wt", "reason": "argv changed"},
            **values,
        }
    )
    folder = repo.path / ".git/toolcache"
    folder.mkdir(exist_ok=True)
    with open(folder / "journal", "ab") as journal:
        journal.write(line)


def contradict(repo: Repo, within: Within) -> None:
    """Store a pass and then a failure of the tool ``test`` for the same content."""
    flag = repo.path.parent / "flag"
    declare(repo, {"test": f"test ! -e {flag}"})
    within(repo.path, "run", "test")
    flag.touch()
    within(repo.path, "run", "--force", "test")


def document(repo: Repo, within: Within) -> Any:
    done = within(repo.path, "stats", "--json")
    assert (done.status, done.stderr) == (0, b"")
    return done.json


def test_the_document_has_every_figure(used: Repo, within: Within) -> None:
    found = document(used, within)
    assert list(found) == [
        *("at", "since", "today", "week", "all", "tools", "worktrees", "days", "expensive"),
        *("flaky", "store", "undated", "unread"),
    ]
    counts = {name: found["all"][name] for name in ("hits", "misses", "followed", "unkeyed")}
    assert counts == {"hits": 2, "misses": 2, "followed": 0, "unkeyed": 0}
    assert found["all"]["hit_rate"] == 0.5
    assert found["today"] == found["week"] == found["all"]
    assert {name: each["hits"] for name, each in found["tools"].items()} == {"test": 2, "lint": 0}
    assert list(found["worktrees"]) == [str(used.path)]
    assert list(found["days"].values()) == [found["all"]]
    assert (found["store"]["entries"], found["store"]["disk_bytes"] > 0) == (2, True)


def test_hits_save_what_their_runs_took(used: Repo, within: Within) -> None:
    before = document(used, within)["tools"]["test"]["saved_s"]
    for _ in range(2):
        note(used, tool="test", source="hit", saved=754.0)
    assert document(used, within)["tools"]["test"]["saved_s"] == pytest.approx(before + 1508)
    assert "25m08s" in within(used.path, "stats").stdout.decode()


def test_an_empty_repository_has_figures(repo: Repo, within: Within) -> None:
    found = document(repo, within)
    assert (found["all"]["hit_rate"], found["since"], found["flaky"]) == (None, None, [])
    done = within(repo.path, "stats")
    assert (done.status, done.stderr) == (0, b"")
    assert done.stdout.endswith(b"store: 0 entries, 0B\n")


def test_tables_tell_periods_tools_worktrees_and_days(used: Repo, within: Within) -> None:
    done = within(used.path, "stats")
    assert (done.status, done.stderr) == (0, b"")
    lines = done.stdout.decode().splitlines()
    assert lines[0].split() == [
        "hits",
        "misses",
        "followed",
        "no",
        "key",
        "hit",
        "rate",
        "time",
        "saved",
    ]
    starts = [line.split("  ")[0] for line in lines]
    assert starts[1:3] == ["today", "7 days"]
    assert starts[3].startswith("all, since 20")
    assert "test" in starts
    assert "worktree" in starts
    assert "." in starts
    assert any("█" in line and "░" in line and line[:2] == "20" for line in lines)
    assert "█" * 20 + "░" * 20 in done.stdout.decode()
    assert lines[-1].startswith("store: 2 entries, ")


def test_the_longest_misses_come_with_their_reasons(used: Repo, within: Within) -> None:
    note(used)
    note(used, outcome="killed", stored=False, duration=800.0, reason="")
    first, second, *_ = document(used, within)["expensive"]
    assert (first["duration_s"], first["outcome"], first["reason"]) == (800.0, "killed", None)
    assert (second["reason"], second["worktree"]) == ("argv changed", "/elsewhere/wt")
    text = within(used.path, "stats").stdout.decode()
    assert re.search(r"build +12m34s +2026-05-2\d \d\d:\d\d +\S*elsewhere/wt +argv changed\n", text)
    assert "no reason is known; killed, not stored\n" in text


def test_contradictions_are_flakes_with_their_count_and_time(tools: Repo, within: Within) -> None:
    contradict(tools, within)
    (flake,) = document(tools, within)["flaky"]
    assert (flake["tool"], flake["file"], flake["count"]) == ("test", None, 1)
    assert flake["last_seen"].startswith("20")
    assert "(no file is known)" in within(tools.path, "stats").stdout.decode()


def test_wrong_clocks_and_foreign_lines_are_counted(used: Repo, within: Within) -> None:
    for at in (0.0, 4_070_908_800.0):
        note(used, at=at)
    with open(used.path / ".git/toolcache/journal", "ab") as journal:
        journal.write(b"\xff\x00 half\n")
    found = document(used, within)
    assert (found["undated"], found["unread"], len(found["days"])) == (2, 1, 1)
    assert found["all"]["misses"] == 4
    done = within(used.path, "stats").stdout.decode()
    assert done.count("a wrong clock's time") == 2
    assert "1970" not in done
    assert "2099" not in done
    assert done.endswith(
        "2 uses have no day, since a clock was wrong\n1 lines of the journal can't be read\n"
    )


def test_foreign_text_is_printed_and_means_nothing(used: Repo, within: Within) -> None:
    note(used, worktree=f"/{EVIL}", reason=EVIL)
    done = within(used.path, "stats").stdout
    assert b"\x1b" not in done
    assert rb"[red]&\x1b[31m" in done


def test_looking_leaves_no_trace(used: Repo, within: Within) -> None:
    before = footprint(used.path)
    journal = (used.path / ".git/toolcache/journal").read_bytes()
    within(used.path, "stats")
    within(used.path, "stats", "--json")
    assert footprint(used.path) == before
    assert (used.path / ".git/toolcache/journal").read_bytes() == journal


def test_outside_a_repository_there_are_none(tmp_path: Path, within: Within) -> None:
    done = within(tmp_path, "stats")
    assert (done.status, done.stderr) == (128, b"fatal: not a git repository\n")


class Page(HTMLParser):
    """What a page says and is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def count(self, tag: str, kind: str = "") -> int:
        return sum(name == tag and kind in (attrs.get("class") or "") for name, attrs in self.tags)


def page_of(repo: Repo, within: Within) -> Page:
    done = within(repo.path, "stats", "--html", "../page.html")
    assert (done.status, done.stdout) == (0, b"")
    assert done.stderr == b"toolcache: wrote ../page.html\n"
    return Page((repo.path.parent / "page.html").read_text(encoding="utf-8"))


def test_the_page_tells_all_that_the_tables_do(used: Repo, within: Within) -> None:
    note(used)
    contradict(used, within)
    page = page_of(used, within)
    headings = [
        *("Periods", "Uses a day", "Time saved a day", "Tools", "Worktrees"),
        *("Longest runs", "Flaky files"),
    ]
    assert [text for text in page.texts if text in headings] == headings
    for text in ("argv changed", "12m34s", "/elsewhere/wt", str(used.path), "lint"):
        assert text in page.texts
    assert "(no file is known)" in page.texts


def test_the_page_is_one_file_without_scripts(used: Repo, within: Within) -> None:
    page = page_of(used, within)
    assert {name for name, _ in page.tags} & {"script", "link", "img", "iframe", "a"} == set()
    assert {name for _, attrs in page.tags for name in attrs} & {"src", "href", "onload"} == set()
    text = (used.path.parent / "page.html").read_text()
    assert "default-src 'none'" in text
    assert "url(" not in text
    assert "@import" not in text


def test_the_page_has_charts_in_light_and_dark(used: Repo, within: Within) -> None:
    page = page_of(used, within)
    names = [attrs["aria-label"] for name, attrs in page.tags if "aria-label" in attrs]
    assert names == ["Uses a day", "Time saved a day"]
    assert page.count("svg", "bar") == 3  # two tools and a worktree
    assert page.count("rect", "hit") > 0
    text = (used.path.parent / "page.html").read_text()
    assert "prefers-color-scheme: dark" in text
    assert "color-scheme: light dark" in text


def test_foreign_text_is_escaped_on_the_page(used: Repo, within: Within) -> None:
    note(used, worktree=f"/{EVIL}", reason=EVIL)
    page = page_of(used, within)
    assert page.count("script") == 0
    shown = EVIL.replace("\x1b", r"\x1b")
    assert [text for text in page.texts if "alert" in text] == [f"/{shown}", f"/{shown}", shown]


def test_the_page_of_nothing_is_a_page(repo: Repo, within: Within) -> None:
    assert "0 entries" not in page_of(repo, within).texts
    assert "Periods" in page_of(repo, within).texts


def test_the_page_and_the_document_go_together(used: Repo, within: Within) -> None:
    done = within(used.path, "stats", "--json", "--html", "../page.html")
    assert done.json["all"]["hits"] == 2
    assert (used.path.parent / "page.html").exists()


def test_the_page_lies_where_its_caller_stands(used: Repo, within: Within) -> None:
    within(used.path / "sub", "stats", "--html", "page.html")
    assert (used.path / "sub/page.html").exists()


def test_an_alias_writes_the_page_where_its_caller_stands(used: Repo) -> None:
    done = used.toolcache("stats", "--html", "page.html", env={"GIT_PREFIX": "sub/"})
    assert done.status == 0
    assert (used.path / "sub/page.html").exists()


@pytest.mark.parametrize("name", ["missing/page.html", "sub", "a\0b"])
def test_a_page_that_can_not_be_written_is_one_error(used: Repo, within: Within, name: str) -> None:
    done = within(used.path, "stats", "--html", name)
    assert (done.status, done.stdout) == (128, b"")
    assert done.stderr.startswith(b"fatal: the page ")
    assert done.stderr.count(b"\n") == 1
    assert os.listdir(used.path / "sub") == ["b.txt"]
