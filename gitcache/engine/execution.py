"""A run for a key whose lock this process holds: a runner's, or its caller's own.

It ends what killed runs have left, looks whether the store answers by now, waits for its turn, and
runs. Both kinds of process do this very same thing; they differ in who hears it.
"""

from __future__ import annotations

from dataclasses import dataclass

from gitcache.core.output import Output
from gitcache.engine.answers import hit_answer, interrupted_answer
from gitcache.engine.attempt import Provision
from gitcache.engine.context import Context
from gitcache.engine.events import Answer, Reporter
from gitcache.engine.fresh_run import FreshRun
from gitcache.engine.front import Hit, Question, look_up
from gitcache.engine.running import Refusal, Terms, address_of, folder_of
from gitcache.engine.turn import Stopped, TooLate, Wait, turn
from gitcache.errors import RepositoryError
from gitcache.host.left_runs import INSIDE, end_left_runs, inside
from gitcache.host.owner import Owner
from gitcache.host.slots import VARIABLE, Slot
from gitcache.host.standard_input import InputCopy


@dataclass(slots=True)
class Execution:
    """A run that this process is about to do, or does."""

    question: Question
    context: Context
    reasons: tuple[str, ...]
    """Why nothing stored answers."""

    terms: Terms
    owner: Owner
    """This process."""

    slot: str = ""
    """The token of the slot that the run has."""

    def answer(
        self, reporter: Reporter, stdin: InputCopy | None = None, orders: int | None = None
    ) -> Answer | Refusal:
        """Return what is stored by now, or else what a run gives.

        Args:
            reporter: hears the run.
            stdin: what the tool reads; None: nothing.
            orders: whence signals come beside this process's own.
        """
        repository = self.question.repository
        end_left_runs(folder_of(repository), lambda key: address_of(repository, key, self.context))
        if (known := self._known()) is not None:
            return known
        plan, terms = self.question.plan, self.terms
        wait = Wait(plan, self.context, self.owner, terms.slots, terms.wait, self._known, orders)
        with turn(wait, reporter) as found:
            match found:
                case Slot(token):
                    self.slot = token
                    provision = Provision(self._variables(), orders)
                    fresh = FreshRun(self.context, reporter, stdin, provision, terms.may_focus)
                    return fresh.for_everybody(self.question, self.reasons)
                case Stopped(number):
                    return interrupted_answer(
                        self.question, self.context, number, Output(), self.reasons
                    )
                case TooLate(reason):
                    return Refusal(reason)
                case answer:
                    return answer

    def _variables(self) -> dict[str, str]:
        """Return the variables by which calls inside the tool know the runs that they are in."""
        key, run_id = self.question.key, self.owner.run_id
        mark = {INSIDE: inside(self.context.environ, key, run_id)}
        return mark | {VARIABLE: self.slot} if self.slot else mark

    def _known(self) -> Answer | None:
        """Return the answer that is stored by now, unless what is stored is none."""
        if self.terms.is_forced:
            return None
        try:
            with self.question.repository.git.objects() as objects:
                found = look_up(self.question, objects, self.context)
        except RepositoryError:
            return None
        return hit_answer(found.question, found.entry) if isinstance(found, Hit) else None
