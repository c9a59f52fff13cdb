"""The processes below a process: found at any depth, told apart, and ended to the last."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gitcache.host.process_tree import (
    Process,
    children,
    descendants,
    find,
    ignores,
    in_session,
    kill_descendants,
    kill_session,
    send,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows it")


@contextmanager
def shell(script: str, start_new_session: bool = False) -> Iterator[subprocess.Popen[bytes]]:
    """Run *script* and yield the shell once it has printed a line; kill it at the end."""
    words = ["sh", "-c", script]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, start_new_session=start_new_session
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            kill_descendants(process.pid)
            process.kill()


def started(process: subprocess.Popen[bytes]) -> Process:
    found = find(process.pid)
    assert found is not None
    return found


def test_descendants_are_found_at_any_depth_whatever_their_session() -> None:
    script = "sh -c 'setsid sh -c \"sleep 300 & echo; wait\" & wait' & wait"
    with shell(script) as process:
        found = descendants(process.pid)
        assert [each.parent for each in found] == [process.pid, found[0].pid, found[1].pid]
        assert found[0].group != found[1].group == found[1].pid == found[2].group


def test_name_may_hold_anything(tmp_path: Path) -> None:
    program = tmp_path / "a) R 1 (b"
    shutil.copy(shutil.which("sleep") or "", program)
    with subprocess.Popen([program, "300"]) as process:
        found = started(process)
        process.kill()
    assert (found.name, found.parent, found.pid) == (b"a) R 1 (b", os.getpid(), process.pid)


def test_children_are_told_until_they_are_buried() -> None:
    with shell("sleep 300 & echo; wait") as process:
        assert process.pid in [each.pid for each in children()]
        below = [each.pid for each in descendants(process.pid)]
        assert not set(below) & {each.pid for each in children()}
        kill_descendants(process.pid)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert [each.is_dead for each in children() if each.pid == process.pid] == [True]
    assert process.pid not in [each.pid for each in children()]


def test_only_the_meant_children_are_killed_and_all_below_them() -> None:
    script = "sh -c 'sleep 300 & echo; wait' & {} wait"
    with shell(script.format("setsid sleep 300 &")) as process, shell(script.format("")) as other:
        kill_descendants(os.getpid(), lambda child: child.pid == process.pid)
        assert process.wait() == -signal.SIGKILL
        assert len(descendants(other.pid)) == 2


def test_orphans_are_adopted_until_told_otherwise() -> None:
    program = (
        "from gitcache.host.process_tree import adopt_orphans, adopts_orphans\n"
        "print(adopts_orphans(), adopt_orphans(), adopts_orphans())\n"
        "print(adopt_orphans(False), adopts_orphans())"
    )
    told = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert told == "False True True\nTrue False\n"


def test_nobody_is_found_where_nobody_is() -> None:
    with subprocess.Popen(["true"]) as process:
        pass
    assert find(process.pid) is None
    assert descendants(process.pid) == []


def test_process_with_another_start_time_is_not_signalled() -> None:
    with shell("echo; sleep 300; true") as process:
        other = started(process)
        other.started -= 1
        send(other, signal.SIGKILL)
        assert process.poll() is None
        send(started(process), signal.SIGTERM)
        assert process.wait() == -signal.SIGTERM
        send(other, signal.SIGKILL)  # nobody is there any more, and that is no error


def test_what_a_process_ignores_is_told() -> None:
    with shell("trap '' INT USR1; echo; sleep 300; true") as process:
        found = started(process)
        told = [ignores(found, each) for each in (signal.SIGINT, signal.SIGUSR1, signal.SIGTERM)]
    assert told == [True, True, False]


def test_all_below_are_killed_and_none_above() -> None:
    script = "trap '' TERM; for i in 1 2 3; do sh -c 'sleep 300 & wait' & done; echo; wait"
    with shell(script) as process:
        kill_descendants(process.pid)
        assert process.wait() == 0  # its children are gone, and it went on
    assert descendants(process.pid) == []


def test_session_is_killed_and_no_other() -> None:
    script = "sleep 300 & setsid sh -c 'echo; exec sleep 300' & wait"
    with shell(script, start_new_session=True) as process:
        leader = started(process)
        escaped = [each for each in descendants(process.pid) if each.session != process.pid]
        assert leader.pid not in [each.pid for each in in_session(leader.pid, leader.started + 1)]
        kill_session(process.pid, leader.started)
        assert process.wait() == -signal.SIGKILL
        while in_session(process.pid, leader.started):
            continue
        for each in escaped:
            assert find(each.pid) is not None
            send(each, signal.SIGKILL)
