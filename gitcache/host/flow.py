"""Lets a tool's output flow from its pipes to a listener, no faster than the listener can take it.

A reader that stops reading (a pager at rest) must hold up the tool, as it would without us, but
neither signals nor deadlines. So a pipe is only read while what the listener writes to has room,
and no more is read at once than goes into that room.
"""

from __future__ import annotations

import errno
import os
import select
import selectors
import stat
from collections.abc import Callable, Mapping
from time import monotonic
from typing import IO, Final

from gitcache.core.output import Stream

OnOutput = Callable[[Stream, bytes], None]

_READ_AT_ONCE: Final = 1 << 16
"""Bytes read in one go: what a Linux pipe holds (pipe(7))."""

_ROOM: Final = select.PIPE_BUF
"""Bytes for which a pipe that polls as writable has room (poll(2), pipe(7))."""


class Flow:
    """The output of one process on its way."""

    def __init__(
        self,
        pipes: Mapping[Stream, IO[bytes]],
        wakeups: Mapping[int, Callable[[], bool]],
        on_output: OnOutput,
        outlets: Mapping[Stream, int],
    ) -> None:
        """Prepare the flow from *pipes*.

        Args:
            pipes: what is read.
            wakeups: a descriptor that ends the waiting when it can be read, to what reads it then
                and says whether more can come.
            on_output: takes what was read.
            outlets: the descriptor to which *on_output* writes what came on a stream.
        """
        self._on_output = on_output
        self._outlets = outlets
        self._pipes = dict(pipes)
        """The pipes that are open."""

        self._held_up: dict[Stream, float] = {}
        """The streams that wait for room, and since when."""

        self._waited = 0.0
        self._selector = selectors.DefaultSelector()
        for descriptor, take in wakeups.items():
            self._selector.register(descriptor, selectors.EVENT_READ, take)
        for stream, pipe in pipes.items():
            self._selector.register(pipe, selectors.EVENT_READ, stream)

    @property
    def is_open(self) -> bool:
        """Whether something still holds a pipe, as far as it was read."""
        return bool(self._pipes)

    @property
    def is_held_up(self) -> bool:
        """Whether a stream waits for room."""
        return bool(self._held_up)

    def wait_until(self, moment: float | None) -> None:
        """Wait for output, a wake-up or *moment* (monotonic seconds), and hand on the output."""
        timeout = None if moment is None else max(0.0, moment - monotonic())
        for key, _ in self._selector.select(timeout):
            if callable(key.data):
                if not key.data():
                    self._selector.unregister(key.fileobj)
            elif key.data in self._held_up:
                self._resume(key.data)
            else:
                self._pass_on(key.data)

    def drain(self, seconds: float, is_given_up: Callable[[], bool]) -> None:
        """Take what still comes for *seconds*, not counting the time in which there is no room.

        Args:
            seconds: how long something that goes on writing is listened to.
            is_given_up: whether a listener without room is waited for no longer.
        """
        end = monotonic() + seconds
        self._waited = 0.0
        while self._pipes and monotonic() < end + self._waited:
            if self._held_up and is_given_up():
                return
            self.wait_until(None if self._held_up else end + self._waited)
        self.wait_until(monotonic())  # a pipe's end may have come while the listener was slow

    def stop_listening(self) -> None:
        """Take no more output; what wakes the loop still does."""
        for stream, pipe in self._pipes.items():
            self._selector.unregister(self._outlets[stream] if stream in self._held_up else pipe)
        self._pipes.clear()
        self._held_up.clear()

    def close(self) -> None:
        """Stop waiting for anything; the pipes themselves belong to the process."""
        self._selector.close()

    def _pass_on(self, stream: Stream) -> None:
        """Hand on what has come on *stream*, or let it wait for room."""
        pipe = self._pipes[stream]
        outlet = self._outlets.get(stream)
        if outlet is not None and not has_room(outlet):
            self._selector.unregister(pipe)
            self._selector.register(outlet, selectors.EVENT_WRITE, stream)
            self._held_up[stream] = monotonic()
        elif data := _read(pipe, room_at_once(outlet)):
            self._on_output(stream, data)
        else:
            self._selector.unregister(pipe)
            del self._pipes[stream]

    def _resume(self, stream: Stream) -> None:
        """Go on with *stream*, whose outlet has room again or no reader any more."""
        self._selector.unregister(self._outlets[stream])
        self._selector.register(self._pipes[stream], selectors.EVENT_READ, stream)
        self._waited += monotonic() - self._held_up.pop(stream)


def _read(pipe: IO[bytes], most: int) -> bytes:
    """Return what has come, nothing at the end; a pseudo-terminal's end is an error on Linux."""
    try:
        return os.read(pipe.fileno(), most)
    except OSError as error:
        if error.errno == errno.EIO:
            return b""
        raise


def has_room(outlet: int) -> bool:
    """Return whether writing to *outlet* does not block; an error is told by the write itself."""
    poll = select.poll()
    poll.register(outlet, select.POLLOUT)
    return bool(poll.poll(0))


def room_at_once(outlet: int | None) -> int:
    """Return how many bytes may be written at once to *outlet* where it has room.

    To no descriptor and to a file, that is any amount that is read at once.
    """
    is_boundless = outlet is None or stat.S_ISREG(os.fstat(outlet).st_mode)
    return _READ_AT_ONCE if is_boundless else _ROOM
