"""``run --interactive``: the tool has the terminal, nothing is heard and nothing stored."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Within
from tests.support.calls import start
from tests.support.repository import Repo
from tests.support.terminal import Terminal, toolcache_at_terminal

OURS = (sys.executable, "-m", "gitcache", "run", "--interactive")

ASK = "import os; print(*map(os.isatty, range(3))); print('said', input('? '))"

COUNT_INTERRUPTS = """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
print("ready", flush=True)
signal.sigwait({signal.SIGINT})
print("once" if signal.sigtimedwait({signal.SIGINT}, 0.2) is None else "again", flush=True)
"""


SURVIVE_ONE_SIGNAL = """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
print("ready", flush=True)
signal.sigwait({signal.SIGTERM})
print("heard", flush=True)
signal.sigwait({signal.SIGUSR1})
"""


def at_terminal(repo: Repo, *words: str) -> Terminal:
    """Start *words* at a terminal that shows bytes as they come; our lines have no colour."""
    return Terminal(list(words), repo.path, {"TERM": "xterm", "NO_COLOR": "1"}, is_plain=True)


def test_the_tool_asks_and_is_answered_at_the_terminal(repo: Repo) -> None:
    with at_terminal(repo, *OURS, "--", sys.executable, "-c", ASK) as here:
        here.read_until(b"? ")
        here.type(b"yes\n")
        status, screen = here.wait()
        assert status == 0
    assert screen.startswith(b"True True True\n? said yes\n")
    assert b"toolcache: command passed after " in screen
    assert screen.endswith(b"; nothing is stored\n")
    assert repo.keys() == []


def test_it_runs_in_spite_of_an_entry_and_gives_the_tools_status(repo: Repo) -> None:
    assert repo.toolcache("run", "--", "sh", "-c", "exit 3").status == 3
    here = toolcache_at_terminal(
        repo, "run", "--interactive", "--quiet", "--", "sh", "-c", "exit 3"
    )
    assert (here.status, here.stdout) == (3, b"")
    assert len(repo.keys()) == 1


def test_a_pipe_is_passed_through_as_well(repo: Repo) -> None:
    ran = repo.toolcache("run", "--interactive", "-q", "--", "cat", stdin=b"given")
    assert (ran.status, ran.stdout, ran.stderr) == (0, b"given", b"")


def test_the_tool_sees_the_callers_terminal_and_none_of_our_flags(repo: Repo) -> None:
    repo.write("bin/pytest", '#!/bin/sh\necho "[$*] $TERM $SECRET."\n').chmod(0o755)
    repo.write("toolcache.toml", '[tools.test]\ncommand = "bin/pytest -q"\npty = true\n')
    here = toolcache_at_terminal(
        repo, "run", "--interactive", "-q", "test", env={"TERM": "vt100", "SECRET": "x"}
    )
    assert here.stdout == b"[-q] vt100 .\n"


def test_ctrl_c_reaches_the_tool_once_and_a_tool_that_goes_on_is_not_ended(repo: Repo) -> None:
    with at_terminal(repo, *OURS, "--", sys.executable, "-Sc", COUNT_INTERRUPTS) as here:
        here.read_until(b"ready\n")
        here.type(b"\x03")
        status, screen = here.wait()
        assert status == 0
    assert b"ready\nonce\ntoolcache: command passed" in screen


def test_ctrl_c_that_ends_the_tool_ends_us(repo: Repo) -> None:
    with at_terminal(repo, *OURS, "--", "sh", "-c", "echo ready; exec sleep 300") as here:
        here.read_until(b"ready\n")
        here.type(b"\x03")
        status, screen = here.wait()
        assert status == -signal.SIGINT
    assert b"toolcache: command was interrupted by SIGINT" in screen
    assert repo.keys() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_us_ends_the_tool_and_us(repo: Repo, tmp_path: Path, number: int) -> None:
    fifo = tmp_path / "held"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    tool = f"exec 9>'{fifo}'; echo ready; exec sleep 300"
    with at_terminal(repo, *OURS, "--", "sh", "-c", tool) as here:
        here.read_until(b"ready\n")
        here.process.send_signal(number)
        assert here.wait()[0] == -number
    assert os.read(reader, 1) == b""  # the tool is gone
    os.close(reader)


def test_a_second_signal_kills_a_tool_that_does_not_listen(repo: Repo) -> None:
    words = ("run", "--interactive", "--", sys.executable, "-Sc", SURVIVE_ONE_SIGNAL)
    with start(repo, *words) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.terminate()
        assert process.stdout.readline() == b"heard\n"
        process.terminate()
        assert process.communicate()[0] == b""  # the tool is gone
    assert process.returncode == -signal.SIGTERM


def test_an_interrupt_without_a_terminal_is_passed_on(repo: Repo) -> None:
    words = ("run", "--interactive", "--", sys.executable, "-Sc", COUNT_INTERRUPTS)
    with start(repo, *words, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate()[0] == b"once\n"
    assert process.returncode == -signal.SIGINT


def test_a_tool_that_takes_the_terminal_does_not_stop_us(repo: Repo) -> None:
    """An interactive bash makes itself the foreground, and is killed before it gives that up."""
    with at_terminal(repo, *OURS, "--", "bash", "--norc", "-ic", "stty tostop; kill -9 $$") as it:
        status, screen = it.wait()
        assert status == 137
    assert b"toolcache: command was killed by SIGKILL" in screen


def test_ctrl_z_stops_the_tool_and_us_and_both_go_on(repo: Repo) -> None:
    """The shell of the terminal's person sees us stop, and brings us back."""
    job = " ".join((*OURS, "--", "sh", "-c", "'echo ready; read answer; echo got $answer'"))
    script = f"set -m; {job}; echo stopped $?; fg >/dev/null; echo done $?"
    with at_terminal(repo, "bash", "--norc", "-c", script) as here:
        here.read_until(b"ready\n")
        here.type(b"\x1a")
        here.read_until(b"stopped 148\n")
        here.type(b"back\n")
        here.read_until(b"done 0\n")
        screen = here.wait()[1]
    assert b"got back\n" in screen


def test_the_terminal_is_set_as_before_where_the_tool_was_killed(repo: Repo) -> None:
    tool = f"{' '.join(OURS)} -q -- sh -c 'stty raw; kill -9 $$'; stty -a"
    with at_terminal(repo, "bash", "--norc", "-c", tool) as here:
        screen = here.wait()[1]
    assert b" icanon" in screen
    assert b"-icanon" not in screen


def test_what_does_not_start_is_told(repo: Repo, within: Within) -> None:
    ran = within(repo.path, "run", "--interactive", "--", "nosuch")
    assert ran.status == 127
    assert ran.stderr.startswith(b"toolcache: command did not start: nosuch: command not found")
    repo.write("plain", "")
    assert within(repo.path, "run", "--interactive", "--", "./plain").status == 126


def test_the_timeout_of_the_settings_does_not_count(repo: Repo) -> None:
    repo.write("toolcache.toml", '[tools.test]\ncommand = "cat"\ntimeout = "0.2s"\n')
    with start(
        repo, "run", "--interactive", "-q", "test", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert select.select([process.stdout], [], [], 0.5)[0] == []  # it waits, and is not ended
        assert process.communicate(b"late")[0] == b"late"
    assert process.returncode == 0


@pytest.mark.parametrize(
    "words",
    [("--json",), ("--output", "failed"), ("--raw",), ("--stdin",), ("--timeout", "5s")],
)
def test_what_is_about_heard_output_does_not_go_with_it(
    repo: Repo, within: Within, words: tuple[str, ...]
) -> None:
    ran = within(repo.path, "run", "--interactive", *words, "--", "true")
    assert (ran.status, ran.stdout) == (129, b"")
    said = f"fatal: --interactive gives the tool your terminal, so {words[0]} does not go with it\n"
    assert ran.stderr.decode() == said


def test_several_tools_have_the_terminal_in_turn(repo: Repo) -> None:
    repo.write("toolcache.toml", '[tools.a]\ncommand = "echo a"\n[tools.b]\ncommand = "echo b"\n')
    here = toolcache_at_terminal(repo, "run", "--interactive", "-q", "a", "b")
    assert (here.status, here.stdout) == (0, b"a\nb\n")
