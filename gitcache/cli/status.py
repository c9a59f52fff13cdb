"""``git toolcache status``: what is known of every tool."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from gitcache import exits
from gitcache.cli.as_json import document, moment
from gitcache.cli.display import Streams
from gitcache.cli.summary import age_words
from gitcache.cli.table import cell, print_table
from gitcache.core.entry import Entry
from gitcache.core.outcome import Passed, exit_status, name_of
from gitcache.engine.context import Context
from gitcache.engine.overview import PLACES, Overview, overview


def execute(as_json: bool) -> int:
    """Show every tool's standing on the standard output."""
    context = Context.of_this_process()
    found = overview(context)
    streams = Streams()
    for warning in found.warnings:
        streams.say(f"warning: {warning}")
    if as_json:
        streams.write("stdout", document(_to_json(found)))
    elif not found.tools:
        streams.say("toolcache: no tool is declared or detected here")
    else:
        print_table(_table(found, context), streams, context.environ)
    return exits.PASSED


def _table(found: Overview, context: Context) -> Table:
    """Return a table with a row a tool and a column a content."""
    table = Table(box=None, pad_edge=False)
    for title in ("tool", *PLACES):
        table.add_column(title)
    for tool in found.tools:
        cells = (_cell(found.known.get((tool, place)), context) for place in PLACES)
        table.add_row(cell(tool), *cells)
    return table


def _cell(entry: Entry | None, context: Context) -> Text:
    if entry is None:
        return cell("unknown", "dim")
    style = "green" if isinstance(entry.verdict, Passed) else "red"
    words = f"{name_of(entry.verdict)} {age_words(entry.started_at, context)}"
    return cell(words, style)


def _to_json(found: Overview) -> dict[str, Any]:
    """Return ``{"tools": [{"tool", "working_tree", "index", "head"}]}``."""
    return {
        "tools": [
            {"tool": tool}
            | {
                _JSON_NAMES[place]: _entry_to_json(found.known.get((tool, place)))
                for place in PLACES
            }
            for tool in found.tools
        ]
    }


_JSON_NAMES = {"working tree": "working_tree", "index": "index", "HEAD": "head"}


def _entry_to_json(entry: Entry | None) -> dict[str, Any]:
    if entry is None:
        return {"outcome": "unknown"}
    return {
        "outcome": name_of(entry.verdict),
        "exit_status": exit_status(entry.verdict),
        "key": entry.key,
        "ran_at": moment(entry.started_at),
        "duration_s": entry.duration,
    }
