"""The index's top folder, as far as settings and detection look into it.

The index's tree is made in memory and stored nowhere, so the folder is read as HEAD's tree with the
staged changes over it; the blobs of these are stored.
"""

from __future__ import annotations

from typing import Final

from gitcache.core.content import Snapshot
from gitcache.git.plumbing import ObjectReader
from gitcache.git.tree_folder import TreeFolder

_FILES: Final = ("100644", "100755")


class StagedFolder:
    """The files that lie directly in the index's top folder."""

    def __init__(self, objects: ObjectReader, snapshot: Snapshot) -> None:
        self._objects = objects
        self._head = TreeFolder(objects, snapshot.head_tree)
        self._changes = {each.path: each for each in snapshot.changes}
        self._staged = [each.path for each in snapshot.changes if not each.is_removal]

    @property
    def names(self) -> frozenset[str]:
        """The names of its entries; a folder whose files are all removed is still among them."""
        staged = {path.split("/", 1)[0] for path in self._staged}
        return frozenset((self._head.names - self._changes.keys()) | staged)

    def read(self, name: str) -> bytes | None:
        """Return the content of the file *name*; None where there is none, or a staged link."""
        change = self._changes.get(name)
        if change is None:
            return self._head.read(name)
        found = self._objects.read(change.oid) if change.mode in _FILES else None
        return found.data if found is not None else None

    def has_folder(self, directory: str) -> bool:
        """Return whether there is a folder *directory*, relative to this one."""
        prefix = "" if directory == "." else f"{directory}/"
        is_staged = any(path.startswith(prefix) for path in self._staged)
        return is_staged or self._head.has_folder(directory)
