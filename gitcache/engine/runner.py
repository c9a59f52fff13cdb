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
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from time import monotonic

from gitcache import __version__
from gitcache.core.output import Output, Stream
from gitcache.engine.events import Answer, FollowedRun, SlotWait
from gitcache.engine.execution import Execution
from gitcache.engine.explain import ExplainedMiss
from gitcache.engine.resolve import Plan
from gitcache.engine.running import (
    HELD,
    ORDER,
    UNAVAILABLE,
    Greeting,
    Order,
    Refusal,
    Told,
    address_of,
    folder_of,
    owner_of_run,
    run_folder,
)
from gitcache.errors import ToolcacheError
from gitcache.host.broadcast import Broadcast
from gitcache.host.key_lock import Held, HeldByOther, Unavailable, try_take
from gitcache.host.left_runs import end_left_run, remove_left_logs
from gitcache.host.live_log import Frame, Kind, LogWriter
from gitcache.host.messages import Message, Messages
from gitcache.shared_folder import make_shared_folder


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
        owner = owner_of_run(question.plan, context, order.run_id)
        self._execution = Execution(question, context, order.reasons, order.terms, owner)
        self._began = 0.0

    def serve(self, caller: Messages) -> None:
        """Run for *caller* and for all who come, unless another runner does."""
        question = self._order.question
        match try_take(folder_of(question.repository), question.key, self._execution.owner):
            case Held() as lock:
                with lock:
                    end_left_run(lock.left_by)
                    self._began = monotonic()
                    self._run(caller, lock)
            case HeldByOther():
                _tell(caller, Message(HELD))
            case Unavailable(reason):
                _tell(caller, Message(UNAVAILABLE, reason.encode()))

    def _run(self, caller: Messages, lock: Held) -> None:
        question = self._order.question
        address = address_of(question.repository, question.key, self._order.context)
        broadcast = Broadcast(self._greeting, self._order.terms.linger)
        try:
            remove_left_logs(folder_of(question.repository), question.key)
            make_shared_folder(self._folder)
            log = LogWriter(self._folder)
            if address is not None:
                broadcast.listen(address)
        except OSError as error:
            _tell(caller, Message(UNAVAILABLE, (error.strerror or str(error)).encode()))
            return
        broadcast.start(caller)
        reporter = _Reporter(log, broadcast)
        try:
            told = reporter.end(self._answer(reporter, broadcast.stop))
            with suppress(OSError):
                os.utime(self._folder)  # its log is still read for a while
            broadcast.end(told.encoded(), is_told=lock.release)
        finally:
            log.close()
            self._leave_nothing()

    def _answer(self, reporter: _Reporter, orders: int) -> Answer | Refusal:
        """Return what to tell the followers, a fault of this program included."""
        try:
            return self._execution.answer(reporter, orders=orders)
        except ToolcacheError as error:
            return Refusal(error.message)
        except Exception as error:
            traceback.print_exc()  # into the runners' own log
            return Refusal(f"internal error: {type(error).__name__}: {error}")

    def _greeting(self, followers: int) -> bytes:
        owner = self._execution.owner
        greeting = Greeting(
            __version__,
            owner.pid,
            owner.since,
            owner.worktree,
            str(self._folder),
            self._began,
            self._execution.slot,
            followers,
        )
        return greeting.encoded()

    def _leave_nothing(self) -> None:
        """Remove the folder of the run; a follower that still reads has its files open."""
        shutil.rmtree(self._folder, ignore_errors=True)
        with suppress(OSError):
            self._folder.parent.rmdir()


def _tell(caller: Messages, message: Message) -> None:
    with suppress(OSError):  # it is gone
        caller.connection.sendall(message.encoded())


class _Reporter:
    """Writes what a run tells into the log."""

    def __init__(self, log: LogWriter, broadcast: Broadcast) -> None:
        self._log = log
        self._broadcast = broadcast
        self._unwritten: list[Frame] = []
        """What the disk had no room for, without the output's bytes, which the answer has."""

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

    def queues(self, wait: SlotWait) -> None:
        """Let the followers know what the run waits for, those to come as well."""
        self._broadcast.news(pickle.dumps(wait))

    def end(self, answer: Answer | Refusal) -> Told:
        """Return what the followers have to be told of *answer* beside the log."""
        said = tuple(each for each in self._unwritten if each.kind not in ("stdout", "stderr"))
        has_all = not self._unwritten and self._log.is_in_place()
        if isinstance(answer, Answer) and answer.source != "hit" and has_all:
            return Told(replace(answer, output=Output()))
        return Told(answer, said)

    def starting(self, plan: Plan) -> None:
        """Take back what was waited for; each follower knows what it follows."""
        self._broadcast.news(b"")

    def follows(self, run: FollowedRun) -> None:
        """Say nothing: a runner follows nobody."""

    def notice(self, text: str) -> None:
        """Let the followers hear what is run next."""
        self._write("notice", text.encode())

    def hint(self, text: str) -> None:
        """Let the followers hear a hint."""
        self._write("hint", text.encode())

    def missed(self, explained: ExplainedMiss) -> None:
        """Say nothing: each follower has found its own miss."""

    def answered(self, answer: Answer) -> None:
        """Say nothing: the answer goes its own way."""

    def _write(self, kind: Kind, data: bytes) -> None:
        """Write into the log, or keep for the end what does not go into it.

        From its first fault on nothing more is written, so that nothing is missing in between.
        """
        if not self._unwritten:
            with suppress(OSError):
                self._log.write(kind, data)
                self._broadcast.more()
                return
        is_output = kind in ("stdout", "stderr")
        if not is_output or not self._unwritten:
            self._unwritten.append(Frame(kind, b"" if is_output else data))
