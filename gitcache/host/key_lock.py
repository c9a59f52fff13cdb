"""The key lock: at most one process of this machine runs the tool for a key.

The lock is the kernel's (flock(2)), so it ends with its holder, whatever ends that, and is never
stale. It lies on the *file* that was locked, so a file may only be removed by who holds its lock,
and who has locked a file looks whether the path still leads to it, or tries again. Then no two
processes hold the lock of what the path leads to, and no file stays behind.

Where the kernel can't lock there is no lock, and the answer says so: a lock that is a mere file
would outlive a killed holder. This module decides nothing by a clock that may be set.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Collection
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Final, Self

from gitcache.core.key import Key, parse_key
from gitcache.host.owner import Owner, read_record, unfinished, write_record
from gitcache.shared_folder import make_shared_folder

Pause = Callable[[float], bool]
"""Lets so many seconds pass, or less, and returns whether to give up waiting."""

LONGEST_PAUSE: Final = 0.2
"""Seconds between two looks of who waits: nobody notices them at the end of a run."""

SHORTEST_PAUSE: Final = 0.01
"""Seconds between the first two looks."""

_GROWTH: Final = 1.5
"""Each pause to the one before it: the longest is reached after a second."""

_PASSING: Final = 5
"""Tries before what a moment may change is taken for the answer."""

_PASSING_PAUSE: Final = 0.002
"""Seconds between them; what passes takes a tenth of that."""


def sleep(seconds: float) -> bool:
    """Let *seconds* pass; only a signal's handler that raises ends it earlier."""
    time.sleep(seconds)
    return False


@dataclass(frozen=True, slots=True)
class LockedFile:
    """A file that this process has locked until it is closed or the process ends."""

    path: Path
    file: FileIO
    """Whoever loses it loses the lock, so it is kept; no child inherits it."""

    def is_in_place(self) -> bool:
        """Return whether the path leads to this file. Cost: two system calls."""
        try:
            return os.path.samestat(os.lstat(self.path), os.fstat(self.file.fileno()))
        except (OSError, ValueError):  # ValueError: it is closed
            return False

    def remove(self) -> None:
        """Remove the file and let its lock go. A second call does nothing.

        A file that another put in the path's place stays. Cost: four system calls.
        """
        with suppress(OSError):  # then it lies there unlocked, which harms nobody
            if self.is_in_place():
                os.unlink(self.path)
        self.file.close()


def lock_file(path: Path, mode: int | None) -> LockedFile | None:
    """Lock the file *path*; None where another process has.

    Cost: seven system calls, one more for a file whose mode the umask made another.

    Args:
        path: where it lies.
        mode: its permissions where it is missing and so is made; None: it must be there.

    Raises:
        OSError: the file can't be made or opened, or the file system can't lock.
    """
    while True:  # each round but the last ends with another process's remove()
        locked = _lock(path, mode)
        if locked is None or locked.is_in_place():
            return locked
        locked.file.close()


def is_locked(path: Path) -> bool:
    """Return whether a process has locked the file *path*; False where there is none.

    Where none has, this process has for a moment, which others may see. Cost: four system calls.

    Raises:
        OSError: the file can't be opened, or the file system can't lock.
    """
    try:
        locked = _lock(path, None)
    except FileNotFoundError:
        return False
    if locked is not None:
        locked.file.close()
    return locked is None


def _lock(path: Path, mode: int | None) -> LockedFile | None:
    """Open *path*, made with *mode* where one is given, and lock it; None where another has.

    A lock on a descriptor is the same lock as ``filelock.FileLock``'s and is never replaced by a
    mere file where the kernel can't lock.
    """
    from filelock import lock_descriptor  # only a miss needs it

    making = 0 if mode is None else os.O_CREAT
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | making
    with ExitStack() as stack:
        file = stack.enter_context(FileIO(os.open(path, flags, mode or 0), "r+"))
        if not lock_descriptor(file.fileno(), blocking=False):
            return None
        if mode is not None:
            _give_mode(file.fileno(), mode)
        stack.pop_all()
        return LockedFile(path, file)


def _give_mode(descriptor: int, mode: int) -> None:
    """Give our own file the permissions that the umask took away."""
    facts = os.fstat(descriptor)
    if facts.st_uid == os.geteuid() and stat.S_IMODE(facts.st_mode) != mode:
        os.fchmod(descriptor, mode)


@dataclass(frozen=True, slots=True)
class Held:
    """This process holds the key until it releases it, loses this value or ends."""

    lock: LockedFile
    left_by: Owner | None = None
    """Who held the key before, as its record tells, if that was killed; None: nobody, or not so."""

    def release(self) -> None:
        """Let the key go and leave nothing behind. A second call does nothing.

        Cost: eight system calls.
        """
        if self.lock.is_in_place():  # else a record there is another's
            for each in (_record(self.lock.path), unfinished(_record(self.lock.path))):
                with suppress(OSError):
                    os.unlink(each)
        self.lock.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


@dataclass(frozen=True, slots=True)
class HeldByOther:
    """Another process holds the key, or held it a moment ago."""

    owner: Owner | None
    """Who, as far as a record tells: it says more than :meth:`Owner.is_running` only to people."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """There is no lock to be had here, so nobody can be waited for."""

    reason: str
    """Why, in words that stand after a colon."""


def try_take(folder: Path, key: Key, owner: Owner) -> Held | HeldByOther | Unavailable:
    """Take the lock of *key* without waiting for its holder.

    Who may write in the folder may lock in it, and who may read in it may read who holds a lock;
    in a group's repository (``core.sharedRepository``) the folders that are made get the common
    dir's permissions. What a moment may change is tried again for some milliseconds: a holder
    without a record starts or ends, or only looked; a folder without permissions is in the making.

    Cost: 16 system calls where the folders are there, 19 where another holds the key.

    Args:
        folder: this program's folder in the common dir, made where it is missing.
        key: what is to be run.
        owner: this process.
    """
    answer: Held | HeldByOther | Unavailable = HeldByOther(None)
    for _ in range(_PASSING):
        try:
            answer = _attempt(folder, key, owner)
        except OSError as error:  # a file in the making, or a folder that is being removed
            answer = Unavailable(error.strerror or str(error))
        if isinstance(answer, Held) or (isinstance(answer, HeldByOther) and answer.owner):
            break
        time.sleep(_PASSING_PAUSE)
    return answer


def _attempt(folder: Path, key: Key, owner: Owner) -> Held | HeldByOther:
    mode = _permissions(folder)
    path = _lock_path(folder, key)
    locked = lock_file(path, _of_writers(mode))
    if locked is None:
        return HeldByOther(owner_of(folder, key))
    left_by = Owner.from_json(read_record(_record(path)))  # who lets a key go removes its record
    with suppress(OSError):  # the lock holds without words about its holder
        write_record(_record(path), owner.to_json(), mode & 0o666)
    return Held(locked, left_by)


def wait(
    folder: Path, key: Key, owner: Owner, timeout: float, pause: Pause = sleep
) -> Held | HeldByOther | Unavailable:
    """Take the lock of *key*, waiting for its holder until *timeout* or *pause* ends it.

    For callers who can't be told of the holder's end. The kernel's own waiting could neither be
    bounded nor ended by anything else, so this looks again and again, at growing intervals.

    Cost: 19 system calls a look.

    Args:
        folder: as in :func:`try_take`.
        key: what is to be run.
        owner: this process.
        timeout: seconds, by a clock that nobody sets.
        pause: what is done between two looks.
    """
    end = time.monotonic() + timeout
    seconds = SHORTEST_PAUSE
    while True:
        answer = try_take(folder, key, owner)
        left = end - time.monotonic()
        if not isinstance(answer, HeldByOther) or left <= 0 or pause(min(seconds, left)):
            return answer
        seconds = longer(seconds)


def longer(seconds: float) -> float:
    """Return the pause after one of *seconds*."""
    return min(seconds * _GROWTH, LONGEST_PAUSE)


def owner_of(folder: Path, key: Key) -> Owner | None:
    """Return who holds *key*, as far as a record tells; None where none does.

    The record of a process that is surely gone is none. Cost: 14 system calls.
    """
    owner = Owner.from_json(read_record(_record(_lock_path(folder, key))))
    return None if owner is None or owner.is_gone() else owner


def is_held(folder: Path, key: Key) -> bool:
    """Return whether a process holds *key*; False where that can't be told. Cost: 4 system calls.

    Where none does, *key* looks held for a moment.
    """
    try:
        return is_locked(_lock_path(folder, key))
    except OSError:
        return False


def known_keys(folder: Path) -> list[Key]:
    """Return the keys that are held, or whose killed holders left something, in their order."""
    try:
        names = os.listdir(folder / "locks")
    except OSError:
        return []
    keys = {parse_key(name.removesuffix(".new").removesuffix(".owner")) for name in names}
    return sorted(key for key in keys if key is not None)


def sweep(
    folder: Path,
    keys: Collection[Key],
    wind_up: Callable[[Key, Owner | None], None] = lambda key, owner: None,
) -> int:
    """Remove what killed holders of *keys* left, and return how many of these nobody holds.

    A key that is held stays. One that is asked for in that moment looks held as long as it takes.

    Args:
        folder: this program's folder in the common dir.
        keys: what is looked at.
        wind_up: called with each key that nobody holds, and who has held it as far as a record
            tells, while nobody else can take that key.
    """
    return sum(_sweep(folder, key, wind_up) for key in keys)


def _sweep(folder: Path, key: Key, wind_up: Callable[[Key, Owner | None], None]) -> bool:
    path = _lock_path(folder, key)
    try:
        mode = _of_writers(stat.S_IMODE(os.stat(path.parent).st_mode))
        locked = lock_file(path, mode)
    except OSError:
        return False
    if locked is None:
        return False
    with Held(locked):
        wind_up(key, Owner.from_json(read_record(_record(path))))
    return True


def _lock_path(folder: Path, key: Key) -> Path:
    return folder / "locks" / key


def _record(path: Path) -> Path:
    """Return where the record of the holder of the lock at *path* lies."""
    return path.with_name(f"{path.name}.owner")


def _permissions(folder: Path) -> int:
    """Return the permissions of the folder of locks, made where it is missing."""
    locks = folder / "locks"
    try:
        return stat.S_IMODE(os.stat(locks).st_mode)
    except FileNotFoundError:
        os.stat(folder.parent)  # a common dir that is gone is not made anew
        make_shared_folder(locks)
        return stat.S_IMODE(os.stat(locks).st_mode)


def _of_writers(mode: int) -> int:
    """Return the permissions of a lock: for those who may write in a folder with *mode*.

    Others could hold it for ever.
    """
    return 0o600 | (0o060 if mode & stat.S_IWGRP else 0) | (0o006 if mode & stat.S_IWOTH else 0)
