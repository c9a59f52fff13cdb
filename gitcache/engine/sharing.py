"""How a run is shared: by a runner that others can follow, or by its caller's own process.

A runner is the rule. The caller's own process runs the tool where that is asked for, where nothing
can be shared, and where the run is for the caller alone.
"""

from __future__ import annotations

from dataclasses import replace

from gitcache.core.tool import Tool, longest_wait
from gitcache.engine.context import Context
from gitcache.engine.events import Answer, FollowedRun, Reporter
from gitcache.engine.follow import Alone, SharedRun
from gitcache.engine.front import Question
from gitcache.engine.gates import is_at_a_gate
from gitcache.engine.machine_wishes import machine_wishes
from gitcache.engine.own_run import OwnRun
from gitcache.engine.resolve import Plan, Request
from gitcache.engine.running import Terms, folder_of
from gitcache.errors import NoVerdictError
from gitcache.git.repository import Repository
from gitcache.host.left_runs import is_inside
from gitcache.host.slot_limit import slot_limit, usable_cores
from gitcache.host.standard_input import InputCopy


class Sharing:
    """The runs of one call."""

    def __init__(
        self, request: Request, context: Context, reporter: Reporter, stdin: InputCopy | None
    ) -> None:
        self._request = request
        self._context = context
        self._reporter = reporter
        self._stdin = stdin

    def run(self, question: Question, reasons: tuple[str, ...]) -> Answer:
        """Return the answer of a run for everybody.

        Args:
            question: what is run, and on which content.
            reasons: why nothing stored answers.

        Raises:
            NoVerdictError: no answer can be had.
            SettingsError: git's settings ask for what can't be meant.
        """
        terms = replace(
            self._terms(question.plan.tool), may_focus=self._may_focus(question.repository)
        )
        self._refuse_circle(question)
        is_alone = self._stdin is not None or self._context.use != "on"
        if self._request.manner == "foreground" or is_alone:
            return self._own_run(terms).for_everybody(question, reasons)
        match self._shared(question, terms).answer(reasons):
            case Alone(reason):
                self._reporter.warning(f"the run can't be shared with other callers: {reason}")
                return self._own_run(terms, is_told=True).for_everybody(question, reasons)
            case answer:
                return answer

    def run_for_the_caller(self, plan: Plan, reason: str) -> Answer:
        """Return the answer of a run that has no key, for the *reason* that it has none.

        Errors are those of :meth:`run`.
        """
        return self._own_run(self._terms(plan.tool)).for_the_caller(plan, reason)

    def left_running(self, question: Question, reasons: tuple[str, ...]) -> FollowedRun:
        """Return a run that goes on to its end without its caller; errors as :meth:`run`."""
        self._refuse_circle(question)
        match self._shared(question, self._terms(question.plan.tool)).left_running(reasons):
            case Alone(reason):
                raise NoVerdictError(f"nothing can run in the background here: {reason}")
            case run:
                return run

    def joined(self, question: Question) -> Answer | None:
        """Return the answer of a run that goes on already; None where none does, or gave none."""
        self._refuse_circle(question)
        return self._shared(question, self._terms(question.plan.tool)).joined()

    def _shared(self, question: Question, terms: Terms) -> SharedRun:
        return SharedRun(question, self._context, self._reporter, terms)

    def _own_run(self, terms: Terms, *, is_told: bool = False) -> OwnRun:
        return OwnRun(self._context, self._reporter, self._stdin, terms, is_told)

    def _terms(self, tool: Tool) -> Terms:
        wishes = machine_wishes(tool.name, self._context)
        wait = self._request.wait
        return Terms(
            wait=longest_wait(tool.options) if wait is None else wait,
            slots=slot_limit(tool.name, wishes.slots, usable_cores()),
            linger=wishes.linger,
            ends_by_any_signal=wishes.ends_by_any_signal,
            is_forced=self._request.force or self._request.retry_failed,
        )

    def _may_focus(self, repository: Repository) -> bool:
        """Return whether the files that failed last may be this call's answer."""
        request = self._request
        has_words = request.tool is not None and bool(request.words)
        is_plain = not (request.force or request.full or has_words or self._stdin is not None)
        return is_plain and not is_at_a_gate(repository, self._context)

    def _refuse_circle(self, question: Question) -> None:
        """Raise where this call is itself in a run for *question*, which it would wait for."""
        folder = folder_of(question.repository)
        if is_inside(self._context.environ, folder, question.key):
            name = question.plan.tool.name
            raise NoVerdictError(f"{name} is run inside its own run, on the same content")
