"""How the store is: how many refs, in which form, how big, and what is wrong with them.

It only reads. What lies in the files of refs is git's to tell, so a file is damaged where git does
not list it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from gitcache.core.entry import decode
from gitcache.core.key import Key, parse_key
from gitcache.git.entry_store import PREFIX
from gitcache.git.plumbing import ObjectReader
from gitcache.git.repository import Repository

READ_AT_MOST: Final = 1000
"""Entries that are read to see whether they can be used: half a millisecond each."""


@dataclass(frozen=True, slots=True)
class StoreFacts:
    """What lies under ``refs/toolcache/``."""

    storage: Literal["files", "reftable"]
    loose: int
    """Refs that are files of their own."""

    packed: int
    """Refs in git's one file for many, or in its tables."""

    disk_bytes: int
    """Bytes that the blobs take as git has them, compressed; each counts once."""

    read: int
    """Entries that were read, at most :data:`READ_AT_MOST`."""

    unusable: int
    """Those of them that no version of this kind reads: damaged, foreign, of another format."""

    foreign: tuple[str, ...]
    """Refs whose name is no key."""

    missing: tuple[str, ...]
    """Refs that name an object which is not there."""

    empty_files: tuple[Path, ...]
    """Files of refs without a byte, which stop ``git gc``."""

    broken_files: tuple[Path, ...]
    """Other files among the refs that git can't read as one."""

    @property
    def refs(self) -> int:
        """How many refs git can read."""
        return self.loose + self.packed


@dataclass(frozen=True, slots=True)
class StoreSize:
    """How much is stored."""

    entries: int
    """Refs whose name is a key and whose object is there."""

    disk_bytes: int
    """Bytes that the blobs take as git has them, compressed; each counts once."""


def store_size(repository: Repository) -> StoreSize:
    """Return how much the store of *repository* holds, without reading an entry.

    Raises:
        RepositoryError: git can't tell.
    """
    refs = _refs(repository)
    kinds, disk_bytes = _objects(repository, refs.values())
    keyed = [ref for ref, oid in refs.items() if oid in kinds and _key_of(ref) is not None]
    return StoreSize(len(keyed), disk_bytes)


def store_facts(repository: Repository, objects: ObjectReader) -> StoreFacts:
    """Return how the store of *repository* is.

    Args:
        repository: where.
        objects: reads its entries.

    Raises:
        RepositoryError: git can't tell.
    """
    refs = _refs(repository)
    files = dict(_ref_files(repository.common_dir))
    kinds, disk_bytes = _objects(repository, refs.values())
    missing = tuple(ref for ref, oid in refs.items() if oid not in kinds)
    keyed = {ref: key for ref in refs if (key := _key_of(ref)) is not None}
    readable = [ref for ref in keyed if ref not in missing][:READ_AT_MOST]
    unread = [path for ref, path in files.items() if ref not in refs]
    return StoreFacts(
        storage="reftable" if (repository.common_dir / "reftable").is_dir() else "files",
        loose=len(files.keys() & refs.keys()),
        packed=len(refs.keys() - files.keys()),
        disk_bytes=disk_bytes,
        read=len(readable),
        unusable=sum(not _is_usable(objects, refs[ref], keyed[ref]) for ref in readable),
        foreign=tuple(ref for ref in refs if ref not in keyed),
        missing=missing,
        empty_files=tuple(path for path in unread if _is_empty(path)),
        broken_files=tuple(path for path in unread if not _is_empty(path)),
    )


def _key_of(ref: str) -> Key | None:
    return parse_key(ref.removeprefix(PREFIX))


def _refs(repository: Repository) -> dict[str, str]:
    """Return ref → object id, of all refs of the store that git can read, sorted."""
    answer = repository.git.run("for-each-ref", "--format=%(objectname) %(refname)", PREFIX)
    pairs = (line.split(" ", 1) for line in os.fsdecode(answer).splitlines())
    return {ref: oid for oid, ref in pairs}


def _ref_files(common_dir: Path) -> Iterator[tuple[str, Path]]:
    """Yield ref and path of each file of the store's refs, those of locks left out."""
    for folder, _, names in os.walk(common_dir / PREFIX):
        for name in sorted(names):
            if not name.endswith(".lock"):
                path = Path(folder, name)
                yield path.relative_to(common_dir).as_posix(), path


def _objects(repository: Repository, oids: Iterable[str]) -> tuple[Mapping[str, str], int]:
    """Return the kind of each of *oids* that is there, and the bytes that all of them take.

    Nothing that is missing is fetched from anywhere (``GIT_NO_LAZY_FETCH``, git(1)).
    """
    names = "".join(f"{oid}\n" for oid in sorted(set(oids))).encode("ascii")
    git = replace(repository.git, environ={**repository.git.environ, "GIT_NO_LAZY_FETCH": "1"})
    question = "--batch-check=%(objectname) %(objecttype) %(objectsize:disk)"
    answer = git.run("cat-file", question, stdin=names).decode("ascii")
    found = [line.split(" ") for line in answer.splitlines() if not line.endswith(" missing")]
    return {oid: kind for oid, kind, _ in found}, sum(int(size) for _, _, size in found)


def _is_usable(objects: ObjectReader, oid: str, key: Key) -> bool:
    found = objects.read(oid)
    if found is None or found.kind != "blob":
        return False
    try:
        return decode(found.data).key == key
    except ValueError:
        return False


def _is_empty(path: Path) -> bool:
    try:
        return not path.is_symlink() and os.stat(path).st_size == 0
    except OSError:
        return False
