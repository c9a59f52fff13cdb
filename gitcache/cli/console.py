"""Shows a run to its caller: the tool's output on its own streams, our summary as the last line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gitcache.cli.display import Full, Show, Streams, selected
from gitcache.cli.escapes import only_colours, printable
from gitcache.cli.summary import leak_words, summary
from gitcache.core.outcome import Passed
from gitcache.core.output import Chunk, Stream
from gitcache.core.units import format_bytes
from gitcache.engine.context import Context
from gitcache.engine.events import Answer

if TYPE_CHECKING:
    from gitcache.engine.explain import ExplainedMiss


class Console:
    """A reporter that writes to our own standard streams."""

    def __init__(
        self, context: Context, show: Show, quiet: bool, as_json: bool, verbose: bool = False
    ) -> None:
        self.streams = Streams()
        self._context = context
        self._show = show
        self._quiet = quiet
        self._as_json = as_json
        self._verbose = verbose

    def missed(self, explained: ExplainedMiss) -> None:
        """Show why nothing stored answers."""
        if not self._quiet:
            from gitcache.cli.miss_words import miss_words  # a hit is spared it

            self.streams.say(f"toolcache: miss: {miss_words(explained, self._context)}")

    def outlets(self) -> Mapping[Stream, int]:
        """Return our own streams where live output goes to them."""
        is_live = isinstance(self._show, Full) and not self._as_json
        return self.streams.descriptors() if is_live else {}

    def output(self, stream: Stream, data: bytes) -> None:
        """Show live output where all of it is wanted."""
        if isinstance(self._show, Full) and not self._as_json:
            self.streams.write(stream, data)

    def warning(self, text: str) -> None:
        """Show a warning, as git does."""
        self.streams.say(f"warning: {text}")

    def detail(self, text: str) -> None:
        """Show how the run is made where that is asked for."""
        if self._verbose:
            self.streams.say(f"toolcache: {printable(text)}")

    def hint(self, text: str) -> None:
        """Show a hint, as git does."""
        if not self._quiet:
            self.streams.say(f"hint: {text}")

    def answered(self, answer: Answer) -> None:
        """Show what was not shown live, then the summary."""
        was_live = answer.source == "run" and isinstance(self._show, Full)
        if not was_live and not self._as_json:
            self._show_output(answer)
        if answer.leak is not None:
            self.warning(leak_words(answer.tool, answer.leak))
        if not self._quiet:
            colour = wants_colour(2, self._context.environ)
            self.streams.say(summary(answer, self._context, colour))

    def _show_output(self, answer: Answer) -> None:
        passed = isinstance(answer.outcome, Passed)
        chunks = selected(answer.output, self._show, passed)
        self.streams.write_chunks(map(fit_for_display, chunks))
        if chunks and answer.output.cut_bytes:
            amount = format_bytes(answer.output.cut_bytes)
            self.streams.say(f"toolcache: {amount} of output in the middle are not kept")


def wants_colour(descriptor: int, environ: Mapping[str, str]) -> bool:
    """Return whether *descriptor* is a terminal with colours; ``NO_COLOR`` is no-color.org's."""
    is_dumb = environ.get("TERM") == "dumb"
    return is_terminal(descriptor) and not is_dumb and not environ.get("NO_COLOR")


def fit_for_display(chunk: Chunk) -> Chunk:
    """Return a stored *chunk* as it may be shown: bytes of an entry don't command a terminal."""
    if is_terminal(1 if chunk.stream == "stdout" else 2):
        return Chunk(chunk.stream, only_colours(chunk.data))
    return chunk


def is_terminal(descriptor: int) -> bool:
    """Return whether *descriptor* is open on a terminal."""
    return os.isatty(descriptor)
