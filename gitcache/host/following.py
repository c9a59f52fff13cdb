"""A caller's side of a run that another process does: its output so far and live, and its end.

Output comes from the log, no faster than the caller's own reader takes it; the socket says that
there is more, and how it ends. Neither is polled. Signals are obeyed at any time: the first one
asks the runner to stop, which it does for its only follower; else it lets this caller go.
"""

from __future__ import annotations

import selectors
import signal
import socket
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import monotonic
from typing import Final, Protocol

from gitcache.core.output import Stream
from gitcache.host.broadcast import END, FOLLOW, GREETING, MORE, NEWS, READY, STOP
from gitcache.host.flow import has_room, room_at_once
from gitcache.host.incoming_signals import IncomingSignals, incoming_signals, stop_as_told
from gitcache.host.live_log import Frame, LogReader, Missed
from gitcache.host.messages import Message, Messages

_STREAMS: Final = ("stdout", "stderr")


@dataclass(frozen=True, slots=True)
class End:
    """The runner has told the end."""

    payload: bytes
    is_ours: bool = False
    """Whether this caller has asked the runner to stop."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The runner is gone and told no end."""


@dataclass(frozen=True, slots=True)
class Late:
    """The run goes on, and the time for which it was to be followed is over."""


@dataclass(frozen=True, slots=True)
class Left:
    """A signal told this caller to go."""

    signal: int


class Listener(Protocol):
    """Hears what comes over the line, whoever runs."""

    def greeted(self, payload: bytes) -> Path | None:
        """Hear the greeting; return the folder of the log, or None to follow no further."""

    def news(self, payload: bytes) -> None:
        """Hear what the runner does."""

    def other(self, message: Message) -> None:
        """Hear any other message."""

    def frame(self, frame: Frame) -> None:
        """Hear what the tool printed, at most as much as there is room for, or what is said."""

    def missed(self, count: int) -> None:
        """Hear that so many bytes were gone before they were read."""


def connect(address: Path) -> socket.socket | None:
    """Return a connection to the runner at *address*; None where nobody listens to us there."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(address))
    except OSError:
        connection.close()
        return None
    return connection


def follow(
    connection: socket.socket,
    listener: Listener,
    outlets: Mapping[Stream, int],
    asking: frozenset[int] = frozenset(),
    deadline: float = inf,
    says: tuple[bytes, ...] = (FOLLOW,),
) -> End | Gone | Left | Late:
    """Hear the run at the other end of *connection* to its end.

    Must be called from the main thread, where signals arrive.

    Args:
        connection: a line to a runner, which is closed.
        listener: hears what comes.
        outlets: the descriptors to which it writes what came on a stream.
        asking: the signals that ask a run to stop that nobody else follows; any other lets this
            caller go, and the run with it only after a while.
        deadline: when to follow no further, in monotonic seconds.
        says: the kinds of the messages that the runner gets first; without :data:`FOLLOW` this
            caller only looks.
    """
    with closing(connection), incoming_signals() as signals:
        following = _Following(connection, listener, outlets, signals, asking)
        with closing(following):
            for kind in says:
                following.say(kind)
            return following.until_the_end(deadline)


class _Following:
    def __init__(
        self,
        connection: socket.socket,
        listener: Listener,
        outlets: Mapping[Stream, int],
        signals: IncomingSignals,
        asking: frozenset[int],
    ) -> None:
        self._asking = asking
        connection.setblocking(False)
        self._connection = connection
        self._listener = listener
        self._outlets = outlets
        self._signals = signals
        self._messages = Messages(connection)
        self._log: LogReader | None = None
        self._frames: Iterator[Frame | Missed] = iter(())
        """What of the log is waiting to be heard."""

        self._has_more = False
        self._held_up: tuple[Frame, int] | None = None
        """What waits for room, and the descriptor that has none."""

        self._end: End | None = None
        self._is_refused = False
        self._asked_by: int | None = None
        """The signal for which the runner was asked to stop."""

        self._selector = selectors.DefaultSelector()
        self._selector.register(connection, selectors.EVENT_READ, self._hear)
        self._selector.register(signals.descriptor, selectors.EVENT_READ, signals.calm)

    def until_the_end(self, deadline: float) -> End | Gone | Left | Late:
        """Wait for the end, or for a signal that ends the waiting."""
        while monotonic() < deadline:
            self._show()
            for number in self._signals.fresh():
                if (left := self._obey(number)) is not None:
                    return left
            is_heard = self._held_up is None and not self._has_more
            if (is_heard or self._asked_by is not None) and (over := self._over()) is not None:
                return over
            rest = None if deadline == inf else max(0.0, deadline - monotonic())
            for key, _ in self._selector.select(0 if self._has_more else rest):
                key.data()
        return Late()

    def close(self) -> None:
        """Let go of the log."""
        self._selector.close()
        if self._log is not None:
            self._log.close()

    def _over(self) -> End | Gone | Left | None:
        """Return how it ended, once all that came was heard; None: it goes on."""
        if self._end is not None:
            return End(self._end.payload, self._asked_by is not None)
        if not self._messages.is_over and not self._is_refused:
            return None
        return Gone() if self._asked_by is None else Left(self._asked_by)

    def _hear(self) -> None:
        for message in self._messages.take():
            match message:
                case Message(kind, payload) if kind == GREETING:
                    folder = self._listener.greeted(payload)
                    self._is_refused = folder is None
                    self._log = None if folder is None else LogReader(folder)
                case Message(kind) if kind == MORE:
                    self._has_more = True
                case Message(kind, payload) if kind == NEWS:
                    self._listener.news(payload)
                case Message(kind, payload) if kind == END:
                    self._end, self._has_more = End(payload), True
                    self._take_all()
                case _:
                    self._listener.other(message)
        if self._messages.is_over:
            self._selector.unregister(self._connection)

    def _take_all(self) -> None:
        """Hold what is left of the log, and tell that it is not needed any more."""
        if self._log is not None:
            self._log.hold()
        self.say(READY)

    def say(self, kind: bytes, payload: bytes = b"") -> None:
        """Send the runner a message, if it is still there."""
        with suppress(OSError):  # it is gone, which will be heard
            self._connection.send(Message(kind, payload).encoded())

    def _obey(self, number: int) -> Left | None:
        """Do what a signal asks for; return that this caller goes where it does."""
        if number == signal.SIGTSTP:
            stop_as_told()
            return None
        if number not in self._asking or self._messages.is_over:
            return Left(number)
        self.say(STOP, bytes([number]))
        if self._asked_by is not None:  # it is not waited for any longer
            return Left(number)
        self._asked_by = number
        return None

    def _show(self) -> None:
        """Hand on what of the log is there, as far as there is room for it."""
        if self._held_up is not None:
            frame, outlet = self._held_up
            if not has_room(outlet):
                return
            self._selector.unregister(outlet)
            self._held_up = None
            self._pass_on(frame)
        while self._held_up is None:
            item = next(self._frames, None)
            if item is None:
                if not self._has_more or self._log is None:
                    self._has_more = False
                    return
                self._has_more = False
                self._frames = self._log.read()
            elif isinstance(item, Missed):
                self._listener.missed(item.count)
            else:
                self._pass_on(item)

    def _pass_on(self, frame: Frame) -> None:
        """Hand on *frame*, in pieces where its outlet has less room."""
        outlet = self._outlets.get(frame.kind) if frame.kind in _STREAMS else None
        size = room_at_once(outlet)
        for begin in range(0, max(len(frame.data), 1), size):
            if outlet is not None and not has_room(outlet):
                self._held_up = Frame(frame.kind, frame.data[begin:]), outlet
                self._selector.register(outlet, selectors.EVENT_WRITE, lambda: None)
                return
            self._listener.frame(Frame(frame.kind, frame.data[begin : begin + size]))
