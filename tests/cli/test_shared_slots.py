"""Runs that wait for a slot: who is told what, in which order they run, what ends the waiting."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.calls import Process, declare
from tests.support.repository import Repo
from tests.support.shared import Tool, await_err, await_out, calling, ended, until


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    return Tool.below(tmp_path)


@pytest.fixture
def narrow(repo: Repo) -> Repo:
    """Return a repository on a machine with one slot for each tool."""
    repo.git("config", "toolcache.slots", "1")
    return repo


OURS = f"{sys.executable} -m gitcache"


def places(tool: str = "command") -> list[str]:
    """Return what is in the line of *tool*: the files but their numbers."""
    folder = Path(os.environ["HOME"], ".local/state/git-toolcache/slots", tool)
    return sorted(each.name.partition(".")[2] for each in folder.glob("0*"))


def test_second_content_waits_says_for_whom_and_runs_after(
    narrow: Repo, tool: Tool, tmp_path: Path
) -> None:
    other = narrow.add_worktree(tmp_path / "other")
    other.write("a.txt", "other\n")
    words = ("run", *tool.words(f"echo begun; read x <{tool.gate}; cat a.txt"))
    with calling(narrow, *words) as first:
        await_out(first, b"begun\n")
        with calling(other, *words) as second:
            line = await_err(second, "toolcache: waiting for one of 1 slot; running: command in ")
            assert "../repo (pid " in line
            tool.open()
            assert ended(first).stdout == b"a\n"
            await_out(second, b"begun\n")
            tool.open()
            assert ended(second).stdout == b"other\n"
    assert (tool.runs, places()) == (2, [])


def test_slots_of_one_tool_go_before_those_of_all(narrow: Repo, tool: Tool) -> None:
    narrow.git("config", "toolcache.slots.test", "0")
    declare(narrow, {"test": "echo test", "lint": "echo lint"})
    with calling(narrow, "run", *tool.words(f"echo begun; cat {tool.gate}")) as holder:
        await_out(holder, b"begun\n")
        narrow.git("config", "toolcache.slots.command", "0")
        assert narrow.toolcache("run", "--no-wait", "test", "lint").status == 0
        assert narrow.toolcache("run", "--no-wait", "--", "echo", "unlimited").status == 0
        narrow.git("config", "--unset", "toolcache.slots.command")
        ran = narrow.toolcache("run", "--no-wait", "--", "echo", "limited")
        assert (ran.status, ran.stdout) == (125, b"")
        assert b"fatal: command can't begin now: as many other runs as may load" in ran.stderr
        tool.open()
        assert ended(holder).status == 0


@pytest.mark.parametrize(
    ("name", "value"), [("toolcache.slots", "many"), ("toolcache.slots.test", "-x")]
)
def test_number_of_slots_that_can_not_be_meant_is_told(repo: Repo, name: str, value: str) -> None:
    declare(repo, {"test": "echo out"})
    repo.git("config", name, value)
    ran = repo.toolcache("run", "test")
    assert (ran.status, ran.stdout) == (128, b"")
    assert f"{name} " in ran.stderr.decode().replace(":", " ").replace("=", " ")


def test_five_waiters_run_in_the_order_in_which_they_came(narrow: Repo, tool: Tool) -> None:
    order = tool.folder / "order"
    with calling(narrow, "run", *tool.words(f"echo begun; cat {tool.gate}")) as holder:
        await_out(holder, b"begun\n")
        with ExitStack() as stack:
            waiters: list[Process] = []
            for number in range(5):
                words = ("run", "--", "sh", "-c", f"echo {number} >>{order}")
                waiters.append(stack.enter_context(calling(narrow, *words)))
                ahead = f", {number} ahead" if number else ""
                await_err(waiters[-1], f"toolcache: waiting for one of 1 slot{ahead}; running: ")
            tool.open()
            assert [ended(each).status for each in waiters] == [0] * 5
    assert order.read_text().split() == ["0", "1", "2", "3", "4"]
    assert places() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_to_the_only_caller_ends_a_run_that_waits(
    narrow: Repo, tool: Tool, number: int
) -> None:
    with calling(narrow, "run", *tool.words(f"echo begun; cat {tool.gate}")) as holder:
        await_out(holder, b"begun\n")
        with calling(narrow, "run", "--", "echo", "never") as waiter:
            await_err(waiter, "toolcache: waiting for one of 1 slot")
            waiter.send_signal(number)
            told = ended(waiter)
        assert (told.status, told.stdout) == (-number, b"")
        until(lambda: places() == ["holding"])
        tool.open()
        assert ended(holder).status == 0
    assert len(narrow.keys()) == 1


def test_killed_waiter_frees_its_place(narrow: Repo, tool: Tool) -> None:
    with calling(narrow, "run", *tool.words(f"echo begun; cat {tool.gate}")) as holder:
        await_out(holder, b"begun\n")
        with calling(narrow, "run", "--foreground", "--", "echo", "killed") as waiter:
            await_err(waiter, "toolcache: waiting for one of 1 slot")
            with calling(narrow, "run", "--", "echo", "next") as behind:
                await_err(behind, "toolcache: waiting for one of 1 slot, 1 ahead")
                waiter.kill()
                await_err(behind, "toolcache: waiting for one of 1 slot; running: ")
                tool.open()
                assert ended(holder).status == 0
                assert ended(behind).stdout == b"next\n"
    assert places() == []


def test_verdict_that_comes_from_elsewhere_ends_the_waiting(
    narrow: Repo, tool: Tool, tmp_path: Path
) -> None:
    narrow.git("clone", "--quiet", ".", str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    words = ("--", "sh", "-c", f"echo 0 >>{tool.folder}/runs; echo out; exit 3")
    with calling(narrow, "run", *tool.words(f"echo begun; cat {tool.gate}")) as holder:
        await_out(holder, b"begun\n")
        with calling(narrow, "run", *words) as waiter:
            await_err(waiter, "toolcache: waiting for one of 1 slot")
            assert clone.toolcache("run", "--foreground", *words).status == 3
            narrow.git("fetch", "--quiet", str(clone.path), "refs/toolcache/*:refs/toolcache/*")
            told = ended(waiter)
        assert (told.status, told.stdout, told.source) == (3, b"out\n", "hit")
        tool.open()
        assert ended(holder).status == 0
    assert tool.runs == 2


def test_run_inside_a_run_rides_on_its_slot(narrow: Repo) -> None:
    inner = f"{OURS} run -q -- sh -c 'echo inner; exit 3'"
    ran = narrow.toolcache("run", "--", "sh", "-c", f"{inner}; echo outer $?")
    assert (ran.status, ran.stdout) == (0, b"inner\nouter 3\n")
    assert narrow.toolcache("run", "--", "sh", "-c", "echo inner; exit 3").is_hit
    assert places() == []


@pytest.mark.parametrize("way", ["directly", "by way of another tool"])
def test_run_inside_itself_is_refused_at_once(narrow: Repo, way: str) -> None:
    inner = {"directly": "test", "by way of another tool": "lint"}[way]
    declare(narrow, {"test": f"{OURS} run {inner}", "lint": f"{OURS} run test"})
    ran = narrow.toolcache("run", "test")
    assert ran.status == 125
    assert b"fatal: test is run inside its own run, on the same content\n" in ran.stderr
    assert places("test") == []


def test_variable_that_outlived_its_run_harms_nobody(narrow: Repo) -> None:
    words = ("--", "sh", "-c", "echo $GIT_TOOLCACHE_INSIDE; exit 3")
    first = narrow.toolcache("run", *words)
    inside = first.stdout.decode().strip()
    key, _, run_id = inside.partition(":")
    assert (narrow.keys(), len(run_id)) == ([key], 36)
    stale = {"GIT_TOOLCACHE_INSIDE": inside, "GIT_TOOLCACHE_SLOT": f"{run_id} /nowhere"}
    assert narrow.toolcache("run", *words, env=stale).is_hit
    again = narrow.toolcache("run", "--force", *words, env=stale)
    assert again.status == 3
    assert again.stdout.startswith(inside.encode() + b" " + key.encode())
