"""Makes a tree out of another one and a list of changes, without a trace in the repository.

Two makers give the same id. The usual one is a temporary ``pygit2.Index``, never the user's, whose
trees go into a store that lives in this process. Where libgit2 can't open the repository (SHA-256,
reftable, an unknown extension) or refuses something, git does it with an index aside.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

import pygit2
from pygit2.enums import FileMode

from gitcache.core.content import Change
from gitcache.core.key import TreeId
from gitcache.git.index_aside import index_aside, removals_first
from gitcache.git.repository import Repository
from gitcache.git.tree_hash import tree_of


def make_tree(repository: Repository, base: TreeId, changes: Sequence[Change]) -> TreeId:
    """Return the id of *base* with *changes* applied.

    Raises:
        RepositoryError: no maker can make it; the message is git's.
    """
    if repository.object_format == "sha1":
        with suppress(pygit2.GitError, OSError, KeyError, ValueError):
            return make_tree_by_libgit2(repository, base, changes)
    return make_tree_by_git(repository, base, changes)


def why_by_git(repository: Repository) -> str:
    """Return why git makes the trees of *repository*; empty where libgit2 opens it and does."""
    if repository.object_format != "sha1":
        return f"libgit2 does not read {repository.object_format} objects"
    try:
        _in_memory(repository)
    except (pygit2.GitError, OSError, KeyError, ValueError) as error:
        return f"libgit2 can't open the repository: {error}"
    return ""


def library_versions() -> tuple[str, str]:
    """Return the versions of pygit2 and of the libgit2 in it."""
    from importlib.metadata import version  # its import costs, and a tree needs none of it

    return version("pygit2"), pygit2.LIBGIT2_VERSION


def make_tree_by_git(repository: Repository, base: TreeId, changes: Sequence[Change]) -> TreeId:
    """Make the tree with the git executable; arguments and errors as :func:`make_tree`."""
    with index_aside(repository, base, changes) as aside:
        return tree_of(aside.entries(), repository.object_format)


class _Memory(pygit2.OdbBackend):
    """An object store that lives as long as this process, over one that is only read.

    libgit2 touches a file on the disk that it is asked to write again; through this it can't.
    """

    def __init__(self, disk: pygit2.Odb) -> None:
        super().__init__()
        self._disk = disk
        self._objects: dict[pygit2.Oid, tuple[int, bytes]] = {}

    def write_cb(self, oid: pygit2.Oid, data: bytes, kind: int) -> None:
        self._objects[oid] = (kind, data)

    def read_cb(self, oid: pygit2.Oid) -> tuple[int, bytes]:
        return self._objects.get(oid) or self._disk.read(oid)

    def read_header_cb(self, oid: pygit2.Oid) -> tuple[int, int]:
        kind, data = self.read_cb(oid)
        return kind, len(data)

    def exists_cb(self, oid: pygit2.Oid) -> bool:
        return oid in self._objects or oid in self._disk

    def read_prefix_cb(self, prefix: pygit2.Oid) -> tuple[int, bytes, pygit2.Oid]:
        raise KeyError(prefix)  # nothing is looked up here by a shortened id

    def exists_prefix_cb(self, prefix: pygit2.Oid) -> pygit2.Oid:
        raise KeyError(prefix)

    def refresh_cb(self) -> None:
        """There is nothing behind this store to look at again."""


def make_tree_by_libgit2(repository: Repository, base: TreeId, changes: Sequence[Change]) -> TreeId:
    """Make the tree in memory; arguments as :func:`make_tree`.

    Raises:
        pygit2.GitError, OSError, KeyError, ValueError: libgit2 can't, and says so in one of these.
    """
    # A tree may name blobs that are stored nowhere: those of files that only the disk holds.
    pygit2.settings.enable_strict_object_creation(False)
    store = _in_memory(repository)
    index = pygit2.Index()
    if base != repository.empty_tree:
        index.read_tree(cast(pygit2.Tree, store[base]))
    for change in removals_first(changes):
        if not change.is_removal:
            _make_room(index, change.path)
            mode = FileMode(int(change.mode, 8))
            index.add(pygit2.IndexEntry(change.path, pygit2.Oid(hex=change.oid), mode))
        elif change.path in index:
            index.remove(change.path)
    return TreeId(str(index.write_tree(store)))


def _make_room(index: pygit2.Index, path: str) -> None:
    """Remove a folder that is where *path* goes, and files that are where its folders go."""
    index.remove_directory(path)
    while path := os.path.dirname(path):
        if path in index:
            index.remove(path)


def _in_memory(repository: Repository) -> pygit2.Repository:
    """Open *repository* so that it reads the objects that git sees, and writes into memory."""
    disk = pygit2.Odb()
    for folder in repository.object_folders:
        disk.add_disk_alternate(folder)
    objects = pygit2.Odb()
    objects.add_backend(_Memory(disk), 1)
    store = pygit2.Repository(str(repository.git_dir))
    store.set_odb(objects)
    return store
