"""The ``.env`` files that git ignores, in the folders that a snapshot has.

A walk through all ignored folders would cost more than a hit, so only folders on the way to a file
of the snapshot are looked into. Which those are is remembered under the tree of HEAD, and what a
folder holds under the folder's stat, which changes with each name that comes or goes.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gitcache.core.content import Snapshot
from gitcache.core.key import TreeId
from gitcache.errors import RepositoryError
from gitcache.git.memo import MemoFolder, is_settled, stat_of
from gitcache.git.repository import Repository
from gitcache.git.status import GITLINK

_NAME: Final = "env-files"

_FOLDERS: Final = re.compile(rb"(?<![^\0])(?:040000 tree|160000 commit) [0-9a-f]+\t([^\0]+)")
"""Folders and submodules in a listing of ``git ls-tree``."""

_HELD: Final = re.compile(
    rb"(?<![^\0])1[0-9]{5} blob [0-9a-f]+\t((?:[^\0]*/)?\.env(?:\.[^\0/]*)?)(?=\0)"
)
"""Env files in such a listing."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What is remembered: of HEAD's tree, and of its folders on the disk."""

    tree: str
    folders: tuple[str, ...]
    """All folders of the tree, the outer ones before those in them; the top is ``""``."""

    held: tuple[str, ...]
    """The env files of the tree."""

    names: Mapping[str, Any]
    """Folder → its stat and the names of env files in it."""


def ignored_env_files(
    repository: Repository, snapshot: Snapshot, memos: MemoFolder, now_ns: int
) -> Iterator[str]:
    """Yield the path of each ``.env`` and ``.env.*`` beside files of *snapshot* and not among them.

    Args:
        repository: the worktree.
        snapshot: its content.
        memos: where folders are remembered.
        now_ns: the time in nanoseconds since the epoch, no later than this call.

    Raises:
        RepositoryError: a folder can't be listed.
    """
    recalled = _recall(memos, snapshot.head_tree)
    before = recalled or _listed(repository, snapshot.head_tree)
    folders = _with_changes(before.folders, snapshot)
    names = dict(_names(repository, folders, before.names, now_ns))
    settled = {folder: found for folder, found in names.items() if found[0] is not None}
    if recalled is None or settled != before.names:
        remembered = {"tree": before.tree, "folders": before.folders, "held": before.held}
        memos.write(_NAME, {**remembered, "names": settled})
    gone = {each.path for each in snapshot.changes if each.is_removal}
    held = set(before.held) - gone
    held.update(each.path for each in snapshot.changes if not each.is_removal)
    for folder, (_, found) in names.items():
        for path in (f"{folder}/{name}" if folder else name for name in found):
            if path not in held and not _is_folder(repository, path):
                yield path


def _with_changes(folders: tuple[str, ...], snapshot: Snapshot) -> Iterator[str]:
    """Yield *folders* and those that only changed files have, outer ones first."""
    yield from folders
    seen = set(folders)
    for change in snapshot.changes:
        if not change.is_removal:
            inner = change.path if change.mode == GITLINK else os.path.dirname(change.path)
            more = _chain(inner, seen)
            seen.update(more)
            yield from more


def _chain(folder: str, seen: set[str]) -> list[str]:
    """Return *folder* and the folders above that are not among *seen*, outer ones first."""
    chain: list[str] = []
    while folder not in seen:
        chain.insert(0, folder)
        folder = os.path.dirname(folder)
    return chain


def _names(
    repository: Repository, folders: Iterator[str], known: Mapping[str, Any], now_ns: int
) -> Iterator[tuple[str, list[Any]]]:
    """Yield each of *folders* that is there with its stat, None where unsettled, and env files."""
    top = f"{repository.top}/"
    away: set[str] = set()
    for folder in folders:
        facts = stat_of(top + folder)
        if (
            facts is None
            or not stat.S_ISDIR(facts[4])
            or (away and os.path.dirname(folder) in away)
        ):
            away.add(folder)
            continue
        found = known.get(folder)
        if found is None or found[0] != facts:
            found = [facts if is_settled(facts, now_ns) else None, _listed_names(top + folder)]
        yield folder, found


def _listed_names(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError as error:
        raise RepositoryError(f"{folder} can't be listed: {error.strerror}") from error
    return sorted(name for name in names if name == ".env" or name.startswith(".env."))


def _is_folder(repository: Repository, path: str) -> bool:
    """Return whether *path* is a folder: some keep a virtual environment under such a name."""
    facts = stat_of(repository.top / path)
    return facts is not None and stat.S_ISDIR(facts[4])


def _listed(repository: Repository, tree: TreeId) -> _Known:
    listing = repository.git.run("ls-tree", "-r", "-t", "-z", "--full-tree", tree)
    folders = ("", *map(os.fsdecode, _FOLDERS.findall(listing)))
    return _Known(tree, folders, tuple(map(os.fsdecode, _HELD.findall(listing))), {})


def _recall(memos: MemoFolder, tree: TreeId) -> _Known | None:
    """Return what was remembered of *tree*; None where it is not all there."""
    memo = memos.read(_NAME)
    if memo.get("tree") != tree:
        return None
    try:
        names = {folder: [facts, [*found]] for folder, (facts, found) in memo["names"].items()}
        return _Known(tree, tuple(memo["folders"]), tuple(memo["held"]), names)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None  # a foreign memo is none
