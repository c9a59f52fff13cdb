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
    """The files of the index."""

    def __init__(self, objects: ObjectReader, snapshot: Snapshot) -> None:
        self._objects = objects
        self._head = TreeFolder(objects, snapshot.head_tree)
        self._changes = {each.path: each for each in snapshot.changes}
        self._staged = [each.path for each in snapshot.changes if not each.is_removal]

    @property
    def names(self) -> frozenset[str]:
        """The names of its entries; a folder whose files are all removed is still among them."""
        return self._with_changes(self._head.names, "")

    def names_in(self, folder: str) -> frozenset[str]:
        """Return the names in *folder*, directly in this one; none where it is a link or none."""
        return self._with_changes(self._head.names_in(folder), f"{folder}/")

    def _with_changes(self, names: frozenset[str], prefix: str) -> frozenset[str]:
        """Return *names*, HEAD's entries below *prefix*, as the staged changes have them."""
        changed = {path.removeprefix(prefix) for path in self._changes if path.startswith(prefix)}
        staged = (path.removeprefix(prefix) for path in self._staged if path.startswith(prefix))
        return (names - changed) | {path.split("/", 1)[0] for path in staged}

    def read(self, path: str, at_most: int | None = None) -> bytes | None:
        """Return the content of the file *path*; None where there is none, or a staged link.

        Args:
            path: relative to this folder.
            at_most: how many bytes of its beginning are wanted; None: all.
        """
        change = self._changes.get(path)
        if change is None:
            return self._head.read(path, at_most)
        found = self._objects.read(change.oid) if change.mode in _FILES else None
        return found.data[:at_most] if found is not None else None

    def has_folder(self, directory: str) -> bool:
        """Return whether there is a folder *directory*, relative to this one."""
        prefix = "" if directory == "." else f"{directory}/"
        is_staged = any(path.startswith(prefix) for path in self._staged)
        return is_staged or self._head.has_folder(directory)
