"""Writes a tool's output to the caller's own streams, byte for byte.

Writing goes past Python's buffers, so that two streams keep their order, and survives a reader that
went away (``| head -1``) or is slow. What is done can be kept on a tape and done again by another
process, whose streams may be others.
"""

from __future__ import annotations

import os

from gitcache.core.durations import format_age

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Final

    from gitcache.core.output import Chunk, Stream

_NAMES: Final[dict[Stream, str]] = {"stdout": "standard output", "stderr": "standard error"}


_LONGEST_TAPE: Final = 1 << 21
"""Bytes: an entry keeps half as much of a tool's output."""


class Streams:
    """Our standard output and standard error, as long as somebody reads them.

    Args:
        tape: what takes note of all that is written; None: nothing does.
    """

    def __init__(self, tape: Tape | None = None) -> None:
        self._tape = tape
        self._open: dict[Stream, int] = {"stdout": 1, "stderr": 2}
        self._unfinished: set[Stream] = set()
        """The streams whose last line has no end yet."""

    def descriptors(self) -> Mapping[Stream, int]:
        """Return the descriptors of both, as they are now and later."""
        return {"stdout": 1, "stderr": 2}

    def write(self, stream: Stream, data: bytes) -> None:
        """Write all of *data*; once a stream has no reader it takes nothing more."""
        if self._tape is not None:
            self._tape.add(stream.encode(), data)
        self._write(stream, data)

    def write_chunks(self, chunks: Iterable[Chunk]) -> None:
        """Write *chunks*, each to its own stream."""
        for chunk in chunks:
            self.write(chunk.stream, chunk.data)

    def say(self, text: str) -> None:
        """Write one line of ours to the standard error, never behind an unfinished one."""
        if self._tape is not None:
            self._tape.add(b"say", _encoded(text))
        self._say(_encoded(text))

    def say_age(self, before: str, began: float, now: float, behind: str) -> None:
        """Say how long before *now* a moment was, with text *before* and *behind*.

        Args:
            before: the beginning of the line.
            began: the moment, in seconds since the epoch.
            now: this moment, likewise.
            behind: the end of the line.
        """
        parts = _encoded(before), repr(began).encode(), _encoded(behind)
        if self._tape is not None:
            self._tape.add(b"say age", *parts)
        self._say_age(parts, now)

    def play(self, acts: Iterable[list[bytes]], now: float) -> None:
        """Do what a tape has of another call's streams, at the moment *now*."""
        for kind, *parts in acts:
            if kind == b"say age":
                self._say_age((parts[0], parts[1], parts[2]), now)
            elif kind == b"say":
                self._say(parts[0])
            else:
                self._write("stdout" if kind == b"stdout" else "stderr", parts[0])

    def _say_age(self, parts: tuple[bytes, bytes, bytes], now: float) -> None:
        before, began, behind = parts
        self._say(b"".join((before, format_age(float(began), now).encode(), behind)))

    def _say(self, line: bytes) -> None:
        start = b"\n" if self._is_within_a_line() else b""
        self._write("stderr", b"%b%b\n" % (start, line))

    def _write(self, stream: Stream, data: bytes) -> None:
        descriptor = self._open.get(stream)
        if descriptor is None:
            return
        if data:
            self._unfinished.discard(stream)
            self._unfinished.update(() if data.endswith(b"\n") else (stream,))
        try:
            _write_all(descriptor, data)
        except BrokenPipeError:
            del self._open[stream]
        except OSError as error:
            del self._open[stream]
            text = f"warning: the {_NAMES[stream]} can't be written: {error.strerror}"
            self._say(_encoded(text))

    def _is_within_a_line(self) -> bool:
        return "stderr" in self._unfinished or (
            "stdout" in self._unfinished and os.path.sameopenfile(1, 2)
        )


class Tape:
    """What was written, each act as its kind and what it takes."""

    def __init__(self) -> None:
        self.acts: list[list[bytes]] = []
        self.is_full = False
        """Whether more was written than is kept of anything."""

        self._room = _LONGEST_TAPE

    def add(self, *act: bytes) -> None:
        """Keep *act*; nothing is kept where there is too much."""
        self._room -= sum(map(len, act))
        self.is_full = self.is_full or self._room < 0
        if self.is_full:
            self.acts = []
        else:
            self.acts.append([*act])


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _write_all(descriptor: int, data: bytes) -> None:
    """Write *data* to *descriptor*, waiting for room where it does not block."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            import select  # few descriptors do not block

            select.select([], [descriptor], [])
