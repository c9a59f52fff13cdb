"""What lies on the disk below a worktree's top: modes and object ids of single paths.

Ids of files come from git, either converted as git would store them or raw as the bytes are; a
link's is computed here, since git follows links. Whatever can't be read is refused.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitcache.errors import RepositoryError
from gitcache.git.plumbing import GitError
from gitcache.git.repository import Repository

FILE: Final = "100644"
PROGRAM: Final = "100755"
LINK: Final = "120000"

_SPECIAL: Final = {
    ord('"'): b'\\"',
    ord("\\"): b"\\\\",
    ord("\n"): b"\\n",
    ord("\r"): b"\\r",
}
"""Bytes that git's quoted names spell with a backslash."""


@dataclass(frozen=True, slots=True)
class DiskFile:
    """A file that was read from the disk for a snapshot."""

    stored: str
    """Its id in the snapshot."""

    raw: str
    """The id of its bytes."""


def mode_on_disk(repository: Repository, path: str, counts_file_mode: bool = True) -> str:
    """Return the mode that ``git add`` would give to *path*.

    Args:
        repository: the worktree.
        path: relative to its top.
        counts_file_mode: whether an executable bit means anything (``core.fileMode``).

    Raises:
        RepositoryError: it is not there, or neither a file nor a link.
    """
    try:
        mode = os.lstat(repository.top / path).st_mode
    except OSError as error:
        raise RepositoryError(f"{path} can't be looked at: {error.strerror}") from error
    if stat.S_ISLNK(mode):
        return LINK
    if not stat.S_ISREG(mode):
        raise RepositoryError(f"{path} is neither a file nor a link")
    return PROGRAM if mode & stat.S_IXUSR and counts_file_mode else FILE


def link_oid(repository: Repository, path: str) -> str:
    """Return the id of the blob that holds the target of the symbolic link *path*."""
    try:
        target = os.fsencode(os.readlink(repository.top / path))
    except OSError as error:
        raise RepositoryError(f"{path} can't be read: {error.strerror}") from error
    return hashlib.new(repository.object_format, b"blob %d\0%s" % (len(target), target)).hexdigest()


def stored_oids(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Return the ids of the files *paths* as git would store them, filters and line ends included.

    Git's rule for files whose index entry has CRLF already is not applied.
    """
    return _hash_files(repository, paths, ())


def raw_oids(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Return the ids of the bytes that the files *paths* hold."""
    return _hash_files(repository, paths, ("--no-filters",))


def _hash_files(
    repository: Repository, paths: Sequence[str], options: tuple[str, ...]
) -> list[str]:
    if not paths:
        return []
    names = b"".join(_quoted(path) + b"\n" for path in paths)
    try:
        answer = repository.git.run("hash-object", *options, "--stdin-paths", stdin=names)
    except GitError as error:
        raise RepositoryError(f"a changed file can't be read: {error.stderr}") from error
    return answer.decode("ascii").split()


def _quoted(path: str) -> bytes:
    """Return *path* as a line for ``--stdin-paths``, quoted as C where a line can't hold it."""
    name = os.fsencode(path)
    if b"\n" not in name and not name.startswith(b'"') and not name.endswith(b"\r"):
        return name
    return b'"' + b"".join(_SPECIAL.get(byte, bytes([byte])) for byte in name) + b'"'


def files_below(folder: Path) -> Iterator[Path]:
    """Yield every path below *folder* that is no folder, sorted; links are not followed.

    Raises:
        RepositoryError: a folder can't be listed.
    """
    waiting = [str(folder)]
    while waiting:
        current = waiting.pop()
        try:
            entries = sorted(os.scandir(current), key=lambda entry: entry.name)
        except OSError as error:
            raise RepositoryError(f"{current} can't be listed: {error.strerror}") from error
        yield from (Path(each.path) for each in entries if not each.is_dir(follow_symlinks=False))
        waiting += [each.path for each in entries if each.is_dir(follow_symlinks=False)]
