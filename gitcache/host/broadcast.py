"""A runner's line to its followers: who listens, that there is more to read, and the end.

A thread holds the sockets, so that the runner itself only waits for its tool. Who is connected and
has said so follows; the others only look. The thread sees each come and go, by whatever death, and
when the last follower is gone for long enough, or the only one asks for it, it tells the runner to
stop through a pipe. What
the tool prints goes through a file (:mod:`gitcache.host.live_log`), so a follower that does not
read holds nobody up.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Final

from gitcache.host.messages import Message, Messages

GREETING: Final = b"g"
"""To a follower, first: what runs, as the runner words it."""

MORE: Final = b"m"
"""To a follower: there is more in the log."""

NEWS: Final = b"n"
"""To a follower: what the runner does, as it words it."""

END: Final = b"e"
"""To a follower, last: the answer, as the runner words it."""

READY: Final = b"r"
"""From a follower: it has heard the end, and needs nothing more."""

FOLLOW: Final = b"f"
"""From a follower, first: it wants the run's answer."""

KEEP: Final = b"k"
"""From a follower: the run is to go on to its end, whoever leaves it."""

STOP: Final = b"s"
"""From a follower: it does not want the run any more; a signal's number, one byte."""

_DESERTED: Final = 1.0
"""Seconds that a run has to end by itself once nobody wants it any more."""

LAST_WORDS: Final = 5.0
"""Seconds for which a follower that does not read is waited for at the end."""


class Broadcast:
    """The followers of one run. Only :attr:`stop` and the methods are for other threads."""

    def __init__(
        self, greet: Callable[[int], bytes], linger: float | None, last_words: float = LAST_WORDS
    ) -> None:
        """Begin without a follower.

        Args:
            greet: takes how many follow already and returns the greeting of the next follower.
            linger: seconds for which the run goes on after its last follower has gone; None: to
                its end.
            last_words: seconds for which followers that are not ready are waited for at the end.
        """
        self._greet = greet
        self._linger = linger
        self._is_kept = False
        """Whether the run is to go on to its end, whoever leaves it."""

        self._last_words = last_words
        self._followers: dict[socket.socket, _Follower] = {}
        self._deserted_at: float | None = None
        self._is_stopped = False
        """Whether the run was told to stop."""

        self._news: Message | None = None
        self._orders: SimpleQueue[Message] = SimpleQueue()
        """What other threads want to be sent."""

        self._selector = selectors.DefaultSelector()
        self._wakeup, self._waker = socket.socketpair()
        self._waker.setblocking(False)
        self._selector.register(self._wakeup, selectors.EVENT_READ)
        self._listener: socket.socket | None = None
        self._address: Path | None = None
        self.stop, self._stopper = os.pipe()
        """The descriptor from which a signal's number comes, one byte, once the run is to stop."""

        self._thread = threading.Thread(target=self._serve, name="followers", daemon=True)

    def listen(self, address: Path) -> None:
        """Let followers connect at *address*, a path that no other process listens at.

        Raises:
            OSError: that can't be.
        """
        self._address = address
        self._listener = socket.socket(socket.AF_UNIX)
        address.unlink(missing_ok=True)
        self._listener.bind(str(address))
        self._listener.listen(socket.SOMAXCONN)
        self._listener.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ)

    def start(self, first: Messages | None = None) -> None:
        """Begin to serve, with a follower that is connected already as the *first*."""
        if first is not None:
            self._admit(first, follows=True)
        self._thread.start()

    def more(self) -> None:
        """Tell all followers that there is more in the log."""
        self._order(Message(MORE))

    def news(self, payload: bytes) -> None:
        """Tell all followers, those to come as well, what the runner does; empty: the usual."""
        self._order(Message(NEWS, payload))

    def end(self, payload: bytes, is_told: Callable[[], None] = lambda: None) -> None:
        """Tell all followers the answer, and let them go.

        Args:
            payload: the answer.
            is_told: called when it is on its way and nobody can connect any more.
        """
        if self._address is not None:
            self._address.unlink(missing_ok=True)
        self._order(Message(END, payload))
        is_told()
        self._thread.join()

    def _order(self, message: Message) -> None:
        self._orders.put(message)
        with suppress(BlockingIOError):  # it is awake already
            self._waker.send(b"\0")

    def _serve(self) -> None:
        """Serve until the end is told."""
        is_over = False
        while not is_over:
            for key, events in self._selector.select(self._patience()):
                if key.fileobj is self._wakeup:
                    is_over = self._obey()
                elif key.fileobj is self._listener:
                    self._accept()
                elif events & selectors.EVENT_WRITE:
                    self._flush(key.data)
                else:
                    self._hear(key.data)
            if self._patience() == 0.0:
                self._stop_deserted()
        self._dismiss()

    def _following(self) -> int:
        """Return how many follow."""
        return sum(each.follows for each in self._followers.values())

    def _patience(self) -> float | None:
        """Return for how many seconds a deserted run goes on; None: it is not deserted."""
        if self._linger is None or self._deserted_at is None or self._following():
            return None
        return max(0.0, self._deserted_at + self._linger - monotonic())

    def _stop_deserted(self) -> None:
        """Have the run end, and at once where it has not after :data:`_DESERTED` seconds more."""
        is_second = self._is_stopped
        self._stop_by(signal.SIGINT if is_second else signal.SIGTERM)
        self._linger = None if is_second else _DESERTED
        self._deserted_at = monotonic()

    def _obey(self) -> bool:
        """Send what other threads want to be sent, and return whether it is the end."""
        self._wakeup.recv(1 << 12)
        orders = {self._orders.get(): None for _ in range(self._orders.qsize())}
        for order in orders:
            if order.kind == NEWS:
                self._news = order if order.payload else None
            for follower in [*self._followers.values()]:
                self._send(follower, order)
        return any(order.kind == END for order in orders)

    def _accept(self) -> None:
        if self._listener is not None:
            with suppress(OSError):  # it is gone already
                self._admit(Messages(self._listener.accept()[0]))

    def _admit(self, messages: Messages, *, follows: bool = False) -> None:
        """Greet who sends *messages*, and tell it from now on what there is to tell."""
        connection = messages.connection
        connection.setblocking(False)
        follower = _Follower(messages, follows=follows)
        greeting = Message(GREETING, self._greet(self._following()))
        self._followers[connection] = follower
        self._selector.register(connection, selectors.EVENT_READ, follower)
        for message in filter(None, (greeting, self._news, Message(MORE))):
            self._send(follower, message)

    def _hear(self, follower: _Follower) -> None:
        """Take what *follower* says; its silence for ever is its departure."""
        for message in follower.messages.take():
            follower.is_silent = False
            match message:
                case Message(kind) if kind == FOLLOW:
                    follower.follows = True
                case Message(kind) if kind == READY:
                    follower.is_ready = True
                case Message(kind) if kind == KEEP:
                    self._is_kept, self._linger = True, None
                case Message(kind, payload) if kind == STOP and payload:
                    self._stop_for(follower, payload[0])
        if follower.messages.is_over:
            self._lose(follower)

    def _stop_for(self, follower: _Follower, number: int) -> None:
        """Stop the run where nobody else wants it; else let *follower* go."""
        if self._following() == 1 and not self._is_kept:
            self._stop_by(number)
        else:
            follower.messages.is_over = True

    def _stop_by(self, number: int) -> None:
        """Tell the run to stop, and let nobody join it any more, who would get no answer of it."""
        self._is_stopped = True
        if self._address is not None:
            self._address.unlink(missing_ok=True)
        os.write(self._stopper, bytes([number]))

    def _lose(self, follower: _Follower) -> None:
        """Let *follower* go; that it is gone may be learnt twice, by reading and by writing."""
        if follower.connection not in self._followers:
            return
        self._selector.unregister(follower.connection)
        del self._followers[follower.connection]
        follower.connection.close()
        if follower.follows and not self._following():
            self._deserted_at = monotonic()

    def _send(self, follower: _Follower, message: Message) -> None:
        """Send *message*, now or when *follower* has room for it."""
        is_awake = follower.outgoing and message.kind == MORE  # what waits will wake it
        if is_awake or follower.connection not in self._followers:
            return
        follower.outgoing += message.encoded()
        self._flush(follower)

    def _flush(self, follower: _Follower) -> None:
        try:
            del follower.outgoing[: follower.connection.send(follower.outgoing)]
        except BlockingIOError:
            pass
        except OSError:
            self._lose(follower)
            return
        writing = selectors.EVENT_WRITE if follower.outgoing else 0
        self._selector.modify(follower.connection, selectors.EVENT_READ | writing, follower)

    def _dismiss(self) -> None:
        """Wait a moment for followers that do not have all that they need yet, and close all."""
        for other in filter(None, (self._listener, self._wakeup)):
            self._selector.unregister(other)  # they would wake us for nothing
        end = monotonic() + self._last_words
        while monotonic() < end and any(each.lacks_something for each in self._followers.values()):
            for key, events in self._selector.select(end - monotonic()):
                take = self._flush if events & selectors.EVENT_WRITE else self._hear
                take(key.data)
        for each in (*self._followers, self._listener, self._wakeup, self._waker):
            if each is not None:
                each.close()
        self._selector.close()
        os.close(self.stop)
        os.close(self._stopper)


class _Follower:
    """One connection."""

    def __init__(self, messages: Messages, *, follows: bool) -> None:
        self.follows = follows
        """Whether it wants the answer; else it only looks."""

        self.connection = messages.connection
        self.messages = messages
        self.outgoing = bytearray()
        """What waits for room in the socket."""

        self.is_silent = not follows
        """Whether it has not said yet what it wants."""

        self.is_ready = False
        """Whether it needs nothing more."""

    @property
    def lacks_something(self) -> bool:
        """Whether it follows, or may, and has not said yet that it has all that it needs."""
        return (self.follows or self.is_silent) and not self.is_ready
