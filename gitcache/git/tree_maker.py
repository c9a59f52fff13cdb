"""Makes a tree out of another one and a list of changes, without a trace in the repository.

Two makers give the same id. The usual one is a temporary ``pygit2.Index``, never the user's, whose
trees go into a store that lives in this process. Where libgit2 can't open the repository (SHA-256,
reftable, an unknown extension) or refuses something, git does it with an index and an object folder
of its own.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import cast

import pygit2
from pygit2.enums import FileMode

from gitcache.core.content import Change
from gitcache.core.key import TreeId
from gitcache.errors import RepositoryError
from gitcache.git.plumbing import GitError
from gitcache.git.repository import Repository


def make_tree(repository: Repository, base: TreeId, changes: Sequence[Change]) -> TreeId:
    """Return the id of *base* with *changes* applied.

    Raises:
        RepositoryError: no maker can make it; the message is git's.
    """
    # A removed path may be in the way of an added one: a file where a folder was, or the reverse.
    ordered = sorted(changes, key=lambda each: not each.is_removal)
    if repository.object_format == "sha1":
        try:
            return _make_by_libgit2(repository, base, ordered)
        except (pygit2.GitError, OSError, KeyError, ValueError):
            pass  # git decides what can be made, and tells why where it can't
    return make_tree_by_git(repository, base, ordered)


def make_tree_by_git(repository: Repository, base: TreeId, ordered: Sequence[Change]) -> TreeId:
    """Make the tree with the git executable; arguments and errors as :func:`make_tree`.

    Removals come first in *ordered*.
    """
    lines = b"".join(
        f"{each.mode} {each.oid}\t".encode("ascii") + os.fsencode(each.path) + b"\0"
        for each in ordered
    )
    with tempfile.TemporaryDirectory(prefix="git-toolcache-") as folder:
        git = repository.writing_aside(folder, os.path.join(folder, "index"))
        try:
            git.run("read-tree", base)
            git.run("update-index", "-z", "--index-info", stdin=lines)
            return TreeId(git.run("write-tree", "--missing-ok").decode("ascii").strip())
        except GitError as error:
            raise RepositoryError(f"git can't make the tree: {error.stderr}") from error


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


def _make_by_libgit2(repository: Repository, base: TreeId, ordered: Sequence[Change]) -> TreeId:
    """Make the tree in memory."""
    # A tree may name blobs that are stored nowhere: those of files that only the disk holds.
    pygit2.settings.enable_strict_object_creation(False)
    index = pygit2.Index()
    if base != repository.empty_tree:
        index.read_tree(cast(pygit2.Tree, _reader(repository)[base]))
    for change in ordered:
        if not change.is_removal:
            mode = FileMode(int(change.mode, 8))
            index.add(pygit2.IndexEntry(change.path, pygit2.Oid(hex=change.oid), mode))
        elif change.path in index:
            index.remove(change.path)
    return TreeId(str(index.write_tree(_writer(repository))))


def _reader(repository: Repository) -> pygit2.Repository:
    """Open *repository* to read the objects that git sees."""
    objects = pygit2.Odb()
    for folder in repository.object_folders:
        objects.add_disk_alternate(folder)
    reader = pygit2.Repository(str(repository.git_dir))
    reader.set_odb(objects)
    return reader


def _writer(repository: Repository) -> pygit2.Repository:
    """Open *repository* to write into memory.

    The disk is left out: libgit2 touches an object on the disk that it is asked to write again.
    """
    objects = pygit2.Odb()
    objects.add_backend(_Memory(), 1)
    writer = pygit2.Repository(str(repository.git_dir))
    writer.set_odb(objects)
    return writer
