"""What is known of every tool, for the working tree, the index and HEAD."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from gitcache.core.content import Snapshot
from gitcache.core.entry import Entry
from gitcache.core.key import Key
from gitcache.core.tool import Tool, ToolName
from gitcache.engine.context import Context
from gitcache.engine.declared_tools import Folder
from gitcache.engine.detected_tools import all_tools
from gitcache.engine.front import Hit, Unkeyed, find_in_folder, find_in_worktree
from gitcache.engine.resolve import Request
from gitcache.engine.running_now import RunningNow, running_now
from gitcache.engine.staged_folder import StagedFolder
from gitcache.errors import RepositoryError
from gitcache.git.look import Look, looking_from
from gitcache.git.repository import find_repository
from gitcache.git.tree_folder import TreeFolder
from gitcache.host.folder import DiskFolder

Place = Literal["working tree", "index", "HEAD"]

PLACES: Final[tuple[Place, ...]] = ("working tree", "index", "HEAD")


@dataclass(frozen=True, slots=True)
class Overview:
    """What is known, tool by tool."""

    tools: tuple[ToolName, ...]
    known: Mapping[tuple[ToolName, Place], Entry]
    """The entry that answers for a tool on a content; absent where none does."""

    keys: Mapping[tuple[ToolName, Place], Key]
    """The key of a tool on a content; absent where it has none."""

    running: tuple[RunningNow, ...]
    """What runs in any worktree, on whatever content."""

    warnings: tuple[str, ...]

    def run_on(self, tool: ToolName, place: Place) -> RunningNow | None:
        """Return the run that makes what is not known yet of *tool* on *place*."""
        key = self.keys.get((tool, place))
        return next((each for each in self.running if each.key == key), None)


def overview(context: Context) -> Overview:
    """Return what the store knows of every tool here.

    Raises:
        ToolcacheError: there is no repository, or the settings are wrong.
    """
    tools: dict[ToolName, None] = {}
    known: dict[tuple[ToolName, Place], Entry] = {}
    keys: dict[tuple[ToolName, Place], Key] = {}
    warnings: list[str] = []
    with looking_from(context.cwd, context.environ) as look:
        for place in PLACES:
            if place == "HEAD" and look.is_unborn:
                continue
            try:
                snapshot, folder = _content(place, look)
            except RepositoryError as error:
                warnings.append(f"{place}: {error.message}")
                continue
            for tool in all_tools(folder):
                tools.setdefault(tool.name)
                request = Request(tool.name)
                if place == "working tree":  # whose products a tool may leave out
                    finding = find_in_worktree(request, look, context)
                else:
                    finding = find_in_folder(request, folder, snapshot, look, context)
                if not isinstance(finding, Unkeyed):
                    keys[tool.name, place] = finding.question.key
                if isinstance(finding, Hit):
                    known[tool.name, place] = finding.entry
        running = running_now(look.repository, context)
    return Overview(tuple(tools), known, keys, running, tuple(warnings))


def tools_here(context: Context) -> tuple[Tool, ...]:
    """Return every tool of the caller's worktree, or folder where there is no repository."""
    try:
        top = find_repository(context.cwd, context.environ).top
    except RepositoryError:
        top = context.cwd
    return all_tools(DiskFolder(top))


def _content(place: Place, look: Look) -> tuple[Snapshot, Folder]:
    """Return the content of *place* and its top folder."""
    match place:
        case "working tree":
            return look.snapshot(), DiskFolder(look.repository.top)
        case "index":
            snapshot = look.index()
            return snapshot, StagedFolder(look.objects, snapshot)
        case "HEAD":
            snapshot = look.commit("HEAD")
            return snapshot, TreeFolder(look.objects, snapshot.tree)
