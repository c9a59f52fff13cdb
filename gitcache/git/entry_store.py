"""The store: a blob for each key under ``refs/toolcache/``, shared by all worktrees.

Git writes, since its compare-and-swap on a ref is exact and its objects can be brought safely to
the disk; a blob and its ref count only once both are there. What can't be read is a miss, and what
is damaged is replaced, never a reason to stop. The bytes of an entry mean nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitcache.core.key import Key, parse_key
from gitcache.errors import StoreError, ToolcacheError
from gitcache.git.plumbing import GitError, ObjectReader
from gitcache.git.repository import Repository

PREFIX: Final = "refs/toolcache/"

_DURABLE: Final = ("core.fsync=loose-object,reference", "core.fsyncMethod=fsync")
"""An empty ref file breaks the user's ``git gc``, so both reach the disk before they count."""

_TRIES: Final = 5
"""How often a write is tried against other writers of the same key or a collector of objects."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What lies under a key."""

    oid: str
    blob: bytes | None
    """None where the ref names something that can't be read or is no blob."""


class EntryStore:
    """The entries of one repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._git = repository.git

    def read(self, key: Key, objects: ObjectReader) -> Stored | None:
        """Return what lies under *key*, or None where nothing does."""
        ref = PREFIX + key
        found = objects.read(ref)
        if found is not None:
            return Stored(found.oid, found.data if found.kind == "blob" else None)
        oid = self._resolve(ref)
        return Stored(oid, None) if oid else None

    def write(self, key: Key, make: Callable[[bytes | None], bytes]) -> None:
        """Store under *key* what *make* returns for what lies there.

        Args:
            key: where to store.
            make: gets the blob that lies there, or None, and returns the new one. It is asked
                again when another writer comes first.

        Raises:
            StoreError: it can't be stored; the message says why.
        """
        for _ in range(_TRIES - 1):
            try:
                return self._write_once(key, make)
            except GitError:
                self._remove_damaged(key)
        try:
            return self._write_once(key, make)
        except ToolcacheError as error:
            raise StoreError(f"the result can't be stored: {error.message}") from error

    def _write_once(self, key: Key, make: Callable[[bytes | None], bytes]) -> None:
        with self._git.objects() as objects:
            present = self.read(key, objects)
        blob = make(present.blob if present else None)
        answer = self._git.run("hash-object", "-w", "--stdin", stdin=blob, config=_DURABLE)
        oid = answer.decode("ascii").strip()
        old = present.oid if present else "0" * len(oid)
        self._git.run("update-ref", "--no-deref", PREFIX + key, oid, old, config=_DURABLE)

    def forget(self, keys: Iterable[Key]) -> int:
        """Remove the entries of *keys* in one transaction and return how many there were.

        Raises:
            StoreError: they can't be removed.
        """
        refs = sorted(PREFIX + key for key in keys)
        lines = "".join(f"option no-deref\ndelete {ref}\n" for ref in refs)
        try:
            self._git.run("update-ref", "--stdin", stdin=lines.encode("ascii"))
        except GitError as error:
            raise StoreError(f"the entries can't be removed: {error.message}") from error
        return len(refs)

    def all_keys(self) -> tuple[Key, ...]:
        """Return every key under which something is stored, sorted."""
        lines = self._git.run("for-each-ref", "--format=%(refname)", PREFIX).decode().split()
        names = (parse_key(line.removeprefix(PREFIX)) for line in lines)
        return tuple(name for name in names if name is not None)

    def entries(self) -> Iterator[tuple[Key, Stored]]:
        """Yield every key with what lies under it."""
        with self._git.objects() as objects:
            for key in self.all_keys():
                stored = self.read(key, objects)
                if stored is not None:
                    yield key, stored

    def _resolve(self, ref: str) -> str | None:
        """Return the object id that *ref* holds, whether or not the object is there."""
        try:
            return self._git.run("rev-parse", "--verify", "--quiet", ref).decode().strip() or None
        except GitError:
            return None

    def _remove_damaged(self, key: Key) -> None:
        """Remove the file of a ref that git itself can neither read nor replace."""
        path = Path(self._repository.common_dir, PREFIX, key)
        try:
            text = path.read_bytes().strip()
            is_oid = len(text) == len(self._repository.empty_tree) and text.isalnum()
            if not is_oid and not text.startswith(b"ref:"):
                path.unlink()
        except OSError:
            return  # not a loose ref, or gone, or not ours to remove: the next try tells
