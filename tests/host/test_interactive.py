"""A tool on our own standard streams: how its end is told, and what we leave as it was.

What a terminal does to it is shown by whole calls, at one: ``tests/cli/test_run_interactive.py``.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from gitcache.core.outcome import Exit, Exited, Signalled
from gitcache.host.call import Call, Ended, NeverStarted
from gitcache.host.interactive import run_interactive

ENVIRON = {"PATH": "/usr/local/bin:/usr/bin:/bin", "A": "b"}


def ran(cwd: Path, *argv: str, grace: float = 10.0) -> Ended | NeverStarted:
    return run_interactive(Call(argv, cwd, ENVIRON, grace=grace))


@pytest.mark.parametrize(
    ("script", "exit_"),
    [
        ("exit 0", Exited(0)),
        ("exit 255", Exited(255)),
        ("kill -KILL $$", Signalled(signal.SIGKILL)),
        ("kill -SEGV $$", Signalled(signal.SIGSEGV)),
    ],
)
def test_its_end_is_told_as_it_is(tmp_path: Path, script: str, exit_: Exit) -> None:
    result = ran(tmp_path, "sh", "-c", script)
    assert isinstance(result, Ended)
    assert (result.exit, result.interrupted_by, result.leak) == (exit_, None, None)


def test_it_runs_in_its_folder_with_its_variables_and_our_streams(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    before = Path.cwd()
    (tmp_path / "tool").write_text('#!/bin/sh\npwd; echo "$A" >&2\n')
    (tmp_path / "tool").chmod(0o755)
    ran(tmp_path, "./tool")
    assert capfdbinary.readouterr() == (f"{tmp_path}\n".encode(), b"b\n")
    assert Path.cwd() == before


def test_what_is_not_there_or_not_executable_never_starts(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    (tmp_path / "no-format").write_text("echo hello\n")
    (tmp_path / "no-format").chmod(0o755)
    assert [ran(tmp_path, word) for word in ("nosuch", "./nosuch", "./plain", "./no-format")] == [
        NeverStarted(127, "nosuch: command not found"),
        NeverStarted(127, "./nosuch: command not found"),
        NeverStarted(126, "./plain: can't be executed: Permission denied"),
        NeverStarted(126, "./no-format: can't be executed: Exec format error"),
    ]


def test_a_tool_that_does_not_end_when_it_is_asked_to_is_killed_after_the_grace(
    tmp_path: Path,
) -> None:
    tool = "trap '' TERM; kill -TERM $PPID; exec sleep 300"
    result = ran(tmp_path, "sh", "-c", tool, grace=0.1)
    assert isinstance(result, Ended)
    assert (result.exit, result.interrupted_by) == (Signalled(signal.SIGKILL), signal.SIGTERM)


def test_handlers_and_descriptors_are_left_as_they_were(tmp_path: Path) -> None:
    numbers = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)
    handlers = [signal.getsignal(each) for each in numbers]
    before = len(os.listdir("/dev/fd"))
    ran(tmp_path, "true")
    ran(tmp_path, "nosuch")
    assert [signal.getsignal(each) for each in numbers] == handlers
    assert len(os.listdir("/dev/fd")) == before


def test_the_tool_starts_with_default_handlers(tmp_path: Path) -> None:
    tool = "trap '' USR1; kill -PIPE $$"
    result = ran(tmp_path, "sh", "-c", tool)
    assert isinstance(result, Ended)
    assert result.exit == Signalled(signal.SIGPIPE)
