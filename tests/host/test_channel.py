"""Messages between processes: they arrive whole, in order, and their end is told."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.host.channel import Channel, Message

fields = st.binary(max_size=9).map(lambda data: data.replace(b"\0", b""))


def received(channel: Channel) -> list[Message]:
    """Return all messages up to the end."""
    found: list[Message] = []
    while (messages := channel.receive()) is not None:
        found += messages
    return found


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


@given(st.lists(st.lists(fields, min_size=1, max_size=4), max_size=4))
def test_messages_arrive_as_they_were_sent(messages: list[Message]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for message in messages:
            assert Channel(ours.fileno()).send(*message)
        ours.close()
        assert received(Channel(theirs.fileno())) == messages


def test_message_in_pieces_comes_when_it_is_whole(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    channel = Channel(ends[1].fileno())
    data = b"\0\0\0\x05ab\0cd" + b"\0\0\0\x01e"
    told = []
    for byte in data:
        ends[0].send(bytes([byte]))
        told.append(channel.receive())
    assert [each for each in told if each] == [[[b"ab", b"cd"]], [[b"e"]]]
    assert told[8] == [[b"ab", b"cd"]]


def test_message_larger_than_a_sockets_room_arrives(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    large = b"x" * 3_000_000
    found: list[Message] = []
    reader = threading.Thread(target=lambda: found.extend(received(Channel(ends[1].fileno()))))
    reader.start()
    assert Channel(ends[0].fileno()).send(large, b"", large)
    ends[0].close()
    reader.join()
    assert found == [[large, b"", large]]


def test_sending_to_nobody_is_told(ends: tuple[socket.socket, socket.socket]) -> None:
    ends[1].close()
    assert not Channel(ends[0].fileno()).send(b"anybody")


def test_what_was_cut_off_is_no_message(ends: tuple[socket.socket, socket.socket]) -> None:
    os.write(ends[0].fileno(), b"\0\0\0\x05ab")
    ends[0].close()
    assert received(Channel(ends[1].fileno())) == []
