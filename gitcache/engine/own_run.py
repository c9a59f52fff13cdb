"""A run by its caller's own process, which others can't follow: they wait for its end.

It holds the key's lock like any runner, so that one process at a time runs the tool for a key; only
where no lock can be had it goes without.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gitcache.engine.attempt import Provision
from gitcache.engine.context import Context
from gitcache.engine.events import Answer, Reporter
from gitcache.engine.execution import Execution
from gitcache.engine.fresh_run import FreshRun
from gitcache.engine.front import Question
from gitcache.engine.resolve import Plan
from gitcache.engine.running import Refusal, Terms, busy, folder_of, owner_of_run, unheard
from gitcache.engine.turn import TooLate, Wait, turn
from gitcache.errors import NoVerdictError
from gitcache.host.key_lock import Held, HeldByOther, Unavailable, try_take, wait
from gitcache.host.left_runs import end_left_run, marks
from gitcache.host.owner import Owner
from gitcache.host.slots import VARIABLE, Slot, lent
from gitcache.host.standard_input import InputCopy


@dataclass(frozen=True, slots=True)
class OwnRun:
    """Runs tools for one caller in its own process."""

    context: Context
    reporter: Reporter
    stdin: InputCopy | None
    terms: Terms
    is_told: bool = False
    """Whether its caller knows already that nothing can be shared here."""

    def for_everybody(self, question: Question, reasons: tuple[str, ...]) -> Answer:
        """Run the tool once nobody else does, and keep its verdict.

        Args:
            question: what is run, and on which content.
            reasons: why nothing stored answers.

        Raises:
            NoVerdictError: the time for which other runs are waited for is over.
        """
        owner = owner_of_run(question.plan, self.context, str(uuid.uuid4()))
        execution = Execution(question, self.context, reasons, self.terms, owner)
        with self._locked(question, owner):
            match execution.answer(self.reporter, self.stdin):
                case Refusal(reason):
                    raise NoVerdictError(reason)
                case answer:
                    return answer

    def for_the_caller(self, plan: Plan, reason: str) -> Answer:
        """Run the tool of a *plan* that has no key, for the *reason* that it has none.

        Raises:
            NoVerdictError: as :meth:`for_everybody`.
        """
        owner = owner_of_run(plan, self.context, str(uuid.uuid4()))
        slots = 0 if plan.interactive else self.terms.slots
        with turn(Wait(plan, self.context, owner, slots, self.terms.wait), self.reporter) as found:
            if isinstance(found, TooLate):
                raise NoVerdictError(found.reason)
            slot = found.token if isinstance(found, Slot) else ""
            provision = Provision(marks(self.context.environ) | ({VARIABLE: slot} if slot else {}))
            fresh = FreshRun(self.context, self.reporter, self.stdin, provision)
            return fresh.for_the_caller(plan, reason)

    @contextmanager
    def _locked(self, question: Question, owner: Owner) -> Iterator[None]:
        """Hold the key's lock within, where one can be had and the run is for everybody."""
        if self.context.use != "on":
            yield
            return
        match self._lock(question, owner):
            case Held() as lock:
                with lock:
                    end_left_run(lock.left_by)
                    yield
            case HeldByOther(other):
                run = unheard(other) if other else None
                raise busy(question.plan.tool, run, self.context.now(), self.terms.wait)
            case Unavailable(reason):
                if not self.is_told:
                    self.reporter.warning(f"others may run the tool at the same time: {reason}")
                yield

    def _lock(self, question: Question, owner: Owner) -> Held | HeldByOther | Unavailable:
        folder, key = folder_of(question.repository), question.key
        taken = try_take(folder, key, owner)
        if not isinstance(taken, HeldByOther) or self.terms.wait <= 0:
            return taken
        if taken.owner is not None:
            self.reporter.follows(unheard(taken.owner))
        with lent(self.context.environ.get(VARIABLE, "")):
            return wait(folder, key, owner, self.terms.wait)
