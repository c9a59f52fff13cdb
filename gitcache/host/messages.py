"""Messages over a stream socket between processes of one user: a kind, a length, the bytes.

Only whole messages are handed on. Whoever reads learns from the end of the stream that the other
side is gone, by whatever death.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_HEADER: Final = struct.Struct(">cI")
_READ_AT_ONCE: Final = 1 << 16
"""Bytes read in one go; most messages have a few."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message."""

    kind: bytes
    """One byte that says what the payload is."""

    payload: bytes = b""

    def encoded(self) -> bytes:
        """Return the message as it is sent."""
        return _HEADER.pack(self.kind, len(self.payload)) + self.payload


class Messages:
    """The messages that come from one socket."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._rest = b""
        self.is_over = False
        """Whether the other side is gone and all that it sent was taken."""

    def take(self) -> Iterator[Message]:
        """Yield what has come; waits for the first bytes where the socket blocks."""
        try:
            data = self.connection.recv(_READ_AT_ONCE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.is_over = not data
        self._rest += data
        while (message := self._first()) is not None:
            yield message

    def _first(self) -> Message | None:
        """Take the first whole message out of what has come."""
        if len(self._rest) < _HEADER.size:
            return None
        kind, length = _HEADER.unpack_from(self._rest)
        end = _HEADER.size + length
        if len(self._rest) < end:
            return None
        message = Message(kind, self._rest[_HEADER.size : end])
        self._rest = self._rest[end:]
        return message
