"""The snapshot: the working tree as a git tree, without a trace in the repository.

Git is the eye: its status says what differs from HEAD, and ``git hash-object`` gives the ids of
changed files with all conversions that git applies. The tree itself is made in memory
(:mod:`gitcache.git.tree_maker`), and only where something differs: a clean worktree's tree is
HEAD's. What git can't tell for certain is refused, never guessed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gitcache.core.content import Change, Snapshot
from gitcache.core.key import CommitId, TreeId, digest
from gitcache.errors import RepositoryError
from gitcache.git.blind_spots import NestedLook, flagged_spots, nested_spots
from gitcache.git.config import Config
from gitcache.git.conversion import conversion_rules, unlike_the_tree
from gitcache.git.disk import (
    FILE,
    LINK,
    PROGRAM,
    DiskFile,
    link_oid,
    mode_on_disk,
    raw_oids,
)
from gitcache.git.index_scan import IndexScan
from gitcache.git.memo import MemoFolder
from gitcache.git.plumbing import ObjectReader
from gitcache.git.repository import Repository
from gitcache.git.snapshot_memo import Difference, recall, remember, stats_of
from gitcache.git.status import GITLINK, GONE, Status, Tracked, Unmerged, Untracked


@dataclass(frozen=True, slots=True)
class Sight:
    """All that is known of a worktree before its snapshot is made."""

    repository: Repository
    status: Status
    config: Config
    scan: IndexScan
    objects: ObjectReader
    memos: MemoFolder
    look_inside: NestedLook
    """Takes the snapshot of a nested repository, given its path."""

    memo_name: str = "snapshot"
    """Under which the snapshot is remembered; what leaves out paths has a name of its own."""


def take_snapshot(sight: Sight) -> Snapshot:
    """Return the content of the working tree.

    Raises:
        RepositoryError: git can't tell the content for certain; the message names the path.
    """
    repository = sight.repository
    head = _head(repository, sight.status, sight.objects)
    untracked = [each.path for each in sight.status.records if isinstance(each, Untracked)]
    rules = conversion_rules(repository, sight.config, sight.scan, untracked, sight.objects)
    difference = _difference(sight, head, rules)
    spots = dict(flagged_spots(repository, sight.scan))
    gitlinks = _gitlinks(sight, difference.changes)
    spots.update(nested_spots(repository, gitlinks, sight.look_inside))
    unlike = unlike_the_tree(repository, rules, sight.scan, difference.files, sight.memos)
    if unlike:
        spots["conversion"] = digest(*(part for each in sorted(unlike.items()) for part in each))
    return replace(head, tree=difference.tree, changes=difference.changes, blind_spots=spots)


def take_index(repository: Repository, status: Status, objects: ObjectReader) -> Snapshot:
    """Return the content of the index.

    Raises:
        RepositoryError: it is in conflict and so has no tree.
    """
    if any(isinstance(each, Unmerged) for each in status.records):
        raise RepositoryError("the index is in conflict")
    staged = (each for each in status.records if isinstance(each, Tracked))
    changes = [
        Change(each.path, each.index_mode, each.index_oid)
        for each in staged
        if each.in_index != "."
    ]
    head = _head(repository, status, objects)
    return replace(head, tree=_tree(repository, head.tree, changes), changes=tuple(changes))


def take_commit(objects: ObjectReader, revision: str) -> Snapshot:
    """Return the content of the commit that *revision* names.

    Raises:
        RepositoryError: it names none.
    """
    commit = objects.read(f"{revision}^{{commit}}")
    tree = objects.read(f"{revision}^{{tree}}")
    if commit is None or tree is None:
        raise RepositoryError(f"{revision!r} names no commit")
    return Snapshot(TreeId(tree.oid), CommitId(commit.oid), TreeId(tree.oid))


def _head(repository: Repository, status: Status, objects: ObjectReader) -> Snapshot:
    """Return HEAD's content, which is the empty tree before the first commit."""
    if status.head is not None:
        return take_commit(objects, status.head)
    empty = TreeId(repository.empty_tree)
    return Snapshot(empty, None, empty)


def _tree(repository: Repository, base: TreeId, changes: Sequence[Change]) -> TreeId:
    """Return the id of *base* with *changes* applied."""
    if not changes:
        return base
    from gitcache.git.tree_maker import make_tree  # imports pygit2, which a clean tree can spare

    return make_tree(repository, base, changes)


def _difference(sight: Sight, head: Snapshot, rules: str | None) -> Difference:
    """Return how the working tree differs from HEAD's, from the memo where that still holds."""
    if not sight.status.records:
        return Difference(head.tree)
    told, unread = _sorted_out(sight)
    fingerprint = digest(sight.status.fingerprint, rules or "", *unread.values())
    stats = stats_of(sight.repository, unread)
    remembered = recall(sight.memos, sight.memo_name, fingerprint, stats)
    if remembered is not None:
        return remembered
    if rules is None:
        files = _read_raw(sight.repository, unread)
    else:
        gone = [path for path, change in told.items() if change.is_removal]
        files = _read_converted(sight.repository, unread, gone)
    changes = _changes(sight, told, unread, files)
    difference = Difference(_tree(sight.repository, head.tree, changes), changes, files)
    if stats != stats_of(sight.repository, unread):
        raise RepositoryError("files changed while they were read")
    if GITLINK not in unread.values():  # a nested repository's state is in no stat of its folder
        remember(sight.memos, sight.memo_name, fingerprint, stats, difference)
    return difference


def _sorted_out(sight: Sight) -> tuple[dict[str, Change], dict[str, str]]:
    """Return the changes that the status tells whole, and path → mode of what must be read."""
    counts_file_mode = sight.config.is_on("core.filemode", default=True)
    told: dict[str, Change] = {}
    unread: dict[str, str] = {}
    for record in sight.status.records:
        match record:
            case Tracked(path, on_disk=".", index_mode=mode, index_oid=oid):
                told[path] = Change(path, mode, oid)
            case Tracked(path, disk_mode=mode) | Unmerged(path, mode):
                if mode == GONE:
                    told[path] = Change(path, GONE, "0" * len(sight.repository.empty_tree))
                else:
                    unread[path] = mode
            case Untracked(path) if path.endswith("/"):
                unread[path.removesuffix("/")] = GITLINK
            case Untracked(path):
                unread[path] = mode_on_disk(sight.repository, path, counts_file_mode)
    return told, unread


def _read_raw(repository: Repository, unread: Mapping[str, str]) -> dict[str, DiskFile]:
    """Return the plain files of *unread* by path, where nothing is converted."""
    paths = [path for path, mode in unread.items() if mode in (FILE, PROGRAM)]
    for path in paths:
        if mode_on_disk(repository, path) == LINK:
            raise RepositoryError(f"{path} changed while it was looked at")
    oids = raw_oids(repository, paths)
    return {path: DiskFile(stored=oid, raw=oid) for path, oid in zip(paths, oids, strict=True)}


def _read_converted(
    repository: Repository, unread: Mapping[str, str], gone: Sequence[str]
) -> dict[str, DiskFile]:
    """Return the plain files of *unread* by path, converted as git does it here and now."""
    raw = _read_raw(repository, unread)
    if not raw:
        return raw
    from gitcache.git.index_copy import oids_by_index  # its imports cost, and few need it

    stored = oids_by_index(repository, list(raw), gone)
    return {path: DiskFile(stored[path], file.raw) for path, file in raw.items()}


def _changes(
    sight: Sight,
    told: Mapping[str, Change],
    unread: Mapping[str, str],
    files: Mapping[str, DiskFile],
) -> tuple[Change, ...]:
    """Return every path in which the working tree differs from HEAD's tree, sorted."""
    found = {path: change for path, change in told.items() if not _is_below(path, unread)}
    for path, mode in unread.items():
        oid = files[path].stored if path in files else _oid_on_disk(sight, path, mode)
        found[path] = Change(path, mode, oid)
    for record in sight.status.records:
        if isinstance(record, Tracked):
            in_head = Change(record.path, record.head_mode, record.head_oid)
            if found.get(record.path) == in_head:
                del found[record.path]
    return tuple(found[path] for path in sorted(found))


def _is_below(path: str, others: Mapping[str, str]) -> bool:
    """Return whether one of *others* is where *path* has a folder."""
    return any(folder in others for folder in _folders(path))


def _folders(path: str) -> Iterator[str]:
    """Yield every folder above *path*, innermost first."""
    while path := os.path.dirname(path):
        yield path


def _oid_on_disk(sight: Sight, path: str, mode: str) -> str:
    """Return the id of the link or nested repository at *path*."""
    if mode == LINK and sight.config.is_on("core.symlinks", default=True):
        return link_oid(sight.repository, path)
    if mode == LINK:  # a plain file stands for the link and holds its target
        return raw_oids(sight.repository, [path])[0]
    if mode != GITLINK:
        raise RepositoryError(f"{path} is of the unknown mode {mode}")
    nested = sight.look_inside(path)
    if nested.head is None:
        raise RepositoryError(f"the nested repository {path} has no commit")
    return nested.head


def _gitlinks(sight: Sight, changes: Sequence[Change]) -> dict[str, str]:
    """Return path → commit of every submodule and nested repository in the snapshot."""
    states = {each.path: (each.mode, each.oid) for each in sight.scan.gitlinks}
    for record in sight.status.records:  # where the index differs from HEAD and the disk does not
        if isinstance(record, Tracked):
            states[record.path] = record.head_mode, record.head_oid
    states.update((each.path, (each.mode, each.oid)) for each in changes)
    return {path: oid for path, (mode, oid) in states.items() if mode == GITLINK}
