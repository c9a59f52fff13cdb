"""What git's status does not see and a tool does.

Git takes some paths on trust (assume-unchanged, skip-worktree), leaves sparse ones out, and looks
into a submodule only as far as its commit. Each such thing that differs from a clean, full checkout
gets a name and a digest here; a clean, full checkout has none, so it shares with everybody.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from gitcache.core.content import Snapshot
from gitcache.core.key import digest
from gitcache.errors import RepositoryError
from gitcache.git.disk import LINK, files_below, link_oid, mode_on_disk, raw_oids
from gitcache.git.index_scan import IndexScan
from gitcache.git.repository import Repository

NestedLook = Callable[[str], Snapshot]
"""Path of a nested repository → its own snapshot."""

_NOT_POPULATED: Final = "not populated"
_GONE: Final = "gone"


def flagged_spots(repository: Repository, scan: IndexScan) -> Iterator[tuple[str, str]]:
    """Yield name and digest of each path that git takes on trust and that is not as it says.

    Paths that are left out of a sparse worktree are told together, as one spot.

    Raises:
        RepositoryError: such a path can't be read.
    """
    folders = _Folders(repository.top)
    absent = [each for each in scan.flagged if not folders.has(each.path)]
    sparse = [each.path for each in absent if each.flag == "skip-worktree"]
    if sparse:
        yield "sparse", digest(*sparse)
    for entry in absent:
        if entry.flag == "assume-unchanged":
            yield f"{entry.flag}:{entry.path}", digest(_GONE)
    away = {entry.path for entry in absent}
    present = [each for each in scan.flagged if each.path not in away and each not in scan.gitlinks]
    states = _states_on_disk(repository, [each.path for each in present])
    for entry in present:
        if states[entry.path] != (entry.mode, entry.oid):
            yield f"{entry.flag}:{entry.path}", digest(*states[entry.path])


def nested_spots(
    repository: Repository, gitlinks: Mapping[str, str], look_inside: NestedLook
) -> Iterator[tuple[str, str]]:
    """Yield name and digest of each submodule whose files are not those of its commit.

    Args:
        repository: the worktree.
        gitlinks: path → commit of every gitlink in the snapshot.
        look_inside: takes the snapshot of a nested repository.

    Raises:
        RepositoryError: something in there can't be read.
    """
    for path, commit in sorted(gitlinks.items()):
        folder = repository.top / path
        if os.path.lexists(folder / ".git"):
            state = _nested_state(look_inside(path), commit)
        elif os.path.isdir(folder) and os.listdir(folder):
            state = _folder_state(folder)
        else:
            state = _NOT_POPULATED
        if state:
            yield f"submodule:{path}", digest(state)


def _nested_state(snapshot: Snapshot, commit: str) -> str:
    """Return what tells *snapshot* from a clean checkout of *commit*; empty where nothing does."""
    spots = [f"{name}={value}" for name, value in sorted(snapshot.blind_spots.items())]
    if snapshot.head == commit and snapshot.tree == snapshot.head_tree and not spots:
        return ""
    return digest(snapshot.tree, *spots)


def _folder_state(folder: Path) -> str:
    """Return the digest of all files below *folder*, which is no part of any repository."""
    parts: list[str | bytes] = []
    for path in files_below(folder):
        try:
            mode = path.lstat().st_mode
            parts.append(f"{mode:o} {path.relative_to(folder)}")
            if stat.S_ISLNK(mode):
                parts.append(os.readlink(path))
            elif stat.S_ISREG(mode):
                parts.append(path.read_bytes())
        except OSError as error:
            raise RepositoryError(f"{path} can't be read: {error.strerror}") from error
    return digest(*parts)


def _states_on_disk(repository: Repository, paths: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return path → mode and object id of what lies there."""
    states: dict[str, tuple[str, str]] = {}
    files: dict[str, str] = {}
    for path in paths:
        place = repository.top / path
        if place.is_dir() and not place.is_symlink():
            states[path] = "folder", _folder_state(place)
        elif (mode := mode_on_disk(repository, path)) == LINK:
            states[path] = mode, link_oid(repository, path)
        else:
            files[path] = mode
    for (path, mode), oid in zip(files.items(), raw_oids(repository, [*files]), strict=True):
        states[path] = mode, oid
    return states


class _Folders:
    """Tells which paths are there, asking once for each folder that is not."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._known = {"": True}

    def has(self, path: str) -> bool:
        """Return whether something lies at *path*, through no symbolic link on the way."""
        folder = os.path.dirname(path)
        return self._has_folder(folder) and os.path.lexists(self._top / path)

    def _has_folder(self, folder: str) -> bool:
        if folder not in self._known:
            outer = self._has_folder(os.path.dirname(folder))
            here = self._top / folder
            self._known[folder] = outer and here.is_dir() and not here.is_symlink()
        return self._known[folder]
