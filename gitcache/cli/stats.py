"""``git toolcache stats``: hits and misses, what they saved and cost, and flaky files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Final

from rich.table import Table
from rich.text import Text

from gitcache import exits
from gitcache.cli.as_json import document
from gitcache.cli.stats_json import statistics_to_json
from gitcache.cli.stats_words import day_words, percent, periods, reason_words
from gitcache.cli.table import cell, print_table
from gitcache.core.durations import format_duration
from gitcache.core.stats import Figures, Tally
from gitcache.core.units import format_bytes
from gitcache.engine.context import Context
from gitcache.engine.stats import Statistics, statistics
from gitcache.errors import ToolcacheError
from gitcache.quick.streams import Streams

_BAR: Final = 40
"""Columns of the longest bar: with its date and counts it fits into eighty."""

_COUNTS: Final = ("hits", "misses", "followed", "no key", "hit rate", "time saved")


def execute(as_json: bool, page: str | None) -> int:
    """Show the statistics on the standard output, and write the *page* where one is named."""
    context = Context.of_this_process()
    found = statistics(context)
    streams = Streams()
    if page is not None:
        _write_page(found, page, streams)
    if as_json:
        streams.write("stdout", document(statistics_to_json(found)))
    elif page is None:
        for table in _tables(found, context):
            print_table(table, streams, context.environ)
        streams.write("stdout", "".join(f"{line}\n" for line in _notes(found)).encode())
    return exits.PASSED


def _write_page(found: Statistics, page: str, streams: Streams) -> None:
    from gitcache.cli.stats_html import html_page  # few calls want it

    path = found.folder / page
    try:
        path.write_text(html_page(found), encoding="utf-8", errors="backslashreplace")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ToolcacheError(f"the page {page} can't be written: {reason}") from error
    streams.say(f"toolcache: wrote {page}")


def _tables(found: Statistics, context: Context) -> Iterator[Table]:
    """Yield what there is to tell, a table a subject, each with an empty line behind it."""
    figures = found.figures
    yield _tallies("", periods(figures))
    if figures.tools:
        yield _tallies("tool", figures.tools.items())
        yield _tallies("worktree", _places(figures, context))
        yield _days(figures)
    if figures.expensive:
        yield _misses(found, context)
    if found.flakes:
        yield _flakes(found)


def _notes(found: Statistics) -> Iterator[str]:
    entries = found.store.entries
    count = "1 entry" if entries == 1 else f"{entries} entries"
    yield f"store: {count}, {format_bytes(found.store.disk_bytes)}"
    if found.figures.undated:
        yield f"{found.figures.undated} uses have no day, since a clock was wrong"
    if found.figures.unread:
        yield f"{found.figures.unread} lines of the journal can't be read"


def _places(figures: Figures, context: Context) -> Iterator[tuple[str, Tally]]:
    """Yield the worktrees as seen from the caller's folder."""
    for worktree, tally in figures.worktrees.items():
        yield _place(worktree, context), tally


def _place(worktree: str, context: Context) -> str:
    """Return the shorter of a worktree's path and what leads to it from the caller's folder."""
    if not os.path.isabs(worktree) or "\0" in worktree:
        return worktree
    return min(os.path.relpath(worktree, context.cwd), worktree, key=len)


def _table(*titles: str, numbers: Iterable[str] = ()) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(title, justify="right" if title in numbers else "left", overflow="fold")
    return table


def _ended(table: Table) -> Table:
    """Return *table* with an empty line behind it."""
    table.add_row()
    return table


def _tallies(title: str, rows: Iterable[tuple[str, Tally]]) -> Table:
    table = _table(title, *_COUNTS, numbers=_COUNTS)
    for name, tally in rows:
        counts = (tally.hits, tally.misses, tally.followed, tally.unkeyed)
        saved = format_duration(tally.saved)
        table.add_row(cell(name), *map(cell, map(str, counts)), percent(tally), saved)
    return _ended(table)


def _days(figures: Figures) -> Table:
    """Return a bar a day: what was hit, what was followed, and what ran."""
    most = max((_uses(tally) for tally in figures.days.values()), default=0)
    table = _table("day", "█ hits  ▒ followed  ░ ran", "time saved", numbers=("time saved",))
    for day, tally in figures.days.items():
        table.add_row(str(day), _bar(tally, most), format_duration(tally.saved))
    return _ended(table)


def _bar(tally: Tally, most: int) -> Text:
    """Return the bar of a day where *most* uses are the longest one; what is there shows."""
    parts = (
        (tally.hits, "█", "green"),
        (tally.followed, "▒", "cyan"),
        (tally.misses + tally.unkeyed, "░", "yellow"),
    )
    return Text.assemble(
        *((mark * (-(-count * _BAR // most)), style) for count, mark, style in parts if count)
    )


def _uses(tally: Tally) -> int:
    return tally.asked + tally.unkeyed


def _misses(found: Statistics, context: Context) -> Table:
    table = _table("longest runs", "took", "when", "worktree", "why", numbers=("took",))
    for use in found.figures.expensive:
        table.add_row(
            cell(use.tool),
            format_duration(use.duration),
            cell(day_words(use.at, found.now)),
            cell(_place(use.worktree, context)),
            cell(reason_words(use)),
        )
    return _ended(table)


def _flakes(found: Statistics) -> Table:
    table = _table("flaky", "tool", "times", "last seen", numbers=("times",))
    for each in found.flakes:
        seen = day_words(each.last_seen, found.now)
        file = each.file or "(no file is known)"
        table.add_row(cell(file), cell(each.tool), str(each.count), cell(seen))
    return _ended(table)
