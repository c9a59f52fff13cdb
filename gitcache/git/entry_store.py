"""The store: a blob for each key under ``refs/toolcache/``, shared by all worktrees.

Git writes (:mod:`gitcache.git.ref_blob`), since its compare-and-swap on a ref is exact. What can't
be read is a miss, and what is damaged is replaced, never a reason to stop. The bytes of an entry
mean nothing here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitcache.core.key import Key, parse_key
from gitcache.errors import StoreError, ToolcacheError
from gitcache.git.plumbing import GitError, ObjectReader
from gitcache.git.ref_blob import PATIENCE, write_ref
from gitcache.git.repository import Repository

PREFIX: Final = "refs/toolcache/"

_SHADOWS: Final = ("refs/", "refs/tags/", "refs/heads/", "refs/remotes/")
"""Where git looks for a name that is no ref itself (gitrevisions(7)).

A clone takes the tags of others, so a tag of that name must not answer for a ref that is not there.
"""

_NO_SUCH_REF: Final = 1
"""The status of ``git show-ref --verify --quiet`` for a ref that is not there or can't be read."""

_TRIES: Final = 5
"""How often a write over the same state is tried against damage and a collector of objects."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What lies under a key."""

    oid: str | None
    """What the ref names; None where the ref itself can't be read."""

    blob: bytes | None
    """None where the ref names something that can't be read or is no blob."""


class EntryStore:
    """The entries of one repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._git = repository.git

    def read(self, key: Key, objects: ObjectReader) -> Stored | None:
        """Return what lies under *key*, or None where nothing does.

        Raises:
            RepositoryError: git can't tell.
        """
        ref = PREFIX + key
        found = objects.read(ref)
        if found is None or _is_shadowed(ref, objects):
            is_file = _is_file(self._path(ref))
            oid = self._oid(ref)
            if oid is None:
                return Stored(None, None) if is_file else None
            found = objects.read(oid)
            if found is None:
                return Stored(oid, None)
        return Stored(found.oid, found.data if found.kind == "blob" else None)

    def write(self, key: Key, make: Callable[[bytes | None], bytes]) -> None:
        """Store under *key* what *make* returns for what lies there.

        Args:
            key: where to store.
            make: gets the blob that lies there, or None, and returns the new one. It is asked
                again when another writer comes first.

        Raises:
            StoreError: it can't be stored; the message says why.
        """
        try:
            self._write(key, make)
        except ToolcacheError as error:
            raise StoreError(f"the result can't be stored: {error.message}") from error

    def _write(self, key: Key, make: Callable[[bytes | None], bytes]) -> None:
        """Write until it succeeds; another writer's success starts the count of tries anew."""
        tries, oid = 0, None
        while True:
            with self._git.objects() as objects:
                present = self.read(key, objects)
            before, oid = oid, present.oid if present else None
            tries = tries + 1 if oid == before else 1
            blob = make(present.blob if present else None)
            try:
                return write_ref(self._repository, PREFIX + key, oid, blob)
            except GitError:
                if tries == _TRIES:
                    raise
                self._remove_damaged(PREFIX + key)

    def forget(self, keys: Iterable[Key]) -> None:
        """Remove the entries of *keys* in one transaction; one that is gone already is no error.

        Raises:
            StoreError: they can't be removed.
        """
        refs = sorted({PREFIX + key for key in keys})
        try:
            try:
                self._delete(refs)
            except GitError:
                readable = self._refs()
                for ref in refs:
                    if ref not in readable:
                        self._remove_damaged(ref)
                self._delete(refs)
        except ToolcacheError as error:
            raise StoreError(f"the entries can't be removed: {error.message}") from error

    def _delete(self, refs: Iterable[str]) -> None:
        lines = "".join(f"option no-deref\ndelete {ref}\n" for ref in refs)
        self._git.run("update-ref", "--stdin", stdin=lines.encode("ascii"), config=PATIENCE)

    def all_keys(self) -> tuple[Key, ...]:
        """Return every key under which something is stored, sorted."""
        names = (parse_key(ref.removeprefix(PREFIX)) for ref in sorted(self._refs()))
        return tuple(name for name in names if name is not None)

    def entries(self) -> Iterator[tuple[Key, Stored]]:
        """Yield every key with what lies under it."""
        with self._git.objects() as objects:
            for key in self.all_keys():
                stored = self.read(key, objects)
                if stored is not None:
                    yield key, stored

    def newest_first(self) -> Iterator[tuple[Key, bytes]]:
        """Yield every key whose blob can be read with that blob, those written last first.

        A blob has no date, so a ref's file tells; refs that git has packed have none and come last,
        in the order of their names. Whoever stops early has cost git no more than what was read.

        Raises:
            RepositoryError: git can't tell.
        """
        answer = self._git.run("for-each-ref", "--format=%(objectname) %(refname)", PREFIX)
        oids = {ref: oid for oid, ref in map(str.split, os.fsdecode(answer).splitlines())}
        written = _written_at(self._path(PREFIX))
        with self._git.objects() as objects:
            for ref in sorted(oids, key=lambda ref: (-written.get(ref, 0), ref)):
                key = parse_key(ref.removeprefix(PREFIX))
                found = objects.read(oids[ref]) if key is not None else None
                if key is not None and found is not None and found.kind == "blob":
                    yield key, found.data

    def _refs(self) -> frozenset[str]:
        """Return the names of the refs that git can read."""
        answer = self._git.run("for-each-ref", "--format=%(refname)", PREFIX)
        return frozenset(os.fsdecode(answer).splitlines())

    def _oid(self, ref: str) -> str | None:
        """Return the object id that *ref* itself holds, whether or not the object is there."""
        try:
            self._git.run("show-ref", "--verify", "--quiet", ref)
        except GitError as error:
            if error.returned == _NO_SUCH_REF:
                return None
        return self._git.run("rev-parse", "--verify", ref).decode("ascii").strip()

    def _path(self, ref: str) -> Path:
        """Return the file that holds *ref* while it is not packed."""
        return self._repository.common_dir / ref

    def _remove_damaged(self, ref: str) -> None:
        """Remove the file of a ref that git itself can neither read nor replace.

        Git's own lock on the ref is held meanwhile, so that no good ref can have come in between.
        What can't be locked or removed is left to the next try, which tells why.
        """
        path = self._path(ref)
        if not _is_file(path):
            return
        lock = path.with_name(f"{path.name}.lock")
        with suppress(OSError):
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
            try:
                if self._oid(ref) is None:
                    path.unlink()
            finally:
                lock.unlink()


def _is_file(path: Path) -> bool:
    """Return whether there is something that is no folder; git leaves empty folders behind."""
    return os.path.lexists(path) and (path.is_symlink() or not path.is_dir())


def _written_at(folder: Path) -> dict[str, int]:
    """Return ref → when it was written, in nanoseconds, of each that is a file in *folder*.

    A file that goes meanwhile is left out.
    """
    times: dict[str, int] = {}
    with suppress(OSError), os.scandir(folder) as files:
        for file in files:
            with suppress(OSError):
                times[PREFIX + file.name] = file.stat(follow_symlinks=False).st_mtime_ns
    return times


def _is_shadowed(ref: str, objects: ObjectReader) -> bool:
    """Return whether another ref may have answered to the name *ref*."""
    names = (*(place + ref for place in _SHADOWS), f"refs/remotes/{ref}/HEAD")
    return any(objects.read(name) is not None for name in names)
