"""Objects that are made here and a ref to the last of them, brought into the repository as one.

Their ids are known before git has seen them, so trees and commits that name each other need one
process for all, which reads them as a pack. What :mod:`gitcache.git.ref_blob` says of the disk and
of a ``git gc`` at work holds here too.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from gitcache.errors import StoreError
from gitcache.git.plumbing import GitError
from gitcache.git.ref_blob import DURABLE, LASTING, PATIENCE, is_collecting, release
from gitcache.git.repository import ObjectFormat, Repository

Kind = Literal["commit", "tree", "blob"]

_TYPES: Final[dict[Kind, int]] = {"commit": 1, "tree": 2, "blob": 3}
"""The number of each kind in a pack (gitformat-pack(5))."""

_UNLOGGED: Final = "core.logAllRefUpdates=false"
"""A log of the ref would keep alive all that it ever named."""


_TRIES: Final = 5
"""How often objects are brought in anew because a collector took them; it passes each but once."""


@dataclass(frozen=True, slots=True)
class NewObject:
    """An object that may not be in the repository yet."""

    kind: Kind
    data: bytes

    def oid(self, object_format: ObjectFormat) -> str:
        """Return the object's id in hex."""
        header = f"{self.kind} {len(self.data)}\0".encode("ascii")
        return hashlib.new(object_format, header + self.data).hexdigest()


def write_with_ref(
    repository: Repository, objects: Sequence[NewObject], ref: str, old: str | None
) -> None:
    """Let *ref* itself name the last of *objects*, all of which are in the repository then.

    Args:
        repository: where.
        objects: what to bring in; whatever else they name is reachable from *old*.
        ref: the full name; a symbolic ref is replaced and its target left alone.
        old: the object that it names now; None: there must be no such ref.

    Raises:
        StoreError: there is no room, or no right to write.
        GitError: the ref names something else by now, or it can't be written.
    """
    oids = [each.oid(repository.object_format) for each in objects]
    pack = pack_of(objects, repository.object_format)
    keep = _add(repository, pack)
    try:
        words = ("update-ref", "--no-deref", ref, oids[-1], old or "0" * len(oids[-1]))
        repository.git.run(*words, config=(*DURABLE, *PATIENCE, _UNLOGGED))
    finally:
        release(keep)
    if keep is None and not (_are_loose(repository, oids) and not is_collecting(repository)):
        release(_add(repository, pack))  # a gc that began before the ref was there may take them


def pack_of(objects: Sequence[NewObject], object_format: ObjectFormat) -> bytes:
    """Return a pack of *objects*, each whole (gitformat-pack(5))."""
    parts = [b"PACK" + struct.pack(">II", 2, len(objects))]
    for each in objects:
        parts += [_header(_TYPES[each.kind], len(each.data)), zlib.compress(each.data)]
    data = b"".join(parts)
    return data + hashlib.new(object_format, data).digest()


def _header(number: int, size: int) -> bytes:
    """Return type and size: four bits of the size, then seven at a time, the lowest first."""
    marks = [number << 4 | size & 15]
    size >>= 4
    while size:
        marks[-1] |= 0x80
        marks.append(size & 0x7F)
        size >>= 7
    return bytes(marks)


def _add(repository: Repository, pack: bytes) -> Path | None:
    """Bring in what is in *pack*; return the file that keeps it, None where no gc is at work."""
    for _ in range(_TRIES - 1):
        try:
            return _try_to_add(repository, pack)
        except GitError as error:  # a collector takes unfinished files too
            if any(reason in error.stderr for reason in LASTING):
                raise StoreError(error.message) from error
    return _try_to_add(repository, pack)


def _try_to_add(repository: Repository, pack: bytes) -> Path | None:
    if not is_collecting(repository):
        repository.git.run("unpack-objects", "-q", stdin=pack, config=DURABLE)
        return None
    name = f"pack-{pack[-hashlib.new(repository.object_format).digest_size :].hex()}"
    place = repository.objects / "pack" / name
    try:
        repository.git.run("index-pack", "--stdin", "--keep=toolcache", stdin=pack, config=DURABLE)
    except GitError:
        _remove_unfinished(place)
        raise
    return place.with_suffix(".keep")


def _remove_unfinished(pack: Path) -> None:
    """Remove what git leaves of a *pack*, named without suffix, whose index it could not write."""
    pack.with_suffix(".keep").unlink(missing_ok=True)
    if not pack.with_suffix(".idx").exists():
        for suffix in (".pack", ".rev"):
            pack.with_suffix(suffix).unlink(missing_ok=True)


def _are_loose(repository: Repository, oids: Sequence[str]) -> bool:
    return all((repository.objects / oid[:2] / oid[2:]).exists() for oid in oids)
