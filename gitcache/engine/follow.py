"""A caller and the run that answers it: it starts a runner where none is there, and follows.

Who started the runner and who came later do the same. A runner that is gone without an answer is
replaced: the key's lock decides whose runner that is. What belongs to another worktree alone (a run
that its content moved under), what others have ended and, for a forced call, a run that began
before it was asked for, is no answer here.
"""

from __future__ import annotations

import os
import signal
import socket
import uuid
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from gitcache.core.outcome import Interrupted, Unstable
from gitcache.engine.answers import interrupted_answer
from gitcache.engine.context import Context
from gitcache.engine.events import Answer, FollowedRun, Reporter
from gitcache.engine.front import Question
from gitcache.engine.hearing import Hearing
from gitcache.engine.running import (
    ORDER,
    Greeting,
    Order,
    Refusal,
    Terms,
    Told,
    address_of,
    busy,
    folder_of,
    unheard,
)
from gitcache.errors import NoVerdictError
from gitcache.host.broadcast import KEEP
from gitcache.host.detached import start_detached
from gitcache.host.following import End, Gone, Late, Left, connect, follow
from gitcache.host.key_lock import is_held, owner_of
from gitcache.host.left_runs import INSIDE
from gitcache.host.messages import Message
from gitcache.host.slots import VARIABLE, lent

_RUNNER: Final = "gitcache.engine.runner"

_ASKING: Final = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})
"""The signals that ask a program to end."""

_TRIES: Final = 20
"""Runs that may end without an answer for this caller, before it is given up."""

_STARTS: Final = 3
"""Runners that may be gone before they greet, before none can be had here."""

_PAUSE: Final = 0.05
"""Seconds between two looks at a run of which nobody tells the end: another user's, or one that
begins or ends in this moment."""

_GREETED_WITHIN: Final = 1.0
"""Seconds for which a caller that is not to wait listens who runs."""

_UNHEARD: Final = 1.0
"""Seconds for which a run that can't be followed is waited for without a word: it may begin."""


@dataclass(frozen=True, slots=True)
class Alone:
    """Nothing can be shared here, so the caller runs the tool by itself."""

    reason: str


class SharedRun:
    """The run of one question, as one caller sees it."""

    def __init__(
        self, question: Question, context: Context, reporter: Reporter, terms: Terms
    ) -> None:
        self._question = question
        self._context = context
        self._reporter = reporter
        self._terms = terms
        self._address = address_of(question.repository, question.key, context)
        self._log = Path(os.devnull) if self._address is None else self._address.with_name("log")
        """Where runners say what nobody follows."""

        self._folder = folder_of(question.repository)
        self._token = context.environ.get(VARIABLE, "")
        self._asked_at = monotonic()
        self._starts = 0
        """Runners of ours that were gone before they greeted."""

    def answer(self, reasons: tuple[str, ...]) -> Answer | Alone:
        """Return the answer of a run that goes on already, or of a new one.

        Args:
            reasons: why nothing stored answers.

        Raises:
            NoVerdictError: none could be had.
        """
        for _ in range(_TRIES):
            connection = self._connection()
            is_new = connection is None
            try:
                connection = connection or self._start(reasons)
            except OSError as error:
                return Alone(error.strerror or str(error))
            answer = self._follow(connection, reasons, is_new=is_new)
            if answer is not None:
                return answer
        raise NoVerdictError("one run after the other has ended without an answer")

    def joined(self) -> Answer | None:
        """Return the answer of a run that goes on already; None where none does, or gave none.

        Raises:
            NoVerdictError: it takes longer than it is to be waited for.
        """
        connection = self._connection()
        if connection is not None:
            answer = self._follow(connection, (), is_new=False)
            return answer if isinstance(answer, Answer) else None
        if is_held(self._folder, self._question.key):
            self._await_holder()
        return None

    def left_running(self, reasons: tuple[str, ...]) -> FollowedRun | Alone:
        """Return a run that goes on to its end without this caller, a new one where none did.

        Raises:
            NoVerdictError: none could be had.
        """
        for _ in range(_TRIES):
            try:
                connection = self._connection() or self._start(reasons)
            except OSError as error:
                return Alone(error.strerror or str(error))
            hearing = Hearing(self._reporter, lambda greeting: False, is_new=True)
            follow(connection, hearing, {}, says=(KEEP,))
            if hearing.run is not None:
                return hearing.run
            if hearing.unavailable is not None:
                return Alone(hearing.unavailable)
            sleep(_PAUSE)
        raise NoVerdictError("a run that can't be told to go on, such as another user's, goes on")

    def _connection(self) -> socket.socket | None:
        """Return a line to the runner that goes on; None where none can be reached."""
        return None if self._address is None else connect(self._address)

    def _start(self, reasons: tuple[str, ...]) -> socket.socket:
        run_id = str(uuid.uuid4())
        order = Order(self._question, self._context, reasons, run_id, self._terms)
        marks = (INSIDE, VARIABLE)  # a runner is in no run: it is there for all callers
        environ = {name: each for name, each in os.environ.items() if name not in marks}
        connection = start_detached(_RUNNER, self._log, environ)
        connection.sendall(Message(ORDER, order.encoded()).encoded())
        return connection

    def _follow(
        self, connection: socket.socket, reasons: tuple[str, ...], *, is_new: bool
    ) -> Answer | Alone | None:
        """Follow one run; None where it gave no answer for this caller."""
        self._reporter.starting(self._question.plan)
        with ExitStack() as stack:

            def accept(greeting: Greeting) -> bool:
                if not is_new:
                    stack.enter_context(lent(self._token, greeting.slot))
                return is_new or self._terms.wait > 0

            asked_at = self._asked_at if self._terms.is_forced else 0.0
            hearing = Hearing(self._reporter, accept, is_new=is_new, asked_at=asked_at)
            asking = _ASKING if self._terms.ends_by_any_signal else frozenset({signal.SIGINT})
            deadline = inf if is_new else self._deadline()
            if self._terms.wait <= 0:
                deadline = max(deadline, monotonic() + _GREETED_WITHIN)
            end = follow(connection, hearing, self._reporter.outlets(), asking, deadline)
        match end:
            case End(payload, is_ours):
                told = Told.decode(payload)
                for frame in told.said:
                    hearing.frame(frame)
                return self._accepted(told.answer, hearing, reasons, is_new=is_new or is_ours)
            case Left(number):
                output = hearing.output()
                return interrupted_answer(self._question, self._context, number, output, reasons)
            case Late():
                raise self._busy(hearing.run)
            case Gone():
                return self._after(hearing, is_new=is_new)

    def _after(self, hearing: Hearing, *, is_new: bool) -> Alone | None:
        """Return what follows from a runner that has left without an end."""
        if hearing.unavailable is not None:
            return Alone(hearing.unavailable)
        if hearing.is_held:
            self._await_holder()
        elif hearing.run is not None:
            if self._terms.wait <= 0 and not is_new:
                raise self._busy(hearing.run)
            self._reporter.warning("the process that ran the tool is gone; asking again")
        elif is_new:
            self._starts += 1
            if self._starts == _STARTS:
                return Alone(f"what is to run it ends at once; {self._log} may say why")
        return None

    def _accepted(
        self, told: Answer | Refusal, hearing: Hearing, reasons: tuple[str, ...], *, is_new: bool
    ) -> Answer | None:
        """Return what a runner *told* as this caller's answer; None where it is none for it."""
        if isinstance(told, Refusal):
            if is_new:
                raise NoVerdictError(told.reason)
            return None
        top = self._question.plan.top
        if not hearing.is_heard or not (is_new or self._holds_here(told)):
            return None
        if told.source == "hit":
            return replace(told, asked_in=top)
        if told.output.chunks:
            hearing.hear_rest(told.output)
        return replace(
            told,
            source="run" if is_new else "followed",
            output=told.output if told.output.chunks else hearing.output(),
            asked_in=top,
            reasons=reasons,
        )

    def _holds_here(self, told: Answer) -> bool:
        """Return whether what a run *told* its followers is an answer for this one."""
        is_here = told.asked_in == self._question.plan.top
        if told.focused_on:
            return is_here and self._terms.may_focus
        match told.outcome:
            case Interrupted():
                return False
            case Unstable():
                return is_here
        return True

    def _await_holder(self) -> None:
        """Wait until a run that can't be followed ends, or can be followed.

        Raises:
            NoVerdictError: it takes longer than it is to be waited for.
        """
        key, began = self._question.key, monotonic()
        is_told = False
        with lent(self._token):
            while is_held(self._folder, key):
                connection = self._connection()
                if connection is not None:
                    connection.close()
                    return
                owner = owner_of(self._folder, key)
                if monotonic() >= self._deadline():
                    raise self._busy(None)
                if owner and not is_told and monotonic() - began > _UNHEARD:
                    is_told = True
                    self._reporter.follows(unheard(owner))
                sleep(_PAUSE)

    def _deadline(self) -> float:
        """Return when another's run is waited for no longer, in monotonic seconds."""
        return self._asked_at + self._terms.wait

    def _busy(self, run: FollowedRun | None) -> NoVerdictError:
        owner = None if run else owner_of(self._folder, self._question.key)
        run = unheard(owner) if owner else run
        return busy(self._question.plan.tool, run, self._context.now(), self._terms.wait)
