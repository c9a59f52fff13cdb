"""What a tool writes at each of its runs, and when that does not count.

A path that two runs of a tool wrote, and nobody else in between while that was being learnt, is the
tool's habit. Its habit excuses a write that left the bytes as they were, and any write to an
untracked product (:mod:`gitcache.core.products`) that a run of the tool made where nothing was.
Such a product is left out of the tool's snapshots while its stat is the one that the run left. Once
it is another one, somebody's bytes may be in it: it counts until it is gone and made again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from gitcache.core.products import is_product

Stat = tuple[int, ...]
"""Size, mtime and ctime in nanoseconds, inode and mode; any write moves the ctime."""

ENOUGH: Final = 2
"""How many runs make a habit: one may be a coincidence."""

KEPT_AT_MOST: Final = 1000
"""How many paths are kept of a tool: a report has hundreds, and a look reads them all in 10 ms."""

TICK_NS: Final = 20_000_000
"""Nanoseconds by which the kernel may date a write too early: twice the longest timer tick."""

COARSE_TICK_NS: Final = 2_000_000_000
"""The same where a file system keeps no parts of a second; FAT keeps every other one."""

When = Literal["before", "during", "after"]
"""When a file was written, as seen from a run."""

Since = Literal["as left", "absent", "foreign"]
"""What became of a path since the tool's last run: nothing, it is gone, or somebody wrote it."""


@dataclass(frozen=True, slots=True)
class Window:
    """The time in which a tool ran, in nanoseconds since the epoch."""

    began: int
    ended: int

    def when(self, stat: Stat) -> When:
        """Return when the file of *stat* was last written; the kernel never dates it too late."""
        if stat[2] < self.began - TICK_NS:
            return "before"
        return "during" if stat[2] <= self.ended else "after"


@dataclass(frozen=True, slots=True)
class Trace:
    """A path that a tool wrote."""

    runs: int
    """How many runs wrote it, up to :data:`ENOUGH`."""

    left: Stat | None
    """Its stat after the last of them; None where a later write might not show in it."""

    is_made: bool = False
    """Whether the first of them made it where nothing was, and nobody else wrote it since."""

    @property
    def is_habit(self) -> bool:
        """Whether enough runs wrote it."""
        return self.runs >= ENOUGH


@dataclass(frozen=True, slots=True)
class Habits:
    """What is known of a tool before it runs."""

    traces: Mapping[str, Trace] = field(default_factory=dict)
    """Path → what its last run left there."""

    since: Mapping[str, Since] = field(default_factory=dict)
    """Each of these paths → what became of it."""

    @property
    def left_out(self) -> frozenset[str]:
        """The products that do not count while they are untracked: those that are as left."""
        return self._products({"as left"})

    @property
    def left_out_afterwards(self) -> frozenset[str]:
        """The products that do not count after a run: what is gone may be there again."""
        return self._products({"as left", "absent"})

    def _products(self, since: Collection[Since]) -> frozenset[str]:
        return frozenset(
            path
            for path, trace in self.traces.items()
            if self.since[path] in since and is_leftover(path, trace)
        )


def is_leftover(path: str, trace: Trace) -> bool:
    """Return whether *path* is a product that the tool made, so that it need not count."""
    return trace.is_habit and trace.is_made and is_product(path)


def since_then(trace: Trace, stat: Stat | None) -> Since:
    """Return what became of the path of *trace*, whose *stat* is now this; None: it is not there.

    What is not known for certain was written by somebody else.
    """
    if stat is None:
        return "absent"
    return "as left" if stat == trace.left else "foreign"


def learnt(
    habits: Habits,
    written: Mapping[str, Stat | None],
    made: Collection[str] = (),
    most: int = KEPT_AT_MOST,
) -> dict[str, Trace]:
    """Return what is known of a tool after a run that wrote the paths *written*.

    A product that neither the run nor anybody else wrote stays as it is known; anything else that
    the run did not write is no habit.

    Args:
        habits: what was known before.
        written: path → stat, as for :attr:`Trace.left`.
        made: those of them where nothing was before the run.
        most: how many paths to keep, those that were written and those of products first.
    """
    staying = {
        path: trace
        for path, trace in habits.traces.items()
        if is_product(path) and habits.since[path] == "as left"
    }
    more = {path: _written(habits, path, stat, path in made) for path, stat in written.items()}
    traces = staying | more
    kept = sorted(traces, key=lambda path: (not is_product(path), path not in written, path))
    return {path: traces[path] for path in kept[:most]}


def _written(habits: Habits, path: str, left: Stat | None, is_new: bool) -> Trace:
    """Return the trace of *path* now that one more run wrote it, where nothing was if *is_new*."""
    trace = habits.traces.get(path)
    if trace is None:
        return Trace(1, left, is_new)
    runs = min(trace.runs + 1, ENOUGH)
    match habits.since[path]:
        case "as left":
            return Trace(runs, left, trace.is_made)
        case "absent" if is_new and not trace.is_made:
            return Trace(1, left, is_new)
        case "absent":
            return Trace(runs, left, is_new)
        case "foreign":
            return Trace(runs if trace.is_habit else 1, left)


def excused(
    traces: Mapping[str, Trace],
    own: Collection[str],
    changed: Collection[str],
    tracked: Collection[str],
) -> frozenset[str]:
    """Return the paths whose writing does not make a run unstable.

    Args:
        traces: what is known after the run.
        own: the paths that were written while the tool ran.
        changed: the paths whose content is another than before.
        tracked: the paths that git tracks.
    """
    return frozenset(
        path
        for path in own
        if path in traces
        and traces[path].is_habit
        and (path not in changed or (path not in tracked and is_leftover(path, traces[path])))
    )


def is_settled(stat: Stat, now_ns: int) -> bool:
    """Return whether a write from *now_ns* on shows in *stat*: the clock has ticked since."""
    tick = TICK_NS if stat[2] % 1_000_000_000 else COARSE_TICK_NS
    return now_ns - max(stat[1], stat[2]) > tick
