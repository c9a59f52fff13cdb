"""What is known of every tool on every commit of a list.

A mark tells what a tool's newest run found on exactly the content of that commit, in whatever
environment, as far as the store knows it: a view of the past, whereas a hit asks for today's
environment as well. Runs with extra words, and those that saw what git does not, mark no commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gitcache.core.indexed_entry import IndexedEntry
from gitcache.core.key import CommitId, TreeId
from gitcache.core.tool import ToolName
from gitcache.engine.context import Context
from gitcache.engine.detected_tools import all_tools
from gitcache.engine.selected_trees import SelectedTrees
from gitcache.git.commit_list import ListedCommit, ListLine, is_unborn, list_commits
from gitcache.git.entry_index import indexed_entries
from gitcache.git.look import Look, looking_from
from gitcache.host.folder import DiskFolder

COUNT: Final = 20
"""How many commits are listed where nobody says which: about a screen."""

Marks = Mapping[ToolName, IndexedEntry]
"""Tool → the entry that marks it; absent where nothing is known."""


@dataclass(frozen=True, slots=True)
class MarkedCommit:
    """A commit and what is known of it."""

    oid: CommitId
    subject: str
    marks: Marks


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """A line of a history: a commit, or what a graph draws between two."""

    graph: str
    """What git draws before the commit; empty without a graph."""

    commit: MarkedCommit | None


@dataclass(frozen=True, slots=True)
class History:
    """The commits, newest first, and the tools that are known of."""

    tools: tuple[ToolName, ...]
    """Those of the worktree in their order, then those with marks, by name."""

    lines: tuple[HistoryLine, ...] = field(default=())

    @property
    def commits(self) -> tuple[MarkedCommit, ...]:
        """The commits alone."""
        return tuple(each.commit for each in self.lines if each.commit is not None)


def history(revisions: Sequence[str], count: int | None, graph: bool, context: Context) -> History:
    """Return the commits of *revisions* with their marks.

    Args:
        revisions: as ``git log`` takes them; none: HEAD, and then at most :data:`COUNT`.
        count: at most so many commits; None: all of *revisions*.
        graph: whether git draws how they hang together.
        context: the caller's surroundings.

    Raises:
        UsageError: one of the *revisions* is an option.
        ToolcacheError: there is no repository or no such commit, or the settings are wrong.
    """
    with looking_from(context.cwd, context.environ) as look:
        present = [tool.name for tool in all_tools(DiskFolder(look.repository.top))]
        lines = _lines(look, revisions, count, graph)
        commits = [each.commit for each in lines if each.commit is not None]
        marks = _marks(look, commits)
    known = {name for each in marks.values() for name in each}
    return History(
        tools=(*present, *sorted(known.difference(present))),
        lines=tuple(HistoryLine(each.graph, _marked(each.commit, marks)) for each in lines),
    )


def _lines(
    look: Look, revisions: Sequence[str], count: int | None, graph: bool
) -> tuple[ListLine, ...]:
    git = look.repository.git
    if revisions:
        return list_commits(git, revisions, count, graph)
    if is_unborn(git):
        return ()
    return list_commits(git, ["HEAD"], COUNT if count is None else count, graph)


def _marked(commit: ListedCommit | None, marks: Mapping[TreeId, Marks]) -> MarkedCommit | None:
    if commit is None:
        return None
    return MarkedCommit(commit.oid, commit.subject, marks[commit.tree])


def _marks(look: Look, commits: Iterable[ListedCommit]) -> dict[TreeId, Marks]:
    """Return the tree of each commit → what is known of it."""
    trees = list(dict.fromkeys(each.tree for each in commits))
    entries = indexed_entries(look.repository, look.objects)
    newest = _newest([each for each in entries.values() if each.is_whole])
    tools = {tool for _, tool in newest}
    selected = SelectedTrees(look, tools).of(trees)
    return {tree: _marks_of(tree, selected.get(tree, {}), newest, tools) for tree in trees}


_Newest = Mapping[tuple[TreeId, ToolName], IndexedEntry]


def _newest(entries: Iterable[IndexedEntry]) -> _Newest:
    """Return tree and tool → the newest entry on it."""
    newest: dict[tuple[TreeId, ToolName], IndexedEntry] = {}
    for each in sorted(entries, key=lambda entry: (entry.started_at, entry.key)):
        newest[each.tree, each.tool] = each
        if each.commit_tree is not None:
            newest[each.commit_tree, each.tool] = each
    return newest


def _marks_of(
    tree: TreeId, selected: Mapping[ToolName, TreeId], newest: _Newest, tools: Iterable[ToolName]
) -> Marks:
    """Return the marks of *tree*, of which the tools with ``inputs`` have *selected* a part."""
    marks = {}
    for tool in tools:
        places = {tree, selected.get(tool, tree)}
        found = [newest[place, tool] for place in places if (place, tool) in newest]
        if found:
            marks[tool] = max(found, key=lambda entry: (entry.started_at, entry.key))
    return marks
