"""The main story: the result of a tool for exactly the content at hand.

Look up; on a hit replay; on a miss run, look again whether the content is still the same, and keep
the verdict. A fault of the store costs a warning and a run, never a result.
"""

from __future__ import annotations

from dataclasses import replace

from gitcache.core.outcome import Passed
from gitcache.engine.answers import asked_here, hit_answer
from gitcache.engine.context import Context
from gitcache.engine.events import Answer, FollowedRun, Reporter
from gitcache.engine.front import Finding, Hit, Miss, Unkeyed, find, plan_only
from gitcache.engine.resolve import Request
from gitcache.errors import ToolcacheError
from gitcache.host.standard_input import InputCopy, copy_input
from gitcache.quick.trace import step
from gitcache.quick.waiting import input_is_waiting

FORCED = "asked to run in spite of an entry"
OFF = "the store is off"
LOOSE = "asked to pass every variable"
INTERACTIVE = "asked to give the terminal to the tool"

_ASKED_FOR = (OFF, LOOSE, INTERACTIVE)
"""Reasons for having no key that the caller gave."""


def run(request: Request, context: Context, reporter: Reporter) -> Answer:
    """Return the result of *request* on the caller's content, running it where none is known.

    Raises:
        ToolcacheError: nothing could run: the settings are wrong or there is no such tool.
    """
    stdin = _standard_input(request, reporter)
    finding = _find(request, context, stdin)
    step("the store is asked")
    if isinstance(finding, Hit) and _answers(request, finding):
        answer = hit_answer(finding.question, finding.entry)
    else:
        answer = _run(request, finding, replace(context, listener=None), reporter, stdin)
    return _told(answer, reporter)


def _answers(request: Request, hit: Hit) -> bool:
    """Return whether what is stored is an answer that *request* takes."""
    return not request.force and (not request.retry_failed or isinstance(hit.entry.verdict, Passed))


def _find(request: Request, context: Context, stdin: InputCopy | None) -> Finding:
    """Return what the store has for *request*, unless it is not to be asked."""
    wishes = {OFF: context.use == "off", LOOSE: request.loose, INTERACTIVE: request.interactive}
    for reason, is_wanted in wishes.items():
        if is_wanted:
            return Unkeyed(plan_only(request, context), reason)
    if context.listener is None:
        return find(request, context, stdin)
    from gitcache.engine.overheard import hear  # a call that nobody listens to is spared it

    return hear(context.listener, context, lambda: find(request, context, stdin))


def _run(
    request: Request,
    finding: Finding,
    context: Context,
    reporter: Reporter,
    stdin: InputCopy | None,
) -> Answer:
    """Run the tool, since *finding* is no answer."""
    from gitcache.engine.sharing import Sharing  # what a run needs

    sharing = Sharing(request, context, reporter, stdin)
    match finding:
        case Unkeyed(plan, reason):
            if reason not in _ASKED_FOR:
                reporter.warning(f"{reason}: the result is not stored")
            return sharing.run_for_the_caller(plan, reason)
        case keyed:
            answer = sharing.run(keyed.question, _told_reasons(keyed, context, reporter))
            return asked_here(answer, keyed.question)


def start(request: Request, context: Context, reporter: Reporter) -> Answer | FollowedRun:
    """Return the stored result of *request*, or a run for it that goes on without its caller.

    Raises:
        ToolcacheError: nothing could run, or nothing that others could find again.
    """
    from gitcache.engine.sharing import Sharing  # what a run needs

    finding = _find(request, context, None)
    if isinstance(finding, Unkeyed):
        raise ToolcacheError(f"nothing can run in the background here: {finding.reason}")
    if isinstance(finding, Hit) and _answers(request, finding):
        return _told(hit_answer(finding.question, finding.entry), reporter)
    reasons = _told_reasons(finding, context, reporter)
    return Sharing(request, context, reporter, None).left_running(finding.question, reasons)


def join(request: Request, context: Context, reporter: Reporter) -> Answer | None:
    """Return the result of *request* that is stored or being made; None where it is neither.

    Raises:
        ToolcacheError: there is no such tool, or the run takes too long.
    """
    from gitcache.engine.sharing import Sharing  # what a run needs

    finding = _find(request, context, None)
    if isinstance(finding, Miss):
        answer = Sharing(request, context, reporter, None).joined(finding.question)
        if answer is not None:
            return _told(asked_here(answer, finding.question), reporter)
        finding = _find(request, context, None)
    if isinstance(finding, Hit):
        return _told(hit_answer(finding.question, finding.entry), reporter)
    return None


def _told(answer: Answer, reporter: Reporter) -> Answer:
    reporter.answered(answer)
    return answer


def _told_reasons(finding: Hit | Miss, context: Context, reporter: Reporter) -> tuple[str, ...]:
    """Return why *finding* is no answer, and tell it."""
    from gitcache.engine.explain import BEFORE_A_RUN, explain_miss  # a hit is spared it

    match finding:
        case Hit():
            return (FORCED,)
        case Miss(_, reason, is_damage=True):
            reporter.warning(reason)
            return (reason,)
        case miss:
            explained = explain_miss(miss, context, BEFORE_A_RUN)
            reporter.missed(explained)
            return explained.reasons


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
