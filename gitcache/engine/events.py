"""What the engine tells while it works, and what it answers at the end.

The engine reports; whoever listens decides what is shown. A reporter never changes what happens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from gitcache.core.entry import RanIn
from gitcache.core.key import Key, TreeId
from gitcache.core.leak import Leak
from gitcache.core.outcome import Outcome
from gitcache.core.output import Output, Stream
from gitcache.core.terminal import Terminal
from gitcache.core.tool import ToolName

if TYPE_CHECKING:
    from gitcache.engine.explain import ExplainedMiss
    from gitcache.engine.resolve import Plan

Source = Literal["run", "hit", "followed"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one tool for the content at hand."""

    tool: ToolName
    outcome: Outcome
    source: Source
    output: Output
    started_at: float
    """When the tool ran, in seconds since the epoch."""

    duration: float
    """How long the tool ran, in seconds."""

    ran_in: RanIn
    asked_in: Path
    """The worktree of the caller; outside a repository the caller's folder."""

    key: Key | None = None
    """None where the run has no key, and so nothing is stored."""

    tree: TreeId | None = None
    stored: bool = False
    """Whether an entry for this answer is in the store."""

    reasons: tuple[str, ...] = ()
    """Why nothing stored answered, then what differs from the nearest entry; empty on a hit."""

    failing_files: tuple[str, ...] = ()
    focused_on: tuple[str, ...] = ()
    """The files that failed last time, where they alone were run; empty: the whole command was."""

    flaky: tuple[str, ...] = ()
    """Files that failed at first and passed when the whole command ran again."""

    is_contradicted: bool = False
    """Whether an earlier run on the same content gave another verdict."""

    leak: Leak | None = None
    """What outlived the tool, and was ended."""

    terminal: Terminal = field(default_factory=dict)
    """What was done so that the tool prints in colours."""

    folder: Path | None = None
    """This program's folder in the caller's repository; None where the run has no key."""

    @property
    def saved(self) -> float:
        """Seconds that the answer saved its caller."""
        return self.duration if self.source == "hit" else 0.0


@dataclass(frozen=True, slots=True)
class FollowedRun:
    """A run of another caller that gives this one its answer."""

    pid: int
    """Of its runner."""

    since: float
    """When it began, in seconds since the epoch."""

    worktree: str
    waiting: int = 0
    """How many callers it has beside this one."""

    is_heard: bool = True
    """Whether its output is heard; else this caller waits for its end, and then asks again."""


@dataclass(frozen=True, slots=True)
class SlotHolder:
    """A run that loads this machine."""

    tool: ToolName
    pid: int
    """Of its runner."""

    since: float
    """When it was asked for, in seconds since the epoch."""

    worktree: str


@dataclass(frozen=True, slots=True)
class SlotWait:
    """A run that has not begun, since as many others as may load this machine."""

    holders: tuple[SlotHolder, ...]
    ahead: int
    """How many come before it that wait too."""

    limit: int
    """How many may run at once."""


class Reporter(Protocol):
    """Listens to a run."""

    def missed(self, explained: ExplainedMiss) -> None:
        """Hear, before the tool starts, that nothing stored answers, and why."""

    def starting(self, plan: Plan) -> None:
        """Hear that the tool of *plan* is about to start."""

    def follows(self, run: FollowedRun) -> None:
        """Hear that another's run is followed, before any of its output."""

    def queues(self, wait: SlotWait) -> None:
        """Hear that the run waits for its turn; again whenever what it waits for changes."""

    def outlets(self) -> Mapping[Stream, int]:
        """Return the descriptors to which :meth:`output` writes, where it writes to some."""

    def output(self, stream: Stream, data: bytes) -> None:
        """Hear *data*, which the running tool has just printed on *stream*."""

    def warning(self, text: str) -> None:
        """Hear of something that does not stop the run and that its person should know."""

    def detail(self, text: str) -> None:
        """Hear how the run is made, before it begins; nothing that its person must know."""

    def notice(self, text: str) -> None:
        """Hear what is run next, where a run has several parts."""

    def hint(self, text: str) -> None:
        """Hear what may help, after a run that did not pass and before its answer."""

    def answered(self, answer: Answer) -> None:
        """Hear the answer; the output of a hit is in it, that of a run was told before."""
