"""Writes a tool's output to the caller's own streams, byte for byte.

What a caller wants to see is a :data:`Show`. Writing goes past Python's buffers, so that two
streams keep their order, and survives a reader that went away (``| head -1``) or is slow.
"""

from __future__ import annotations

import os
import select
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from gitcache.core.output import Chunk, Output, Stream, last_lines


@dataclass(frozen=True, slots=True)
class Full:
    """All of it, live."""


@dataclass(frozen=True, slots=True)
class OnlyFailed:
    """All of it where the tool did not pass, and nothing else."""


@dataclass(frozen=True, slots=True)
class Tail:
    """Its last lines, at the end."""

    lines: int


@dataclass(frozen=True, slots=True)
class Nothing:
    """None of it."""


Show = Full | OnlyFailed | Tail | Nothing

FULL: Final = Full()

SHOW_TAKES: Final = "full, failed, none or tail:N"


def parse_show(text: str) -> Show:
    """Return what *text* (:data:`SHOW_TAKES`) asks to see; ValueError where it is none of these."""
    plain: dict[str, Show] = {"full": FULL, "failed": OnlyFailed(), "none": Nothing()}
    if text in plain:
        return plain[text]
    count = text.removeprefix("tail:")
    if count == text or not count.isdecimal():
        raise ValueError(f"takes {SHOW_TAKES}, not {text!r}")
    return Tail(int(count))


def selected(output: Output, show: Show, passed: bool) -> tuple[Chunk, ...]:
    """Return what of *output* is to be seen at the end of a run or on a hit."""
    match show:
        case Full():
            return output.chunks
        case OnlyFailed():
            return () if passed else output.chunks
        case Tail(lines):
            return last_lines(output, lines)
        case Nothing():
            return ()


_NAMES: Final[dict[Stream, str]] = {"stdout": "standard output", "stderr": "standard error"}


class Streams:
    """Our standard output and standard error, as long as somebody reads them."""

    def __init__(self) -> None:
        self._open: dict[Stream, int] = {"stdout": 1, "stderr": 2}
        self._unfinished: set[Stream] = set()
        """The streams whose last line has no end yet."""

    def descriptors(self) -> Mapping[Stream, int]:
        """Return the descriptors of both, as they are now and later."""
        return {"stdout": 1, "stderr": 2}

    def write(self, stream: Stream, data: bytes) -> None:
        """Write all of *data*; once a stream has no reader it takes nothing more."""
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
            self.say(f"warning: the {_NAMES[stream]} can't be written: {error.strerror}")

    def write_chunks(self, chunks: Iterable[Chunk]) -> None:
        """Write *chunks*, each to its own stream."""
        for chunk in chunks:
            self.write(chunk.stream, chunk.data)

    def say(self, text: str) -> None:
        """Write one line of ours to the standard error, never behind an unfinished one."""
        start = "\n" if self._is_within_a_line() else ""
        self.write("stderr", f"{start}{text}\n".encode("utf-8", "backslashreplace"))

    def _is_within_a_line(self) -> bool:
        return "stderr" in self._unfinished or (
            "stdout" in self._unfinished and os.path.sameopenfile(1, 2)
        )


def _write_all(descriptor: int, data: bytes) -> None:
    """Write *data* to *descriptor*, waiting for room where it does not block."""
    rest = memoryview(data)
    while rest:
        with suppress(BlockingIOError):
            rest = rest[os.write(descriptor, rest) :]
            continue
        select.select([], [descriptor], [])
