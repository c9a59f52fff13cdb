"""The part of a snapshot that a tool's ``inputs`` select, as a tree of its own.

Git matches the pathspecs, on an index aside that holds the snapshot; nothing is asked of the disk,
so a commit's content is selected from as well as the working tree's. Attributes are those that the
snapshot's own ``.gitattributes`` files give, whatever a user sets beside them, so equal content
selects equally everywhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gitcache.core.content import Change, Snapshot
from gitcache.core.key import TreeId, digest, is_oid
from gitcache.errors import RepositoryError, SettingsError
from gitcache.git.disk import LINK
from gitcache.git.index_scan import ATTRIBUTES
from gitcache.git.memo import MemoFolder
from gitcache.git.pathspec import Pathspec, list_matching, listed_paths
from gitcache.git.plumbing import GitError
from gitcache.git.repository import Repository
from gitcache.git.tree_hash import tree_of

if TYPE_CHECKING:
    from gitcache.git.index_aside import IndexAside

_SETTING: Final = "inputs"

_REMEMBERED: Final = 16
"""Snapshots whose selection is kept for one list of pathspecs: enough to go to and fro."""

_GITLINKS: Final = re.compile(rb"(?:^|\0)160000 [0-9a-f]+ 0\t([^\0]+)")
"""The submodules among the entries of an index."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What pathspecs select of a snapshot."""

    tree: TreeId
    blind_spots: Mapping[str, str]
    """Those of the snapshot's that concern a selected path or no single path."""


def select(
    repository: Repository, snapshot: Snapshot, pathspecs: Sequence[str], memos: MemoFolder
) -> Selection:
    """Return what *pathspecs* select of *snapshot*; none of them at all select everything.

    Args:
        repository: where the snapshot's objects are; those of changed files may be nowhere.
        snapshot: the content.
        pathspecs: relative to the worktree's top, any magic; exclusions alone leave the rest.
        memos: where the selection is remembered under the snapshot's tree.

    Raises:
        SettingsError: the pathspecs select nothing, or git refuses one.
        RepositoryError: git can't make the tree.
    """
    if not pathspecs:
        return Selection(snapshot.tree, snapshot.blind_spots)
    memo_name = f"selection-{digest(*pathspecs)}"
    content = digest(snapshot.tree, *sorted(snapshot.blind_spots))
    memo = memos.read(memo_name)
    known = _from_memo(memo.get(content), snapshot)
    if known is not None:
        return known
    selection = _select(repository, snapshot, pathspecs)
    kept = [*memo.items()][1 - _REMEMBERED :]
    memos.write(memo_name, dict([*kept, (content, _to_memo(selection))]))
    return selection


def select_tree(
    repository: Repository, snapshot: Snapshot, pathspecs: Sequence[str], memos: MemoFolder
) -> TreeId:
    """Return the id of the tree that *pathspecs* select; all else as :func:`select`."""
    return select(repository, snapshot, pathspecs, memos).tree


def left_out(
    repository: Repository, snapshot: Snapshot, pathspecs: Sequence[str]
) -> tuple[str, ...]:
    """Return the paths of *snapshot* that *pathspecs* do not select, sorted; errors as above."""
    entries, selected = _matched(repository, snapshot, pathspecs)
    unselected = set(listed_paths(entries)).difference(listed_paths(selected))
    return tuple(sorted(map(os.fsdecode, unselected)))


def _select(repository: Repository, snapshot: Snapshot, pathspecs: Sequence[str]) -> Selection:
    entries, selected = _matched(repository, snapshot, pathspecs)
    tree = tree_of(selected, repository.object_format)
    return Selection(tree, _spots(snapshot.blind_spots, entries, selected))


def _matched(
    repository: Repository, snapshot: Snapshot, pathspecs: Sequence[str]
) -> tuple[bytes, bytes]:
    """Return all entries of the snapshot, and those that are selected."""
    from gitcache.git.index_aside import index_aside  # its imports cost, and a memo can spare them

    with index_aside(repository, snapshot.head_tree, snapshot.changes) as aside:
        _show_attributes(aside, repository, snapshot.changes, pathspecs)
        entries = aside.entries()
        _refuse_insides(entries, pathspecs)
        selected = list_matching(aside.git, _SETTING, ("-s",), pathspecs)
    if not selected:
        raise SettingsError(f"{_SETTING} select nothing: {', '.join(map(repr, pathspecs))}")
    return entries, selected


def _spots(spots: Mapping[str, str], entries: bytes, selected: bytes) -> dict[str, str]:
    """Return those of *spots* whose path is *selected*, and those whose path is no entry's."""
    if not any(":" in name for name in spots):
        return dict(spots)
    unselected = set(listed_paths(entries)).difference(listed_paths(selected))
    return {
        name: value
        for name, value in spots.items()
        if os.fsencode(name.partition(":")[2]) not in unselected
    }


def _refuse_insides(entries: bytes, pathspecs: Sequence[str]) -> None:
    """Refuse a pathspec that leads into a submodule, of which a snapshot has but one entry."""
    gitlinks = [os.fsdecode(path) for path in _GITLINKS.findall(entries)]
    for text in pathspecs if gitlinks else ():
        pathspec = Pathspec.parse(text)
        for path in gitlinks if "exclude" not in pathspec.magic else ():
            if pathspec.path.startswith(f"{path}/"):
                raise SettingsError(
                    f"{_SETTING}: {text!r} leads into the submodule {path}",
                    hint=f"a submodule is selected as a whole: {path}",
                )


def _show_attributes(
    aside: IndexAside, repository: Repository, changes: Sequence[Change], pathspecs: Sequence[str]
) -> None:
    """Let *aside* see the changed attribute files, whose objects may be stored nowhere."""
    if not any("attr" in Pathspec.parse(each).magic for each in pathspecs):
        return
    for change in changes:
        is_file = not change.is_removal and change.mode != LINK
        if is_file and os.path.basename(change.path) == ATTRIBUTES:
            place = aside.top / change.path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(_content(repository, change))


def _content(repository: Repository, change: Change) -> bytes:
    """Return the content of a changed file, from the disk where only the disk holds it."""
    try:
        return repository.git.run("cat-file", "blob", change.oid)
    except GitError:
        pass
    try:
        return (repository.top / change.path).read_bytes()
    except OSError as error:
        raise RepositoryError(f"{change.path} can't be read: {error.strerror}") from error


def _to_memo(selection: Selection) -> dict[str, Any]:
    return {"tree": selection.tree, "blind_spots": [*selection.blind_spots]}


def _from_memo(memo: Any, snapshot: Snapshot) -> Selection | None:
    """Return what *memo* says of *snapshot*, of whose blind spots it has the names; None: nothing.

    A foreign memo is none.
    """
    try:
        spots = {name: snapshot.blind_spots[name] for name in memo["blind_spots"]}
        tree = TreeId(memo["tree"])
        return Selection(tree, spots) if is_oid(tree) else None
    except (KeyError, TypeError):
        return None
