"""The main story: the result of a tool for exactly the content at hand.

Look up; on a hit replay; on a miss run, look again whether the content is still the same, and keep
the verdict. A fault of the store costs a warning and a run, never a result.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from gitcache.core.entry import Entry
from gitcache.engine.context import Context
from gitcache.engine.events import Answer, Reporter
from gitcache.engine.front import Finding, Hit, Miss, Question, Unkeyed, find, plan_only
from gitcache.engine.resolve import Request
from gitcache.errors import ToolcacheError
from gitcache.host.standard_input import InputCopy, copy_input, input_is_waiting

FORCED = "asked to run in spite of an entry"
if TYPE_CHECKING:
    from gitcache.engine.fresh_run import FreshRun

OFF = "the store is off"
LOOSE = "asked to pass every variable"
INTERACTIVE = "asked to give the terminal to the tool"

_ASKED_FOR = (OFF, LOOSE, INTERACTIVE)
"""Reasons for having no key that the caller gave."""

_LINGER: Final = 2.0
"""Seconds for which a run goes on after its last caller has gone: one that is called again finds
it."""


def run(request: Request, context: Context, reporter: Reporter) -> Answer:
    """Return the result of *request* on the caller's content, running it where none is known.

    Raises:
        ToolcacheError: nothing could run: the settings are wrong or there is no such tool.
    """
    stdin = _standard_input(request, reporter)
    finding = _find(request, context, stdin)
    if isinstance(finding, Hit) and not request.force:
        answer = hit_answer(finding.question, finding.entry)
    else:
        answer = _run(request, finding, context, reporter, stdin)
    reporter.answered(answer)
    return answer


def _find(request: Request, context: Context, stdin: InputCopy | None) -> Finding:
    """Return what the store has for *request*, unless it is not to be asked."""
    wishes = {OFF: context.use == "off", LOOSE: request.loose, INTERACTIVE: request.interactive}
    for reason, is_wanted in wishes.items():
        if is_wanted:
            return Unkeyed(plan_only(request, context), reason)
    return find(request, context, stdin)


def _run(
    request: Request,
    finding: Finding,
    context: Context,
    reporter: Reporter,
    stdin: InputCopy | None,
) -> Answer:
    """Run the tool, since *finding* is no answer."""
    from gitcache.engine.explain import BEFORE_A_RUN, explain_miss  # a hit is spared it
    from gitcache.engine.fresh_run import FreshRun  # what a run needs

    fresh = FreshRun(context, reporter, stdin)
    is_shared = request.is_shared and stdin is None and context.use == "on"
    give = partial(_share, fresh, request) if is_shared else fresh.for_everybody
    match finding:
        case Hit(question):
            return give(question, (FORCED,))
        case Miss(question, reason, is_damage=True):
            reporter.warning(reason)
            return give(question, (reason,))
        case Miss(question) as miss:
            explained = explain_miss(miss, context, BEFORE_A_RUN)
            reporter.missed(explained)
            return give(question, explained.reasons)
        case Unkeyed(plan, reason):
            if reason not in _ASKED_FOR:
                reporter.warning(f"{reason}: the result is not stored")
            return fresh.for_the_caller(plan, reason)


def _share(
    fresh: FreshRun, request: Request, question: Question, reasons: tuple[str, ...]
) -> Answer:
    """Run the tool where others can follow it, or follow who runs it; else run it as *fresh* does.

    Args:
        fresh: how this caller runs it alone.
        request: what was asked for.
        question: what is run, and on which content.
        reasons: why nothing stored answers.
    """
    from gitcache.engine.follow import Alone, SharedRun, Terms  # a run of one's own is spared it

    terms = Terms(_LINGER, is_forced=request.force)
    match SharedRun(question, fresh.context, fresh.reporter, terms).answer(reasons):
        case Alone(reason):
            fresh.reporter.warning(f"the run can't be shared with other callers: {reason}")
            return fresh.for_everybody(question, reasons)
        case answer:
            return answer


def _standard_input(request: Request, reporter: Reporter) -> InputCopy | None:
    """Take the standard input where that is asked for; warn where an ad hoc command misses it."""
    if request.pass_stdin:
        try:
            return copy_input()
        except OSError as error:
            raise ToolcacheError(
                f"the standard input can't be copied: {error.strerror or error}"
            ) from error
    if request.tool is None and not request.interactive and input_is_waiting():
        reporter.warning("the command does not see the standard input; --stdin passes it")
    return None


def hit_answer(question: Question, entry: Entry) -> Answer:
    """Return the answer that *entry* gives to *question*."""
    return Answer(
        tool=question.plan.tool.name,
        outcome=entry.verdict,
        source="hit",
        output=entry.output,
        started_at=entry.started_at,
        duration=entry.duration,
        ran_in=entry.ran_in,
        asked_in=question.plan.top,
        key=question.key,
        tree=question.snapshot.tree,
        stored=True,
        terminal=entry.inputs.terminal,
        failing_files=entry.failing_files,
        flaky=entry.flaky,
        leak=entry.leak,
    )
