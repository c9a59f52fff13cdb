"""``git toolcache show``: one entry whole."""

from __future__ import annotations

from dataclasses import replace

from rich.table import Table

from gitcache import exits
from gitcache.cli.as_json import document, moment
from gitcache.cli.summary import leak_words, outcome_words
from gitcache.cli.table import cell, print_table
from gitcache.cli.view import View
from gitcache.core.colours import without_colours
from gitcache.core.durations import format_duration
from gitcache.core.entry import Entry
from gitcache.core.output import Output
from gitcache.core.terminal import COLOUR, PTY, asks_for_colours
from gitcache.core.units import format_bytes
from gitcache.engine.context import Context
from gitcache.engine.entries import entry_of
from gitcache.quick.streams import Streams


def execute(what: str, as_json: bool, raw: bool) -> int:
    """Show the entry of a tool's name or a key on the standard output.

    Args:
        what: a tool's name, or a key's beginning.
        as_json: whether a document is wanted.
        raw: whether colours that we asked the tool for are kept.
    """
    context = Context.of_this_process()
    entry = entry_of(what, context)
    streams = Streams()
    if as_json:
        streams.write("stdout", document((entry if raw else _bare(entry)).to_json()))
        return exits.PASSED
    print_table(_facts(entry), streams, context.environ)
    view = View(entry.inputs.terminal, context.environ, raw=raw, stored=True)
    streams.write_chunks(view.of(entry.output.chunks))
    return exits.PASSED


def _bare(entry: Entry) -> Entry:
    """Return *entry* without the colours that are our doing in its output."""
    if not asks_for_colours(entry.inputs.terminal):
        return entry
    output = entry.output
    head, tail = without_colours(output.head), without_colours(output.tail)
    return replace(entry, output=Output(head, tail, output.cut_bytes))


def _facts(entry: Entry) -> Table:
    """Return everything of *entry* but its output, a row a fact."""
    place, inputs = entry.ran_in, entry.inputs
    rows = [
        ("tool", inputs.tool),
        ("outcome", outcome_words(entry.verdict)),
        ("key", entry.key),
        ("argv", " ".join(inputs.argv)),
        ("added for colours", inputs.terminal.get(COLOUR, "")),
        ("pseudo-terminal", inputs.terminal.get(PTY, "")),
        ("directory", inputs.directory),
        ("tree", inputs.tree),
        ("ran at", moment(entry.started_at)),
        ("duration", format_duration(entry.duration)),
        ("worktree", place.worktree),
        ("HEAD", place.head or "before the first commit"),
        ("by", f"{place.user} on {place.host}"),
        ("changes over HEAD", str(entry.changes_total)),
        ("environment", ", ".join(sorted(inputs.environment))),
        ("limited to", ", ".join(f"{name} {text}" for name, text in entry.limited_to.items())),
        ("left behind", leak_words(inputs.tool, entry.leak) if entry.leak else ""),
        ("attempts", ", ".join(each.outcome for each in entry.attempts)),
        ("output cut", format_bytes(entry.output.cut_bytes) if entry.output.cut_bytes else ""),
        ("written by", f"git-toolcache {entry.version}"),
    ]
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        if value:
            table.add_row(cell(name, "bold"), cell(value))
    return table
