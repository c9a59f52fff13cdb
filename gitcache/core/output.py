"""A tool's output: chunks with their stream, in the order of arrival, byte-exact and bounded.

What is kept is the beginning and the end: the first quarter and the last three quarters of a limit,
since a run's start tells what it is and its end tells how it went. Whatever the amount of output,
the memory taken is bounded by the limit. Nothing here decodes: bytes stay bytes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

Stream = Literal["stdout", "stderr"]

DEFAULT_LIMIT: Final = 1 << 20
"""Bytes of output that an entry keeps: enough for a long failure report, small as a git blob."""

_STRETCH_COST: Final = 64
"""Bytes that each change of the stream counts beside its data.

A tool that alternates between its streams byte by byte would otherwise hold a million objects.
"""


class Chunk(NamedTuple):
    """Bytes that came in one go on one stream."""

    stream: Stream
    data: bytes


@dataclass(frozen=True, slots=True)
class Output:
    """The kept output of one run.

    Neighbouring chunks of one stream are one chunk, so that a run and its replay show the same.
    """

    head: tuple[Chunk, ...] = ()
    tail: tuple[Chunk, ...] = ()
    """What came after the cut; empty where nothing was cut."""

    cut_bytes: int = 0
    """How many bytes between head and tail were not kept."""

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """All that was kept, in order."""
        return self.head + self.tail


class OutputBuffer:
    """Collects chunks into an :class:`Output` within *limit* bytes."""

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self._head = _Stretches()
        self._tail = _Stretches()
        self._head_room = limit // 4
        self._tail_limit = limit - limit // 4
        self._cut_bytes = 0

    def add(self, stream: Stream, data: bytes) -> None:
        """Take *data* that has just arrived on *stream*; no bytes leave no trace."""
        if data and self._head_room > 0:
            data = self._fill_head(stream, data)
        if data:
            self._tail.append(stream, data)
            self._cut_bytes += self._tail.shrink_to(self._tail_limit)

    def _fill_head(self, stream: Stream, data: bytes) -> bytes:
        """Keep what the head has room for and return the rest."""
        room = self._head_room
        kept, rest = data[:room], data[room:]
        before = self._head.cost
        self._head.append(stream, kept)
        self._head_room = max(0, room - (self._head.cost - before))
        return rest

    def result(self) -> Output:
        """Return all that is kept so far."""
        head, tail = self._head.chunks(), self._tail.chunks()
        if self._cut_bytes == 0:
            head, tail = joined(head + tail), ()
        return Output(head, tail, self._cut_bytes)


class _Stretches:
    """Chunks in order, neighbours of one stream joined; can be shortened from its start."""

    def __init__(self) -> None:
        self._stretches: deque[tuple[Stream, bytearray]] = deque()
        self.cost = 0

    def append(self, stream: Stream, data: bytes) -> None:
        if not self._stretches or self._stretches[-1][0] != stream:
            self._stretches.append((stream, bytearray()))
            self.cost += _STRETCH_COST if len(self._stretches) > 1 else 0
        self._stretches[-1][1].extend(data)
        self.cost += len(data)

    def shrink_to(self, limit: int) -> int:
        """Drop bytes from the start until the cost is within *limit*; return how many."""
        dropped = 0
        while self.cost > limit:
            data = self._stretches[0][1]
            excess = min(self.cost - limit, len(data))
            del data[:excess]
            dropped += excess
            self.cost -= excess
            if not data:
                self._stretches.popleft()
                self.cost -= _STRETCH_COST if self._stretches else 0
        return dropped

    def chunks(self) -> tuple[Chunk, ...]:
        return tuple(Chunk(stream, bytes(data)) for stream, data in self._stretches)


def joined(chunks: Iterable[Chunk]) -> tuple[Chunk, ...]:
    """Return *chunks* with neighbours of one stream as one."""
    stretches = _Stretches()
    for chunk in chunks:
        stretches.append(chunk.stream, chunk.data)
    return stretches.chunks()


def last_lines(output: Output, count: int) -> tuple[Chunk, ...]:
    """Return the chunks that hold the last *count* lines of *output*, all streams together.

    A line ends at a newline; a last line without one counts too.
    """
    chunks = output.chunks
    start = _start_of_last_lines(b"".join(chunk.data for chunk in chunks), count)
    kept: list[Chunk] = []
    for chunk in chunks:
        rest = chunk.data[start:] if start > 0 else chunk.data
        start -= len(chunk.data)
        if rest:
            kept.append(Chunk(chunk.stream, rest))
    return tuple(kept)


def _start_of_last_lines(data: bytes, count: int) -> int:
    """Return the offset at which the last *count* lines of *data* begin."""
    position = len(data) - data.endswith(b"\n")
    if count == 0:
        return len(data)
    for _ in range(count):
        position = data.rfind(b"\n", 0, position)
        if position < 0:
            return 0
    return position + 1


def last_whole_lines(output: Output, count: int) -> tuple[Chunk, ...]:
    """Return the last *count* lines of *output* in the order in which they ended, a chunk each.

    Unlike in :func:`last_lines`, a line is of one stream: what another stream says in its middle
    does not part it. Line ends are left out, and so is the rest of a line whose start was cut.
    """
    chunks = output.tail if output.cut_bytes else output.chunks
    is_cut: dict[Stream, bool] = dict.fromkeys(("stdout", "stderr"), output.cut_bytes > 0)
    begun: dict[Stream, list[bytes]] = {"stdout": [], "stderr": []}
    lines: deque[Chunk] = deque(maxlen=count)
    for stream, data in chunks:
        *whole, rest = data.split(b"\n")
        for line in whole:
            if not is_cut[stream]:
                lines.append(Chunk(stream, b"".join([*begun[stream], line])))
            is_cut[stream], begun[stream] = False, []
        begun[stream].append(rest)
    for stream, parts in begun.items():
        if any(parts) and not is_cut[stream]:
            lines.append(Chunk(stream, b"".join(parts)))
    return tuple(lines)
