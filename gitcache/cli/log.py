"""``git toolcache log``: commits down, tools across, a mark each."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

from rich.table import Table
from rich.text import Text

from gitcache import exits
from gitcache.cli.as_json import document, moment
from gitcache.cli.display import Streams
from gitcache.cli.table import cell, print_table
from gitcache.core.indexed_entry import IndexedEntry
from gitcache.engine.context import Context
from gitcache.engine.history import History, HistoryLine, MarkedCommit, history

_DIGITS: Final = 9
"""Of a commit's id: as many as git shows in a project of some size."""

_STYLES: Final = {"passed": "green", "failed": "red", "flaky": "yellow", "unknown": "dim"}

_SIGNS: Final = {"passed": "✓", "failed": "✗", "flaky": "~", "unknown": "·"}

_PLAIN_SIGNS: Final = {"passed": "+", "failed": "x", "flaky": "~", "unknown": "."}
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
        print_table(_table(found, graph, _signs()), streams, context.environ)
    else:
        streams.say("toolcache: there is no commit to show")
    return exits.PASSED


def _signs() -> Mapping[str, str]:
    try:
        "".join(_SIGNS.values()).encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return _PLAIN_SIGNS
    return _SIGNS


def _table(found: History, graph: bool, signs: Mapping[str, str]) -> Table:
    """Return a table with a row a commit and a column a tool."""
    table = Table(box=None, pad_edge=False)
    for title in (*(("",) if graph else ()), "commit"):
        table.add_column(title, no_wrap=True)
    table.add_column("subject", no_wrap=True, overflow="ellipsis")
    for tool in found.tools:
        table.add_column(cell(tool), no_wrap=True, justify="center")
    for line in found.lines:
        drawn = (cell(line.graph),) if graph else ()
        table.add_row(*drawn, *_cells(line, found, signs))
    return table


def _cells(line: HistoryLine, found: History, signs: Mapping[str, str]) -> list[Text]:
    if line.commit is None:
        return []
    names = [_standing(line.commit.marks.get(tool)) for tool in found.tools]
    marks = (cell(signs[name], _STYLES[name]) for name in names)
    return [cell(line.commit.oid[:_DIGITS]), cell(line.commit.subject), *marks]


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
