"""The journal: a line for each use of a result, appended by whoever had it.

It lies in the common dir for all worktrees. A line is one write to the end of the file, which the
kernel does not mix with another's (open(2), ``O_APPEND``). A file that has grown large is set aside
once, by one process, and what that holds stays readable until the next time. A line that can't be
written is left out, since losing it costs no verdict; so nothing here raises.

A hit writes a line, so nothing heavy is imported here.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from gitcache.quick.journal import APPENDING, NAME

ASIDE = "journal.1"
"""The file that was set aside last."""

LARGE = 1 << 22
"""Bytes at which the file is set aside: a month of a thousand uses a day, of 140 bytes each."""

_READING = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def append(folder: Path, line: bytes, large: int = LARGE) -> None:
    """Append *line* to the journal in *folder*, or do nothing where that can't be.

    Cost: open, write, fstat and close.

    Args:
        folder: this program's folder in the common dir; made where it is missing.
        line: with its newline.
        large: bytes at which the file is set aside.
    """
    with suppress(OSError):
        if not _append(folder, line, large):
            _append(folder, line, large)


def _append(folder: Path, line: bytes, large: int) -> bool:
    """Append *line*; return whether the file is still one that readers see."""
    descriptor = _open(folder)
    try:
        os.write(descriptor, line)
        facts = os.fstat(descriptor)
        if facts.st_size >= large and stat.S_ISREG(facts.st_mode):
            _set_aside(folder, descriptor)
        return facts.st_nlink > 0
    finally:
        os.close(descriptor)


def _open(folder: Path) -> int:
    try:
        return os.open(folder / NAME, APPENDING)
    except FileNotFoundError:
        from gitcache.shared_folder import make_shared_folder  # once a file

        make_shared_folder(folder)
        descriptor = os.open(folder / NAME, APPENDING | os.O_CREAT, 0o666)
        _share(folder, descriptor)
        return descriptor


def _share(folder: Path, descriptor: int) -> None:
    """Give a group that may write in *folder* the file, whatever the umask is."""
    group = stat.S_IRGRP | stat.S_IWGRP
    facts = os.fstat(descriptor)
    if folder.stat().st_mode & stat.S_IWGRP and facts.st_uid == os.geteuid():
        os.fchmod(descriptor, stat.S_IMODE(facts.st_mode) | group)


def _set_aside(folder: Path, descriptor: int) -> None:
    """Rename the file open as *descriptor*, unless another process does or has done so.

    Whoever renames it holds its lock and finds it under its name, so no younger file is renamed.
    """
    import fcntl  # few lines come here

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return
    path = folder / NAME
    if os.path.samestat(os.fstat(descriptor), os.lstat(path)):
        os.replace(path, folder / ASIDE)


def read(folder: Path, most: int = 2 * LARGE) -> bytes:
    """Return the journal in *folder*, what was set aside first; empty where there is none.

    Args:
        folder: this program's folder in the common dir.
        most: bytes of each file that are read, of its end.
    """
    # The younger file first: one that is set aside between the two is then read twice, not missed.
    younger, young_id = _read(folder / NAME, most)
    older, old_id = _read(folder / ASIDE, most)
    if young_id is not None and young_id == old_id:
        return older
    return older + younger


def _read(path: Path, most: int) -> tuple[bytes, tuple[int, int] | None]:
    """Return the end of the file at *path* and which file it is; nothing where it is none."""
    with suppress(OSError), open(path, "rb", opener=_open_to_read) as file:
        facts = os.fstat(file.fileno())
        if stat.S_ISREG(facts.st_mode):
            file.seek(max(0, facts.st_size - most))
            return file.read(), (facts.st_dev, facts.st_ino)
    return b"", None


def _open_to_read(path: str, _: int) -> int:
    return os.open(path, _READING)
