"""What a caller hears of a run that another process does, handed on to whoever listens here."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from gitcache.core.output import Chunk, Output, OutputBuffer, Stream
from gitcache.core.units import format_bytes
from gitcache.engine.events import FollowedRun, Reporter
from gitcache.engine.running import HELD, UNAVAILABLE, Greeting
from gitcache.host.live_log import Frame
from gitcache.host.messages import Message


class Hearing:
    """The listener at one line to a runner."""

    def __init__(
        self,
        reporter: Reporter,
        accept: Callable[[Greeting], bool],
        *,
        is_new: bool,
        asked_at: float = 0.0,
    ) -> None:
        """Hear nothing yet.

        Args:
            reporter: hears the run.
            accept: called with the greeting; says whether the run is followed.
            is_new: whether this caller has started the run.
            asked_at: a moment in monotonic seconds; a run that began before it is not heard, but
                only waited for.
        """
        self._reporter = reporter
        self._accept = accept
        self._is_new = is_new
        self._asked_at = asked_at
        self._buffer = OutputBuffer()
        self._heard = 0
        """Bytes that were handed on, the first ones of the whole."""

        self.run: FollowedRun | None = None
        """Who runs; None: nobody has said so."""

        self.is_held = False
        """Whether another runner has the key."""

        self.unavailable: str | None = None
        """Why nothing can be shared here."""

    @property
    def is_heard(self) -> bool:
        """Whether the run's output and answer are for this caller."""
        return self.run is None or self.run.is_heard

    def output(self) -> Output:
        """Return what the tool has printed so far."""
        return self._buffer.result()

    def greeted(self, payload: bytes) -> Path | None:
        """Take up the log of a runner that speaks our language."""
        greeting = Greeting.decode(payload)
        if greeting is None:
            self.is_held = True
            return None
        is_heard = self._is_new or greeting.began >= self._asked_at
        self.run = FollowedRun(
            greeting.pid, greeting.since, greeting.worktree, greeting.followers, is_heard
        )
        if not self._accept(greeting):
            return None
        if not self._is_new:
            self._reporter.follows(self.run)
        return Path(greeting.folder)

    def news(self, payload: bytes) -> None:
        """Hand on what the runner waits for."""
        if payload and self.is_heard:
            self._reporter.queues(pickle.loads(payload))  # noqa: S301 (of our own user)

    def other(self, message: Message) -> None:
        """Hear why a runner leaves."""
        if message.kind == HELD:
            self.is_held = True
        elif message.kind == UNAVAILABLE:
            self.unavailable = message.payload.decode("utf-8", "replace")

    def frame(self, frame: Frame) -> None:
        """Hand on what the tool printed and what the runner says of it."""
        if not self.is_heard:
            return
        match frame.kind:
            case "stdout" | "stderr":
                self._output(frame.kind, frame.data)
            case "warning":
                self._reporter.warning(frame.data.decode())
            case "detail":
                self._reporter.detail(frame.data.decode())
            case "notice":
                self._reporter.notice(frame.data.decode())
            case "hint":
                self._reporter.hint(frame.data.decode())

    def missed(self, count: int) -> None:
        """Tell of output that is gone."""
        if self.is_heard:
            self._reporter.warning(f"the first {format_bytes(count)} of the output are gone")

    def hear_rest(self, output: Output) -> None:
        """Hand on what of the whole *output* was not heard, since it could not be kept live."""
        heard_of_rest = max(0, self._heard - _size(output.head))
        rest = list(_behind(self._heard, output.head))
        rest += _behind(max(0, heard_of_rest - output.cut_bytes), output.tail)
        if rest:
            self._reporter.warning(
                "the output could not be kept while the tool ran; its rest follows"
            )
        if (lost := output.cut_bytes - heard_of_rest) > 0:
            self._reporter.warning(f"{format_bytes(lost)} of the output in its middle are gone")
        for stream, data in rest:
            self._output(stream, data)

    def _output(self, stream: Stream, data: bytes) -> None:
        self._heard += len(data)
        self._buffer.add(stream, data)
        self._reporter.output(stream, data)


def _size(chunks: Iterable[Chunk]) -> int:
    return sum(len(each.data) for each in chunks)


def _behind(count: int, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Yield what of *chunks* comes behind the first *count* bytes."""
    for stream, data in chunks:
        if count < len(data):
            yield Chunk(stream, data[count:])
        count = max(0, count - len(data))
