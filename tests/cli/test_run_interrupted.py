"""A run that is told to stop: the tool hears it once, we end by it, and nothing is stored."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import IO, cast

import pytest

from tests.cli.conftest import Within
from tests.support.calls import FIRST, FIRST_COMMAND, Process, declare, shell, start
from tests.support.held import held_open, is_released
from tests.support.repository import Repo

COUNT_SIGNALS = """
import signal
asked = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
signal.pthread_sigmask(signal.SIG_BLOCK, asked)
print("ready", flush=True)
print(int(signal.sigwait(asked)), signal.sigtimedwait(asked, 0.2), flush=True)
"""


def await_line(process: Process, line: bytes) -> None:
    """Return once the tool has printed *line*."""
    assert cast(IO[bytes], process.stdout).readline() == line


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_the_signal_is_passed_on_once_and_ends_us(repo: Repo, number: int) -> None:
    with start(repo, "run", "--", sys.executable, "-Sc", COUNT_SIGNALS) as process:
        await_line(process, b"ready\n")
        process.send_signal(number)
        stdout, stderr = process.communicate()
    assert process.returncode == -number
    assert stdout == b"%d None\n" % number
    assert stderr.decode().startswith(
        f"{FIRST_COMMAND.decode()}toolcache: command was interrupted by"
        f" {signal.Signals(number).name} after "
    )
    assert stderr.endswith(b"; nothing is stored\n")
    assert repo.keys() == []


def test_a_terminals_interrupt_reaches_the_tool_once(repo: Repo) -> None:
    """A terminal signals our whole process group, in which the tool is not."""
    words = ("run", "--", sys.executable, "-Sc", COUNT_SIGNALS)
    with start(repo, *words, start_new_session=True) as process:
        await_line(process, b"ready\n")
        os.killpg(process.pid, signal.SIGINT)
        stdout, _ = process.communicate()
    assert (process.returncode, stdout) == (-signal.SIGINT, b"2 None\n")


def test_a_tool_that_passes_all_the_same_is_not_stored(repo: Repo) -> None:
    declare(repo, {"test": f"exec {sys.executable} -Sc '{COUNT_SIGNALS}'", "lint": "true"})
    with start(repo, "run", "--keep-going", "test", "lint") as process:
        await_line(process, b"ready\n")
        process.terminate()
        _, stderr = process.communicate()
    assert process.returncode == -signal.SIGTERM
    assert stderr.startswith(FIRST + b"toolcache: test was interrupted by SIGTERM after ")
    assert b"lint" not in stderr  # it never began
    assert repo.keys() == []


def test_a_caller_that_ignores_the_interrupt_keeps_ignoring_it(repo: Repo) -> None:
    os.mkfifo(repo.path / ".git" / "gate")
    tool = "echo here; read x <.git/gate; echo on"
    script = f"""
        trap '' INT; exec 3< <(trap '' INT; exec "$PYTHON" -m gitcache run -- sh -c '{tool}' 2>&4)
        read line <&3; kill -INT $!; echo >.git/gate; cat <&3
    """
    status, stdout, stderr = shell(repo, f"exec 4>&2; {script}")
    assert (status, stdout) == (0, b"on\n")
    assert b"passed" in stderr
    assert len(repo.keys()) == 1


def test_what_the_tool_started_is_ended_with_it(repo: Repo, tmp_path: Path) -> None:
    tool = f"sleep 300 9>{tmp_path}/held & echo ready; wait"
    with (
        held_open(tmp_path / "held") as reader,
        start(repo, "run", "--", "sh", "-c", tool) as process,
    ):
        await_line(process, b"ready\n")
        process.terminate()
        process.communicate()
        assert is_released(reader)
    assert process.returncode == -signal.SIGTERM


@pytest.mark.parametrize(
    ("script", "status", "outcome", "number"),
    [
        ("kill -KILL $$", 137, "killed", 9),
        ("kill -TERM $$", 143, "killed", 15),
        ("kill -USR1 $$", 138, "killed", 10),
        ("kill -SEGV $$", 139, "failed", None),
        ("sh -c 'kill -KILL $$'; exit $?", 137, "killed", 9),
    ],
)
def test_a_tool_that_a_signal_ends_tells_it_and_only_its_own_fault_is_stored(
    repo: Repo, within: Within, script: str, status: int, outcome: str, number: int | None
) -> None:
    is_stored = outcome == "failed"
    for source in ("run", "hit" if is_stored else "run"):
        ran = within(repo.path, "run", "--json", "--", "sh", "-c", script)
        told = ran.json
        assert (ran.status, told["exit_status"], told["signal"]) == (status, status, number)
        assert (told["outcome"], told["stored"], told["source"]) == (outcome, is_stored, source)


def test_what_is_left_behind_keeps_nobody_waiting_and_is_told(
    repo: Repo, within: Within, tmp_path: Path
) -> None:
    words = ("--", "sh", "-c", "sleep 300 & echo ok")
    first = within(repo.path, "run", "--json", *words).json
    assert (first["outcome"], first["leaked"], first["stored"]) == ("passed", True, True)
    assert first["output"] == [{"stream": "stdout", "text": "ok\n"}]
    [left] = first["leaked_processes"]
    assert left["name"] == "sleep"
    warning = f"warning: command left a process behind, now ended: sleep (pid {left['pid']})"
    hit = within(repo.path, "run", *words)
    assert (hit.stdout, hit.is_hit) == (b"ok\n", True)
    assert hit.stderr.decode().splitlines()[0] == warning
    again = within(repo.path, "run", "--json", *words).json
    assert (again["source"], again["leaked"], again["leaked_processes"]) == ("hit", True, [left])


def test_leak_makes_a_run_fail_where_the_settings_say_so(
    repo: Repo, within: Within, tmp_path: Path
) -> None:
    for script, leak, status, outcome in (
        ("sleep 300 & true", "report", 0, "passed"),
        ("sleep 300 & true", "fail", 1, "failed"),
        ("sleep 300 & exit 3", "fail", 3, "failed"),
        ("true", "fail", 0, "passed"),
    ):
        declare(repo, {"test": script}, f'leak = "{leak}"\ninputs = ["a.txt"]')
        for source in ("run", "hit"):
            ran = within(repo.path, "run", "--json", "test")
            told = ran.json
            assert (ran.status, told["outcome"], told["source"]) == (status, outcome, source)
            assert told["leaked"] is script.startswith("sleep")


NEVER_STORED = {126, 127, 129, 130, 137, 143, 152, 153}
"""Statuses that say nothing of the content, from the design's list."""


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_status_is_passed_on_and_a_verdict_is_replayed(repo: Repo, within: Within) -> None:
    for status in range(256):
        words = ("run", "--json", "--", "sh", "-c", f"echo {status}; exit {status}")
        for source in ("run", "run" if status in NEVER_STORED else "hit"):
            ran = within(repo.path, *words)
            assert (ran.status, ran.json["source"]) == (status, source)
            assert ran.json["output"] == [{"stream": "stdout", "text": f"{status}\n"}]
