"""What of a tool's output a caller wants to see: a :data:`Show`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gitcache.core.output import Chunk, Output, last_lines


@dataclass(frozen=True, slots=True)
class Full:
    """All of it, live."""


@dataclass(frozen=True, slots=True)
class OnlyFailed:
    """All of it where the tool did not pass, and nothing else."""


@dataclass(frozen=True, slots=True)
class Tail:
    """Its last lines, at the end."""

    lines: int


@dataclass(frozen=True, slots=True)
class Nothing:
    """None of it."""


Show = Full | OnlyFailed | Tail | Nothing

FULL: Final = Full()

SHOW_TAKES: Final = "full, failed, none or tail:N"


def parse_show(text: str) -> Show:
    """Return what *text* (:data:`SHOW_TAKES`) asks to see; ValueError where it is none of these."""
    plain: dict[str, Show] = {"full": FULL, "failed": OnlyFailed(), "none": Nothing()}
    if text in plain:
        return plain[text]
    count = text.removeprefix("tail:")
    if count == text or not count.isdecimal():
        raise ValueError(f"takes {SHOW_TAKES}, not {text!r}")
    return Tail(int(count))


def selected(output: Output, show: Show, passed: bool) -> tuple[Chunk, ...]:
    """Return what of *output* is to be seen at the end of a run or on a hit."""
    match show:
        case Full():
            return output.chunks
        case OnlyFailed():
            return () if passed else output.chunks
        case Tail(lines):
            return last_lines(output, lines)
        case Nothing():
            return ()
