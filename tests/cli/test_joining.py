"""Runs in the background, and who joins or sees them: ``wait``, ``attach`` and ``status``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.calls import declare
from tests.support.repository import Repo
from tests.support.shared import Tool, await_err, await_out, calling, ended, runner_of, until


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    return Tool.below(tmp_path)


def test_run_in_the_background_goes_on_and_is_joined(
    repo: Repo, tool: Tool, tmp_path: Path
) -> None:
    """While it goes on by two who see different things of it, and after its end."""
    other = repo.add_worktree(tmp_path / "other")
    words = tool.words(f"echo begun; echo aside >&2; cat {tool.gate}; exit 3")
    started = repo.toolcache("run", "--background", *words)
    assert (started.status, started.stdout) == (0, b"")
    assert started.summary.startswith("toolcache: command runs in the background: a run here (pid ")
    with calling(repo, "wait", *words) as waits, calling(other, "attach", *words) as attached:
        await_out(attached, b"begun\n")
        await_err(waits, "toolcache: following ")
        tool.open()
        told, shown = ended(waits), ended(attached)
    assert (told.status, told.stdout) == (3, b"")
    assert b"aside" not in told.stderr
    assert (shown.status, shown.stdout) == (3, b"through\n")
    assert b"aside\n" in shown.stderr
    after = other.toolcache("wait", *words)
    assert (after.status, after.stdout, after.is_hit) == (3, b"", True)
    again = repo.toolcache("attach", *words)
    assert (again.status, again.stdout, again.is_hit) == (3, b"begun\nthrough\n", True)
    stored = repo.toolcache("run", "--background", *words)
    assert (stored.status, stored.is_hit, tool.runs) == (3, True, 1)


@pytest.mark.parametrize("verb", ["wait", "attach"])
def test_joining_nothing_is_no_verdict_and_starts_nothing(
    repo: Repo, tool: Tool, verb: str
) -> None:
    ran = repo.toolcache(verb, *tool.words("true"))
    assert (ran.status, ran.stdout, tool.runs) == (125, b"", 0)
    fatal, hint = ran.stderr.decode().splitlines()
    assert fatal == "fatal: command has no result for this content, and none is being made"
    assert hint.startswith("hint: git toolcache status shows what runs; git toolcache run ")


def test_background_takes_over_a_run_whose_caller_then_goes(repo: Repo, tool: Tool) -> None:
    words = tool.words(f"echo begun; cat {tool.gate}; exit 3")
    with calling(repo, "run", *words) as first:
        await_out(first, b"begun\n")
        assert repo.toolcache("run", "--background", "--json", *words).json["source"] == (
            "background"
        )
        first.terminate()
        first.wait()
        with calling(repo, "wait", *words) as waits:
            await_err(waits, "toolcache: following ")
            tool.open()
            assert ended(waits).status == 3
    assert tool.runs == 1


def test_wait_is_over_in_time(repo: Repo, tool: Tool) -> None:
    words = tool.words(f"cat {tool.gate}")
    repo.toolcache("run", "--background", *words)
    ran = repo.toolcache("wait", "--wait", "100ms", *words)
    assert ran.status == 125
    assert b"fatal: command is still run by " in ran.stderr
    until(lambda: tool.runs == 1)
    tool.open()
    assert repo.toolcache("wait", *words).status == 0


def test_status_shows_what_runs_and_is_no_follower(repo: Repo, tool: Tool, tmp_path: Path) -> None:
    other = repo.add_worktree(tmp_path / "other")
    declare(repo, {"test": tool.text(f"echo begun; echo '2 of 7 '; cat {tool.gate}; exit 1")})
    with calling(repo, "run", "test") as runs:
        await_out(runs, b"begun\n")
        await_out(runs, b"2 of 7 \n")
        for _ in range(2):
            [run] = other.toolcache("status", "--json").json["running"]
            pid = runner_of(repo)
            assert (run["tool"], run["pid"], run["followers"]) == ("test", pid, 1)
            assert (run["worktree"], run["last_line"].rstrip()) == (str(repo.path), "2 of 7")
            assert run["since"].endswith("Z")
        told = repo.toolcache("status")
        line = told.stderr.decode() + told.stdout.decode()
        assert f"toolcache: test runs in a run here (pid {pid}, " in line
        assert " in, 1 following): 2 of 7" in line
        with calling(repo, "run", "test") as second:
            await_out(second, b"begun\n")
            [run] = repo.toolcache("status", "--json").json["running"]
            assert run["followers"] == 2
            tool.open()
            assert (ended(runs).status, ended(second).status) == (1, 1)
    assert other.toolcache("status", "--json").json["running"] == []
