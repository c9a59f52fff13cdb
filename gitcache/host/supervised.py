"""A tool as its supervisor tells of it, and what can be asked of the two.

The words are those of :mod:`gitcache.host.supervisor`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic

from gitcache.core.leak import LeftProcess
from gitcache.core.outcome import Exit, Exited, Signalled
from gitcache.host import process_tree
from gitcache.host.channel import Channel, Message


class Supervised:
    """What is known of a tool so far."""

    def __init__(self, descriptor: int) -> None:
        self._channel = Channel(descriptor)
        self._pid = 0
        self._ticks = 0
        """When the tool started, as the system counts; 0 where it does not tell."""

        self.started_at: float | None = None
        """When we heard that the tool runs, on the monotonic clock; None: not yet."""

        self.failure: tuple[bytes, int] | None = None
        """What could not be done to start the tool (``folder`` or ``program``), and the errno."""

        self.exit: Exit | None = None
        """How the tool itself ended; None: not yet."""

        self.duration = 0.0
        """Seconds from the tool's start to its end."""

        self.left: tuple[LeftProcess, ...] = ()
        """What outlived the tool; known after a sweep."""

        self.is_gone = False
        """Whether nothing is left of the tool."""

        self.is_lost = False
        """Whether the supervisor ended before the tool was gone."""

    def start(
        self,
        folder: Path,
        files: Sequence[bytes],
        argv: Sequence[bytes],
        environ: Mapping[bytes, bytes],
        linger: float,
    ) -> None:
        """Let the first of *files* that is there be executed in *folder*.

        Args:
            folder: where the tool runs; absolute, since the supervisor is elsewhere.
            files: paths, absolute or below *folder*.
            argv: its words.
            environ: its variables.
            linger: seconds for which it may go on when we are gone.
        """
        self._channel.send(
            *(b"start", b"%r" % linger, os.fsencode(folder)),
            *(b"%d" % len(files), *files),
            *(b"%d" % len(argv), *argv),
            *(b"%s=%s" % each for each in environ.items()),
        )

    def end(self, number: int, grace: float) -> None:
        """Pass the signal *number* on, and have all of it killed after *grace* seconds."""
        self._channel.send(b"end", b"%d" % number, b"%r" % grace)

    def kill(self) -> None:
        """Have all of it killed at once."""
        self._channel.send(b"kill")

    def stop(self) -> None:
        """Have all of it stopped where it is."""
        self._channel.send(b"stop")

    def go_on(self) -> None:
        """Have all of it continued."""
        self._channel.send(b"continue")

    def sweep(self, seconds: float, grace: float) -> None:
        """Have told what is left in so many *seconds*, and have it ended within *grace* more."""
        self._channel.send(b"sweep", b"%r" % seconds, b"%r" % grace)

    @property
    def is_forked(self) -> bool:
        """Whether there is, or was, a process for the tool."""
        return self._pid != 0

    def hear(self) -> bool:
        """Take what the supervisor says; return whether more can come."""
        messages = self._channel.receive()
        for message in messages or ():
            self._take(message)
        if messages is None:
            self.is_lost = not self.is_gone and self.failure is None
        return messages is not None

    def kill_without_supervisor(self) -> None:
        """Kill what is left in the tool's session, where nobody else can any more."""
        if self._ticks:
            process_tree.kill_session(self._pid, self._ticks)
        elif self._pid:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, signal.SIGKILL)

    def _take(self, message: Message) -> None:
        match message:
            case [b"forked", pid, ticks]:
                self._pid, self._ticks = int(pid), int(ticks)
            case [b"started"]:
                self.started_at = monotonic()
            case [b"failed", where, number]:
                self.failure = (where, int(number))
            case [b"ended", status, duration]:
                self.exit, self.duration = _exit_of(int(status)), float(duration)
            case [b"left", *fields]:
                pairs = zip(fields[::2], fields[1::2], strict=True)
                self.left = tuple(LeftProcess(int(pid), _text(name)) for pid, name in pairs)
            case [b"gone"]:
                self.is_gone = True


def _exit_of(status: int) -> Exit:
    """Return the *status* of wait(2) as an exit."""
    code = os.waitstatus_to_exitcode(status)
    return Signalled(-code) if code < 0 else Exited(code)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")
