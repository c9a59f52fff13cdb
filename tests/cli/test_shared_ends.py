"""How long a shared run goes on, and who waits for it: signals, ``--force`` and ``--wait``."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.support.calls import declare
from tests.support.held import held_open, is_released
from tests.support.repository import Repo
from tests.support.shared import (
    Tool,
    all_calling,
    await_err,
    await_out,
    calling,
    ended,
    leaves_nothing,
    until,
)


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    return Tool.below(tmp_path)


def deaf_once(tool: Tool, held: Path) -> tuple[str, ...]:
    """Return a command that holds *held*, deaf to what asks it to end, at its first run only."""
    deaf = f"exec 9>{held}; trap '' TERM INT; echo begun; sleep 300 & wait; sleep 300 & wait"
    return tool.words(f"test -e {held}.ran && exit 3; touch {held}.ran; {deaf}; sleep 300")


def test_tool_ends_when_its_last_caller_was_killed_and_the_next_call_runs_anew(
    repo: Repo, tool: Tool, tmp_path: Path
) -> None:
    other = repo.add_worktree(tmp_path / "other")
    with held_open(tmp_path / "held") as reader:
        words = ("run", *deaf_once(tool, tmp_path / "held"))
        with all_calling([repo, other], *words) as callers:
            for each in callers:
                await_out(each, b"begun\n")
            for each in callers:
                each.kill()
        assert is_released(reader)
    assert other.toolcache(*words).status == 3
    assert (tool.runs, leaves_nothing(repo)) == (2, True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_run_that_lingers_is_followed_by_who_asks_next(repo: Repo, tool: Tool, number: int) -> None:
    repo.git("config", "toolcache.linger", "10m")
    words = ("run", *tool.words(f"echo begun; cat {tool.gate}; exit 3"))
    with calling(repo, *words) as only:
        await_out(only, b"begun\n")
        only.send_signal(number)
        assert only.wait() == -number
    with calling(repo, *words) as following:
        await_err(following, "toolcache: following ")
        tool.open()
        told = ended(following)
    assert (told.status, told.stdout, tool.runs) == (3, b"begun\nthrough\n", 1)
    assert repo.toolcache(*words).is_hit


def test_interrupt_ends_a_run_at_once_even_where_it_may_linger(
    repo: Repo, tool: Tool, tmp_path: Path
) -> None:
    repo.git("config", "toolcache.linger", "10m")
    with held_open(tmp_path / "held") as reader:
        words = tool.words(f"exec 9>{tmp_path}/held; echo begun; sleep 300")
        with calling(repo, "run", *words) as only:
            await_out(only, b"begun\n")
            only.send_signal(signal.SIGINT)
            assert ended(only).status == -signal.SIGINT
        assert is_released(reader)
    assert (repo.keys(), leaves_nothing(repo)) == ([], True)


def test_lingering_that_can_not_be_meant_is_told(repo: Repo) -> None:
    repo.git("config", "toolcache.linger", "soon")
    ran = repo.toolcache("run", "--", "true")
    assert (ran.status, ran.stdout) == (128, b"")
    assert b"toolcache.linger" in ran.stderr


def test_no_wait_tells_at_once_who_runs(repo: Repo, tool: Tool, tmp_path: Path) -> None:
    other = repo.add_worktree(tmp_path / "other")
    words = tool.words(f"echo begun; cat {tool.gate}")
    with calling(repo, "run", *words) as runs:
        await_out(runs, b"begun\n")
        ran = other.toolcache("run", "--no-wait", *words)
        assert (ran.status, ran.stdout) == (125, b"")
        told = ran.stderr.decode()
        assert "hint: without --no-wait this call waits for it; git toolcache attach -- " in told
        assert f"fatal: command is run by {repo.path} (pid " in told
        assert "), since " in told
        tool.open()
        assert ended(runs).status == 0
    assert other.toolcache("run", "--no-wait", *words).is_hit
    assert tool.runs == 1


@pytest.mark.parametrize("where", ["option", "settings"])
def test_waiting_is_over_in_time_and_tells_for_whom(repo: Repo, tool: Tool, where: str) -> None:
    declare(
        repo,
        {"test": tool.text(f"echo begun; cat {tool.gate}")},
        'lock_wait = "200ms"' if where == "settings" else "",
    )
    more = ("--wait", "200ms") if where == "option" else ()
    with calling(repo, "run", "test") as runs:
        await_out(runs, b"begun\n")
        ran = repo.toolcache("run", *more, "test")
        assert (ran.status, ran.stdout) == (125, b"begun\n")
        told = ran.stderr.decode()
        assert f"fatal: test is still run by {repo.path} (pid " in told
        assert "), since " in told
        assert ": waited 0.2s for it\nhint: --wait TIME, or lock_wait" in told
        tool.open()
        assert ended(runs).status == 0
    assert tool.runs == 1


def test_forced_calls_wait_an_older_run_out_and_share_one_new_run(
    repo: Repo, tool: Tool, tmp_path: Path
) -> None:
    other = repo.add_worktree(tmp_path / "other")
    words = tool.words(f"echo run $(wc -l <{tool.folder}/runs); cat {tool.gate}; exit 3")
    with calling(repo, "run", *words) as older:
        await_out(older, b"run 1\n")
        with all_calling([repo, other], "run", "--force", *words) as forced:
            for each in forced:
                await_err(each, "toolcache: waiting for ")
            tool.open("old\n")
            assert ended(older).stdout == b"old\n"
            for each in forced:
                await_out(each, b"run 2\n")
            tool.open("new\n")
            assert [(told.status, told.stdout) for told in map(ended, forced)] == [
                (3, b"new\n")
            ] * 2
    assert tool.runs == 2
    hit = other.toolcache("run", *words)
    assert (hit.is_hit, hit.stdout) == (True, b"run 2\nnew\n")


def test_follower_is_told_a_kill_as_its_runner_is(repo: Repo, tool: Tool) -> None:
    """It is not stored, and makes nobody run again who has followed."""
    words = ("run", *tool.words(f"echo begun; cat {tool.gate}; kill -KILL $$"))
    with all_calling([repo, repo], *words) as callers:
        for each in callers:
            await_out(each, b"begun\n")
        tool.open()
        assert [ended(each).status for each in callers] == [137, 137]
    assert (tool.runs, repo.keys()) == (1, [])


def test_interrupted_follower_of_a_run_in_the_foreground_leaves_that_alone(
    repo: Repo, tool: Tool
) -> None:
    words = tool.words(f"echo begun; cat {tool.gate}; exit 3")
    with calling(repo, "run", "--foreground", *words) as runs:
        await_out(runs, b"begun\n")
        with all_calling([repo, repo], "run", *words) as (goes, stays):
            for each in (goes, stays):
                await_err(each, "toolcache: waiting for ")
            goes.send_signal(signal.SIGTERM)
            assert ended(goes).status == -signal.SIGTERM
            tool.open()
            assert ended(runs).status == 3
            told = ended(stays)
    assert (told.status, told.stdout, told.source) == (3, b"begun\nthrough\n", "hit")
    until(lambda: leaves_nothing(repo))
    assert tool.runs == 1


def test_clock_that_is_set_back_during_a_run_loses_nothing(
    repo: Repo, tool: Tool, tmp_path: Path
) -> None:
    other = repo.add_worktree(tmp_path / "other")
    back = tmp_path / "back"
    environ = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[1] / "support" / "clock_back"),
        "CLOCK_WENT_BACK": str(back),
    }
    words = ("run", *tool.words(f"echo begun; cat {tool.gate}; exit 3"))
    with calling(repo, *words, env=environ) as starter:
        await_out(starter, b"begun\n")
        back.touch()
        with calling(other, *words, env=environ) as following:
            await_err(following, "toolcache: following ")
            tool.open()
            told = [ended(each) for each in (starter, following)]
    assert [each.status for each in told] == [3, 3]
    assert (told[1].stdout, tool.runs, leaves_nothing(repo)) == (b"begun\nthrough\n", 1, True)
    with calling(other, *words, env=environ) as again:
        hit = ended(again)
    assert (hit.status, hit.source, hit.stdout) == (3, "hit", b"begun\nthrough\n")
