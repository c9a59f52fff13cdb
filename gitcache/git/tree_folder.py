"""A commit's top folder, as far as settings and detection look into it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from gitcache.core.key import TreeId
from gitcache.git.plumbing import ObjectReader


@dataclass(frozen=True, slots=True)
class TreeFolder:
    """The files that lie directly in one tree."""

    objects: ObjectReader
    tree: TreeId

    @property
    def names(self) -> frozenset[str]:
        """The names of the tree's entries."""
        found = self.objects.read(self.tree)
        return frozenset() if found is None else frozenset(_names(found.data, len(self.tree) // 2))

    def read(self, name: str) -> bytes | None:
        """Return the content of the file *name*; None where there is none."""
        found = self.objects.read(f"{self.tree}:{name}")
        return found.data if found is not None and found.kind == "blob" else None

    def has_folder(self, directory: str) -> bool:
        """Return whether there is a folder *directory*, relative to this one."""
        path = "" if directory == "." else directory
        found = self.objects.read(f"{self.tree}:{path}")
        return found is not None and found.kind == "tree"


def _names(tree: bytes, oid_size: int) -> list[str]:
    """Return the names in a raw tree, whose entries are ``mode SP name NUL oid``."""
    names = []
    position = 0
    while position < len(tree):
        end = tree.index(b"\0", position)
        names.append(os.fsdecode(tree[position:end].split(b" ", 1)[1]))
        position = end + 1 + oid_size
    return names
