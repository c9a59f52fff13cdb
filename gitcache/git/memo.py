"""Small files that make a repeated look cheap: what was found, under what it was found from.

A memo is never the truth. One that is lost, torn, foreign or can't be written costs time and
nothing else, so each carries all that it depends on and its reader compares that first.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Any

from gitcache.core.clock_tick import TICK_NS
from gitcache.shared_folder import make_shared_folder


@dataclass(frozen=True, slots=True)
class MemoFolder:
    """Where the memos of one worktree and index lie; None: nothing is remembered."""

    path: Path | None

    @classmethod
    def of_index(cls, common_dir: Path, index: Path) -> MemoFolder:
        """Return the folder for looks through the index file *index*."""
        if index.suffix == ".lock":  # of one commit's hooks, and never seen again
            return cls(None)
        name = hashlib.sha256(os.fsencode(index)).hexdigest()[:16]
        return cls(common_dir / "toolcache" / "memo" / name)

    def read(self, name: str) -> dict[str, Any]:
        """Return the memo *name*; an empty one where there is none that can be read."""
        if self.path is None:
            return {}
        try:
            value = json.loads(read_plain(self.path / name))
        except (OSError, ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    def write(self, name: str, value: dict[str, Any]) -> None:
        """Replace the memo *name* in one step."""
        if self.path is None:
            return
        beside = self.path / f"{name}.{os.getpid()}"
        try:
            make_shared_folder(self.path)
            beside.write_text(json.dumps(value), "ascii")
            beside.replace(self.path / name)
        except OSError:
            with suppress(OSError):
                beside.unlink()

    def keep_newest(self, count: int) -> None:
        """Remove the oldest memos where there are twice as many as *count*."""
        with suppress(OSError):
            memos = [] if self.path is None else [*os.scandir(self.path)]
            if len(memos) > 2 * count:
                memos.sort(key=lambda each: each.stat().st_mtime_ns)
                for each in memos[:-count]:
                    os.unlink(each)


def read_plain(path: Path) -> bytes:
    """Return the content of the file *path*, never waiting for a pipe; OSError where it is none."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        if not S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no plain file")
        return file.read()


def texts(values: object, count: int | None = None) -> list[str]:
    """Return *values*, which must be a list of texts, *count* of them where that is given.

    Raises:
        TypeError: it is not: a memo is anybody's file.
    """
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise TypeError("no list of texts")
    if count is not None and len(values) != count:
        raise TypeError(f"not {count} texts")
    return values


def stat_of(path: Path | str) -> list[int] | None:
    """Return what tells that the file at *path* is another than before; None where none is there.

    Size, times in nanoseconds, inode and mode, symbolic links not followed.
    """
    try:
        facts = os.lstat(path)
    except OSError:
        return None
    return [facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino, facts.st_mode]


def is_file(stat: list[int] | None) -> bool:
    """Return whether *stat* is that of a plain file."""
    return stat is not None and S_ISREG(stat[4])


def is_settled(stat: list[int] | None, now_ns: int) -> bool:
    """Return whether a file with *stat* can't have changed since without a trace in its stat."""
    return stat is None or now_ns - max(stat[1], stat[2]) > TICK_NS
