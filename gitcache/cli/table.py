"""Tables for a person: laid out by rich, in colour where that is wanted.

What is laid out may be foreign data, so a cell is ``Text`` of printable characters, never markup.
On a terminal a table is folded to its width; elsewhere nothing is, so that keys can be searched.
"""

from __future__ import annotations

from collections.abc import Mapping
from io import StringIO
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gitcache.cli.escapes import printable
from gitcache.quick.display import is_terminal, wants_colour
from gitcache.quick.streams import Streams

_UNFOLDED: Final = 1 << 20
"""Columns that no line needs: an argv is at most some hundred kilobytes (``ARG_MAX``)."""


def cell(text: str, style: str = "") -> Text:
    """Return *text* as a cell's content."""
    return Text(printable(text), style=style)


def print_table(table: Table, streams: Streams, environ: Mapping[str, str]) -> None:
    """Write *table* to the standard output."""
    text = StringIO()
    Console(
        file=text,
        force_terminal=is_terminal(1),
        color_system="auto" if wants_colour(1, environ) else None,
        width=None if is_terminal(1) else _UNFOLDED,
    ).print(table)
    lines = (line.rstrip() + "\n" for line in text.getvalue().splitlines())
    streams.write("stdout", "".join(lines).encode())
