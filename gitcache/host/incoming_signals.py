"""The signals that reach us while a tool runs: collected, so that the loop can obey them in turn.

What was ignored when we were started (``nohup``, ``&`` in a script) stays ignored.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

_ASKING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Signals that ask us to end."""

_READ_AT_ONCE: Final = 1 << 12
"""Bytes: one for each signal."""


class IncomingSignals:
    """Numbers of signals in the order in which they came."""

    def __init__(self, wakeup: socket.socket) -> None:
        self._wakeup = wakeup
        self._received: list[int] = []
        self._taken = 0

    @property
    def descriptor(self) -> int:
        """What can be read when a signal has come."""
        return self._wakeup.fileno()

    @property
    def first_asking(self) -> int | None:
        """The first signal that asked us to end, if one did."""
        return next((each for each in self._received if each != signal.SIGTSTP), None)

    def note(self, number: int, _: FrameType | None) -> None:
        """Be the handler of a signal."""
        self._received.append(number)

    def take_from(self, descriptor: int) -> bool:
        """Take the numbers that wait in *descriptor*; return whether more can come."""
        numbers = os.read(descriptor, _READ_AT_ONCE)
        self._received += numbers
        return bool(numbers)

    def fresh(self) -> list[int]:
        """Return what has come since the last call."""
        fresh = self._received[self._taken :]
        self._taken += len(fresh)
        return fresh

    def calm(self) -> bool:
        """Make :attr:`descriptor` wait for the next signal; return whether one can come."""
        with suppress(BlockingIOError):
            self._wakeup.recv(_READ_AT_ONCE)
        return True


@contextmanager
def incoming_signals() -> Iterator[IncomingSignals]:
    """Collect what asks us to end or to stop, in place of what is done otherwise.

    Must be called from the main thread, where signals arrive.
    """
    reader, writer = socket.socketpair()
    reader.setblocking(False)
    writer.setblocking(False)
    incoming = IncomingSignals(reader)
    signals = (*_ASKING, signal.SIGTSTP)
    taken = [each for each in signals if signal.getsignal(each) is not signal.SIG_IGN]
    previous = {each: signal.signal(each, incoming.note) for each in taken}
    previous_fd = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    try:
        yield incoming
    finally:
        signal.set_wakeup_fd(previous_fd)
        for number, handler in previous.items():
            signal.signal(number, handler)
        reader.close()
        writer.close()


def stop_as_told() -> None:
    """Do what SIGTSTP does to a program that does not handle it, and return when we go on.

    In an orphaned process group, where nobody could let us go on, the kernel makes nothing of it.
    """
    handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTSTP)
    signal.signal(signal.SIGTSTP, handler)
