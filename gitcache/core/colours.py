"""Colours in a tool's output, and the output without them.

Colours and weights are SGR sequences: ``ESC [``, numbers, ``m`` (ECMA-48, 8.3.117). A sequence may
come in pieces, and the pieces of one stream with those of another between them, so each stream is
read on its own; what comes out does not depend on how the bytes were cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from gitcache.core.output import Chunk, Output, Stream, joined
from gitcache.core.terminal import Terminal, asks_for_colours

_LONGEST: Final = 64
"""Bytes of a sequence that is taken for one: several colours in one go, and a bound to what waits
for its end."""

_COLOUR: Final = re.compile(rb"\x1b\[[0-9;:]{0,61}m")
_BEGUN: Final = re.compile(rb"\x1b(?:\[[0-9;:]{0,61})?\Z")
"""The beginning of a sequence whose end is still to come."""


class ColourRemover:
    """Takes the colours out of one stream, piece by piece."""

    def __init__(self) -> None:
        self._begun = b""

    def feed(self, data: bytes) -> bytes:
        """Return what can be told of the stream after *data*, which has just come."""
        data = self._begun + data
        begun = _BEGUN.search(data, max(0, len(data) - _LONGEST))
        end = begun.start() if begun else len(data)
        self._begun = data[end:]
        return _COLOUR.sub(b"", data[:end])

    def finish(self) -> bytes:
        """Return what was waiting for an end that never came."""
        rest, self._begun = self._begun, b""
        return rest


def without_colours(chunks: Iterable[Chunk]) -> tuple[Chunk, ...]:
    """Return *chunks* without colours; neighbours of one stream are one chunk again."""
    removers: dict[Stream, ColourRemover] = {}
    bare = [
        Chunk(chunk.stream, removers.setdefault(chunk.stream, ColourRemover()).feed(chunk.data))
        for chunk in chunks
    ]
    rest = [Chunk(stream, remover.finish()) for stream, remover in removers.items()]
    return joined(each for each in (*bare, *rest) if each.data)


def legible(output: Output, terminal: Terminal) -> Output:
    """Return *output* as words are looked for in it: a colour of ours may stand within one."""
    return Output(without_colours(output.chunks)) if asks_for_colours(terminal) else output
