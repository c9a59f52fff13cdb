"""Shows a run to its caller: the tool's output on its own streams, our summary as the last line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gitcache.cli.display import Full, Show, selected
from gitcache.cli.escapes import printable
from gitcache.cli.running_words import following_words, queue_words
from gitcache.cli.summary import hit_summary, leak_words, summary
from gitcache.cli.view import View
from gitcache.core.outcome import Passed
from gitcache.core.output import Stream
from gitcache.core.terminal import Terminal
from gitcache.core.units import format_bytes
from gitcache.engine.context import Context
from gitcache.engine.events import Answer, FollowedRun, SlotWait
from gitcache.quick.display import wants_colour
from gitcache.quick.streams import Streams, Tape

if TYPE_CHECKING:
    from gitcache.engine.explain import ExplainedMiss
    from gitcache.engine.resolve import Plan


class Console:
    """A reporter that writes to our own standard streams."""

    def __init__(
        self,
        context: Context,
        show: Show,
        quiet: bool,
        as_json: bool,
        verbose: bool = False,
        raw: bool = False,
        tape: Tape | None = None,
    ) -> None:
        self.streams = Streams(tape)
        self._context = context
        self._show = show
        self._quiet = quiet
        self._as_json = as_json
        self._verbose = verbose
        self._raw = raw
        self._live: View | None = None
        """How the tool that runs is shown; None: nothing of it is shown live."""

    def missed(self, explained: ExplainedMiss) -> None:
        """Show why nothing stored answers."""
        if not self._quiet:
            from gitcache.cli.miss_words import miss_words  # a hit is spared it

            self.streams.say(f"toolcache: miss: {miss_words(explained, self._context)}")

    def starting(self, plan: Plan) -> None:
        """Get ready to show live output where all of it is wanted."""
        is_live = isinstance(self._show, Full) and not self._as_json
        self._live = self._view(plan.terminal, stored=False) if is_live else None

    def follows(self, run: FollowedRun) -> None:
        """Show whose run this is."""
        if not self._quiet:
            self.streams.say(f"toolcache: {following_words(run, self._context)}")

    def queues(self, wait: SlotWait) -> None:
        """Show what the run waits for."""
        if not self._quiet:
            self.streams.say(f"toolcache: {queue_words(wait, self._context)}")

    def outlets(self) -> Mapping[Stream, int]:
        """Return our own streams where live output goes to them."""
        return {} if self._live is None else self.streams.descriptors()

    def output(self, stream: Stream, data: bytes) -> None:
        """Show live output."""
        if self._live is not None:
            self.streams.write(stream, self._live.feed(stream, data))

    def warning(self, text: str) -> None:
        """Show a warning, as git does."""
        self.streams.say(f"warning: {text}")

    def detail(self, text: str) -> None:
        """Show how the run is made where that is asked for."""
        if self._verbose:
            self.streams.say(f"toolcache: {printable(text)}")

    def notice(self, text: str) -> None:
        """Show what is run next."""
        if not self._quiet:
            self.streams.say(f"toolcache: {printable(text)}")

    def hint(self, text: str) -> None:
        """Show a hint, as git does."""
        if not self._quiet:
            self.streams.say(f"hint: {text}")

    def answered(self, answer: Answer) -> None:
        """Show what was not shown live, then the summary.

        Nothing was shown of an answer that was stored while this caller waited for a run.
        """
        was_live = self._live is not None
        if self._live is not None:
            self.streams.write_chunks(self._live.finish())
            self._live = None
        if not self._as_json and not (was_live and answer.source != "hit"):
            self._show_output(answer)
        if answer.leak is not None:
            self.warning(leak_words(answer.tool, answer.leak))
        if not self._quiet:
            colour = wants_colour(2, self._context.environ)
            self._summarize(answer, colour)

    def _summarize(self, answer: Answer, colour: bool) -> None:
        if answer.source == "hit":
            before, behind = hit_summary(answer, self._context, colour)
            self.streams.say_age(before, answer.started_at, self._context.now(), behind)
        else:
            self.streams.say(summary(answer, self._context, colour))

    def _show_output(self, answer: Answer) -> None:
        passed = isinstance(answer.outcome, Passed)
        chunks = selected(answer.output, self._show, passed)
        view = self._view(answer.terminal, stored=True)
        self.streams.write_chunks(view.of(chunks))
        if chunks and answer.output.cut_bytes:
            amount = format_bytes(answer.output.cut_bytes)
            self.streams.say(f"toolcache: {amount} of output in the middle are not kept")

    def _view(self, terminal: Terminal, *, stored: bool) -> View:
        return View(terminal, self._context.environ, raw=self._raw, stored=stored)
