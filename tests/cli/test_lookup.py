"""``git toolcache lookup``: the store's answer, and nothing is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Within
from tests.support.calls import declare
from tests.support.repository import Repo


@pytest.fixture
def tools(repo: Repo) -> Repo:
    declare(repo, {"test": "echo out; echo err >&2", "lint": "echo bad; exit 7"})
    repo.commit("tools")
    return repo


def test_statuses_are_0_passed_1_failed_2_unknown(tools: Repo, within: Within) -> None:
    assert within(tools.path, "lookup", "test").status == 2
    within(tools.path, "run", "--keep-going", "test", "lint")
    assert within(tools.path, "lookup", "test").status == 0
    assert within(tools.path, "lookup", "lint").status == 1


def test_a_miss_says_why_and_runs_nothing(tools: Repo, within: Within) -> None:
    done = within(tools.path, "lookup", "test")
    assert (done.stdout, done.stderr) == (b"", b"toolcache: test: no entry\n")
    assert within(tools.path, "lookup", "-q", "test").stderr == b""
    assert tools.keys() == []


def test_a_hit_is_told_and_its_output_shown_where_asked_for(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    done = within(tools.path, "lookup", "test")
    assert done.stdout == b""
    assert done.stderr.startswith(b"toolcache: test passed: hit, ran ")
    assert done.stderr.count(b"\n") == 1
    done = within(tools.path, "lookup", "--output=full", "-q", "test")
    assert (done.stdout, done.stderr) == (b"out\n", b"err\n")


def test_the_document_of_a_hit_is_that_of_a_run(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "lint")
    done = within(tools.path, "lookup", "--json", "lint")
    assert done.status == 1
    assert done.json == within(tools.path, "run", "--json", "lint").json
    assert (done.json["outcome"], done.json["exit_status"]) == ("failed", 7)


def test_the_document_of_a_miss_has_the_key_and_the_reason(tools: Repo, within: Within) -> None:
    done = within(tools.path, "lookup", "--json", "test")
    told = done.json
    key = told.pop("key")
    assert told == {
        "tool": "test",
        "tree": tools.git("rev-parse", "HEAD^{tree}"),
        "source": None,
        "outcome": None,
        "exit_status": None,
        "stored": False,
        "reasons": ["no entry"],
    }
    within(tools.path, "run", "test")
    assert tools.keys() == [key]


def test_a_command_behind_a_double_dash_is_looked_up(repo: Repo, within: Within) -> None:
    assert within(repo.path, "lookup", "--", "false").status == 2
    within(repo.path / "sub", "run", "--", "false")
    assert within(repo.path, "lookup", "--", "false").status == 2  # it ran in another folder
    assert within(repo.path / "sub", "lookup", "--", "false").status == 1


def test_extra_words_are_part_of_the_question(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test", "--", "x")
    assert within(tools.path, "lookup", "test").status == 2
    assert within(tools.path, "lookup", "test", "--", "x").status == 0


def test_a_commit_is_asked_with_its_own_settings(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    declare(tools, {"test": "exit 1", "added": "true"})
    tools.commit("other settings")
    within(tools.path, "run", "test")
    within(tools.path, "run", "added")
    assert within(tools.path, "lookup", "test").status == 1
    assert within(tools.path, "lookup", "test", "--rev", "HEAD").status == 1
    assert within(tools.path, "lookup", "test", "--rev=HEAD~1").status == 0
    assert within(tools.path, "lookup", "added", "--rev=HEAD").status == 0
    done = within(tools.path, "lookup", "added", "--rev=HEAD~1")
    assert done.status == 128
    assert done.stderr.startswith(b"fatal: there is no tool 'added' here\n")


def test_a_commit_is_asked_whatever_the_working_tree_holds(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    tools.write("a.txt", "changed")
    tools.write("toolcache.toml", "= 1")
    assert within(tools.path, "lookup", "test", "--rev", "HEAD").status == 0
    assert within(tools.path, "lookup", "test", "--rev", "HEAD~1").status == 128  # has no tools


@pytest.mark.parametrize("revision", ["nosuch", "HEAD:a.txt", "", "--all", "a\nb"])
def test_what_names_no_commit_is_refused(tools: Repo, within: Within, revision: str) -> None:
    done = within(tools.path, "lookup", "test", f"--rev={revision}")
    assert (done.status, done.stdout) == (128, b"")
    assert done.stderr.decode() == f"fatal: {revision!r} names no commit\n"


def test_outside_a_repository_there_is_nothing_to_look_up(tmp_path: Path, within: Within) -> None:
    done = within(tmp_path, "lookup", "--", "true")
    assert (done.status, done.stderr) == (128, b"fatal: not a git repository\n")


def test_looking_leaves_no_trace(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    tools.write("new.txt", "untracked")
    before = tools.traces()
    for words in ("lookup test", "lookup test --rev HEAD", "status", "show nosuch", "run lint -h"):
        within(tools.path, *words.split())
    assert tools.traces() == before


def test_tool_with_a_setting_that_does_not_count_yet_has_no_answer(repo: Repo) -> None:
    repo.write("toolcache.toml", '[tools.test]\ncommand = "true"\nisolated = true\n')
    repo.commit()
    ran = repo.toolcache("run", "test")
    assert ran.status == 0
    assert ran.stderr.decode().splitlines()[0] == (
        "warning: the setting isolated is not taken into account yet: the result is not stored"
    )
    assert ran.summary.endswith("; nothing is stored")
    for words in (["test"], ["--rev", "HEAD", "test"]):
        looked = repo.toolcache("lookup", *words)
        assert looked.status == 128
        assert looked.summary == "fatal: the setting isolated is not taken into account yet"
