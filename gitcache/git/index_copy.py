"""Asks git what it would store for files, through a copy of the index that is thrown away."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence

from gitcache.errors import RepositoryError
from gitcache.git.plumbing import GitError
from gitcache.git.repository import Repository

_REMOVE = ("update-index", "--force-remove", "-z", "--stdin")
_ADD = ("update-index", "--add", "--replace", "-z", "--stdin")

_LENIENT_AND_FAST = ("core.safecrlf=false", "core.compression=0")


def oids_by_index(
    repository: Repository, paths: Sequence[str], gone: Sequence[str]
) -> dict[str, str]:
    """Return path → id of the files *paths* as ``git add`` would store them here and now.

    Git leaves line ends alone where the index has CRLF already, which only a look through the index
    tells. The copy keeps the index's time: with a fresh one git would take files for unchanged that
    were edited as the index was written. Objects are really written, into a folder of their own,
    since git tells a wrong encoding only then. What ``core.safecrlf`` refuses is certain anyway.

    Args:
        repository: the worktree.
        paths: files on the disk.
        gone: tracked files that are not on the disk; what they said of *paths* holds no more.

    Raises:
        RepositoryError: git refuses to add one of them.
    """
    with tempfile.TemporaryDirectory(prefix="git-toolcache-") as folder:
        copy = os.path.join(folder, "index")
        _copy_with_time(repository.index, copy)
        git = repository.writing_aside(folder, copy)
        try:
            if gone:
                git.run(*_REMOVE, stdin=_listed(gone))
            git.run(*_ADD, stdin=_listed(paths), config=_LENIENT_AND_FAST)
            listed = git.run("ls-files", "-s", "-z").split(b"\0")[:-1]
        except GitError as error:
            raise RepositoryError(f"git can't add a changed file: {error.stderr}") from error
    wanted = set(paths)
    entries = (os.fsdecode(line).split("\t", 1) for line in listed)
    oids = {path: facts.split(" ")[1] for facts, path in entries if path in wanted}
    if wanted - oids.keys():
        raise RepositoryError(f"git can't add {min(wanted - oids.keys())}")
    return oids


def _listed(paths: Sequence[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _copy_with_time(index: os.PathLike[str], copy: str) -> None:
    """Copy *index* with its modification time; no index is an empty one."""
    try:
        with open(index, "rb") as source:
            facts = os.fstat(source.fileno())
            data = source.read()
    except FileNotFoundError:
        return
    with open(copy, "wb") as target:
        target.write(data)
    os.utime(copy, ns=(facts.st_atime_ns, facts.st_mtime_ns))
