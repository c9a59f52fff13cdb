"""What was done so that a tool prints in colours: what a key, and so an entry, says of it.

A tool that nobody told anything prints plain bytes, and every byte of it is its own. Where we told
it to colour (a runner's own flag) or gave it a terminal, its colours are our doing, and so they are
taken out again wherever nobody would see them. Every caller's tool is told the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

Terminal = Mapping[str, str]
"""Kind of what was done (:data:`COLOUR`, :data:`PTY`) to how; empty for a plain run."""

PLAIN: Final[Terminal] = MappingProxyType({})

COLOUR: Final = "colour"
PTY: Final = "pty"

COLUMNS: Final = 100
ROWS: Final = 40
"""The size of a tool's pseudo-terminal, in characters: the same whoever calls and from where."""

ON_PTY: Final[Terminal] = MappingProxyType({PTY: f"{COLUMNS}x{ROWS}, streams merged"})


def by_flag(flag: str) -> Terminal:
    """Return what is said of a runner that got its own *flag* for colours."""
    return {COLOUR: flag}


def asks_for_colours(terminal: Terminal) -> bool:
    """Return whether the tool's colours are our doing."""
    return COLOUR in terminal or PTY in terminal


def merges_streams(terminal: Terminal) -> bool:
    """Return whether all that the tool printed came on one stream, told as ``stdout``."""
    return PTY in terminal
