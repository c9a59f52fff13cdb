"""What a running tool has printed, in files that anybody may read along at their own pace.

The log is a row of segments, files named after the place of their first byte in the whole. Each
holds frames: kind, length, bytes. A frame is written at once and never changed; a segment that
has a successor is complete. So a reader needs no lock and holds nobody up. Of a long log the oldest
segments are removed, and a reader that was not there yet is told how many bytes it has missed.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Self

from gitcache.core.output import Stream

SEGMENT: Final = 16 << 20
"""Bytes from which on a segment gets a successor."""

SEGMENTS_KEPT: Final = 4
"""Complete and growing segments together: 64 MiB, so that a flood of output fills no disk."""

_HEADER: Final = struct.Struct(">BI")
"""The kind's number and the count of bytes."""

Kind = Stream | Literal["warning", "detail", "hint", "notice"]
"""What a frame holds: what the tool printed on a stream, or what the runner says of it."""

_KINDS: Final[tuple[Kind, ...]] = ("stdout", "stderr", "warning", "detail", "hint", "notice")
_PREFIX: Final = "log."
_READ_AT_ONCE: Final = 1 << 20
"""Bytes read in one go."""


_LAST_LINE: Final = 1 << 12
"""Bytes in which a last line is looked for."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Bytes that came at once."""

    kind: Kind
    data: bytes


@dataclass(frozen=True, slots=True)
class Missed:
    """Bytes that were gone before they were read, their frames' headers included."""

    count: int


class LogWriter:
    """Writes a log; there is one for each folder."""

    def __init__(self, folder: Path, segment: int = SEGMENT) -> None:
        self._folder = folder
        self._segment = segment
        self._starts = [0]
        self._place = 0
        self._descriptor = self._open(0)

    def write(self, kind: Kind, data: bytes) -> None:
        """Append *data*; OSError where the disk has no room for it."""
        if self._place - self._starts[-1] >= self._segment:
            self._begin_segment()
        frame = _HEADER.pack(_KINDS.index(kind), len(data)) + data
        written = os.write(self._descriptor, frame)
        while written < len(frame):  # a disk that is nearly full takes a part
            written += os.write(self._descriptor, frame[written:])
        self._place += len(frame)

    def is_in_place(self) -> bool:
        """Return whether who comes now finds what was written, as far as it is kept."""
        try:
            found = os.stat(_path(self._folder, self._starts[-1]))
        except OSError:
            return False
        return os.path.samestat(found, os.fstat(self._descriptor))

    def close(self) -> None:
        """Write no more."""
        os.close(self._descriptor)

    def _begin_segment(self) -> None:
        descriptor = self._open(self._place)
        os.close(self._descriptor)
        self._descriptor = descriptor
        self._starts.append(self._place)
        while len(self._starts) > SEGMENTS_KEPT:
            with suppress(OSError):
                _path(self._folder, self._starts.pop(0)).unlink()

    def _open(self, start: int) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        return os.open(_path(self._folder, start), flags, 0o666)


class LogReader:
    """Reads a log from its oldest segment on, as far as it has come."""

    def __init__(self, folder: Path, place: int = 0) -> None:
        """Read the log in *folder* from the segment on that begins at *place* or behind it."""
        self._folder = folder
        self._segment: int | None = None
        """The descriptor of the segment that is read."""

        self._start = 0
        """Where that segment begins, or where the next one should."""

        self._place = place
        """The place in the whole of the next byte."""

        self._rest = b""
        """The beginning of a frame whose end has not come yet."""

        self._held: dict[int, int] = {}
        """Start of a segment → its descriptor, of those that are held open."""

    def read(self) -> Iterator[Frame | Missed]:
        """Yield what has come since the last call, in its order.

        Raises:
            OSError: the log can't be read.
            ValueError: it is none.
        """
        while self._segment is not None or self._starts_from(self._place):
            if self._segment is None:
                yield from self._begin(self._starts_from(self._place)[0])
            is_complete = bool(self._starts_from(self._start + 1))
            yield from self._read_segment()
            if not is_complete:
                return
            self._close_segment()

    def hold(self) -> None:
        """Hold all that is left of a log that has come to its end, so that it may be removed."""
        for start in self._starts_from(self._start + (self._segment is not None)):
            if start not in self._held:
                with suppress(FileNotFoundError):
                    self._held[start] = _open_to_read(self._folder, start)

    def close(self) -> None:
        """Let go of everything."""
        for descriptor in self._held.values():
            os.close(descriptor)
        self._held.clear()
        self._close_segment()

    def _close_segment(self) -> None:
        if self._segment is not None:
            os.close(self._segment)
            self._segment = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _starts_from(self, place: int) -> list[int]:
        """Return where the segments begin that begin at *place* or behind it."""
        return sorted(each for each in {*self._held, *_starts(self._folder)} if each >= place)

    def _begin(self, start: int) -> Iterator[Missed]:
        """Open the segment that begins at *start*; tell what was removed before it."""
        with suppress(FileNotFoundError):  # removed just now; the next one tells the more
            held = self._held.pop(start, None)
            self._segment = _open_to_read(self._folder, start) if held is None else held
            if start > self._place:
                yield Missed(start - self._place)
            self._start = self._place = start

    def _read_segment(self) -> Iterator[Frame]:
        while self._segment is not None and (data := os.read(self._segment, _READ_AT_ONCE)):
            self._place += len(data)
            data = self._rest + data
            begin = 0
            while (frame := _frame_in(data, begin)) is not None:
                yield frame
                begin += _HEADER.size + len(frame.data)
            self._rest = data[begin:]


def last_line(folder: Path) -> bytes:
    """Return the last line with something on it that the tool has printed; empty where none is.

    Raises:
        OSError: the log can't be read.
        ValueError: it is none.
    """
    tail = b""
    with LogReader(folder, max(_starts(folder), default=0)) as reader:
        for each in reader.read():
            if isinstance(each, Frame) and each.kind in ("stdout", "stderr"):
                tail = (tail + each.data)[-_LAST_LINE:]
    return next((line for line in reversed(tail.splitlines()) if line.strip()), b"")


def _starts(folder: Path) -> list[int]:
    """Return where the segments in *folder* begin."""
    try:
        names = [each.removeprefix(_PREFIX) for each in os.listdir(folder)]
    except FileNotFoundError:
        return []
    return [int(name) for name in names if name.isdecimal()]


def _frame_in(data: bytes, begin: int) -> Frame | None:
    """Return the frame that begins at *begin*; None where *data* has not all of it yet."""
    if len(data) - begin < _HEADER.size:
        return None
    number, count = _HEADER.unpack_from(data, begin)
    if number >= len(_KINDS):
        raise ValueError("it is no log of a tool's output")
    begin += _HEADER.size
    content = data[begin : begin + count]
    return Frame(_KINDS[number], content) if len(content) == count else None


def _open_to_read(folder: Path, start: int) -> int:
    return os.open(_path(folder, start), os.O_RDONLY | os.O_CLOEXEC)


def _path(folder: Path, start: int) -> Path:
    return folder / f"{_PREFIX}{start}"
