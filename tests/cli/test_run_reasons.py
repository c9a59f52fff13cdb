"""``git toolcache run`` says in one line why nothing stored answers, and what may help."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Within
from tests.support.calls import FIRST, FIRST_COMMAND, declare
from tests.support.repository import Ran, Repo

HINT = b'hint: DB_URL is set but not passed; env = ["DB_URL"] in [tools.test] passes it\n'


@pytest.fixture
def tools(repo: Repo) -> Repo:
    declare(repo, {"test": "echo here >&2", "lint": "exit 1"})
    repo.commit("tools")
    return repo


def miss_line(ran: Ran) -> str:
    """Return the first line without its beginning; ages are ``N``."""
    line = ran.stderr.decode().splitlines()[0]
    assert line.startswith("toolcache: miss: ")
    return re.sub(r"\d+\.\ds", "N", line.removeprefix("toolcache: miss: "))


def test_the_first_run_says_that_it_is(tools: Repo, within: Within) -> None:
    done = within(tools.path, "run", "test")
    assert done.stderr.startswith(FIRST + b"here\ntoolcache: test passed")  # before the tool
    assert within(tools.path, "run", "lint").stderr.startswith(FIRST)
    assert within(tools.path, "run", "--", "true").stderr.startswith(FIRST_COMMAND)
    assert within(tools.path, "run", "--", "true", "x").stderr.startswith(FIRST_COMMAND)


def test_a_hit_says_nothing_of_it(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    assert b"miss" not in within(tools.path, "run", "test").stderr


def test_changed_files_are_named_with_the_run_before(
    tools: Repo, within: Within, tmp_path: Path
) -> None:
    other = tools.add_worktree(tmp_path / "wt2")
    within(other.path, "run", "--keep-going", "test", "lint")
    tools.write("a.txt", "edited\n")
    tools.write("sub/n\x1bw.txt", "new\n")
    done = within(tools.path, "run", "test")
    assert miss_line(done) == (
        "2 files changed since the pass N ago in ../wt2: a.txt, sub/n\\x1bw.txt"
    )
    done = within(tools.path, "run", "lint")
    assert miss_line(done) == (
        "2 files changed since the failure N ago in ../wt2: a.txt, sub/n\\x1bw.txt"
    )


def test_of_many_files_the_first_five_are_named(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    for number in range(7):
        tools.write(f"{number}.txt", "new\n")
    assert miss_line(within(tools.path, "run", "test")) == (
        "7 files changed since the pass N ago here: 0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 2 more"
    )


def test_a_variable_and_the_argv_are_told(
    tools: Repo, within: Within, monkeypatch: pytest.MonkeyPatch
) -> None:
    within(tools.path, "run", "test")
    assert miss_line(within(tools.path, "run", "test", "--", "x")) == "argv changed"
    monkeypatch.setenv("CI", "1")
    assert miss_line(within(tools.path, "run", "test")) == "variable CI is now set"


def test_files_come_last_and_many_differences_are_counted(
    tools: Repo, within: Within, monkeypatch: pytest.MonkeyPatch
) -> None:
    within(tools.path, "run", "test")
    tools.write("a.txt", "edited\n")
    monkeypatch.setenv("CI", "1")
    files = "1 file changed since the pass N ago here: a.txt"
    assert miss_line(within(tools.path, "run", "test")) == f"variable CI is now set, {files}"
    for name in ("CC", "CFLAGS", "CXX", "CXXFLAGS"):
        monkeypatch.setenv(name, "1")
    tools.write("a.txt", "edited again\n")
    assert miss_line(within(tools.path, "run", "test")) == (
        "variable CC is now set, variable CFLAGS is now set, variable CXX is now set,"
        f" variable CXXFLAGS is now set, {files}"
    )
    within(tools.path, "forget", "--all")
    for name in ("CI", "CC", "CFLAGS", "CXX", "CXXFLAGS"):
        monkeypatch.delenv(name)
    within(tools.path, "run", "test")
    for name in ("CI", "CC", "CFLAGS", "CXX", "CXXFLAGS"):
        monkeypatch.setenv(name, "1")
    assert miss_line(within(tools.path, "run", "test")) == (
        "variable CC is now set, variable CFLAGS is now set, variable CI is now set,"
        " 2 more differences"
    )


def test_an_expired_entry_says_so(repo: Repo, within: Within) -> None:
    declare(repo, {"test": "sleep 0.05"}, "")
    within(repo.path, "run", "test")
    done = within(repo.path, "run", "test", "--timeout=0.01")
    assert miss_line(done) == "the entry's run took longer than the timeout"


def test_quiet_says_nothing_and_the_document_tells_all(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    tools.write("a.txt", "edited\n")
    done = within(tools.path, "run", "-q", "--json", "test")
    assert done.stderr == b""
    assert done.json["reasons"] == ["no entry", "1 file changed"]


def test_a_forced_run_over_an_entry_is_no_miss(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    assert b"miss" not in within(tools.path, "run", "--force", "test").stderr


def test_a_withheld_variable_is_hinted_at_before_the_summary(
    repo: Repo, within: Within, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(repo, {"test": "echo KeyError: DB_URL; exit 1"})
    monkeypatch.setenv("DB_URL", "secret")
    _, hint, summary = within(repo.path, "run", "test").stderr.splitlines(keepends=True)
    assert (hint, summary[:22]) == (HINT, b"toolcache: test failed")
    assert within(repo.path, "run", "--force", "-q", "test").stderr == b""


def test_the_line_of_the_hint_helps(
    repo: Repo, within: Within, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = 'test "$DB_URL" || { echo no DB_URL; exit 1; }'
    declare(repo, {"test": script})
    monkeypatch.setenv("DB_URL", "secret")
    assert within(repo.path, "run", "test").status == 1
    declare(repo, {"test": script}, 'env = ["DB_URL"]')
    assert within(repo.path, "run", "test").status == 0


def test_loose_shows_whether_the_environment_differs(
    repo: Repo, within: Within, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(repo, {"test": 'test "$DB_URL"'})
    monkeypatch.setenv("DB_URL", "secret")
    assert within(repo.path, "run", "test").status == 1
    done = within(repo.path, "run", "--loose", "test")
    assert (done.status, done.stderr.count(b"\n")) == (0, 1)
    assert done.summary.startswith("toolcache: test passed after ")
    assert done.summary.endswith("; nothing is stored")
    told = within(repo.path, "run", "--loose", "--json", "test").json
    assert (told["source"], told["key"], told["stored"]) == ("run", None, False)
    assert told["reasons"] == ["asked to pass every variable"]
    assert within(repo.path, "run", "test").is_hit  # the stored failure stands
