"""A run whose caller sits at a terminal: its keys, its end, and a tool that wants it."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from gitcache.host.process_tree import find
from tests.support.calls import start
from tests.support.held import held_open, is_released
from tests.support.repository import Repo
from tests.support.terminal import Terminal

TREE_OF_FIVE = """
exec 9>held
grow() {
    [ "$1" -gt 0 ] || { echo grown; wait; sleep 300; }
    (grow $(($1 - 1))) & (sleep 300) &
    wait
}
trap '' TERM
grow 5
"""
"""Shell text: each level has a child that sleeps and one that is the next level, all deaf."""


def toolcache(*words: str) -> list[str]:
    return [sys.executable, "-m", "gitcache", *words]


def test_interrupt_ends_a_deep_tree_of_forks(repo: Repo) -> None:
    repo.write("toolcache.toml", '[tools.test]\ncommand = ["sh", "tree.sh"]\ngrace = "300ms"\n')
    repo.write("tree.sh", TREE_OF_FIVE)
    with held_open(repo.path / "held") as reader:
        with Terminal(toolcache("run", "test"), repo.path) as terminal:
            terminal.read_until(b"grown")
            terminal.type(b"\x03")
            assert terminal.process.wait() == -signal.SIGINT
            assert b"was interrupted by SIGINT" in terminal.read_to_the_end()
        assert is_released(reader)
    assert repo.keys() == []


def test_closing_the_terminal_ends_the_tool_with_us(repo: Repo) -> None:
    with held_open(repo.path / "held") as reader:
        script = "exec 9>held; trap 'echo heard >trace; exit' HUP; echo ready; sleep 300 & wait"
        with Terminal(toolcache("run", "--", "sh", "-c", script), repo.path) as terminal:
            terminal.read_until(b"ready\r\n")
            terminal.close()
            assert terminal.process.wait() == -signal.SIGHUP
        assert is_released(reader)
    assert (repo.path / "trace").read_text() == "heard\n"
    assert repo.keys() == []


def test_quit_key_ends_us_without_a_core(repo: Repo) -> None:
    with Terminal(toolcache("run", "--", "sh", "-c", "echo ready; sleep 300"), repo.path) as one:
        one.read_until(b"ready\r\n")
        one.type(b"\x1c")
        one.process.wait()
        status = one.process.returncode
    assert status == -signal.SIGQUIT
    assert [each for each in os.listdir(repo.path) if each.startswith("core")] == []


def test_a_tool_that_wants_the_terminal_does_not_stop_us(repo: Repo) -> None:
    with Terminal(toolcache("run", "--", "bash", "-ic", "echo up; true"), repo.path) as terminal:
        screen = terminal.read_to_the_end()
        assert terminal.process.wait() == 0
    assert b"up\r\n" in screen
    assert b"passed" in screen


def wait_for_state(pid: int, states: bytes) -> None:
    """Return when the process *pid* is in one of *states*, as proc_pid_stat(5) has them."""
    while (process := find(pid)) is not None and process.state not in states:
        threading.Event().wait(0.01)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process's state")
def test_stop_key_stops_the_tool_and_its_time_with_us_in_the_foreground(
    repo: Repo, tmp_path: Path
) -> None:
    """We are no orphaned group here, so that SIGTSTP stops us as at a shell."""
    os.mkfifo(tmp_path / "go-on")
    script = f"sleep 300 & echo $$ $! >&2; read x <{tmp_path}/go-on; kill $!"
    began = time.monotonic()
    words = (
        "run",
        "-q",
        "--json",
        "--foreground",
        "--",
        "sh",
        "-c",
        f"({script}) 2>{tmp_path}/pids",
    )
    os.mkfifo(tmp_path / "pids")
    with start(repo, *words, process_group=0) as process:
        with open(tmp_path / "pids") as told:
            pids = [int(pid) for pid in told.readline().split()]
        os.kill(process.pid, signal.SIGTSTP)
        assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
        for pid in pids:
            wait_for_state(pid, b"T")
        threading.Event().wait(0.5)
        os.kill(process.pid, signal.SIGCONT)
        (tmp_path / "go-on").write_text("\n")
        stdout, _ = process.communicate()
    took = time.monotonic() - began
    assert process.returncode == 0
    assert json.loads(stdout)["duration_s"] <= took - 0.5


def test_stop_key_stops_a_caller_and_holds_no_run_up(repo: Repo, tmp_path: Path) -> None:
    os.mkfifo(repo.path / ".git" / "ready")
    words = ("run", "--", "sh", "-c", "echo >.git/ready; echo out; exec 9>.git/end")
    os.mkfifo(repo.path / ".git" / "end")
    with start(repo, *words, process_group=0) as process:
        (repo.path / ".git" / "ready").read_text()
        os.kill(process.pid, signal.SIGTSTP)
        assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
        (repo.path / ".git" / "end").read_text()
        while not repo.keys():
            threading.Event().wait(0.01)
        os.kill(process.pid, signal.SIGCONT)
        stdout, _ = process.communicate()
    assert (process.returncode, stdout) == (0, b"out\n")


def test_stop_of_an_orphaned_group_is_ignored_as_the_kernel_does(repo: Repo) -> None:
    words = ("run", "--", "sh", "-c", "echo ready; read x <go-on; echo on")
    os.mkfifo(repo.path / "go-on")
    with start(repo, *words, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        os.kill(process.pid, signal.SIGTSTP)
        (repo.path / "go-on").write_text("\n")
        stdout, _ = process.communicate()
    assert (process.returncode, stdout) == (0, b"on\n")
