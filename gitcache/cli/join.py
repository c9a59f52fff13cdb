"""``git toolcache wait`` and ``attach``: join what runs, and start nothing."""

from __future__ import annotations

from dataclasses import dataclass

from gitcache.cli.as_json import answer_to_json, document
from gitcache.cli.console import Console
from gitcache.cli.display import Show
from gitcache.cli.signals import die_by
from gitcache.core.outcome import Interrupted, exit_status
from gitcache.core.tool import AD_HOC
from gitcache.engine.cached_run import join
from gitcache.engine.context import Context
from gitcache.engine.resolve import Request
from gitcache.engine.uses import note_use
from gitcache.errors import NoVerdictError, UsageError


@dataclass(frozen=True, slots=True)
class Joining:
    """What the words of the call ask for."""

    tool: str | None
    behind: tuple[str, ...] | None
    """The words behind ``--``; None where there is no ``--``."""

    as_json: bool
    quiet: bool
    show: Show
    raw: bool
    wait: float | None
    """Seconds; None: what the settings say."""


def execute(verb: str, asked: Joining) -> int:
    """Show the answer that is stored or being made, and return its status.

    Raises:
        NoVerdictError: there is none, and no run that would give one.
    """
    if asked.tool is None and asked.behind is None:
        raise UsageError(f"{verb} takes the name of a tool, or a command behind --")
    context = Context.of_this_process()
    console = Console(context, asked.show, asked.quiet, asked.as_json, raw=asked.raw)
    answer = join(Request(asked.tool, asked.behind or (), wait=asked.wait), context, console)
    if answer is None:
        name = asked.tool or AD_HOC
        raise NoVerdictError(
            f"{name} has no result for this content, and none is being made",
            hint="git toolcache status shows what runs; git toolcache run makes a result",
        )
    if asked.as_json:
        console.streams.write("stdout", document(answer_to_json(answer, asked.raw)))
    note_use(answer, context)
    if isinstance(answer.outcome, Interrupted):
        return die_by(answer.outcome.signal)
    return exit_status(answer.outcome)
