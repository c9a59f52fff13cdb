"""A caller and the run that answers it: it starts a runner where none is there, and follows.

Who started the runner and who came later do the same. A runner that is gone without an answer is
replaced: the key's lock decides whose runner that is. What belongs to another worktree alone (a run
that its content moved under) and what others have ended is no answer here.
"""

from __future__ import annotations

import pickle
import signal
import socket
import uuid
from dataclasses import dataclass, replace
from pathlib import Path
from time import sleep
from typing import Final

from gitcache.core.outcome import Interrupted, Unstable
from gitcache.core.output import Output, OutputBuffer
from gitcache.core.units import format_bytes
from gitcache.engine.context import Context
from gitcache.engine.events import Answer, FollowedRun, Reporter
from gitcache.engine.front import Question
from gitcache.engine.keep import ran_in
from gitcache.engine.running import (
    HELD,
    ORDER,
    UNAVAILABLE,
    Greeting,
    Order,
    address_of,
    folder_of,
)
from gitcache.errors import NoVerdictError
from gitcache.host.detached import start_detached
from gitcache.host.following import End, Gone, Left, connect, follow
from gitcache.host.key_lock import owner_of
from gitcache.host.live_log import Frame
from gitcache.host.messages import Message

_RUNNER: Final = "gitcache.engine.runner"

_ASKING: Final = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})
"""The signals that ask a program to end."""

_TRIES: Final = 20
"""Runners that may leave without an answer, one after the other, before it is given up."""

_PAUSE: Final = 0.05
"""Seconds between two looks at a run of which nobody tells the end: another user's, or one that
begins or ends in this moment."""


@dataclass(frozen=True, slots=True)
class Alone:
    """Nothing can be shared here, so the caller runs the tool by itself."""

    reason: str


@dataclass(frozen=True, slots=True)
class Terms:
    """How a caller takes part in a run."""

    linger: float | None
    """Seconds for which a run goes on without a follower; None: to its end."""

    stops_at_signals: bool = True
    """Whether any signal that ends its only caller ends a run; else Ctrl-C alone does."""

    is_forced: bool = False
    """Whether what is stored is no answer."""


class SharedRun:
    """The run of one question, as one caller sees it."""

    def __init__(
        self, question: Question, context: Context, reporter: Reporter, terms: Terms
    ) -> None:
        self._question = question
        self._context = context
        self._reporter = reporter
        self._terms = terms
        self._address = address_of(question, context)

    def answer(self, reasons: tuple[str, ...]) -> Answer | Alone:
        """Return the answer of a run that goes on already, or of a new one.

        Args:
            reasons: why nothing stored answers.

        Raises:
            NoVerdictError: none could be had.
        """
        for _ in range(_TRIES):
            answer = self._attempt(reasons)
            if answer is not None:
                return answer
        raise NoVerdictError("one runner after the other has left without an answer")

    def _attempt(self, reasons: tuple[str, ...]) -> Answer | Alone | None:
        """Follow one run; None where it gave no answer."""
        connection = None if self._address is None else connect(self._address)
        if connection is not None:
            return self._follow(connection, reasons, is_new=False)
        try:
            connection = self._start(reasons)
        except OSError as error:
            return Alone(error.strerror or str(error))
        return self._follow(connection, reasons, is_new=True)

    def _start(self, reasons: tuple[str, ...]) -> socket.socket:
        order = Order(
            self._question,
            self._context,
            reasons,
            self._terms.is_forced,
            uuid.uuid4().hex,
            self._terms.linger,
        )
        running = folder_of(self._question.repository) / "running"
        running.mkdir(parents=True, exist_ok=True)
        connection = start_detached(_RUNNER, running / "log")
        connection.sendall(Message(ORDER, order.encoded()).encoded())
        return connection

    def _follow(
        self, connection: socket.socket, reasons: tuple[str, ...], *, is_new: bool
    ) -> Answer | Alone | None:
        hearing = _Hearing(self._reporter, is_new=is_new)
        self._reporter.starting(self._question.plan)
        asking = _ASKING if self._terms.stops_at_signals else frozenset({signal.SIGINT})
        match follow(connection, hearing, self._reporter.outlets(), asking):
            case End(payload, is_ours):
                told: Answer = pickle.loads(payload)  # noqa: S301 (of a runner of our own user)
                return self._accepted(told, hearing.output(), reasons, is_new=is_new or is_ours)
            case Left(number):
                return self._interrupted(number, hearing.output(), reasons)
            case Gone():
                if hearing.alone is not None:
                    return hearing.alone
                if hearing.is_held:
                    self._await_holder()
                return None

    def _accepted(
        self, told: Answer, output: Output, reasons: tuple[str, ...], *, is_new: bool
    ) -> Answer | None:
        """Return what a runner *told* as this caller's answer; None where it is none for it."""
        if told.source == "hit":
            return replace(told, asked_in=self._question.plan.top)
        is_here = told.asked_in == self._question.plan.top
        if not is_new and isinstance(told.outcome, Interrupted):
            return None
        if not is_new and isinstance(told.outcome, Unstable) and not is_here:
            return None
        return replace(
            told,
            source="run" if is_new else "followed",
            output=output,
            asked_in=self._question.plan.top,
            reasons=reasons,
        )

    def _interrupted(self, number: int, output: Output, reasons: tuple[str, ...]) -> Answer:
        """Return the answer of a caller that a signal told to go."""
        plan, snapshot = self._question.plan, self._question.snapshot
        return Answer(
            tool=plan.tool.name,
            outcome=Interrupted(number),
            source="run",
            output=output,
            started_at=self._context.now(),
            duration=0.0,
            ran_in=ran_in(plan.top, snapshot.head, self._context),
            asked_in=plan.top,
            key=self._question.key,
            tree=snapshot.tree,
            reasons=reasons,
        )

    def _await_holder(self) -> None:
        """Wait until a run that can't be followed ends, or can be followed."""
        folder, key = folder_of(self._question.repository), self._question.key
        while owner_of(folder, key) is not None:
            connection = None if self._address is None else connect(self._address)
            if connection is not None:
                connection.close()
                return
            sleep(_PAUSE)


class _Hearing:
    """Hands on what a runner tells to whoever listens here."""

    def __init__(self, reporter: Reporter, *, is_new: bool) -> None:
        self._reporter = reporter
        self._is_new = is_new
        self._buffer = OutputBuffer()
        self.is_held = False
        """Whether another runner has the key."""

        self.alone: Alone | None = None

    def output(self) -> Output:
        """Return what the tool has printed so far."""
        return self._buffer.result()

    def greeted(self, payload: bytes) -> Path | None:
        """Take up the log of a runner that speaks our language."""
        greeting = Greeting.decode(payload)
        if greeting is None:
            self.is_held = True
            return None
        if not self._is_new:
            run = FollowedRun(greeting.pid, greeting.since, greeting.worktree, greeting.followers)
            self._reporter.follows(run)
        return Path(greeting.folder)

    def news(self, payload: bytes) -> None:
        """Hand on what the runner waits for."""
        self._reporter.detail(payload.decode("utf-8", "replace"))

    def other(self, message: Message) -> None:
        """Hear why a runner leaves."""
        if message.kind == HELD:
            self.is_held = True
        elif message.kind == UNAVAILABLE:
            self.alone = Alone(message.payload.decode("utf-8", "replace"))

    def frame(self, frame: Frame) -> None:
        """Hand on what the tool printed and what the runner says of it."""
        match frame.kind:
            case "stdout" | "stderr":
                self._buffer.add(frame.kind, frame.data)
                self._reporter.output(frame.kind, frame.data)
            case "warning":
                self._reporter.warning(frame.data.decode())
            case "detail":
                self._reporter.detail(frame.data.decode())
            case "hint":
                self._reporter.hint(frame.data.decode())

    def missed(self, count: int) -> None:
        """Tell of output that is gone."""
        self._reporter.warning(f"the first {format_bytes(count)} of the output are gone")
