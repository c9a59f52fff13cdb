"""Remembers the tree of a changed worktree, so that a second look hashes nothing.

A memo holds only where git's whole status is the same and each path that was read from the disk has
the stat that it had, and where no such path was written so shortly before that a later write might
leave the same stat. Nested repositories are never remembered: their state is in no stat.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gitcache.core.content import Change
from gitcache.core.key import TreeId, is_oid
from gitcache.git.disk import DiskFile
from gitcache.git.memo import MemoFolder, is_settled, stat_of, texts
from gitcache.git.repository import Repository

Stats = Mapping[str, list[int] | None]
"""Path → its stat; None where nothing is there."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How a working tree differs from HEAD's tree."""

    tree: TreeId
    changes: tuple[Change, ...] = ()
    """Sorted by path."""

    files: Mapping[str, DiskFile] = field(default_factory=dict)
    """The files that were read from the disk, by path."""


def stats_of(repository: Repository, paths: Iterable[str]) -> Stats:
    """Return the stat of each of *paths*, which are relative to the worktree's top."""
    return {path: stat_of(repository.top / path) for path in paths}


def recall(memos: MemoFolder, name: str, fingerprint: str, stats: Stats) -> Difference | None:
    """Return what was remembered as *name* under the same *fingerprint* and *stats*, or None."""
    memo = memos.read(name)
    if memo.get("fingerprint") != fingerprint or memo.get("stats") != stats:
        return None
    try:
        if not is_oid(memo["tree"]):
            return None
        return Difference(
            tree=TreeId(memo["tree"]),
            changes=tuple(Change(*texts(each, 3)) for each in memo["changes"]),
            files={path: DiskFile(*texts(oids, 2)) for path, oids in memo["files"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None  # a foreign memo is none


def remember(
    memos: MemoFolder, name: str, fingerprint: str, stats: Stats, difference: Difference
) -> None:
    """Remember *difference* as *name* where no later write can hide behind the same *stats*."""
    now = time.time_ns()
    if all(is_settled(stat, now) for stat in stats.values()):
        memos.write(
            name,
            {
                "fingerprint": fingerprint,
                "stats": dict(stats),
                "tree": difference.tree,
                "changes": [[each.path, each.mode, each.oid] for each in difference.changes],
                "files": {path: [f.stored, f.raw] for path, f in difference.files.items()},
            },
        )
