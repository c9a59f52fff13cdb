"""The followers of a run: they come, are told, go, and the last one's departure ends the run."""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from gitcache.host.broadcast import (
    END,
    FOLLOW,
    GREETING,
    MORE,
    NEWS,
    READY,
    STOP,
    Broadcast,
)
from gitcache.host.messages import Message, Messages


class Follower:
    """A follower that waits for what it expects."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._messages = Messages(connection)
        self._come: list[Message] = []

    def next(self) -> Message | None:
        """Return the next message; None where there is none any more."""
        while not self._come and not self._messages.is_over:
            self._come += self._messages.take()
        return self._come.pop(0) if self._come else None

    def until(self, kind: bytes) -> Message:
        """Return the next message of *kind*."""
        while (message := self.next()) is not None:
            if message.kind == kind:
                return message
        raise AssertionError(f"no {kind!r} came")


class Crowd:
    """Followers of one address, all of which go at the end of the test."""

    def __init__(self, address: Path, stack: ExitStack) -> None:
        self.address = address
        self._stack = stack

    def join(self) -> Follower:
        """Return a new follower."""
        connection = self.of(socket.socket(socket.AF_UNIX))
        connection.connect(str(self.address))
        connection.sendall(Message(FOLLOW).encoded())
        return Follower(connection)

    def look(self) -> Follower:
        """Return who is connected and does not follow."""
        connection = self.of(socket.socket(socket.AF_UNIX))
        connection.connect(str(self.address))
        return Follower(connection)

    def of(self, connection: socket.socket) -> socket.socket:
        """Close *connection* at the end."""
        self._stack.enter_context(connection)
        connection.settimeout(30)
        return connection


@pytest.fixture
def crowd(tmp_path: Path) -> Iterator[Crowd]:
    with ExitStack() as stack:
        yield Crowd(tmp_path / "socket", stack)


def greeting(count: int) -> bytes:
    return b"run with %d" % count


def begin(crowd: Crowd, linger: float, first: socket.socket | None = None) -> Broadcast:
    broadcast = Broadcast(greeting, linger, last_words=0.0)
    broadcast.listen(crowd.address)
    broadcast.start(None if first is None else Messages(first))
    return broadcast


def stopped_by(broadcast: Broadcast) -> int:
    return os.read(broadcast.stop, 1)[0]


def test_followers_are_greeted_told_and_let_go(crowd: Crowd) -> None:
    ours, first = socket.socketpair()
    broadcast = begin(crowd, 0.0, first)
    a, b = Follower(crowd.of(ours)), crowd.join()
    assert a.next() == Message(GREETING, b"run with 0")
    assert b.next() == Message(GREETING, b"run with 1")
    assert a.next() == b.next() == Message(MORE)
    broadcast.news(b"waits")
    assert a.next() == b.next() == Message(NEWS, b"waits")
    c = crowd.join()
    assert [c.next() for _ in range(2)] == [
        Message(GREETING, b"run with 2"),
        Message(NEWS, b"waits"),
    ]
    broadcast.more()
    assert a.next() == b.next() == Message(MORE)
    broadcast.end(b"passed")
    assert a.until(END) == b.until(END) == c.until(END) == Message(END, b"passed")
    assert a.next() is None


def test_last_follower_to_go_stops_the_run(crowd: Crowd) -> None:
    broadcast = begin(crowd, linger=0.0)
    a, b = crowd.join(), crowd.join()
    a.until(GREETING)
    b.until(GREETING)
    a.connection.close()
    broadcast.more()
    b.until(MORE)
    assert select.select([broadcast.stop], [], [], 0)[0] == []
    b.connection.close()
    assert stopped_by(broadcast) == signal.SIGTERM
    broadcast.end(b"")


def test_run_lingers_for_a_follower_that_comes_again(crowd: Crowd) -> None:
    broadcast = begin(crowd, linger=3600.0)
    crowd.join().connection.close()
    again = crowd.join()
    again.until(GREETING)
    assert select.select([broadcast.stop], [], [], 0)[0] == []
    broadcast.end(b"passed")
    assert again.until(END).payload == b"passed"


def test_only_follower_may_stop_the_run_at_once(crowd: Crowd) -> None:
    broadcast = begin(crowd, linger=3600.0)
    a, b = crowd.join(), crowd.join()
    a.until(GREETING)
    b.until(GREETING)
    while crowd.look().until(GREETING).payload != b"run with 2":  # both have been heard
        pass
    a.connection.sendall(Message(STOP, bytes([signal.SIGINT])).encoded())
    assert [message for message in iter(a.next, None) if message.kind != MORE] == []
    b.connection.sendall(Message(STOP, bytes([signal.SIGINT])).encoded())
    assert stopped_by(broadcast) == signal.SIGINT
    assert not crowd.address.exists()  # nobody joins it now
    broadcast.end(b"interrupted")
    assert b.until(END).payload == b"interrupted"


def test_follower_that_reads_nothing_holds_nobody_up(crowd: Crowd) -> None:
    broadcast = begin(crowd, linger=0.0)
    asleep, awake = crowd.join(), crowd.join()
    awake.until(GREETING)
    for _ in range(100_000):
        broadcast.more()
    broadcast.news(b"on")
    assert awake.until(NEWS).payload == b"on"
    assert asleep.until(GREETING).payload == b"run with 0"
    broadcast.end(b"")


def test_large_answer_reaches_a_follower_that_comes_to_it_late(crowd: Crowd) -> None:
    broadcast = begin(crowd, linger=0.0)
    follower = crowd.join()
    follower.until(GREETING)
    broadcast.news(b"x" * 3_000_000)
    assert len(follower.until(NEWS).payload) == 3_000_000
    broadcast.end(b"passed")
    assert follower.until(END).payload == b"passed"


def test_end_waits_for_followers_that_need_more(crowd: Crowd) -> None:
    broadcast = Broadcast(greeting, linger=0.0)
    broadcast.listen(crowd.address)
    broadcast.start()
    a, b = crowd.join(), crowd.join()
    a.until(GREETING)
    b.until(GREETING)
    is_told = threading.Event()
    ending = threading.Thread(target=broadcast.end, args=(b"x", is_told.set))
    ending.start()
    a.until(END)
    b.until(END)
    assert is_told.wait(30)
    assert ending.is_alive()
    a.connection.sendall(Message(READY).encoded())
    b.connection.close()
    ending.join()


def test_end_waits_for_one_who_has_not_said_yet_that_it_follows(crowd: Crowd) -> None:
    broadcast = Broadcast(greeting, linger=0.0, last_words=3600.0)
    broadcast.listen(crowd.address)
    broadcast.start()
    late, looker = crowd.look(), crowd.look()
    late.until(GREETING)
    looker.until(GREETING)
    is_told = threading.Event()
    ending = threading.Thread(target=broadcast.end, args=(b"x", is_told.set))
    ending.start()
    late.until(END)
    looker.connection.close()
    assert is_told.wait(30)
    late.connection.sendall(Message(FOLLOW).encoded())
    assert ending.is_alive()
    late.connection.sendall(Message(READY).encoded())
    ending.join()


def test_address_of_a_runner_that_is_gone_is_taken_over(crowd: Crowd) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(crowd.address))
    left.close()
    broadcast = begin(crowd, linger=0.0)
    assert crowd.join().until(GREETING).payload == b"run with 0"
    broadcast.end(b"")
