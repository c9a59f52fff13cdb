"""Callers in several worktrees that ask for one key share one run: all its bytes and its status."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gitcache.core.output import Stream
from tests.support.repository import Repo
from tests.support.shared import (
    Ended,
    Tool,
    all_calling,
    await_end,
    await_err,
    await_out,
    calling,
    ended,
    kill_runner,
    leaves_nothing,
    runner_of,
    until,
)


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    return Tool.below(tmp_path)


@pytest.fixture
def worktrees(repo: Repo, tmp_path: Path) -> list[Repo]:
    """Return three worktrees with one content."""
    return [repo, *(repo.add_worktree(tmp_path / name) for name in ("two", "three"))]


def spread(worktrees: list[Repo], count: int) -> list[Repo]:
    return [worktrees[number % len(worktrees)] for number in range(count)]


def share(
    worktrees: list[Repo], tool: Tool, text: str, count: int, first: bytes = b"begun\n"
) -> list[Ended]:
    """Return how *count* callers end of which one starts the tool and all others follow it.

    The tool prints the line *first* and then waits at its gate.
    """
    words = ("run", *tool.words(text))
    with calling(worktrees[0], *words) as starter:
        await_out(starter, first)
        with all_calling(spread(worktrees, count - 1), *words) as others:
            for each in others:
                await_err(each, "toolcache: following ")
            tool.open()
            return [ended(starter), *map(ended, others)]


@pytest.mark.parametrize("count", [6, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("status", [pytest.param(0, marks=pytest.mark.slow), 7])
def test_callers_in_three_worktrees_share_one_run_of_one_key(
    worktrees: list[Repo], tool: Tool, count: int, status: int
) -> None:
    text = f"echo begun; echo aside >&2; cat {tool.gate}; printf 'end\\377'; exit {status}"
    starter, *others = share(worktrees, tool, text, count)
    assert (starter.status, starter.stdout) == (status, b"through\nend\xff")
    assert {(each.status, each.stdout) for each in others} == {(status, b"begun\nthrough\nend\xff")}
    assert all(b"aside\n" in each.stderr and each.warnings == [] for each in (starter, *others))
    assert (tool.runs, len(worktrees[0].keys())) == (1, 1)
    assert leaves_nothing(worktrees[0])


@pytest.mark.parametrize("count", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_ten_megabytes_reach_all_callers_whole(
    worktrees: list[Repo], tool: Tool, tmp_path: Path, count: int
) -> None:
    """Both a caller that reads at once and those that are read one after the other."""
    flood = "import sys; [sys.stdout.write(f'{n:07}' + 'x' * 1016 + chr(10)) for n in range(10240)]"
    script = f'echo begun; cat {tool.gate}; exec {sys.executable} -Sc "{flood}"'
    starter, *others = share(worktrees, tool, script, count)
    lines = b"".join(b"%07d" % number + b"x" * 1016 + b"\n" for number in range(10240))
    assert starter.stdout == b"through\n" + lines
    assert all(each.stdout == b"begun\nthrough\n" + lines for each in others)
    assert all((each.status, each.warnings) == (0, []) for each in (starter, *others))
    assert tool.runs == 1


def test_silence_then_a_failure_reaches_all_callers(worktrees: list[Repo], tool: Tool) -> None:
    words = ("run", *tool.words(f"read x <{tool.gate}; echo no >&2; exit 3"))
    with calling(worktrees[0], *words) as starter:
        until(lambda: tool.runs == 1)
        with all_calling(worktrees, *words) as others:
            for each in others:
                await_err(each, "toolcache: following ")
            tool.open()
            all_of_them = [ended(starter), *map(ended, others)]
    assert {(each.status, each.stdout) for each in all_of_them} == {(3, b"")}
    assert all(b"\nno\n" in b"\n" + each.stderr for each in all_of_them)
    assert tool.runs == 1


def test_caller_that_comes_before_the_last_line_gets_every_line(
    worktrees: list[Repo], tool: Tool
) -> None:
    lines = b"".join(b"%d\n" % number for number in range(1, 1001))
    text = f"seq 1000; read x <{tool.gate}; echo last; exit 1"
    starter, late = share(worktrees, tool, text, 2, b"1\n")
    assert b"1\n" + starter.stdout == late.stdout == lines + b"last\n"
    assert (starter.status, late.status, tool.runs) == (1, 1, 1)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_caller_whose_reader_is_gone_harms_no_other(
    worktrees: list[Repo], tool: Tool, stream: Stream
) -> None:
    redirection = {"stdout": "", "stderr": ">&2"}[stream]
    words = ("run", *tool.words(f"echo begun; cat {tool.gate} {redirection}; exit 4"))
    with all_calling(worktrees, *words) as (one, *others):
        for each in (one, *others):
            await_out(each, b"begun\n")
        reader = one.stdout if stream == "stdout" else one.stderr
        assert reader is not None
        reader.close()
        tool.open("x" * 60_000)
        got = [each.communicate() for each in others]
        assert [b"x" * 60_000 in b"".join(each) for each in got] == [True, True]
        assert [each.returncode for each in others] == [4, 4]
    assert tool.runs == 1


def test_killed_starter_leaves_its_run_to_those_who_follow(
    worktrees: list[Repo], tool: Tool
) -> None:
    words = ("run", *tool.words(f"echo begun; cat {tool.gate}; exit 5"))
    with calling(worktrees[0], *words) as starter:
        await_out(starter, b"begun\n")
        with all_calling(spread(worktrees, 4), *words) as others:
            for each in others:
                await_out(each, b"begun\n")
            starter.kill()
            starter.wait()
            tool.open()
            told = {(each.status, each.stdout) for each in map(ended, others)}
    assert told == {(5, b"through\n")}
    assert tool.runs == 1


def test_killed_runner_is_replaced_by_exactly_one(
    worktrees: list[Repo], tool: Tool, tmp_path: Path
) -> None:
    """What the dead run's tool started is gone before the next one begins, however deaf it is."""
    first, deaf = tmp_path / "first", tmp_path / "deaf"
    begin = f"trap '' TERM; setsid sh -c 'echo $$ >{deaf}; exec sleep 300' & touch {first}"
    script = (
        f"if test -e {first}; then kill -0 $(cat {deaf}) 2>/dev/null && echo alive; echo anew; "
        f"else {begin}; echo begun; wait; sleep 300; fi; exit 6"
    )
    with all_calling(worktrees, "run", *tool.words(script)) as callers:
        for each in callers:
            await_out(each, b"begun\n")
        until(deaf.exists)
        kill_runner(worktrees[0])
        told = [ended(each) for each in callers]
    assert {(each.status, each.stdout) for each in told} == {(6, b"anew\n")}
    assert tool.runs == 2
    assert len(worktrees[0].keys()) == 1


def test_different_contents_run_side_by_side(worktrees: list[Repo], tool: Tool) -> None:
    for number, each in enumerate(worktrees):
        each.write("a.txt", f"{number}\n")
    words = ("run", *tool.words(f"echo begun; read x <{tool.gate}; cat a.txt"))
    with all_calling(worktrees, *words) as callers:
        for caller in callers:
            await_out(caller, b"begun\n")
        with open(tool.gate, "r+b", buffering=0) as gate:
            gate.write(b"\n\n\n")
            assert sorted(ended(each).stdout for each in callers) == [b"0\n", b"1\n", b"2\n"]
    assert tool.runs == 3


def test_content_that_moves_is_an_answer_in_its_own_worktree_alone(
    worktrees: list[Repo], tool: Tool
) -> None:
    here, there, _ = worktrees
    words = ("run", *tool.words(f"echo begun; cat {tool.gate}; exit 2"))
    with calling(here, *words) as starter:
        await_out(starter, b"begun\n")
        with all_calling([here, there], *words) as (beside, elsewhere):
            await_err(beside, "toolcache: following ")
            await_err(elsewhere, "toolcache: following ")
            here.write("a.txt", "moved\n")
            tool.open("first\n")
            assert [ended(each).status for each in (starter, beside)] == [2, 2]
            tool.open("second\n")
            told = ended(elsewhere)
    assert (told.status, told.stdout.splitlines()[-1]) == (2, b"second")
    assert tool.runs == 2
    assert len(here.keys()) == 1
    assert there.toolcache(*words).is_hit


def test_common_dir_of_a_long_and_odd_path_is_shared(tmp_path: Path, tool: Tool) -> None:
    """Longer than a socket's path may be."""
    folder = tmp_path / ("long " * 30) / "with\nnewline" / ("deep" * 20)
    repo = Repo.init(folder / "repo")
    repo.write("a.txt", "a\n")
    repo.commit()
    assert len(str(folder)) > 200
    other = repo.add_worktree(folder / "other one")
    starter, follower = share([repo, other], tool, f"echo begun; cat {tool.gate}; exit 3", 2)
    assert (starter.status, follower.status) == (3, 3)
    assert follower.stdout == b"begun\nthrough\n"
    assert (tool.runs, leaves_nothing(repo)) == (1, True)


def test_deleted_folder_of_ours_takes_nothing_from_a_run(worktrees: list[Repo], tool: Tool) -> None:
    """Not even from a caller that comes when the log has no name any more."""
    words = ("run", *tool.words(f"echo begun; cat {tool.gate}; exit 3"))
    with calling(worktrees[0], *words) as starter:
        await_out(starter, b"begun\n")
        (worktrees[0].path / ".git/toolcache").rename(worktrees[0].path / ".git/removed")
        with calling(worktrees[1], *words) as late:
            await_err(late, "toolcache: following ")
            tool.open()
            assert ended(starter).status == 3
            told = ended(late)
    assert (told.status, told.stdout) == (3, b"begun\nthrough\n")
    assert tool.runs == 1


def test_runner_is_gone_soon_after_its_run(repo: Repo, tool: Tool) -> None:
    words = ("run", *tool.words(f"echo begun; cat {tool.gate}"))
    with calling(repo, *words) as only:
        await_out(only, b"begun\n")
        pid = runner_of(repo)
        tool.open()
        assert ended(only).status == 0
    await_end(pid)
