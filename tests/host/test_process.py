"""A tool's process: what it gets, what is heard of it, and how it ends."""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gitcache.core.outcome import Exited, Signalled
from gitcache.core.output import Stream
from gitcache.host.process import Call, Ended, NeverStarted, run_process

ENVIRON = {"PATH": "/usr/local/bin:/usr/bin:/bin"}

COUNT_SIGNALS = """
import signal
asked = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
signal.pthread_sigmask(signal.SIG_BLOCK, asked)
print("ready", flush=True)
print(int(signal.sigwait(asked)), signal.sigtimedwait(asked, 0.2))
"""

SURVIVE_ONE_SIGNAL = """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
print("ready", flush=True)
signal.sigwait({signal.SIGTERM})
print("got", flush=True)
signal.sigwait({signal.SIGUSR1})
"""


class Listener:
    """Keeps the output of a process, and acts when it is ready."""

    def __init__(self) -> None:
        self.stdout = b""
        self.stderr = b""
        self.order: list[Stream] = []

    def __call__(self, stream: Stream, data: bytes) -> None:
        self.order.append(stream)
        if stream == "stdout":
            self.stdout += data
        else:
            self.stderr += data


def ran(cwd: Path, *argv: str, **options: Any) -> tuple[Ended | NeverStarted, Listener]:
    listener = options.pop("listener", None) or Listener()
    return run_process(Call(argv, cwd, ENVIRON, **options), listener), listener


def ended(cwd: Path, *argv: str, **options: Any) -> tuple[Ended, Listener]:
    result, listener = ran(cwd, *argv, **options)
    assert isinstance(result, Ended)
    return result, listener


@contextmanager
def ignoring(number: int) -> Iterator[None]:
    """Ignore a signal in this process, and so in those that it starts."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(number, before)


@contextmanager
def held_open(fifo: Path) -> Iterator[int]:
    """Yield the reading end of a new *fifo*, which ends when nobody can write to it any more."""
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    try:
        yield reader
    finally:
        os.close(reader)


def test_every_byte_value_arrives_on_its_own_stream(tmp_path: Path) -> None:
    script = r"""
        import sys
        sys.stdout.buffer.write(bytes(range(256)))
        sys.stderr.buffer.write(bytes(reversed(range(256))))
    """
    _, heard = ended(tmp_path, sys.executable, "-Sc", script.replace("\n        ", "\n"))
    assert heard.stdout == bytes(range(256))
    assert heard.stderr == bytes(range(255, -1, -1))


def test_chunks_come_in_the_order_in_which_the_tool_prints_them(tmp_path: Path) -> None:
    reader, writer = os.pipe()

    class Answering(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            os.write(writer, b"go on\n")

    with open(reader, "rb") as stdin, open(writer, "wb"):
        script = "echo a; read x; echo b >&2; read x; echo c; read x; echo d >&2"
        _, heard = ended(tmp_path, "sh", "-c", script, stdin=stdin, listener=Answering())
    assert heard.order == ["stdout", "stderr", "stdout", "stderr"]
    assert (heard.stdout, heard.stderr) == (b"a\nc\n", b"b\nd\n")


def test_every_status_of_a_process_is_told_as_it_is(tmp_path: Path) -> None:
    statuses = [ended(tmp_path, "sh", "-c", f"exit {n}")[0].exit for n in range(256)]
    assert statuses == [Exited(n) for n in range(256)]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_death_by_a_signal_is_no_status(tmp_path: Path, number: int) -> None:
    result, _ = ended(tmp_path, "sh", "-c", f"kill -{int(number)} $$")
    assert result.exit == Signalled(number)
    assert result.interrupted_by is None
    assert not result.timed_out


def test_what_is_not_there_or_not_executable_never_starts(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    (tmp_path / "script").write_text("#!/nowhere/sh\n")
    (tmp_path / "script").chmod(0o755)
    (tmp_path / "no-format").write_text("echo hello\n")
    (tmp_path / "no-format").chmod(0o755)
    results = {
        word: ran(tmp_path, word)[0]
        for word in ("nosuch", "./nosuch", "./script", "./plain", "./no-format", "./", "a\0b")
    }
    assert {word: each.status for word, each in results.items() if isinstance(each, NeverStarted)}
    assert results == {
        "nosuch": NeverStarted(127, "nosuch: command not found"),
        "./nosuch": NeverStarted(127, "./nosuch: command not found"),
        "./script": NeverStarted(127, "./script: command not found"),
        "./plain": NeverStarted(126, "./plain: can't be executed: Permission denied"),
        "./no-format": NeverStarted(126, "./no-format: can't be executed: Exec format error"),
        "./": NeverStarted(126, "./: can't be executed: Permission denied"),
        "a\0b": NeverStarted(126, "a\0b: can't be executed: embedded null byte"),
    }


def test_standard_input_is_the_null_device_unless_a_file_is_given(tmp_path: Path) -> None:
    assert ended(tmp_path, "cat")[1].stdout == b""
    (tmp_path / "input").write_bytes(b"given\0")
    with open(tmp_path / "input", "rb") as stdin:
        assert ended(tmp_path, "cat", stdin=stdin)[1].stdout == b"given\0"


def test_tool_has_a_session_of_its_own_and_none_of_our_descriptors(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.set_inheritable(reader, True)
    os.set_inheritable(writer, True)
    script = (
        "import os\n"
        "def is_open(fd):\n"
        "    try: return bool(os.fstat(fd))\n"
        "    except OSError: return False\n"
        "print(os.getsid(0) == os.getpgid(0) == os.getpid(), list(filter(is_open, range(256))))"
    )
    try:
        _, heard = ended(tmp_path, sys.executable, "-Sc", script)
    finally:
        os.close(reader)
        os.close(writer)
    assert heard.stdout == b"True [0, 1, 2]\n"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the kernel tells no masks")
def test_tool_starts_with_default_handlers_and_an_empty_mask(tmp_path: Path) -> None:
    _, heard = ended(tmp_path, "grep", "-E", "Sig(Blk|Ign)", "/proc/self/status")
    masks = [int(line.split()[1], 16) for line in heard.stdout.splitlines()]
    # The C library's own two signals, 32 and 33, are ignored in all that GNU make starts.
    assert [mask & ~(0b11 << 31) for mask in masks] == [0, 0]


def test_timeout_ends_the_tool(tmp_path: Path) -> None:
    result, _ = ended(tmp_path, "sleep", "300", timeout=0.2)
    assert result.timed_out
    assert result.exit == Signalled(signal.SIGTERM)
    assert 0.2 <= result.duration < 60


def test_a_tool_that_ignores_the_polite_signal_is_killed_after_the_grace(tmp_path: Path) -> None:
    with ignoring(signal.SIGTERM):
        result, _ = ended(tmp_path, "sleep", "300", timeout=0.1, grace=0.2)
    assert result.timed_out
    assert result.exit == Signalled(signal.SIGKILL)
    assert 0.3 <= result.duration < 60


@pytest.mark.parametrize(
    ("redirection", "is_leak"), [("", True), (">&2", True), (">/dev/null 2>&1", False)]
)
def test_what_the_tool_leaves_behind_is_ended(
    tmp_path: Path, redirection: str, is_leak: bool
) -> None:
    fifo = tmp_path / "fifo"
    with held_open(fifo) as reader:
        script = f"sleep 300 {redirection} 9>{fifo} & echo ok"
        result, heard = ended(tmp_path, "sh", "-c", script)
        assert os.read(reader, 1) == b""  # nobody is left
    assert heard.stdout == b"ok\n"
    assert result.exit == Exited(0)
    assert result.leaked is is_leak
    assert result.duration < 60


def test_a_slow_listener_is_no_leak_and_loses_nothing(tmp_path: Path) -> None:
    class Slow(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            select.select([], [], [], 0.3)

    script = "head -c 60000 /dev/zero; head -c 60000 /dev/zero >&2"
    result, heard = ended(tmp_path, "sh", "-c", script, listener=Slow())
    assert (len(heard.stdout), len(heard.stderr)) == (60000, 60000)
    assert not result.leaked


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_us_reaches_the_tool_exactly_once(tmp_path: Path, number: int) -> None:
    handler = signal.getsignal(number)

    class Killer(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            if data == b"ready\n":
                os.kill(os.getpid(), number)

    result, heard = ended(tmp_path, sys.executable, "-Sc", COUNT_SIGNALS, listener=Killer())
    assert heard.stdout == b"ready\n%d None\n" % number
    assert result.interrupted_by == number
    assert result.exit == Exited(0)
    assert signal.getsignal(number) is handler


def test_a_second_signal_kills_at_once(tmp_path: Path) -> None:
    class Killer(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            os.kill(os.getpid(), signal.SIGTERM)

    result, heard = ended(
        tmp_path, sys.executable, "-Sc", SURVIVE_ONE_SIGNAL, grace=600.0, listener=Killer()
    )
    assert heard.stdout == b"ready\ngot\n"
    assert result.exit == Signalled(signal.SIGKILL)
    assert result.interrupted_by == signal.SIGTERM


def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    class Killer(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            os.kill(os.getpid(), signal.SIGINT)

    with ignoring(signal.SIGINT):
        result, _ = ended(tmp_path, "sh", "-c", "kill -INT $$; echo on", listener=Killer())
    assert (result.exit, result.interrupted_by) == (Exited(0), None)


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    folder = Path("/dev/fd")
    before = len(os.listdir(folder))
    ended(tmp_path, "true")
    ran(tmp_path, "nosuch")
    assert len(os.listdir(folder)) == before


def test_program_is_found_along_the_path_that_the_tool_gets(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "hello"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho from here\n")
    program.chmod(0o755)
    listener = Listener()
    run_process(Call(("hello",), tmp_path, {"PATH": f"{program.parent}:/bin"}), listener)
    assert listener.stdout == b"from here\n"
    assert shutil.which("hello") is None
