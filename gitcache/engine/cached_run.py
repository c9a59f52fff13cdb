"""The main story: the result of a tool for exactly the content at hand.

Look up; on a hit replay; on a miss run, look again whether the content is still the same, and keep
the verdict. A fault of the store costs a warning and a run, never a result.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gitcache.core.entry import Entry, RanIn
from gitcache.core.outcome import Failed, Outcome, Passed
from gitcache.engine.attempt import Attempt, attempt
from gitcache.engine.context import Context
from gitcache.engine.events import Answer, Reporter
from gitcache.engine.front import Hit, Miss, Question, Unkeyed, find, plan_only
from gitcache.engine.keep import keep, ran_in
from gitcache.engine.resolve import Plan, Request
from gitcache.engine.stability import settled
from gitcache.errors import StoreError, ToolcacheError
from gitcache.host.standard_input import InputCopy, copy_input, input_is_waiting

FORCED = "asked to run in spite of an entry"
OFF = "the store is off"


def run(request: Request, context: Context, reporter: Reporter) -> Answer:
    """Return the result of *request* on the caller's content, running it where none is known.

    Raises:
        ToolcacheError: nothing could run: the settings are wrong or there is no such tool.
    """
    caller = _Caller(context, reporter, _standard_input(request, reporter))
    if context.use == "off":
        answer = caller.run_unkeyed(plan_only(request, context), OFF)
    else:
        answer = caller.answer(request)
    reporter.answered(answer)
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
    if request.tool is None and input_is_waiting():
        reporter.warning("the command does not see the standard input; --stdin passes it")
    return None


@dataclass(frozen=True, slots=True)
class _Caller:
    """Who asks: the surroundings, the ear and the input of one call."""

    context: Context
    reporter: Reporter
    stdin: InputCopy | None

    def answer(self, request: Request) -> Answer:
        """Return what the store answers, or what a run does."""
        match find(request, self.context, self.stdin):
            case Hit(question, entry):
                return self.run(question, FORCED) if request.force else hit_answer(question, entry)
            case Miss(question, reason, is_damage):
                if is_damage:
                    self.reporter.warning(reason)
                return self.run(question, reason)
            case Unkeyed(plan, reason):
                self.reporter.warning(f"{reason}: the result is not stored")
                return self.run_unkeyed(plan, reason)

    def run(self, question: Question, reason: str) -> Answer:
        """Run the tool, and keep its verdict where the content stood still."""
        plan, snapshot = question.plan, question.snapshot
        result = attempt(plan, self.context, self.reporter, self.stdin)
        outcome = settled(result.outcome, question, self.context, self.stdin)
        return replace(
            run_answer(plan, result, reason, ran_in(plan.top, snapshot.head, self.context)),
            outcome=outcome,
            key=question.key,
            tree=snapshot.tree,
            stored=self._keep(question, result, outcome),
        )

    def run_unkeyed(self, plan: Plan, reason: str) -> Answer:
        """Run the tool for this caller alone."""
        result = attempt(plan, self.context, self.reporter, self.stdin)
        return run_answer(plan, result, reason, ran_in(plan.top, None, self.context))

    def _keep(self, question: Question, result: Attempt, outcome: Outcome) -> bool:
        """Store a verdict; return whether an entry for it is in the store now."""
        if self.context.use != "on" or not isinstance(outcome, Passed | Failed):
            return False
        try:
            keep(question, result, outcome, self.context)
        except StoreError as error:
            self.reporter.warning(error.message)
            return False
        return True


def run_answer(plan: Plan, result: Attempt, reason: str, place: RanIn) -> Answer:
    """Return the answer that *result*, a run of *plan* for *reason*, gives."""
    return Answer(
        tool=plan.tool.name,
        outcome=result.outcome,
        source="run",
        output=result.output,
        started_at=result.started_at,
        duration=result.duration,
        ran_in=place,
        asked_in=plan.top,
        reasons=(reason,),
        leaked=result.leaked,
    )


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
        failing_files=entry.failing_files,
        flaky=entry.flaky,
    )
