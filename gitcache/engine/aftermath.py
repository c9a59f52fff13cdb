"""What a run left behind: the content is looked at again and compared with that of before.

Two things count: that the key is another one, and that a file was written meanwhile, even if it
holds again what it held before. Whether they make the run unstable is not decided here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from stat import S_ISREG

from gitcache.core.content import Change, Snapshot
from gitcache.core.habits import Stat, Window
from gitcache.core.key import KeyInputs
from gitcache.core.products import among_sources, is_product
from gitcache.engine.beside import written_beside, written_in_nested
from gitcache.engine.context import Context
from gitcache.engine.front import Question, ask
from gitcache.engine.habits import list_of
from gitcache.git.look import Look
from gitcache.git.selection import left_out
from gitcache.git.written import head_moved_since, paths_of, tracked_paths, written_since
from gitcache.host.standard_input import InputCopy


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What a run left behind, as far as it counts."""

    differing: frozenset[str]
    """The paths whose content is another than before."""

    parts: tuple[str, ...]
    """The names of other key inputs that differ."""

    written: Mapping[str, Stat]
    """The files that were written since the question was asked."""

    during: Mapping[str, Stat]
    """Those of them that were written while the tool ran, by it or by somebody else."""

    own: Mapping[str, Stat]
    """Those of these that may be the tool's habits."""

    made: frozenset[str]
    """The products among these where nothing was before the run."""

    beside: frozenset[str]
    """The written files that count and that neither the index nor the snapshot names."""

    tracked: frozenset[str]
    """The paths of the index."""

    @property
    def touched(self) -> frozenset[str]:
        """All paths that moved."""
        return self.differing | self.written.keys()

    @property
    def by_others(self) -> frozenset[str]:
        """The files that somebody else wrote, before the tool began or after it ended."""
        return frozenset(self.written.keys() - self.during.keys())


def look_after(
    question: Question, look: Look, context: Context, stdin: InputCopy | None, window: Window
) -> Aftermath:
    """Return what the run in *window* left behind of the content that *question* was asked about.

    Raises:
        OSError, RepositoryError: the content can't be told any more.
    """
    repository, before = question.repository, question.snapshot
    gone = question.habits.left_out_afterwards
    after = look.snapshot(gone, list_of(question.plan, repository).name)
    now = ask(question.plan, repository, after, context, stdin)
    tracked = tracked_paths(repository)
    untracked = (each.path for each in (*before.changes, *after.changes) if not each.is_removal)
    paths = {*tracked, *untracked, *gone}
    nested = written_in_nested(repository, question.asked_ns, paths)
    beside = written_beside(now, question.asked_ns)
    written = written_since(repository, question.asked_ns, paths) | nested
    differing = {*_moved_paths(before, after)} if now.key != question.key else set[str]()
    unselected = _unselected(question, after) if written or differing else set[str]()
    differing -= unselected
    written = beside | {
        path: each for path, each in written.items() if not _is_in(path, unselected)
    }
    during = {path: stat for path, stat in written.items() if window.when(stat) == "during"}
    own = _own(question, during, tracked)
    return Aftermath(
        differing=frozenset(differing),
        parts=_moved_parts(question.inputs, now.inputs),
        written=written,
        during=during,
        own=own,
        made=_made(question, own, tracked | beside.keys() | nested.keys()),
        beside=frozenset(beside.keys() | nested.keys()),
        tracked=tracked,
    )


def _moved_paths(before: Snapshot, after: Snapshot) -> frozenset[str]:
    """Return the paths in which two snapshots differ, as far as their changes over HEAD tell."""
    if before.tree == after.tree:
        return frozenset()
    if before.head_tree != after.head_tree:
        return frozenset({"HEAD"})
    differing: set[Change] = set(before.changes) ^ set(after.changes)
    return frozenset(each.path for each in differing)


def _moved_parts(before: KeyInputs, after: KeyInputs) -> tuple[str, ...]:
    """Return the names of blind spots and of the environment's parts that differ."""
    differing = (before.blind_spots.items() ^ after.blind_spots.items()) | (
        before.environment.items() ^ after.environment.items()
    )
    return tuple(sorted({name for name, _ in differing}))


def _unselected(question: Question, after: Snapshot) -> set[str]:
    """Return the paths before and after the run that the tool's ``inputs`` do not select."""
    repository, inputs = question.repository, question.plan.tool.options.inputs
    if not inputs:
        return set()
    return {
        path
        for snapshot in (question.snapshot, after)
        for path in left_out(repository, snapshot, inputs)
    }


def _is_in(path: str, paths: Collection[str]) -> bool:
    """Return whether *path* or a folder above is one of *paths*."""
    return path in paths or any(
        path[:at] in paths for at, letter in enumerate(path) if letter == "/"
    )


def _own(
    question: Question, during: Mapping[str, Stat], tracked: frozenset[str]
) -> dict[str, Stat]:
    """Return those files of *during* that may be the tool's habits.

    Where HEAD moved meanwhile, whoever moved it may have written all but products; and a folder
    with sources in it is none of products, whatever its name is.
    """
    sources = tracked | among_sources(during, tracked)
    has_moved = head_moved_since(question.repository, question.asked_ns)
    return {
        path: stat
        for path, stat in during.items()
        if S_ISREG(stat[4])
        if path in tracked or path not in sources
        if not has_moved or (path not in sources and is_product(path))
    }


def _made(question: Question, own: Collection[str], others: frozenset[str]) -> frozenset[str]:
    """Return those products among the tool's *own* files where nothing was before the run.

    None is made of *others*.
    """
    habits, before = question.habits, question.snapshot
    there = {each.path for each in before.changes} | others
    new = {
        path
        for path in own
        if is_product(path) and path not in there and habits.since.get(path) != "as left"
    }
    return frozenset(new - paths_of(question.repository, before.head_tree)) if new else frozenset()
