"""The content of one installed folder, such as ``node_modules`` or ``.venv``, as a digest.

Git hashes it as it hashes a tree, into a private index that is kept (:mod:`.installed_git`), so
that a later look only compares stats: every file that changed since has another time of change
(ctime), size or inode. A file enters the kept index only once it has been left alone for longer
than a tick of any file system's clock; until then it is read at each look.

What counts: each file's path, bytes and executable bit, and each symbolic link's text. What does
not: empty folders, ``.git`` folders, sockets and pipes, and what
:data:`~gitcache.git.installed_git.NOT_COUNTED` names. A nested repository counts by its files.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gitcache.git.disk import LINK
from gitcache.git.installed_content import Line, digest_of, parse_lines
from gitcache.git.installed_git import InstalledGit
from gitcache.git.memo import is_settled, stat_of
from gitcache.git.plumbing import Git, GitCall, GitError
from gitcache.git.repository import Repository

MISSING: Final = "missing"
"""The digest of a folder that is not there."""

_AT_ONCE: Final = 8
"""Folders that git looks into at the same time, with two processes each: more wait for the disk."""

_CHANGED: Final = ("diff-files", "--name-status", "-z", "--no-renames")
_OTHERS: Final = ("ls-files", "--others", "-z")
_ADD: Final = ("update-index", "--add", "--remove", "--replace", "--info-only", "-z", "--stdin")
_REMOVE: Final = ("update-index", "--force-remove", "-z", "--stdin")
_LIST: Final = ("ls-files", "--stage", "-z")


@dataclass(frozen=True, slots=True)
class FolderLook:
    """What an installed folder holds."""

    digest: str
    """Of its content; :data:`MISSING` where there is no folder."""

    leads: tuple[Path, ...] = ()
    """Where its symbolic links lead out of it, resolved, in the order of the links' names."""


def folder_tree(repository: Repository, folder: Path) -> str:
    """Return the digest of the content of *folder*; errors as :func:`look_into`."""
    return look_into(repository, [folder], time.time_ns())[folder].digest


def look_into(
    repository: Repository, folders: Sequence[Path], now_ns: int
) -> Mapping[Path, FolderLook]:
    """Return what each of *folders* holds; git looks into some of them at the same time.

    Args:
        repository: whose common dir keeps the indexes, and whose top is the path that counts as a
            placeholder.
        folders: installed folders, which need not exist.
        now_ns: nanoseconds since the epoch.

    Raises:
        RepositoryError: a part of a folder can't be read, or the index of it can't be written.
    """
    looks: dict[Path, FolderLook] = {}
    for start in range(0, len(folders), _AT_ONCE):
        with ExitStack() as calls:
            some = folders[start : start + _AT_ONCE]
            answers = {each: _start(repository, each, now_ns, calls) for each in some}
            looks.update({each: answer() for each, answer in answers.items()})
    return looks


def _start(
    repository: Repository, folder: Path, now_ns: int, calls: ExitStack
) -> Callable[[], FolderLook]:
    """Start the look into *folder*; it ends when the result is called."""
    if not os.path.isdir(folder):
        return lambda: FolderLook(MISSING)
    installed = InstalledGit.of(repository, folder)
    top = str(repository.top)
    stat = stat_of(installed.index)
    changes = _Changes(installed, calls)

    def answer() -> FolderLook:
        with suppress(GitError):  # an index that can't be read is made anew, the rest is told then
            if changes.is_none() and stat == stat_of(installed.index):
                look = _remembered(installed, stat, top)
                if look is not None:
                    return look
            return _look_anew(installed, top, now_ns)
        installed.index.unlink(missing_ok=True)
        return _look_anew(installed, top, now_ns)

    return answer


class _Changes:
    """Git's two questions, side by side: which files differ from the index, which are not in it."""

    def __init__(self, installed: InstalledGit, calls: ExitStack) -> None:
        self._installed = installed
        self._changed = calls.enter_context(installed.git.start(*_CHANGED))
        self._others = calls.enter_context(installed.git.start(*_OTHERS, *installed.exceptions()))

    def is_none(self) -> bool:
        """Wait for the answers and return whether the index tells the folder's content."""
        changed, others = _all_of(self._changed), _all_of(self._others)
        return not changed and not others

    def paths(self) -> tuple[list[bytes], list[bytes]]:
        """Wait for the answers and return the paths that are gone, and those to be read."""
        words = _all_of(self._changed).split(b"\0")[:-1]
        changed = list(zip(words[1::2], words[::2], strict=True))
        gone = [path for path, status in changed if status == b"D"]
        read = [path for path, status in changed if status != b"D"]
        return gone, [*read, *_files(self._installed, _all_of(self._others))]


def _all_of(call: GitCall) -> bytes:
    """Return what *call* answers; a warning means that it could not look everywhere."""
    return call.finish(may_warn=False)


def _files(installed: InstalledGit, others: bytes) -> Iterator[bytes]:
    """Yield the paths in *others*, and for a nested repository those of its files."""
    for path in others.split(b"\0")[:-1]:
        if not path.endswith(b"/"):
            yield path
            continue
        nested = installed.nested(os.fsdecode(path))
        with nested.git.start(*_OTHERS, *nested.exceptions()) as call:
            yield from (path + each for each in _files(nested, _all_of(call)))


def _look_anew(installed: InstalledGit, top: str, now_ns: int) -> FolderLook:
    """Bring the index up to date and return what it says."""
    with installed.with_copy() as lent:
        with ExitStack() as calls:
            gone, read = _Changes(lent, calls).paths()
        _update(lent.git, _REMOVE, gone)
        _update(lent.git, _ADD, read)
        lines = parse_lines(lent.git.run(*_LIST))
        memo = {
            "digest": digest_of(lines, lent.folder, top),
            "links": [os.fsdecode(each) for each in _leading_out(lines, lent.folder)],
        }
        unsettled = [each for each in read if not _is_settled(lent.folder, each, now_ns)]
        _update(lent.git, _REMOVE, unsettled)
        stat = lent.keep()
        if stat is not None and not unsettled:
            installed.memos.write(_memo_of(top), {**memo, "stat": stat})
        return _from_memo(memo, installed.folder)


def _update(git: Git, question: Sequence[str], paths: Sequence[bytes]) -> None:
    if paths:
        with git.start(*question) as call:
            call.finish(b"".join(path + b"\0" for path in paths), may_warn=False)


def _is_settled(folder: Path, path: bytes, now_ns: int) -> bool:
    return is_settled(stat_of(folder / os.fsdecode(path)), now_ns)


def _leading_out(lines: Iterable[Line], folder: Path) -> Iterator[bytes]:
    """Yield the links of *folder* that lead out of it, or might since they are absolute."""
    top = os.fsencode(folder)
    for line in lines:
        if line.mode == LINK.encode("ascii"):
            path = os.path.join(top, line.path)
            with suppress(OSError):  # gone since, which the next look tells
                if os.readlink(path).startswith(b"/") or not _holds(top, os.path.realpath(path)):
                    yield line.path


def _holds(folder: bytes, path: bytes) -> bool:
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def _memo_of(top: str) -> str:
    """Return the name of the memo for the worktree *top*, whose path is a placeholder."""
    return f"memo-{hashlib.sha256(os.fsencode(top)).hexdigest()[:16]}"


def _remembered(installed: InstalledGit, stat: list[int] | None, top: str) -> FolderLook | None:
    """Return what the index with *stat* said when it was last listed, if that is known."""
    memo = installed.memos.read(_memo_of(top))
    with suppress(KeyError, TypeError, ValueError):  # a foreign memo is none
        if stat is not None and memo["stat"] == stat:
            return _from_memo(memo, installed.folder)
    return None


def _from_memo(memo: Mapping[str, Any], folder: Path) -> FolderLook:
    """Return *memo* as a look; links are followed each time, as what lies outside may move."""
    paths = [os.path.realpath(folder / each) for each in memo["links"]]
    top = os.fsencode(folder)
    leads = [Path(each) for each in paths if not _holds(top, os.fsencode(each))]
    return FolderLook(str(memo["digest"]), tuple(dict.fromkeys(leads)))
