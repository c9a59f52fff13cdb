"""SIGKILL of us, at any moment: nothing of the tool goes on, and nothing half is left behind."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from gitcache.host.process_tree import find
from tests.support.calls import Process, declare, start
from tests.support.held import held_open, is_released
from tests.support.repository import Repo
from tests.support.shared import is_sound

TREE = "exec 9>{held}; trap '' TERM; sleep 300 & setsid sh -c 'echo ready; exec sleep 300' & {then}"
"""Shell text of a tool that ignores SIGTERM, and has a child in a session of its own."""


def await_line(process: Process, line: bytes) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == line


def await_end(pid: int) -> None:
    """Return when there is no living process *pid* any more."""
    while (process := find(pid)) is not None and not process.is_dead:
        threading.Event().wait(0.01)


@pytest.mark.parametrize("then", ["wait", "exit 0"])
def test_the_tools_whole_tree_ends_with_us(repo: Repo, tmp_path: Path, then: str) -> None:
    """While the tool runs, and while what it left behind is listened to."""
    script = TREE.format(held=tmp_path / "held", then=then)
    declare(repo, {"test": script})
    with held_open(tmp_path / "held") as reader:
        with start(repo, "run", "test") as process:
            await_line(process, b"ready\n")
            process.kill()
        assert is_released(reader)
    assert repo.keys() == []
    assert is_sound(repo)
    declare(repo, {"test": "true"})
    assert repo.toolcache("run", "test").status == 0
    assert repo.toolcache("run", "test").is_hit


@pytest.mark.parametrize("moment", [0.03 * number for number in range(12)])
def test_killed_at_any_moment_leaves_no_trace(repo: Repo, tmp_path: Path, moment: float) -> None:
    """The moments reach from our start to the tool's; what is true must be so at each of them."""
    declare(repo, {"test": f"exec 9>{tmp_path}/held; echo $PPID >{tmp_path}/parent; sleep 300"})
    with held_open(tmp_path / "held") as reader:
        with start(repo, "run", "test") as process:
            threading.Event().wait(moment)
            process.kill()
        if (tmp_path / "parent").exists() and (told := (tmp_path / "parent").read_text()):
            await_end(int(told))
        assert is_released(reader)
    assert is_sound(repo)
    declare(repo, {"test": "true"})
    assert repo.toolcache("run", "test").status == 0


def test_killed_while_storing_leaves_no_half_entry(repo: Repo, tmp_path: Path) -> None:
    """A hook of git's holds the store open while we are killed, and is let go then."""
    for name in ("here", "go-on"):
        os.mkfifo(tmp_path / name)
    hook = repo.write(
        ".git/hooks/reference-transaction",
        f"""#!/bin/sh
        [ "$1" = prepared ] || exit 0
        echo >{tmp_path}/here
        read x <{tmp_path}/go-on
        """,
    )
    hook.chmod(0o755)
    declare(repo, {"test": "echo out; exit 3"})
    with start(repo, "run", "test") as process:
        assert (tmp_path / "here").read_text() == "\n"
        process.kill()
        hook.unlink()
        (tmp_path / "go-on").write_text("\n")
        process.communicate()
    while list((repo.path / ".git").rglob("*.lock")):
        threading.Event().wait(0.01)  # until git has ended
    assert is_sound(repo)
    again = repo.toolcache("run", "test")
    assert (again.status, again.stdout) == (3, b"out\n")
    assert repo.toolcache("run", "test").is_hit


def test_run_whose_supervisor_is_killed_is_a_kill(repo: Repo, tmp_path: Path) -> None:
    with held_open(tmp_path / "held") as reader:
        script = f"exec 9>{tmp_path}/held; sleep 300 & echo ready; kill -KILL $PPID; wait"
        ran = repo.toolcache("run", "--json", "--", "sh", "-c", script)
        assert is_released(reader)
    told = ran.json
    assert (ran.status, told["outcome"], told["signal"]) == (137, "killed", signal.SIGKILL)
    assert (told["stored"], repo.keys()) == (False, [])


def test_what_left_the_tools_group_ends_where_the_supervisor_is_killed(
    repo: Repo, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "ready")
    with held_open(tmp_path / "held") as reader:
        escape = "setsid sh -c 'echo >&8; exec sleep 300' & read x <&8"
        script = (
            f"exec 8<>{tmp_path}/ready 9>{tmp_path}/held; {escape}; kill -KILL $PPID; sleep 300"
        )
        ran = repo.toolcache("run", "--", "sh", "-c", script)
        assert is_released(reader)
    assert (ran.status, repo.keys()) == (137, [])
