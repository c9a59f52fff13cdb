"""Names for the shell to complete."""

from __future__ import annotations

from gitcache.engine.context import Context
from gitcache.engine.overview import tools_here
from gitcache.errors import ToolcacheError


def tool_names(incomplete: str) -> list[str]:
    """Return the tools here that begin with *incomplete*; none where they can't be told."""
    try:
        tools = tools_here(Context.of_this_process())
    except ToolcacheError:
        return []
    return [tool.name for tool in tools if tool.name.startswith(incomplete)]
