"""Messages over a socket: whole ones, in their order, and the other side's end."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from gitcache.host.messages import Message, Messages


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, Messages]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, Messages(theirs)


def test_messages_come_whole_however_they_are_cut(pair: tuple[socket.socket, Messages]) -> None:
    sender, messages = pair
    sent = [Message(b"a"), Message(b"b", b"\0" * 300), Message(b"c", b"x")]
    come: list[Message] = []
    for byte in b"".join(each.encoded() for each in sent):
        sender.sendall(bytes([byte]))
        come += messages.take()
    assert come == sent


def test_end_of_the_other_side_comes_after_what_it_sent(
    pair: tuple[socket.socket, Messages],
) -> None:
    sender, messages = pair
    sender.sendall(Message(b"a", b"1").encoded() + b"half")
    sender.close()
    assert list(messages.take()) == [Message(b"a", b"1")]
    assert not messages.is_over
    assert list(messages.take()) == []
    assert messages.is_over


def test_socket_that_does_not_block_has_nothing_yet(pair: tuple[socket.socket, Messages]) -> None:
    _, messages = pair
    messages.connection.setblocking(False)
    assert list(messages.take()) == []
    assert not messages.is_over
