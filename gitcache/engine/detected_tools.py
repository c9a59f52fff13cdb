"""Tools whose command nobody declared: what detection makes of a folder, with the settings over it.

A declared command is spared all this.
"""

from __future__ import annotations

from dataclasses import replace

from gitcache.core.detect import DETECTED, NotApplicable, detect
from gitcache.core.settings import OWN_FILE, Settings, ToolSettings
from gitcache.core.tool import Tool, ToolName
from gitcache.engine.declared_tools import Folder, declared_tool, parse_settings
from gitcache.errors import SettingsError, UnknownToolError


def detected_tool(name: str, found: Settings, folder: Folder) -> Tool:
    """Return the tool *name*, for which the settings *found* have no command.

    Raises:
        SettingsError: the settings name it, and there is no command for it.
        UnknownToolError: there is no such tool here.
    """
    tool_name = ToolName(name)
    if tool_name in found.tools:
        return _completed(found.tools[tool_name], found, folder)
    if tool_name not in DETECTED:
        raise UnknownToolError(f"there is no tool {name!r} here", hint=_existing(name, folder))
    match _detect(tool_name, found, folder):
        case Tool() as tool:
            return tool
        case NotApplicable(_, reason):
            raise UnknownToolError(
                f"{name} is not applicable, because {reason}",
                hint=f'declare it in {OWN_FILE}: [tools.{name}] command = "…"',
            )


def all_tools(folder: Folder) -> tuple[Tool, ...]:
    """Return every tool of the content in *folder*: the declared ones, then the detected ones."""
    found = parse_settings(folder)
    declared = [
        declared_tool(each, found) or _completed(each, found, folder)
        for each in found.tools.values()
    ]
    others = [_detect(name, found, folder) for name in DETECTED if name not in found.tools]
    return (*declared, *(each for each in others if isinstance(each, Tool)))


def _completed(declared: ToolSettings, found: Settings, folder: Folder) -> Tool:
    """Return the detected tool with what the settings say beside its command."""
    match detect(_Markers(folder), declared.name):
        case Tool() as tool:
            return replace(tool, options=declared.over(tool.options))
        case NotApplicable(_, reason):
            raise SettingsError(
                f"{found.file}: [tools.{declared.name}] needs a command, because {reason}"
            )


def _detect(name: ToolName, found: Settings, folder: Folder) -> Tool | NotApplicable:
    """Return what detection makes of *name*, with the settings that hold for every tool."""
    tool = detect(_Markers(folder), name)
    if isinstance(tool, Tool) and found.env_mode is not None:
        return replace(tool, options=replace(tool.options, env_mode=found.env_mode))
    return tool


def _existing(name: str, folder: Folder) -> str:
    """Return a sentence that names the tools there are, or the likeliest."""
    from difflib import get_close_matches

    names = [each.name for each in all_tools(folder)]
    if close := get_close_matches(name, names, n=1):
        return f"did you mean {close[0]}?"
    return f"there are {', '.join(names)}" if names else "nothing here is declared or detected"


class _Markers:
    """A folder as detection looks at it: texts, and nothing that can't be read."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self.names = folder.names

    def names_in(self, folder: str) -> frozenset[str]:
        return self._folder.names_in(folder)

    def read(self, path: str, at_most: int | None = None) -> str | None:
        try:
            data = self._folder.read(path, at_most)
        except SettingsError:
            return None
        return None if data is None else data.decode("utf-8", "replace")
