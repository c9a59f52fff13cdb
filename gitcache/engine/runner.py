"""The runner: the process that runs a tool for its key, whoever asked for it.

It is started by a caller that found nothing stored, and holds the key's lock for its life. It looks
up once more, waits for a slot, runs, keeps the verdict, tells its followers the answer, and lets
them go. Where another runner has the lock it leaves, and its caller follows that one.

It ends its tool when nobody follows any more; killed, its supervisor does.
"""

from __future__ import annotations

import os
import pickle
import shutil
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from gitcache import __version__
from gitcache.core.output import Output, Stream
from gitcache.engine.attempt import Provision
from gitcache.engine.cached_run import hit_answer
from gitcache.engine.events import Answer, FollowedRun
from gitcache.engine.explain import ExplainedMiss
from gitcache.engine.fresh_run import FreshRun
from gitcache.engine.front import Hit, look_up
from gitcache.engine.resolve import Plan
from gitcache.engine.running import (
    HELD,
    ORDER,
    UNAVAILABLE,
    Greeting,
    Order,
    address_of,
    folder_of,
    run_folder,
)
from gitcache.errors import RepositoryError
from gitcache.host.broadcast import Broadcast
from gitcache.host.key_lock import Held, HeldByOther, Unavailable, try_take
from gitcache.host.live_log import Kind, LogWriter
from gitcache.host.messages import Message, Messages
from gitcache.host.owner import Owner


def main(descriptor: int) -> None:
    """Do what the process at the other end of the socket *descriptor* orders."""
    caller = Messages(socket.socket(fileno=descriptor))
    os.set_inheritable(descriptor, False)
    order = _order_of(caller)
    if order is not None:
        _Runner(order).serve(caller)


def _order_of(caller: Messages) -> Order | None:
    """Return what the caller orders; None where it is gone before it has said it."""
    while not caller.is_over:
        for message in caller.take():
            if message.kind == ORDER:
                return Order.decode(message.payload)
    return None


class _Runner:
    def __init__(self, order: Order) -> None:
        self._order = order
        question, context = order.question, order.context
        self._folder = run_folder(question.repository, question.key, order.run_id)
        self._owner = Owner.of_this_process(
            question.plan.tool.name,
            question.plan.top,
            context.user,
            context.host,
            context.now(),
            order.run_id,
        )

    def serve(self, caller: Messages) -> None:
        """Run for *caller* and for all who come, unless another runner does."""
        question = self._order.question
        match try_take(folder_of(question.repository), question.key, self._owner):
            case Held() as lock:
                with lock:
                    self._run(caller, lock)
            case HeldByOther():
                _tell(caller, Message(HELD))
            case Unavailable(reason):
                _tell(caller, Message(UNAVAILABLE, reason.encode()))

    def _run(self, caller: Messages, lock: Held) -> None:
        address = address_of(self._order.question, self._order.context)
        broadcast = Broadcast(self._greeting, self._order.linger)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            log = LogWriter(self._folder)
            if address is not None:
                broadcast.listen(address)
        except OSError as error:
            _tell(caller, Message(UNAVAILABLE, (error.strerror or str(error)).encode()))
            return
        broadcast.start(caller)
        try:
            answer = self._answer(_Reporter(log, broadcast), broadcast.stop)
            is_shown = answer.source != "hit"
            payload = pickle.dumps(replace(answer, output=Output()) if is_shown else answer)
            broadcast.end(payload, is_told=lock.release)
        finally:
            log.close()
            self._leave_nothing()

    def _answer(self, reporter: _Reporter, orders: int) -> Answer:
        """Return what is stored by now, or else what a run gives."""
        order = self._order
        if not order.is_forced and (hit := _stored(order)) is not None:
            return hit
        provision = Provision(orders=orders)
        fresh = FreshRun(order.context, reporter, None, provision)
        return fresh.for_everybody(order.question, order.reasons)

    def _greeting(self, followers: int) -> bytes:
        owner = self._owner
        greeting = Greeting(
            __version__, owner.pid, owner.since, owner.worktree, str(self._folder), followers
        )
        return greeting.encoded()

    def _leave_nothing(self) -> None:
        """Remove the folder of the run; a follower that still reads has its files open."""
        shutil.rmtree(self._folder, ignore_errors=True)
        with suppress(OSError):
            self._folder.parent.rmdir()


def _stored(order: Order) -> Answer | None:
    """Return the answer that another run has stored since this one was ordered."""
    try:
        with order.question.repository.git.objects() as objects:
            found = look_up(order.question, objects, order.context)
    except RepositoryError:
        return None
    return hit_answer(found.question, found.entry) if isinstance(found, Hit) else None


def _tell(caller: Messages, message: Message) -> None:
    with suppress(OSError):  # it is gone
        caller.connection.sendall(message.encoded())


class _Reporter:
    """Writes what a run tells into the log."""

    def __init__(self, log: LogWriter, broadcast: Broadcast) -> None:
        self._log = log
        self._broadcast = broadcast
        self._failure: str | None = None

    def outlets(self) -> Mapping[Stream, int]:
        """Return none: a follower holds nobody up."""
        return {}

    def output(self, stream: Stream, data: bytes) -> None:
        """Let the followers have *data*."""
        self._write(stream, data)

    def warning(self, text: str) -> None:
        """Let the followers hear a warning."""
        self._write("warning", text.encode())

    def detail(self, text: str) -> None:
        """Let the followers hear how the run is made."""
        self._write("detail", text.encode())

    def starting(self, plan: Plan) -> None:
        """Say nothing: each follower knows what it follows."""

    def follows(self, run: FollowedRun) -> None:
        """Say nothing: a runner follows nobody."""

    def hint(self, text: str) -> None:
        """Let the followers hear a hint."""
        self._write("hint", text.encode())

    def missed(self, explained: ExplainedMiss) -> None:
        """Say nothing: each follower has found its own miss."""

    def answered(self, answer: Answer) -> None:
        """Say nothing: the answer goes its own way."""

    def _write(self, kind: Kind, data: bytes) -> None:
        try:
            self._log.write(kind, data)
        except OSError as error:
            if self._failure is None:
                self._failure = error.strerror or str(error)
                print(f"the log can't be written: {self._failure}", file=sys.stderr)
        self._broadcast.more()
