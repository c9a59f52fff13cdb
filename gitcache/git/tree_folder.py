"""A commit's top folder, as far as settings and detection look into it.

It answers as the folder on the disk would after a checkout, so a link to a file is that file.
"""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass
from typing import Final

from gitcache.core.content import Snapshot
from gitcache.core.key import TreeId
from gitcache.git.plumbing import GitError, ObjectReader
from gitcache.git.repository import Repository

_LINK: Final = b"120000"
_LINKS_AT_MOST: Final = 40
"""How many links are followed for one file; Linux follows as many (path_resolution(7))."""


@dataclass(frozen=True, slots=True)
class TreeFolder:
    """The files of one tree."""

    objects: ObjectReader
    tree: TreeId

    @property
    def names(self) -> frozenset[str]:
        """The names of the tree's entries."""
        return frozenset(self._modes(""))

    def names_in(self, folder: str) -> frozenset[str]:
        """Return the names in *folder*, directly in this one; none where it is a link or none."""
        return frozenset(self._modes(folder))

    def read(self, path: str, at_most: int | None = None) -> bytes | None:
        """Return the content of the file *path*; None where there is none.

        Links are followed as far as they stay within the tree.

        Args:
            path: relative to this folder.
            at_most: how many bytes of its beginning are wanted; None: all.
        """
        for _ in range(_LINKS_AT_MOST):
            found = self.objects.read(f"{self.tree}:{path}")
            if found is None or found.kind != "blob":
                return None
            folder, base = posixpath.split(path)
            if self._modes(folder).get(base) != _LINK:
                return found.data[:at_most]
            path = posixpath.normpath(posixpath.join(folder, os.fsdecode(found.data)))
            if path.startswith(("/", "../")):
                return None
        return None

    def has_folder(self, directory: str) -> bool:
        """Return whether there is a folder *directory*, relative to this one."""
        path = "" if directory == "." else directory
        found = self.objects.read(f"{self.tree}:{path}")
        return found is not None and found.kind == "tree"

    def _modes(self, folder: str) -> dict[str, bytes]:
        """Return the mode of each entry of *folder*, which is empty for this one, by its name.

        A raw tree is a row of ``mode SP name NUL oid``. What is no folder has no entries.
        """
        found = self.objects.read(f"{self.tree}:{folder}")
        data = found.data if found is not None and found.kind == "tree" else b""
        modes = {}
        position = 0
        while position < len(data):
            end = data.index(b"\0", position)
            mode, name = data[position:end].split(b" ", 1)
            modes[os.fsdecode(name)] = mode
            position = end + 1 + len(self.tree) // 2
        return modes


def holds(repository: Repository, snapshot: Snapshot, path: str) -> bool:
    """Return whether *snapshot* has something at *path*, relative to the worktree's top."""
    for change in snapshot.changes:
        if change.path == path:
            return not change.is_removal
    try:
        repository.git.run("cat-file", "-e", f"{snapshot.head_tree}:{path}")
    except GitError:
        return False
    return True
