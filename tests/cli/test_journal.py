"""The journal: every verb that answers notes it, and nothing depends on it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitcache.core.uses import Use, parse_journal
from gitcache.host.journal import read
from tests.cli.conftest import Within
from tests.support.calls import declare, start
from tests.support.late import is_quick, late, remember
from tests.support.repository import Repo


@pytest.fixture
def tools(repo: Repo) -> Repo:
    declare(repo, {"test": "echo out", "lint": "echo bad; exit 7"})
    repo.commit("tools")
    return repo


def journal(repo: Repo) -> Path:
    return repo.path / ".git/toolcache/journal"


def uses(repo: Repo) -> tuple[Use, ...]:
    found = parse_journal(read(repo.path / ".git/toolcache"))
    assert found.unread == 0
    return found.uses


def test_a_run_and_its_hits_are_noted(tools: Repo, within: Within) -> None:
    for words in (["run", "test"], ["run", "test"], ["lookup", "test"], ["wait", "test"]):
        within(tools.path, *words)
    within(tools.path, "attach", "test")

    run, *hits = uses(tools)

    assert [each.source for each in (run, *hits)] == ["run", "hit", "hit", "hit", "hit"]
    assert {each.key for each in (run, *hits)} == set(tools.keys())
    assert (run.outcome, run.stored, run.saved, run.reason) == ("passed", True, 0.0, "no entry")
    assert all((each.saved, each.reason) == (run.duration, "") for each in hits)
    assert {each.worktree for each in (run, *hits)} == {str(tools.path)}


def test_documents_are_noted_too(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "--json", "--keep-going", "test", "lint")
    within(tools.path, "lookup", "--json", "lint")
    assert [(each.tool, each.source, each.outcome) for each in uses(tools)] == [
        *(("test", "run", "passed"), ("lint", "run", "failed"), ("lint", "hit", "failed")),
    ]


def test_a_hit_of_background_is_noted(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    within(tools.path, "run", "--background", "test")
    assert [each.source for each in uses(tools)] == ["run", "hit"]


def test_a_miss_says_what_differs(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    tools.write("a.txt", "other\n")
    within(tools.path, "run", "test")
    assert uses(tools)[-1].reason == "1 file changed"


def test_a_miss_of_lookup_is_no_use(tools: Repo, within: Within) -> None:
    within(tools.path, "lookup", "test")
    assert uses(tools) == ()


def test_runs_that_are_not_stored_are_noted(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "--", "sh", "-c", "kill -9 $$")
    within(tools.path, "run", "--loose", "test")
    killed, loose = uses(tools)
    assert (killed.tool, killed.outcome, killed.stored) == ("command", "killed", False)
    assert killed.key is not None
    assert (loose.key, loose.reason) == (None, "asked to pass every variable")


def test_a_follower_notes_that_it_followed(tools: Repo, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    words = ("run", "--", "sh", "-c", f"echo begun; cat {gate}")
    first = start(tools, *words)
    assert first.stdout is not None
    assert first.stdout.readline() == b"begun\n"
    second = start(tools, *words)
    assert second.stdout is not None
    assert second.stdout.readline() == b"begun\n"
    gate.write_bytes(b"")
    for each in (first, second):
        each.communicate()
        assert each.returncode == 0
    assert sorted(each.source for each in uses(tools)) == ["followed", "run"]


@pytest.mark.parametrize("use", ["off", "read"])
def test_a_store_that_is_not_written_has_no_journal(tools: Repo, use: str) -> None:
    tools.toolcache("run", "test")
    journal(tools).unlink()
    assert tools.toolcache("run", "test", env={"GIT_TOOLCACHE": use}).status == 0
    assert not journal(tools).exists()


def test_outside_a_repository_nothing_is_noted(tmp_path: Path, within: Within) -> None:
    assert within(tmp_path, "run", "--", "true").status == 0
    assert not (tmp_path / ".git").exists()


def test_a_journal_that_can_not_be_written_is_told_to_nobody(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    before = within(tools.path, "run", "test")
    journal(tools).unlink()
    journal(tools).mkdir()
    after = within(tools.path, "run", "test")
    assert (after.status, after.stdout) == (0, before.stdout)
    assert after.stderr.count(b"\n") == 1


def test_losing_the_journal_loses_no_verdict(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    journal(tools).unlink()
    assert within(tools.path, "run", "test").is_hit
    assert [each.source for each in uses(tools)] == ["hit"]


def test_worktrees_share_one_journal(tools: Repo, tmp_path: Path, within: Within) -> None:
    other = tools.add_worktree(tmp_path / "other")
    within(tools.path, "run", "test")
    within(other.path, "run", "test")
    assert [(each.source, each.worktree) for each in uses(tools)] == [
        *(("run", str(tools.path)), ("hit", str(other.path))),
    ]


def test_a_group_may_write_the_journal_of_its_repository(tools: Repo, within: Within) -> None:
    folder = tools.path / ".git"
    folder.chmod(0o2770)
    within(tools.path, "run", "test")
    assert journal(tools).stat().st_mode & 0o060 == 0o060


def test_quick_answer_is_noted_like_any_hit(tools: Repo) -> None:
    remember(tools, "run", "test")
    before = uses(tools)
    assert is_quick(late(tools, "run", "test"))
    *_, last = after = uses(tools)
    assert len(after) == len(before) + 1
    assert (last.tool, last.source, last.outcome, last.key) == (
        "test",
        "hit",
        "passed",
        before[0].key,
    )
    assert (last.saved, last.worktree) == (before[-1].saved, before[-1].worktree)
