"""Makes a tree out of another one and a list of changes, in memory.

A temporary ``pygit2.Index``, never the user's, takes the base tree and the changes; the trees that
it writes go into a store that lives in this process. The user's objects are read, never added to.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import cast

import pygit2
from pygit2.enums import FileMode

from gitcache.core.content import Change
from gitcache.core.key import TreeId
from gitcache.errors import RepositoryError
from gitcache.git.repository import Repository

_BEFORE_THE_DISK = 10
"""The priority of the store in memory; libgit2 writes to the highest and reads in order."""


class _Memory(pygit2.OdbBackend):
    """An object store that lives as long as this process."""

    def __init__(self) -> None:
        super().__init__()
        self._objects: dict[pygit2.Oid, tuple[int, bytes]] = {}

    def write_cb(self, oid: pygit2.Oid, data: bytes, kind: int) -> None:
        self._objects[oid] = (kind, data)

    def read_cb(self, oid: pygit2.Oid) -> tuple[int, bytes]:
        return self._objects[oid]

    def read_header_cb(self, oid: pygit2.Oid) -> tuple[int, int]:
        kind, data = self._objects[oid]
        return kind, len(data)

    def exists_cb(self, oid: pygit2.Oid) -> bool:
        return oid in self._objects

    def read_prefix_cb(self, prefix: pygit2.Oid) -> tuple[int, bytes, pygit2.Oid]:
        raise KeyError(prefix)  # nothing is looked up here by a shortened id

    def exists_prefix_cb(self, prefix: pygit2.Oid) -> pygit2.Oid:
        raise KeyError(prefix)

    def refresh_cb(self) -> None:
        """There is nothing behind this store to look at again."""


def make_tree(repository: Repository, base: TreeId, changes: Iterable[Change]) -> TreeId:
    """Return the id of *base* with *changes* applied.

    Raises:
        RepositoryError: libgit2 can't read this repository or refuses a name.
    """
    try:
        store = _open(repository)
        index = pygit2.Index()
        if base != repository.empty_tree:
            index.read_tree(cast(pygit2.Tree, store[base]))
        _apply(index, changes)
        return TreeId(str(index.write_tree(store)))
    except (pygit2.GitError, OSError, KeyError, ValueError) as error:
        raise RepositoryError(f"libgit2 can't make the tree: {error}") from error


def _open(repository: Repository) -> pygit2.Repository:
    """Open *repository* so that it reads the user's objects and writes into memory."""
    # A tree may name blobs that are stored nowhere: those of files that only the disk holds.
    pygit2.settings.enable_strict_object_creation(False)
    store = pygit2.Repository(str(repository.git_dir))
    objects = pygit2.Odb()
    objects.add_backend(_Memory(), _BEFORE_THE_DISK)
    for folder in _object_folders(repository):
        objects.add_disk_alternate(folder)
    store.set_odb(objects)
    return store


def _object_folders(repository: Repository) -> list[str]:
    """Return where git looks for objects, the variables of a receiving hook included."""
    others = repository.git.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "")
    return [str(repository.objects), *filter(None, others.split(os.pathsep))]


def _apply(index: pygit2.Index, changes: Iterable[Change]) -> None:
    """Apply *changes*; removals go first, so that a file may take a folder's place."""
    ordered = sorted(changes, key=lambda each: not each.is_removal)
    for change in ordered:
        if change.is_removal:
            if change.path in index:
                index.remove(change.path)
        else:
            mode = FileMode(int(change.mode, 8))
            index.add(pygit2.IndexEntry(change.path, pygit2.Oid(hex=change.oid), mode))
