"""Which files differ between the content of an entry and the one at hand, and which of them count.

An entry tells HEAD's tree of its run and the changes over it, so its files can be told as long as
that tree is there. Where it has been collected, nothing is told: names are for people, and none is
better than a wrong one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gitcache.core.content import Snapshot
from gitcache.core.differences import Content, changed_paths
from gitcache.core.entry import Entry
from gitcache.core.key import TreeId
from gitcache.engine.front import Question
from gitcache.errors import ToolcacheError
from gitcache.git.repository import Repository
from gitcache.git.selection import left_out
from gitcache.git.tree_diff import tree_diff


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """The files that differ, sorted; both empty where none does or they can't be told."""

    counted: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Those that the tool's ``inputs`` do not select."""


def changed_files(entry: Entry, question: Question) -> ChangedFiles:
    """Return the files in which the content of *question* is not the one that *entry* ran on."""
    pathspecs = question.plan.tool.options.inputs
    if entry.inputs.tree == question.inputs.tree and not pathspecs:
        return ChangedFiles()
    now = Content(question.snapshot.head_tree, question.snapshot.changes)
    for then in _contents_of(entry, is_whole=not pathspecs):
        try:
            return _between(then, now, pathspecs, question.repository)
        except (ToolcacheError, OSError):
            continue  # its tree is gone; another one may be there
    return ChangedFiles()


def _contents_of(entry: Entry, is_whole: bool) -> Iterator[Content]:
    """Yield the ways to come by the content of *entry*: by its changes, or as a tree of its own."""
    if entry.changes_total == len(entry.changes):
        yield Content(entry.head_tree, entry.changes)
    if is_whole:
        yield Content(entry.inputs.tree)


def _between(
    then: Content, now: Content, pathspecs: tuple[str, ...], repository: Repository
) -> ChangedFiles:
    paths = changed_paths(then, now, tree_diff(repository, then.base, now.base))
    if not pathspecs or not paths:
        return ChangedFiles(paths)
    out = set[str]()
    for content in (then, now):  # a file that is in one of them only is matched there
        out.update(left_out(repository, _as_snapshot(content), pathspecs))
    return ChangedFiles(
        tuple(path for path in paths if path not in out),
        tuple(path for path in paths if path in out),
    )


def _as_snapshot(content: Content) -> Snapshot:
    """Return *content* as pathspecs are matched on it: its own tree is not looked at."""
    base = TreeId(content.base)
    return Snapshot(base, None, base, content.changes)
