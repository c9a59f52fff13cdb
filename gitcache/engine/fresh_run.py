"""A run of the tool: for everybody, where its content has a key, or for its caller alone.

What only a run needs is imported from here on, so that a hit is spared it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from gitcache.core.colours import legible
from gitcache.core.entry import Entry, RanIn
from gitcache.core.habits import Window
from gitcache.core.kill_marks import hint_to_store
from gitcache.core.last_failed import LastFailed
from gitcache.core.outcome import Failed, Killed, NoVerdict, Outcome, Passed, Unstable, Verdict
from gitcache.core.products import hint_to_ignore
from gitcache.core.tool import AD_HOC
from gitcache.core.untested import hint_to_declare
from gitcache.core.withheld import hint_to_pass, named_in
from gitcache.engine.attempt import ALONE, Attempt, Provision, attempt
from gitcache.engine.commit_notes import note_run
from gitcache.engine.context import Context
from gitcache.engine.events import Answer, Reporter
from gitcache.engine.front import Question
from gitcache.engine.interactive_attempt import interactive_attempt
from gitcache.engine.keep import keep, ran_in
from gitcache.engine.rerun import Rerun, Tested
from gitcache.engine.resolve import Plan
from gitcache.engine.stability import settled
from gitcache.engine.versions import keep_versions
from gitcache.errors import StoreError
from gitcache.git.last_failed import LastFailedList
from gitcache.host.standard_input import InputCopy


@dataclass(frozen=True, slots=True)
class FreshRun:
    """Runs tools for one caller."""

    context: Context
    reporter: Reporter
    stdin: InputCopy | None
    provision: Provision = ALONE
    may_focus: bool = False
    """Whether the files that failed last may be the answer."""

    def for_everybody(self, question: Question, reasons: tuple[str, ...]) -> Answer:
        """Run the tool, and keep its verdict where the content stood still.

        Args:
            question: what is run, and on which content.
            reasons: why nothing stored answers.
        """
        plan, snapshot = question.plan, question.snapshot
        began = time.time_ns()
        tested = self._tested(question)
        window = Window(began, time.time_ns())
        result = tested.attempt
        ended = settled(result.outcome, question, self.context, self.stdin, window)
        self._advise(plan, result)
        self._hint_to_ignore(ended.outcome)
        entry = self._keep(ended.question, tested, ended.outcome)
        if entry is not None:
            note_run(question, entry, self.reporter)
        return replace(
            _answer(plan, result, reasons, ran_in(plan.top, snapshot.head, self.context)),
            outcome=ended.outcome,
            key=ended.question.key,
            tree=ended.question.snapshot.tree,
            stored=entry is not None,
            is_contradicted=entry is not None and entry.is_contradicted,
            failing_files=tested.failing_files,
            focused_on=tested.focused_on,
            flaky=tested.flaky,
        )

    def _tested(self, question: Question) -> Tested:
        """Run the tool, what failed last first where that may be the answer."""
        rerun = Rerun(question, self.context, self.reporter, self.stdin, self.provision)
        last = self._list(question).read() if self.may_focus else None
        return rerun.run(last)

    def _list(self, question: Question) -> LastFailedList:
        return LastFailedList(question.repository, question.plan.tool.name)

    def for_the_caller(self, plan: Plan, reason: str) -> Answer:
        """Run the tool of a *plan* that has no key, for the *reason* that it has none."""
        if plan.interactive:
            result = interactive_attempt(plan, self.context, self.reporter)
        else:
            result = attempt(plan, self.context, self.reporter, self.stdin, self.provision)
        self._advise(plan, result)
        return _answer(plan, result, (reason,), ran_in(plan.top, None, self.context))

    def _advise(self, plan: Plan, result: Attempt) -> None:
        """Tell what a failed tool may miss, and what makes of its end no verdict."""
        match result.outcome:
            case Failed():
                output = legible(result.output, plan.terminal)
                names = named_in(output, plan.environment.withheld)
                if names:
                    self.reporter.hint(hint_to_pass(names, plan.tool))
            case NoVerdict(_, reason):
                self.reporter.warning(f"{plan.tool.name} {reason}: this counts as no pass")
                if plan.tool.name != AD_HOC:
                    self.reporter.hint(hint_to_declare(plan.tool))
            case Killed(mark=mark) if mark:
                self.reporter.hint(hint_to_store(plan.tool))

    def _hint_to_ignore(self, outcome: Outcome) -> None:
        """Tell the lines for ``.gitignore`` after a run that may have made what they name."""
        if isinstance(outcome, Unstable) and outcome.ignore_lines:
            self.reporter.hint(hint_to_ignore(outcome.ignore_lines))

    def _keep(self, question: Question, tested: Tested, outcome: Outcome) -> Entry | None:
        """Store a verdict; return the entry that is in the store now."""
        if self.context.use != "on" or not isinstance(outcome, Passed | Failed):
            return None
        self._note_failures(question, tested, outcome)
        if tested.focused_on:
            return None
        try:
            entry = keep(question, tested, outcome, self.context)
        except StoreError as error:
            self.reporter.warning(error.message)
            return None
        keep_versions(question, self.context)
        return entry

    def _note_failures(self, question: Question, tested: Tested, outcome: Verdict) -> None:
        """Keep what failed, for the next run in this worktree to begin with."""
        last, plan = self._list(question), question.plan
        if isinstance(outcome, Passed):
            last.clear()
        elif tested.failing_files:
            tree = question.snapshot.tree
            last.write(LastFailed(tree, plan.argv, tested.failing_files))


def _answer(plan: Plan, result: Attempt, reasons: tuple[str, ...], place: RanIn) -> Answer:
    """Return the answer that *result*, a run of *plan* for *reasons*, gives."""
    return Answer(
        tool=plan.tool.name,
        outcome=result.outcome,
        source="run",
        output=result.output,
        started_at=result.started_at,
        duration=result.duration,
        ran_in=place,
        asked_in=plan.top,
        reasons=reasons,
        leak=result.leak,
        terminal=plan.terminal,
    )
