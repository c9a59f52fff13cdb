"""Figures from uses: how often a result was there, what that saved, and what the misses cost.

Dates are the caller's: which day a moment belongs to is told by a function, so nothing here knows
a time zone. A use that was written by a clock that was wrong has no day, and counts all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from heapq import nlargest
from typing import Final, Self

from gitcache.core.entry import Entry
from gitcache.core.uses import Journal, Use

DAYS: Final = 30
"""Days that are told one by one, today's included: a month."""

WEEK: Final = 7
"""Days of the middle period, today's included."""

MISSES: Final = 10
"""How many of the most expensive misses are told."""

_EARLIEST: Final = 1_577_836_800
"""2020-01-01T00:00:00Z in seconds since the epoch: no clock that is right was ever before it here.

A machine whose clock has no battery begins at 1970.
"""

_AHEAD: Final = 86400
"""Seconds by which another machine's clock may be ahead."""

DayOf = Callable[[float], date]
"""Which day a moment in seconds since the epoch belongs to."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of uses, and their seconds."""

    hits: int = 0
    misses: int = 0
    """Runs whose result was not known."""

    followed: int = 0
    """Answers of a run that another caller had started."""

    unkeyed: int = 0
    """Runs that have no key, and so could not hit."""

    saved: float = 0.0
    """Seconds that hits did not wait for."""

    ran: float = 0.0
    """Seconds that the runs took."""

    @classmethod
    def of(cls, uses: Iterable[Use]) -> Self:
        """Return what *uses* come to."""
        kinds = {"hits": 0, "misses": 0, "followed": 0, "unkeyed": 0}
        saved = ran = 0.0
        for use in uses:
            kinds[_kind(use)] += 1
            saved += use.saved
            ran += use.duration if use.source == "run" else 0.0
        return cls(**kinds, saved=saved, ran=ran)

    @property
    def asked(self) -> int:
        """How many uses could hit."""
        return self.hits + self.misses + self.followed

    @property
    def hit_rate(self) -> float | None:
        """The share of the uses that hit of those that could, 0 to 1; None where there are none."""
        return self.hits / self.asked if self.asked else None


def _kind(use: Use) -> str:
    if use.source == "run":
        return "unkeyed" if use.key is None else "misses"
    return "hits" if use.source == "hit" else "followed"


@dataclass(frozen=True, slots=True)
class Figures:
    """What a journal comes to."""

    today: Tally
    week: Tally
    total: Tally
    tools: Mapping[str, Tally]
    """Of each tool, the one that is used most first."""

    worktrees: Mapping[str, Tally]
    """Of each worktree's path, in the same order."""

    days: Mapping[date, Tally]
    """Of each of the last :data:`DAYS`, oldest first, beginning with the first that has a use."""

    expensive: tuple[Use, ...]
    """The misses that ran longest, longest first."""

    since: date | None
    """The day of the earliest use whose clock was right."""

    undated: int
    """Uses whose clock was wrong."""

    unread: int
    """Lines of the journal that tell no use."""


def figures(journal: Journal, now: float, day_of: DayOf) -> Figures:
    """Return what *journal* comes to.

    Args:
        journal: the uses, in any order.
        now: the time in seconds since the epoch.
        day_of: which day a moment belongs to.
    """
    uses, today = journal.uses, day_of(now)
    by_day: dict[date, list[Use]] = {}
    for use in uses:
        if (day := day_of_use(use, now, day_of)) is not None:
            by_day.setdefault(day, []).append(use)
    last = [today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
    first = min((day for day in last if day in by_day), default=today)
    days = {day: Tally.of(by_day.get(day, ())) for day in last if day >= first}
    week = [use for day in last[-WEEK:] for use in by_day.get(day, ())]
    return Figures(
        today=days[today],
        week=Tally.of(week),
        total=Tally.of(uses),
        tools=_grouped(uses, lambda use: use.tool),
        worktrees=_grouped(uses, lambda use: use.worktree),
        days=days,
        expensive=_expensive(uses),
        since=min(by_day, default=None),
        undated=len(uses) - sum(map(len, by_day.values())),
        unread=journal.unread,
    )


def day_of_use(use: Use, now: float, day_of: DayOf) -> date | None:
    """Return the day of *use*, today at most; None where the clock was wrong that wrote it."""
    return day_of(min(use.at, now)) if is_right(use.at, now) else None


def is_right(at: float, now: float) -> bool:
    """Return whether a clock that showed *at*, in seconds since the epoch, can have been right."""
    return _EARLIEST <= at <= now + _AHEAD


def _expensive(uses: Iterable[Use]) -> tuple[Use, ...]:
    misses = (use for use in uses if _kind(use) == "misses")
    return tuple(nlargest(MISSES, misses, key=lambda use: use.duration))


def _grouped(uses: Iterable[Use], name_of: Callable[[Use], str]) -> dict[str, Tally]:
    groups: dict[str, list[Use]] = {}
    for use in uses:
        groups.setdefault(name_of(use), []).append(use)
    names = sorted(groups, key=lambda name: (-len(groups[name]), name))
    return {name: Tally.of(groups[name]) for name in names}


@dataclass(frozen=True, slots=True)
class Flake:
    """A file of tests that gave more than one verdict on the same content."""

    tool: str
    file: str
    """Empty: which file is not known, only that the tool contradicted itself."""

    count: int
    """Contents on which it did."""

    last_seen: float
    """When the last of them ran, in seconds since the epoch."""


@dataclass(slots=True)
class FlakeCount:
    """Counts flakes, entry by entry, so that no more than one is held."""

    _seen: dict[tuple[str, str], tuple[int, float]] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Count what *entry* tells of flakes."""
        files = entry.flaky or (_suspects(entry) if entry.is_contradicted else ())
        for file in set(files):
            count, last = self._seen.get((entry.inputs.tool, file), (0, 0.0))
            self._seen[entry.inputs.tool, file] = count + 1, max(last, entry.started_at)

    def flakes(self) -> tuple[Flake, ...]:
        """Return what was counted, the most frequent first."""
        found = [Flake(*name, *numbers) for name, numbers in self._seen.items()]
        return tuple(sorted(found, key=lambda each: (-each.count, each.tool, each.file)))


def _suspects(entry: Entry) -> tuple[str, ...]:
    """Return which files a contradicted *entry* names; the empty name where it names none."""
    return entry.failing_files or ("",)


def may_be_flaky(blob: bytes) -> bool:
    """Return whether the *blob* of an entry may tell of a flake, without reading it as a whole.

    As :func:`gitcache.core.entry.encode` writes it; a quote within a text is escaped there.
    """
    if b'"flaky":[]' not in blob:
        return True
    return b'"outcome":"passed"' in blob and b'"outcome":"failed"' in blob
