"""A faster status for big worktrees, through a copy of the index that is ours.

Git looks into each folder of a worktree for new files, and reads again each file whose stat it
doubts; what it learns it may only keep in the index, which is the user's and not ours to write. So
a big worktree's status is asked through a copy of the index, which git may write: there it keeps
its untracked cache (git-update-index(1)) and what it has read. The copy is made anew whenever the
user's index is another file, and keeps its time, by which git tells entries that it must doubt.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from gitcache.core.units import format_bytes
from gitcache.errors import RepositoryError
from gitcache.git.memo import MemoFolder, stat_of
from gitcache.git.repository import Repository
from gitcache.git.status import QUESTION, WITH_CACHE, finish
from gitcache.shared_folder import make_shared_folder

LEAST: Final = 1 << 19
"""Bytes of an index from which a copy pays: those of about 5,000 files."""

_STALE_NS: Final = 60_000_000_000
"""Nanoseconds after which a lock on the copy is a killed git's: none takes so long to write it."""

_SETTINGS: Final = (
    *("core.untrackedCache=true", "status.showUntrackedFiles=all"),
    *("core.hooksPath=/dev/null", "core.splitIndex=false"),
)
"""What makes git keep what it learns, and in the copy alone: no hook hears of it."""


@dataclass(frozen=True, slots=True)
class PrivateIndex:
    """A copy of the user's index."""

    path: Path
    of: list[int]
    """The stat of the user's index that it is a copy of."""


def start_status(
    repository: Repository, memos: MemoFolder, calls: ExitStack, least: int = LEAST
) -> Callable[[], bytes]:
    """Start asking for the status of *repository*; the answer is what the result returns.

    Args:
        repository: the worktree.
        memos: where the copy lies.
        calls: what ends the question where nobody waits for the answer.
        least: the bytes of an index from which it is copied.
    """
    copy = _copied(repository, memos, least)
    if copy is None:
        plain = calls.enter_context(repository.git.start(*QUESTION))
        return lambda: finish(plain)
    git = replace(
        repository.git,
        environ={**repository.git.environ, "GIT_INDEX_FILE": str(copy.path)},
        config=_SETTINGS,
        may_lock=True,
    )
    call = calls.enter_context(git.start(*WITH_CACHE))

    def answer() -> bytes:
        with suppress(RepositoryError):
            told = finish(call)
            if stat_of(repository.index) == copy.of:
                return told
        with repository.git.start(*QUESTION) as plain:
            return finish(plain)

    return answer


def why_no_copy(repository: Repository, least: int = LEAST) -> str:
    """Return why the status is asked through the user's own index; empty: through a copy.

    A sparse worktree has no copy, since git writes trees where it unfolds its index.
    """
    stat = stat_of(repository.index)
    if stat is None:
        return "there is no index"
    if stat[0] < least:
        return f"the index has {format_bytes(stat[0])}, and a copy pays from {format_bytes(least)}"
    if "GIT_INDEX_FILE" in repository.git.environ:
        return "GIT_INDEX_FILE names another index"
    if os.path.lexists(repository.git_dir / "info" / "sparse-checkout"):
        return "the worktree is sparse"
    return ""


def _copied(repository: Repository, memos: MemoFolder, least: int) -> PrivateIndex | None:
    """Return a copy of the index as it is now; None where none pays or none can be had."""
    stat = stat_of(repository.index)
    if memos.path is None or stat is None or why_no_copy(repository, least):
        return None
    path = memos.path / "status-index"
    if memos.read("status").get("of") != stat or not path.exists():
        try:
            _copy(repository.index, path)
        except OSError:
            return None
        if stat_of(repository.index) != stat:
            return None
        memos.write("status", {"of": stat})
    return PrivateIndex(path, stat)


def _copy(index: Path, path: Path) -> None:
    """Copy *index* with its time to *path* in one step, and free *path* of a lock left behind."""
    make_shared_folder(path.parent)
    lock = path.with_name(f"{path.name}.lock")
    left = stat_of(lock)
    if left is not None and time.time_ns() - left[1] > _STALE_NS:
        lock.unlink(missing_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with open(index, "rb") as source:
            facts = os.fstat(source.fileno())
            beside.write_bytes(source.read())
        os.utime(beside, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
