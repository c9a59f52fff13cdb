"""A settings file to begin with: the tools that are found here, and what may be said of them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitcache.core.settings import OWN_FILE
from gitcache.core.tool import ShellText, Tool
from gitcache.core.variables import tool_environment
from gitcache.engine.context import Context
from gitcache.engine.declared_tools import parse_settings
from gitcache.engine.detected_tools import all_tools
from gitcache.engine.mentions import mentioned_in
from gitcache.errors import ToolcacheError
from gitcache.git.repository import find_repository
from gitcache.host.folder import DiskFolder

_HEAD: Final = """\
# What git toolcache runs here: each table is a tool, as the files of the project show it. A table
# without a command adds to the tool that is found; a line behind a # shows what else may be said.

"""

_EXAMPLES: Final = (
    'inputs = [":/", ":(exclude)docs"]  # what of the content counts; default: all',
    'timeout = "30m"',
    'ignored_inputs = ["local.yml"]  # ignored files that count',
)


@dataclass(frozen=True, slots=True)
class Starter:
    """What was written."""

    path: Path
    tools: tuple[Tool, ...]
    mentioned: Mapping[str, str]
    """Variable that is set, not passed, and named by a tracked file → the first such file."""


def write_settings(context: Context) -> Starter:
    """Write a settings file at the top of the caller's worktree, and return what is in it.

    Raises:
        ToolcacheError: there is no repository, it has settings already, or they can't be written.
    """
    repository = find_repository(context.cwd, context.environ)
    folder = DiskFolder(repository.top)
    if file := parse_settings(folder).file:
        raise ToolcacheError(f"{file} holds settings already; nothing is written")
    tools = all_tools(folder)
    environments = [tool_environment(tool.options, context.environ) for tool in tools]
    mentioned = mentioned_in(repository, environments)
    path = repository.top / OWN_FILE
    try:
        with open(path, "x", encoding="utf-8") as written:
            written.write(settings_text(tools, mentioned))
    except OSError as error:
        raise ToolcacheError(f"{path} can't be written: {error.strerror}") from error
    return Starter(path, tools, mentioned)


def settings_text(tools: tuple[Tool, ...], mentioned: Mapping[str, str]) -> str:
    """Return the text of a settings file for *tools*; *mentioned* as in :class:`Starter`."""
    return _HEAD + "\n".join("\n".join(_table(tool, mentioned)) + "\n" for tool in tools)


def _table(tool: Tool, mentioned: Mapping[str, str]) -> Iterator[str]:
    yield f"[tools.{tool.name}]"
    if isinstance(tool.command, ShellText):
        yield f"command = {json.dumps(tool.command.text)}  # found in {tool.origin}"
        yield "shell = true"
    else:
        yield f"command = {json.dumps(shlex.join(tool.command.argv))}  # found in {tool.origin}"
    if mentioned:
        named = ", ".join(f"{name} in {path}" for name, path in mentioned.items())
        yield f"# env = {json.dumps([*mentioned])}  # set here and not passed: {named}"
    yield from (f"# {each}" for each in _EXAMPLES)
