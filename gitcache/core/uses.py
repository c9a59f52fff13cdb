"""Uses of results, as the journal tells them.

The journal is a file that anybody with the repository may have written, by another version or half,
so a line that is no use of the kind that we write is left out and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal, Self, TypeVar

from gitcache.core.journal_line import fields_of
from gitcache.core.key import Key, parse_key
from gitcache.core.tool import ToolName, parse_name

UseSource = Literal["run", "hit", "followed"]

_SOURCES: Final[dict[str, UseSource]] = {"run": "run", "hit": "hit", "followed": "followed"}

_OUTCOMES: Final = frozenset(
    {"passed", "failed", "killed", "timed_out", "not_started", "interrupted", "unstable"}
    | {"no_verdict"}
)
"""The names of :func:`gitcache.core.outcome.name_of`."""

_YEAR_10000: Final = 253402300800
"""Seconds since the epoch at which the year 10000 begins; ``datetime`` goes no further."""

_LONGEST: Final = 36500 * 86400
"""Seconds of the longest duration: a hundred years, as settings take them."""

_NUMBER_AT_MOST: Final = 30
"""Characters of a number; a longer one is no time."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Use:
    """One answer that one caller had."""

    at: float
    """When, in seconds since the epoch, as the machine's clock then was."""

    tool: ToolName
    key: Key | None
    """None where the run had none, and so could not hit."""

    source: UseSource
    outcome: str
    stored: bool
    focused: bool
    duration: float
    """How long the tool ran, in seconds."""

    saved: float
    """Seconds of that which the caller did not wait for."""

    worktree: str
    reason: str
    """Why nothing stored answered, or the beginning of it; empty on a hit."""

    @classmethod
    def parse(cls, line: bytes) -> Self:
        """Return the use that *line*, without its newline, tells; ValueError where it is none."""
        fields = fields_of(line)
        if fields is None:
            raise ValueError("it is no line of a use")
        return cls(
            at=_number(fields["at"], _YEAR_10000),
            tool=_known(parse_name, fields["tool"]),
            key=_known(parse_key, fields["key"]) if fields["key"] else None,
            source=_known(_SOURCES.get, fields["source"]),
            outcome=_one_of(_OUTCOMES, fields["outcome"]),
            stored=_one_of({"0", "1"}, fields["stored"]) == "1",
            focused=_one_of({"full", "focused"}, fields["scope"]) == "focused",
            duration=_number(fields["duration"], _LONGEST),
            saved=_number(fields["saved"], _LONGEST),
            worktree=fields["worktree"],
            reason=fields["reason"],
        )


@dataclass(frozen=True, slots=True)
class Journal:
    """What was read."""

    uses: tuple[Use, ...]
    """In the order in which they were written."""

    unread: int
    """Lines that tell no use."""


def parse_journal(text: bytes) -> Journal:
    """Return the uses that the bytes of a journal tell; any bytes may come."""
    found = [_use_or_none(line) for line in text.split(b"\n") if line]
    uses = tuple(each for each in found if each is not None)
    return Journal(uses, len(found) - len(uses))


def last_used(uses: Iterable[Use]) -> dict[Key, float]:
    """Return key → when it was last used, in seconds since the epoch."""
    times: dict[Key, float] = {}
    for use in uses:
        if use.key is not None:
            times[use.key] = max(use.at, times.get(use.key, 0.0))
    return times


def _use_or_none(line: bytes) -> Use | None:
    try:
        return Use.parse(line)
    except ValueError:
        return None


def _number(text: str, most: int) -> float:
    """Return the number that *text* writes, 0 to *most*; ValueError where it is none."""
    number = float(text) if len(text) <= _NUMBER_AT_MOST else -1.0
    if not 0 <= number < most:
        raise ValueError("a number is out of range")
    return abs(number)  # there is a zero below zero


def _known(parse: Callable[[str], _T | None], text: str) -> _T:
    value = parse(text)
    if value is None:
        raise ValueError(f"{text!r} is not known")
    return value


def _one_of(names: set[str] | frozenset[str], text: str) -> str:
    if text not in names:
        raise ValueError(f"{text!r} is not known")
    return text
