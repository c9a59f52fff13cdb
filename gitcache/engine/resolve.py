"""From what was asked to what would be started: the tool, its argv, its folder, its variables.

Settings come before detection. Both are read from the same content: the worktree's top on the disk,
or a commit's tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from gitcache.core import detect, settings
from gitcache.core.detect import NotApplicable
from gitcache.core.settings import Settings, ToolSettings
from gitcache.core.tool import (
    AD_HOC,
    Options,
    Tool,
    ToolName,
    Words,
    expand,
    parse_name,
)
from gitcache.core.variables import ToolEnvironment, tool_environment
from gitcache.errors import SettingsError, UnknownToolError, UsageError


class Folder(Protocol):
    """The top folder of some content."""

    @property
    def names(self) -> frozenset[str]:
        """The names of its entries."""

    def read(self, name: str) -> bytes | None:
        """Return the content of the file *name*, or None; SettingsError where it can't be read."""

    def has_folder(self, directory: str) -> bool:
        """Return whether there is a folder *directory*, relative to this one."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller asks for: a named tool, or a command of the caller's own."""

    tool: str | None
    """The tool's name; None: :attr:`words` are the command."""

    words: tuple[str, ...] = ()
    """Extra words behind the tool's argv, or the ad hoc command itself."""

    force: bool = False
    """Run in spite of an entry."""

    timeout: float | None = None
    """Seconds; wins over the settings."""

    pass_stdin: bool = False
    """Pass the standard input to the tool, and count it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be started."""

    tool: Tool
    argv: tuple[str, ...]
    directory: str
    """Relative to :attr:`top`; ``.`` is the top."""

    top: Path
    """The worktree's top; outside a repository the caller's folder."""

    environment: ToolEnvironment

    @property
    def cwd(self) -> Path:
        """The folder in which the tool is started."""
        return self.top / self.directory


def make_plan(
    request: Request, folder: Folder, top: Path, prefix: str, environ: Mapping[str, str]
) -> Plan:
    """Return what *request* would start.

    Args:
        request: what is asked for.
        folder: the content that holds settings and markers.
        top: the worktree's top.
        prefix: the caller's folder relative to *top*; empty at the top.
        environ: the caller's variables.

    Raises:
        SettingsError: the settings are wrong.
        UnknownToolError: there is no such tool here.
        UsageError: the ad hoc command is empty.
    """
    tool = _ad_hoc(request.words) if request.tool is None else find_tool(request.tool, folder)
    if request.timeout is not None:
        tool = replace(tool, options=replace(tool.options, timeout=request.timeout))
    directory = tool.options.directory
    if request.tool is None:
        directory = prefix or "."
    elif not folder.has_folder(directory):
        raise SettingsError(
            f"{tool.origin}: the directory of {tool.name}, {directory}, is not there"
        )
    return Plan(
        tool=tool,
        argv=expand(tool.command, () if request.tool is None else request.words),
        directory=directory,
        top=top,
        environment=tool_environment(tool.options, environ),
    )


def find_tool(name: str, folder: Folder) -> Tool:
    """Return the tool *name* of the content in *folder*; errors as :func:`make_plan`."""
    found = parse_settings(folder)
    wanted = parse_name(name)
    if wanted is not None and wanted in found.tools:
        return _declared(found.tools[wanted], found, folder)
    if wanted not in detect.DETECTED:
        raise UnknownToolError(
            f"there is no tool {name!r} here", hint=_existing(found, folder, name)
        )
    match _detected(wanted, found, folder):
        case Tool() as tool:
            return tool
        case NotApplicable(_, reason):
            raise UnknownToolError(
                f"{name} is not applicable, because {reason}",
                hint=f'declare it in {settings.OWN_FILE}: [tools.{name}] command = "…"',
            )


def all_tools(folder: Folder) -> tuple[Tool, ...]:
    """Return every tool of the content in *folder*: the declared ones, then the detected ones."""
    found = parse_settings(folder)
    declared = [_declared(each, found, folder) for each in found.tools.values()]
    others = [_detected(name, found, folder) for name in detect.DETECTED if name not in found.tools]
    return (*declared, *(each for each in others if isinstance(each, Tool)))


def parse_settings(folder: Folder) -> Settings:
    """Return the settings of the content in *folder*."""
    return settings.parse(folder.read(settings.OWN_FILE), folder.read(settings.SHARED_FILE))


def _ad_hoc(words: tuple[str, ...]) -> Tool:
    if not words or not words[0]:
        raise UsageError("there is no command behind --")
    return Tool(AD_HOC, Words(words), "the command line")


def _declared(declared: ToolSettings, found: Settings, folder: Folder) -> Tool:
    """Return a tool of the settings; one without a command takes the detected one."""
    if declared.command is not None:
        return Tool(declared.name, declared.command, found.file, declared.over(Options()))
    match detect.detect(_Markers(folder), declared.name):
        case Tool() as tool:
            return replace(tool, options=declared.over(tool.options))
        case NotApplicable(_, reason):
            raise SettingsError(
                f"{found.file}: [tools.{declared.name}] needs a command, because {reason}"
            )


def _detected(name: ToolName, found: Settings, folder: Folder) -> Tool | NotApplicable:
    """Return what detection makes of *name*, with the settings that hold for every tool."""
    tool = detect.detect(_Markers(folder), name)
    if isinstance(tool, Tool) and found.env_mode is not None:
        return replace(tool, options=replace(tool.options, env_mode=found.env_mode))
    return tool


def _existing(found: Settings, folder: Folder, name: str) -> str:
    """Return a sentence that names the tools there are, the likeliest first."""
    from difflib import get_close_matches

    names = [*found.tools]
    names += [each.name for each in all_tools(folder) if each.name not in found.tools]
    if close := get_close_matches(name, names, n=1):
        return f"did you mean {close[0]}?"
    return f"there are {', '.join(names)}" if names else "nothing here is declared or detected"


class _Markers:
    """A folder as detection looks at it: texts, and nothing that can't be read."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self.names = folder.names

    def read(self, name: str) -> str | None:
        try:
            data = self._folder.read(name)
        except SettingsError:
            return None
        return None if data is None else data.decode("utf-8", "replace")
