"""Brings a blob under a ref: exactly, onto the disk, and past a ``git gc`` that is at work.

``git gc --prune=now`` removes every loose object that had no ref when it looked, also one that got
its ref a moment later, and so leaves a ref to nothing, over which each later gc fails. While one is
at work, a new blob is therefore put into a pack of its own that carries git's mark ``.keep``, until
its ref is there: such packs, and packs made later, are none that it removes.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from gitcache.errors import StoreError
from gitcache.git.plumbing import GitError
from gitcache.git.repository import Repository

DURABLE: Final = ("core.fsync=loose-object,pack,pack-metadata,reference", "core.fsyncMethod=fsync")
"""An empty ref file breaks the user's ``git gc``, so all reaches the disk before it counts."""

PATIENCE: Final = ("core.filesRefLockTimeout=200", "core.packedRefsTimeout=1000")
"""Milliseconds to wait for git's locks: about git's own, whereas a user may say for ever."""

LASTING: Final = (
    *("No space left on device", "Disk quota exceeded", "File too large"),
    *("Read-only file system", "Permission denied", "insufficient permission"),
)
"""What git says where the next try would fail as well."""

_TRIES: Final = 5
"""How often a blob is packed anew because the collector took it first; it passes each only once."""


def write_ref(repository: Repository, ref: str, old: str | None, blob: bytes) -> None:
    """Let *ref* itself name *blob*.

    Args:
        repository: where.
        ref: the full name; a symbolic ref is replaced and its target left alone.
        old: the object that it names now; None: there must be no such ref.
        blob: the bytes.

    Raises:
        GitError: the ref names something else by now, or it can't be written.
    """
    oid = _add(repository, blob)
    keep = _pack_for_keeps(repository, oid, blob)
    try:
        words = ("update-ref", "--no-deref", ref, oid, old or "0" * len(oid))
        repository.git.run(*words, config=(*DURABLE, *PATIENCE))
    finally:
        release(keep)
    if keep is None:  # and so no gc was at work; one may have begun before the ref was there
        keep = _pack_for_keeps(repository, oid, blob)
        release(keep)
        if keep is None and not os.path.exists(repository.objects / oid[:2] / oid[2:]):
            _add(repository, blob)


def _add(repository: Repository, blob: bytes) -> str:
    """Return the id of *blob*, which is among the repository's objects then.

    Raises:
        StoreError: there is no room for it, or no right to write it: another try leaves only dirt.
        GitError: it can't be written for another reason, such as a collector at work.
    """
    try:
        answer = repository.git.run("hash-object", "-w", "--stdin", stdin=blob, config=DURABLE)
    except GitError as error:
        if any(reason in error.stderr for reason in LASTING):
            raise StoreError(error.message) from error
        raise
    return answer.decode("ascii").strip()


def _pack_for_keeps(repository: Repository, oid: str, blob: bytes) -> Path | None:
    """Put *blob* into a kept pack and return the file that keeps it; None: no gc is at work."""
    if not is_collecting(repository):
        return None
    for _ in range(_TRIES - 1):
        with suppress(GitError):  # the collector took the object first
            return _pack(repository, oid)
        _add(repository, blob)
    return _pack(repository, oid)


def _pack(repository: Repository, oid: str) -> Path:
    git = repository.git
    pack = git.run("pack-objects", "-q", "--stdout", stdin=oid.encode("ascii"))
    answer = git.run("index-pack", "--stdin", "--keep=toolcache", stdin=pack, config=DURABLE)
    name = answer.decode("ascii").split()[-1]
    return repository.objects / "pack" / f"pack-{name}.keep"


def release(keep: Path | None) -> None:
    """Let the next gc treat the pack as any other."""
    if keep is not None:
        keep.unlink(missing_ok=True)


def is_collecting(repository: Repository) -> bool:
    """Return whether a ``git gc`` is at work here, by the note that it keeps: its pid and host."""
    try:
        pid, _ = (repository.common_dir / "gc.pid").read_bytes().split()
        os.kill(int(pid), 0)
    except PermissionError:
        return True  # it is another user's
    except (OSError, ValueError, OverflowError):
        return False
    return True
