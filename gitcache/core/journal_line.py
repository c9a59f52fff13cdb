"""The journal's line: one use of a tool's result, as bytes.

Fields stand between tabs, in the order of :data:`FIELDS`, behind a mark that names the form and
before one newline. ``%``, tabs and newlines within a field are escaped, so a line has as many tabs
as it has fields, and the mark behind a half line still begins a whole one. A line is shorter than
what a pipe takes at once, and so is one write.

A hit writes one, so nothing is imported here.
"""

from __future__ import annotations

_MARK = "use1"
"""What a line begins with; another form takes another number."""

FIELDS = (
    *("at", "tool", "key", "source", "outcome", "stored", "scope"),
    *("duration", "saved", "worktree", "reason"),
)
"""The names of the fields.

``at``, ``duration`` and ``saved`` are seconds, the first since the epoch; ``key`` and ``reason``
may be empty; ``stored`` is 0 or 1; ``scope`` is ``full`` or ``focused``.
"""

LONGEST = 4096
"""Bytes that no line exceeds: ``PIPE_BUF`` of Linux (pipe(7))."""

_REASON_AT_MOST = 160
"""Characters of a reason that are kept: two lines of a terminal."""

_WORKTREE_AT_MOST = 1000
"""Bytes of a worktree's path that are kept, of its end; a longer one is no person's doing."""


def line_of(
    *,
    at: float,
    tool: str,
    key: str | None,
    source: str,
    outcome: str,
    stored: bool,
    focused: bool,
    duration: float,
    saved: float,
    worktree: str,
    reason: str,
) -> bytes:
    """Return the line of one use, at most :data:`LONGEST` bytes with its newline.

    Args:
        at: when the caller had its answer, in seconds since the epoch.
        tool: its name.
        key: None where the run has none.
        source: ``run``, ``hit`` or ``followed``.
        outcome: its name.
        stored: whether an entry for the answer is in the store.
        focused: whether only the files ran that failed last.
        duration: how long the tool ran, in seconds.
        saved: how long the caller did not wait for that, in seconds.
        worktree: of the caller.
        reason: why nothing stored answered; empty on a hit.
    """
    place = worktree.encode("utf-8", "backslashreplace")[-_WORKTREE_AT_MOST:]
    fields = (
        _MARK,
        f"{at:.3f}",
        tool,
        key or "",
        source,
        outcome,
        "1" if stored else "0",
        "focused" if focused else "full",
        f"{duration:.3f}",
        f"{saved:.3f}",
        place.decode("utf-8", "replace"),
        reason[:_REASON_AT_MOST],
    )
    line = b"\t".join(map(_escaped, fields))
    return line[: LONGEST - 1] + b"\n"


def at_moment(line: bytes, at: float) -> bytes:
    """Return *line* as one of the moment *at*, in seconds since the epoch."""
    mark, _, rest = line.split(b"\t", 2)
    return b"\t".join((mark, f"{at:.3f}".encode("ascii"), rest))


def fields_of(line: bytes) -> dict[str, str] | None:
    """Return name → text of the fields of *line*, which has no newline; None where it is none.

    Where a half line stands before a whole one, the whole one counts.
    """
    text = line.decode("utf-8", "backslashreplace")
    for start in (0, text.rfind(f"{_MARK}\t")):
        mark, *parts = text[max(start, 0) :].split("\t")
        if mark == _MARK and len(parts) == len(FIELDS):
            plain = map(_plain, parts) if "%" in text else parts
            return dict(zip(FIELDS, plain, strict=True))
    return None


def _escaped(text: str) -> bytes:
    data = text.encode("utf-8", "backslashreplace")
    return data.replace(b"%", b"%25").replace(b"\t", b"%09").replace(b"\n", b"%0A")


def _plain(text: str) -> str:
    return text.replace("%0A", "\n").replace("%09", "\t").replace("%25", "%")
