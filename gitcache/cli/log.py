"""``git toolcache log``: commits down, tools across, a mark each.

A history may have thousands of rows, which rich's tables take a second for, so columns are laid out
here. Subjects are foreign data and only shown as printable characters.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from rich.cells import cell_len, set_cell_size

from gitcache import exits
from gitcache.cli.as_json import document, moment
from gitcache.cli.escapes import printable
from gitcache.core.indexed_entry import IndexedEntry
from gitcache.engine.context import Context
from gitcache.engine.history import History, HistoryLine, MarkedCommit, history
from gitcache.quick.display import is_terminal, wants_colour
from gitcache.quick.streams import Streams

_DIGITS: Final = 9
"""Of a commit's id: as many as git shows in a project of some size."""

_GAP: Final = "  "

_LEAST: Final = 20
"""Cells of a subject that are shown on the narrowest terminal."""

_COLOURS: Final = {"passed": "32", "failed": "31", "flaky": "33", "unknown": "2", "title": "1"}
"""Select graphic rendition (ECMA-48): green, red, yellow, faint, bold."""

_SIGNS: Final = {"passed": "✓", "failed": "✗", "flaky": "~", "unknown": "·", "cut": "…"}

_PLAIN_SIGNS: Final = {"passed": "+", "failed": "x", "flaky": "~", "unknown": ".", "cut": "."}
"""Where the standard output's encoding has no others."""


def execute(revisions: tuple[str, ...], count: int | None, graph: bool, as_json: bool) -> int:
    """Show what is known of commits on the standard output.

    Args:
        revisions: as git takes them; none: the last ones of HEAD.
        count: at most so many commits.
        graph: whether git draws how they hang together.
        as_json: whether a document is wanted.
    """
    context = Context.of_this_process()
    found = history(revisions, count, graph and not as_json, context)
    streams = Streams()
    if as_json:
        streams.write("stdout", document(_to_json(found)))
    elif found.lines:
        layout = _layout(found, wants_colour(1, context.environ))
        lines = "".join(f"{each.rstrip()}\n" for each in layout.lines(found))
        streams.write("stdout", lines.encode())
    else:
        streams.say("toolcache: there is no commit to show")
    return exits.PASSED


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a history is laid out."""

    signs: Mapping[str, str]
    coloured: bool
    graph: int
    """Cells of what git draws; 0 where it draws nothing."""

    subject: int
    """Cells of a subject."""

    def lines(self, found: History) -> Iterator[str]:
        """Yield the lines of *found*, the titles first."""
        titles = (set_cell_size("commit", _DIGITS), set_cell_size("subject", self.subject))
        yield self._row("", *(self._in("title", each) for each in (*titles, *found.tools)))
        for line in found.lines:
            yield self._row(line.graph, *self._cells(line, found))

    def _row(self, graph: str, *cells: str) -> str:
        drawn = (graph.ljust(self.graph),) if self.graph else ()
        return _GAP.join((*drawn, *cells))

    def _cells(self, line: HistoryLine, found: History) -> Iterator[str]:
        if line.commit is None:
            return
        yield line.commit.oid[:_DIGITS]
        yield self._fitted(printable(line.commit.subject))
        for tool in found.tools:
            name = _standing(line.commit.marks.get(tool))
            before, after = (len(tool) - 1) // 2, len(tool) // 2
            yield " " * before + self._in(name, self.signs[name]) + " " * after

    def _fitted(self, subject: str) -> str:
        if cell_len(subject) <= self.subject:
            return set_cell_size(subject, self.subject)
        return set_cell_size(subject, self.subject - 1) + self.signs["cut"]

    def _in(self, name: str, text: str) -> str:
        return f"\x1b[{_COLOURS[name]}m{text}\x1b[0m" if self.coloured else text


def _layout(found: History, coloured: bool) -> _Layout:
    """Return the layout in which *found* fits into a terminal; elsewhere nothing is cut."""
    graph = max(len(each.graph) for each in found.lines)
    subject = max(cell_len(printable(each.subject)) for each in found.commits)
    if is_terminal(1):
        others = (*((graph,) if graph else ()), _DIGITS, *map(len, found.tools))
        room = shutil.get_terminal_size().columns - sum(len(_GAP) + each for each in others)
        subject = min(subject, max(room, _LEAST))
    return _Layout(_signs(), coloured, graph, max(subject, len("subject")))


def _signs() -> Mapping[str, str]:
    try:
        "".join(_SIGNS.values()).encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return _PLAIN_SIGNS
    return _SIGNS


def _standing(mark: IndexedEntry | None) -> str:
    if mark is None:
        return "unknown"
    return "flaky" if mark.is_flaky else mark.outcome


def _to_json(found: History) -> list[dict[str, Any]]:
    """Return ``[{"commit", "subject", "tools": {name: {…} or null}}]``, newest first."""
    return [_commit_to_json(each, found) for each in found.commits]


def _commit_to_json(commit: MarkedCommit, found: History) -> dict[str, Any]:
    marks = ((tool, commit.marks.get(tool)) for tool in found.tools)
    return {
        "commit": commit.oid,
        "subject": commit.subject,
        "tools": {tool: mark and _mark_to_json(mark) for tool, mark in marks},
    }


def _mark_to_json(mark: IndexedEntry) -> dict[str, Any]:
    return {
        "outcome": mark.outcome,
        "exit_status": mark.exit_status,
        "key": mark.key,
        "ran_at": moment(mark.started_at),
        "flaky": mark.is_flaky,
    }
