"""Messages over a socket between two of our processes: lists of byte strings, none with a NUL.

What an exec takes (words, variables, paths) holds no NUL, so nothing needs to be quoted. A message
that has come is whole: pieces wait for the rest. Kept free of ``json`` and ``socket``, since the
import of either takes as long as the whole start of an interpreter.
"""

from __future__ import annotations

import os

_LENGTH = 4
"""Bytes before each message that hold its length."""

_READ_AT_ONCE = 1 << 16
"""Bytes read in one go: most messages are far smaller."""

Message = list[bytes]


class Channel:
    """One end of a stream socket that blocks."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._rest = b""

    def send(self, *fields: bytes) -> bool:
        """Send a message of one field or more; return whether somebody may still read it."""
        content = b"\0".join(fields)
        data = memoryview(len(content).to_bytes(_LENGTH, "big") + content)
        try:
            while data:
                data = data[os.write(self.descriptor, data) :]
        except ConnectionError:
            return False
        return True

    def receive(self) -> list[Message] | None:
        """Return the messages that are whole by now, after waiting for some bytes.

        Returns:
            None where the other end is closed and nothing more can come.
        """
        try:
            data = os.read(self.descriptor, _READ_AT_ONCE)
        except ConnectionError:
            return None
        if not data:
            return None
        self._rest += data
        return self._whole()

    def _whole(self) -> list[Message]:
        messages = []
        while len(self._rest) >= _LENGTH:
            end = _LENGTH + int.from_bytes(self._rest[:_LENGTH], "big")
            if len(self._rest) < end:
                break
            messages.append(self._rest[_LENGTH:end].split(b"\0"))
            self._rest = self._rest[end:]
        return messages
