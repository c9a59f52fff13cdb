"""What of a tool's bytes a caller's streams get: the same from a run and from its entry.

A tool that we did not ask for colours keeps every byte. Where we did, its colours go only to
terminals that show them. What is stored may come from anybody, so on a terminal it passes a filter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Protocol

from gitcache.cli.escapes import TerminalFilter
from gitcache.core.colours import ColourRemover
from gitcache.core.output import Chunk, Stream
from gitcache.core.terminal import Terminal, asks_for_colours
from gitcache.quick.display import is_terminal, wants_colour

DESCRIPTORS: Final[Mapping[Stream, int]] = {"stdout": 1, "stderr": 2}


class _Filter(Protocol):
    def feed(self, data: bytes) -> bytes:
        """Return what can be told after *data*."""

    def finish(self) -> bytes:
        """Return the rest."""


class _Everything:
    """A filter that lets everything pass."""

    def feed(self, data: bytes) -> bytes:
        return data

    def finish(self) -> bytes:
        return b""


class View:
    """Our two streams, as they show the output of one tool.

    Args:
        terminal: what was done for the tool's colours.
        environ: the caller's variables.
        raw: whether its colours are kept in any case.
        stored: whether the output comes from an entry.
    """

    def __init__(
        self, terminal: Terminal, environ: Mapping[str, str], *, raw: bool, stored: bool
    ) -> None:
        is_kept = raw or not asks_for_colours(terminal)
        self._filters = {
            stream: _filter(descriptor, is_kept or wants_colour(descriptor, environ), stored)
            for stream, descriptor in DESCRIPTORS.items()
        }

    def feed(self, stream: Stream, data: bytes) -> bytes:
        """Return what is shown after *data*, which has just come on *stream*."""
        return self._filters[stream].feed(data)

    def finish(self) -> Iterator[Chunk]:
        """Yield what is still to be shown at the end."""
        for stream, each in self._filters.items():
            if rest := each.finish():
                yield Chunk(stream, rest)

    def of(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """Yield what is shown of *chunks*, which are all there is."""
        for chunk in chunks:
            yield Chunk(chunk.stream, self.feed(chunk.stream, chunk.data))
        yield from self.finish()


def _filter(descriptor: int, with_colours: bool, stored: bool) -> _Filter:
    if stored and is_terminal(descriptor):
        return TerminalFilter(with_colours)
    return _Everything() if with_colours else ColourRemover()
