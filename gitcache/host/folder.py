"""A folder on the disk, as far as settings and detection look into it."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from gitcache.errors import SettingsError


@dataclass(frozen=True, slots=True)
class DiskFolder:
    """The files of one folder."""

    path: Path

    @property
    def names(self) -> frozenset[str]:
        """The names of the folder's entries; empty where it can't be listed."""
        return _names(self.path)

    def names_in(self, folder: str) -> frozenset[str]:
        """Return the names in *folder*, directly in this one; none where it is a link or none.

        A commit holds nothing behind such a link.
        """
        path = self.path / folder
        return frozenset() if os.path.islink(path) else _names(path)

    def read(self, path: str, at_most: int | None = None) -> bytes | None:
        """Return the content of the file *path*; None where there is none.

        Args:
            path: relative to this folder.
            at_most: how many bytes of its beginning are wanted; None: all.

        Raises:
            SettingsError: it is there and can't be read.
        """
        try:
            return _read_plain(self.path / path, at_most)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SettingsError(f"{path}: can't be read: {error.strerror}") from error

    def has_folder(self, directory: str) -> bool:
        """Return whether there is a folder *directory*, relative to this one."""
        return os.path.isdir(self.path / directory)


def _names(path: Path) -> frozenset[str]:
    try:
        return frozenset(os.listdir(path))
    except OSError:
        return frozenset()


def _read_plain(path: Path, at_most: int | None) -> bytes:
    """Return the content of the file *path*, never waiting for a pipe."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
            raise OSError(number, "Is a directory" if number == errno.EISDIR else "it is no file")
        return file.read(at_most)
