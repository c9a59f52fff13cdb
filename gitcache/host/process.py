"""Runs a tool's process: starts it, listens to its pipes, ends it in time.

The tool gets a session and process group of its own, two pipes, the null device (or a given file)
as its standard input, and none of our descriptors. Its end is the end of its process: output that
still comes is taken for a moment, and whatever then holds a pipe is a leak. Signals that reach us
are passed on once; after a grace period the group is killed.

One loop waits for everything (:class:`_Watch`): output, the process's end, signals and deadlines.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from types import FrameType, MappingProxyType
from typing import IO, Final, cast

from gitcache import exits
from gitcache.core.outcome import Exit, Exited, Signalled
from gitcache.core.output import Stream
from gitcache.host.flow import Flow, OnOutput
from gitcache.host.program import find_program

GRACE: Final = 10.0
"""Seconds between asking a tool to end and killing it, as docker and systemd's order of size."""

_DRAIN: Final = 0.2
"""Seconds for which output is still taken after the tool's own end."""

_PASSED_ON: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask us to stop."""


@dataclass(frozen=True, slots=True)
class Call:
    """What is started, and how."""

    argv: tuple[str, ...]
    cwd: Path
    environ: Mapping[str, str]
    timeout: float | None = None
    """Seconds; None: no limit."""

    grace: float = GRACE
    stdin: IO[bytes] | None = None
    """What the tool reads; None: the null device."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The process ran and is gone."""

    exit: Exit
    duration: float
    """Seconds from the start to the end of the process."""

    timed_out: bool = False
    """Whether we ended it, since its timeout had passed."""

    interrupted_by: int | None = None
    """The signal that told us to stop, if one did."""

    leaked: bool = False
    """Whether something that the tool started still held a pipe after the tool's end."""


@dataclass(frozen=True, slots=True)
class NeverStarted:
    """There was nothing to run."""

    status: int
    """126 or 127, as a shell tells it."""

    reason: str


def run_process(
    call: Call, on_output: OnOutput, outlets: Mapping[Stream, int] = MappingProxyType({})
) -> Ended | NeverStarted:
    """Run *call* to its end and hand its output to *on_output* as it comes.

    Must be called from the main thread, where signals arrive.

    Args:
        call: what is started.
        on_output: takes the output.
        outlets: the descriptors to which it writes what comes on a stream. While one has no room,
            that stream waits, and signals and deadlines don't.
    """
    started = monotonic()
    with _signals() as (wakeup, signals):
        try:
            process = subprocess.Popen(
                call.argv,
                executable=_executable(call),
                cwd=call.cwd,
                env=call.environ,
                stdin=call.stdin or subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return _never_started(call.argv[0], error)
        pipes = {"stdout": process.stdout, "stderr": process.stderr}
        flow = Flow(cast(Mapping[Stream, IO[bytes]], pipes), wakeup, on_output, outlets)
        with process, _Watch(call, process, flow, signals) as watch:
            return watch.until_the_end(started)


def _executable(call: Call) -> Path | None:
    """Return the file to execute where the first word is a mere name: the one that is in the key.

    A search along ``PATH`` of the child's own would go on behind a file that can't be executed.
    """
    word = call.argv[0]
    return None if "/" in word else find_program(word, call.cwd, call.environ)


def _never_started(program: str, error: OSError | ValueError) -> NeverStarted:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return NeverStarted(exits.NOT_FOUND, f"{program}: command not found")
    why = error.strerror if isinstance(error, OSError) else str(error)
    return NeverStarted(exits.NOT_EXECUTABLE, f"{program}: can't be executed: {why}")


@contextmanager
def _signals() -> Iterator[tuple[socket.socket, list[int]]]:
    """Collect the signals that ask us to stop, and wake the loop for these and a child's end.

    Yields a socket that turns readable, and the list to which each signal's number is appended.
    A signal that was ignored when we were started (``nohup``, ``&`` in a script) stays ignored.
    """
    received: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        if number != signal.SIGCHLD:
            received.append(number)

    reader, writer = socket.socketpair()
    reader.setblocking(False)
    writer.setblocking(False)
    taken = [each for each in _PASSED_ON if signal.getsignal(each) is not signal.SIG_IGN]
    previous = {each: signal.signal(each, note) for each in (*taken, signal.SIGCHLD)}
    previous_fd = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    try:
        yield reader, received
    finally:
        signal.set_wakeup_fd(previous_fd)
        for number, handler in previous.items():
            signal.signal(number, handler)
        reader.close()
        writer.close()


class _Watch:
    """Waits for one process: the loop, and what it knows so far."""

    def __init__(
        self, call: Call, process: subprocess.Popen[bytes], flow: Flow, signals: list[int]
    ) -> None:
        self._call = call
        self._process = process
        self._flow = flow
        self._signals = signals
        self._handled = 0
        self._timed_out = False
        self._kill_at: float | None = None

    def until_the_end(self, started: float) -> Ended:
        """Wait for the process and for what it prints, and end what it leaves behind."""
        deadline = None if self._call.timeout is None else started + self._call.timeout
        while self._process.poll() is None:
            self._flow.wait_until(_earliest(deadline, self._kill_at))
            self._obey_signals()
            if deadline is not None and monotonic() >= deadline:
                self._timed_out, deadline = True, None
                self._ask_to_end(signal.SIGTERM)
            if self._kill_at is not None and monotonic() >= self._kill_at:
                self._signal_group(signal.SIGKILL)
                self._kill_at = None
        duration = monotonic() - started
        self._flow.drain(_DRAIN, lambda: self._timed_out or bool(self._signals))
        self._signal_group(signal.SIGKILL)
        return Ended(
            exit=_exit_of(self._process.returncode),
            duration=duration,
            timed_out=self._timed_out,
            interrupted_by=self._signals[0] if self._signals else None,
            leaked=self._flow.is_open and not self._flow.is_held_up,
        )

    def _obey_signals(self) -> None:
        """Pass the first signal on; let a second one kill at once."""
        fresh = self._signals[self._handled :]
        self._handled = len(self._signals)
        for number in fresh:
            if self._kill_at is None:
                self._ask_to_end(number)
            else:
                self._signal_group(signal.SIGKILL)

    def _ask_to_end(self, number: int) -> None:
        self._signal_group(number)
        self._kill_at = monotonic() + self._call.grace

    def _signal_group(self, number: int) -> None:
        """Signal all processes of the tool's group; none may be left."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def __enter__(self) -> _Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self._flow.close()
        if self._process.poll() is None:
            self._signal_group(signal.SIGKILL)


def _earliest(*moments: float | None) -> float | None:
    return min((each for each in moments if each is not None), default=None)


def _exit_of(returncode: int) -> Exit:
    """Return a ``Popen.returncode``, where -n is death by signal n, as an exit."""
    return Signalled(-returncode) if returncode < 0 else Exited(returncode)
