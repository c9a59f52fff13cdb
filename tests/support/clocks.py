"""Which clocks that may be set a module reads, by its text."""

from __future__ import annotations

import ast
import inspect
from types import ModuleType
from typing import Final

_CLOCKS: Final = frozenset(
    ("time", "time_ns", "now", "today", "st_mtime", "st_mtime_ns", "st_ctime", "st_ctime_ns")
)


def clocks_read(module: ModuleType) -> set[str]:
    """Return the attributes of *module*'s text that tell a time of day."""
    tree = ast.parse(inspect.getsource(module))
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} & _CLOCKS
