"""Whether this machine can lock files in a folder: tried for real, with nothing left behind."""

from __future__ import annotations

import errno
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitcache.host.key_lock import Unavailable, is_locked, lock_file

_MODE: Final = 0o600

_CLOSED: Final = (errno.EACCES, errno.EPERM, errno.EROFS)
"""Why no file can be made in a folder, whatever the file system can do."""


@dataclass(frozen=True, slots=True)
class Lockable:
    """The kernel locks files here (flock(2))."""


@dataclass(frozen=True, slots=True)
class Closed:
    """No file can be made here."""

    reason: str
    is_read_only: bool = False
    """Whether the whole file system takes no writes."""


Probed = Lockable | Closed | Unavailable


def probe(folder: Path) -> Probed:
    """Return whether files can be locked in *folder*, or in the one above where it is missing.

    A file is made there, locked, seen as locked and removed.
    """
    place = folder if folder.is_dir() else folder.parent
    path = place / f"toolcache-probe-{secrets.token_hex(8)}"
    try:
        locked = lock_file(path, _MODE)
    except OSError as error:
        _remove(path)
        reason = error.strerror or str(error)
        if error.errno in _CLOSED:
            return Closed(reason, error.errno == errno.EROFS)
        return Unavailable(reason)
    if locked is None:
        return Unavailable("a file that nobody knows is locked")
    try:
        return Lockable() if is_locked(path) else Unavailable("a lock keeps nobody out")
    except OSError as error:
        return Unavailable(error.strerror or str(error))
    finally:
        locked.remove()


def _remove(path: Path) -> None:
    """Remove the file that could be made and not be locked."""
    try:
        os.unlink(path)
    except OSError:
        return
