"""The note on a commit: one line for each tool, beside whatever else people write there.

A line tells all by itself and lines are sorted, so that two notes merge by ``cat_sort_uniq``
(git-notes(1)). A merge may leave several lines of one tool; the next one that is written takes the
place of them all, unless one is newer. Lines of any other form are somebody's own and stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

from gitcache.core.entry import Entry
from gitcache.core.key import Key
from gitcache.core.outcome import Passed
from gitcache.core.tool import ToolName

NoteOutcome = Literal["passed", "failed", "flaky"]

_KEY_SHOWN: Final = 12
"""Digits of the key: ``git toolcache show`` takes a key's beginning, and these name one of many."""

_OURS: Final = re.compile(
    rb"(?P<tool>[A-Za-z0-9][A-Za-z0-9_-]{0,63}) (?:passed|failed|flaky) [0-9]+\.[0-9]s"
    rb" (?P<when>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z) [0-9a-f]{12}"
)


@dataclass(frozen=True, slots=True)
class NoteLine:
    """What a note tells of one tool."""

    tool: ToolName
    outcome: NoteOutcome
    duration: float
    """Seconds."""

    started_at: float
    """Seconds since the epoch."""

    key: Key

    @classmethod
    def of_entry(cls, entry: Entry) -> NoteLine:
        """Return what *entry* gives to be told."""
        verdict: NoteOutcome = "passed" if isinstance(entry.verdict, Passed) else "failed"
        outcome: NoteOutcome = "flaky" if entry.is_flaky else verdict
        return cls(entry.inputs.tool, outcome, entry.duration, entry.started_at, entry.key)

    def encode(self) -> bytes:
        """Return the line: ``test passed 12.3s 2026-01-01T00:00:00Z 0123456789ab``."""
        when = datetime.fromtimestamp(self.started_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        words = (self.tool, self.outcome, f"{self.duration:.1f}s", when, self.key[:_KEY_SHOWN])
        return " ".join(words).encode("ascii")


def with_line(note: bytes, line: NoteLine) -> bytes:
    """Return *note* with *line* in place of the lines of the same tool that are not newer.

    What is not ours comes first, unchanged; our lines are sorted.
    """
    own = line.encode()
    tool, when = (own.split(b" ")[place] for place in (0, 3))
    lines = note.removesuffix(b"\n").split(b"\n") if note else []
    found = [(_OURS.fullmatch(each), each) for each in lines]
    foreign = [each for match, each in found if match is None]
    others = {each for match, each in found if match and match["tool"] != tool}
    newer = {
        each for match, each in found if match and match["tool"] == tool and match["when"] > when
    }
    ours = sorted({*others, max(newer, default=own)})
    return b"".join(each + b"\n" for each in (*foreign, *ours))
