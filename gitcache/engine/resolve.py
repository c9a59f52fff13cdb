"""From what was asked to what would be started: the tool, its argv, its folder, its variables.

Settings come before detection. Both are read from the same content: the worktree's top on the disk,
or a commit's tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Literal

from gitcache.core.colour_flags import coloured
from gitcache.core.settings import Settings
from gitcache.core.terminal import ON_PTY, Terminal, by_flag
from gitcache.core.tool import AD_HOC, Options, Tool, ToolName, Words, expand, parse_name
from gitcache.core.variables import ToolEnvironment, tool_environment
from gitcache.engine.declared_tools import Folder, declared_tool, parse_settings
from gitcache.errors import SettingsError, UsageError

Manner = Literal["shared", "foreground"]
"""Which process runs a tool: one that all callers can follow, or the caller's own."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller asks for: a named tool, or a command of the caller's own."""

    tool: str | None
    """The tool's name; None: :attr:`words` are the command."""

    words: tuple[str, ...] = ()
    """Extra words behind the tool's argv, or the ad hoc command itself."""

    force: bool = False
    """Run in spite of an entry."""

    full: bool = False
    """Run the whole command, and not what failed last first."""

    retry_failed: bool = False
    """Run in spite of a stored failure."""

    timeout: float | None = None
    """Seconds, infinity for no limit; None: what the settings say."""

    pass_stdin: bool = False
    """Pass the standard input to the tool, and count it."""

    manner: Manner = "foreground"
    wait: float | None = None
    """Seconds for which another's run is waited for, infinity for no bound; None: what the settings
    say; 0: none is."""

    loose: bool = False
    """Pass every variable once; such a run neither asks the store nor fills it."""

    interactive: bool = False
    """Give the tool the caller's own terminal; nor does such a run touch the store."""


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
    terminal: Terminal = field(default_factory=dict)
    """What is done so that the tool prints in colours."""

    interactive: bool = False
    """Whether the tool gets the caller's own terminal."""

    others_outputs: Mapping[ToolName, tuple[str, ...]] = field(default_factory=dict)
    """What the other tools declare that they make, of those that declare something."""

    extra: tuple[str, ...] = ()
    """The caller's words behind the tool's own; none of a command of the caller's own."""

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
    if request.tool is None:
        settings, tool = _settings_of_others(folder), _ad_hoc(request.words)
    else:
        settings = parse_settings(folder)
        tool = find_tool(request.tool, settings, folder)
    if request.timeout is not None:
        timeout = None if request.timeout == inf else request.timeout
        tool = replace(tool, options=replace(tool.options, timeout=timeout))
    if request.loose:
        tool = replace(tool, options=replace(tool.options, env_mode="loose"))
    extra = () if request.tool is None else request.words
    directory = tool.options.directory
    if request.tool is None:
        directory = prefix or "."
    elif not folder.has_folder(directory):
        raise SettingsError(
            f"{tool.origin}: the directory of {tool.name}, {directory}, is not there"
        )
    plan = Plan(
        tool=tool,
        argv=expand(tool.command, extra),
        directory=directory,
        top=top,
        environment=tool_environment(tool.options, environ, at_terminal=request.interactive),
        interactive=request.interactive,
        others_outputs=_others_outputs(tool, settings),
        extra=extra,
    )
    return plan if request.interactive else _in_colours(plan)


def _in_colours(plan: Plan) -> Plan:
    """Return *plan* with a pseudo-terminal, or with its runner's own flag, where there is one."""
    options = plan.tool.options
    if options.pty:
        return replace(plan, terminal=ON_PTY)
    asking = coloured(plan.argv, plan.environment.passed) if options.color else None
    if asking is None:
        return plan
    return replace(plan, argv=asking.argv, terminal=by_flag(asking.flag))


def _settings_of_others(folder: Folder) -> Settings:
    """Return what a command of the caller's own takes from the settings: none that are wrong."""
    try:
        return parse_settings(folder)
    except SettingsError:
        return Settings.none()


def _others_outputs(tool: Tool, settings: Settings) -> dict[ToolName, tuple[str, ...]]:
    declared = {name: each.over(Options()).outputs for name, each in settings.tools.items()}
    return {name: paths for name, paths in declared.items() if paths and name != tool.name}


def find_tool(name: str, found: Settings, folder: Folder) -> Tool:
    """Return the tool *name* of the content in *folder*, whose settings are *found*.

    Errors are those of :func:`make_plan`.
    """
    table = found.tools.get(parse_name(name) or ToolName(""))
    tool = None if table is None else declared_tool(table, found)
    if tool is not None:
        return tool
    from gitcache.engine.detected_tools import detected_tool  # a declared tool is spared it

    return detected_tool(name, found, folder)


def _ad_hoc(words: tuple[str, ...]) -> Tool:
    if not words or not words[0]:
        raise UsageError("there is no command behind --")
    return Tool(AD_HOC, Words(words), "the command line")
