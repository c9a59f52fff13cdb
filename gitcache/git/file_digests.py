"""Digests of what lies at single paths, remembered under each file's stat.

Files count by their bytes and whether they are executable; a link by its target and by what it
leads to; a missing one as missing. What has no content that can be known, such as a pipe, is
refused.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from gitcache.core.key import digest
from gitcache.errors import RepositoryError
from gitcache.git.disk import FILE, PROGRAM, files_below
from gitcache.git.memo import MemoFolder, is_file, is_settled, stat_of

_MISSING: Final = digest("missing")
_FOLDER: Final = digest("folder")

_Memo = dict[str, Any]
"""Path → stat and digest."""


def file_digests(
    top: Path, paths: Sequence[str], memos: MemoFolder, memo_name: str, now_ns: int
) -> dict[str, str]:
    """Return path → digest of what lies at each of *paths*, in their order.

    Args:
        top: the folder that the paths are relative to.
        paths: files, links, folders and what is missing; of a folder only that it is there counts.
        memos: where the digests are remembered.
        memo_name: the name of the memo for these paths.
        now_ns: the time in nanoseconds since the epoch, no later than this call.

    Raises:
        RepositoryError: one can't be read, or changed while it was read.
    """
    if not paths:
        return {}
    reader = _Reader(memos.read(memo_name), now_ns)
    try:
        digests = {path: reader.at(top / path) for path in paths}
    except OSError as error:
        raise RepositoryError(f"{error.filename} can't be read: {error.strerror}") from error
    if reader.after != reader.before:
        memos.write(memo_name, reader.after)
    return digests


class _Reader:
    """Reads files that no memo vouches for, and keeps what the next memo may say."""

    def __init__(self, before: _Memo, now_ns: int) -> None:
        self.before = before
        self.after: _Memo = {}
        self._now_ns = now_ns

    def at(self, place: Path) -> str:
        """Return the digest of what lies at *place*."""
        try:
            mode = os.lstat(place).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return _MISSING
        if stat.S_ISLNK(mode):
            return digest("link", os.readlink(place), self._led_to(place))
        return _FOLDER if stat.S_ISDIR(mode) else self._of_file(place)

    def _led_to(self, link: Path) -> str:
        """Return the digest of what *link* leads to: a file, all files of a folder, or nothing."""
        end = Path(os.path.realpath(link))
        if not end.is_dir():
            return _MISSING if end.is_symlink() else self.at(end)
        parts = [_FOLDER]
        for file in files_below(end):
            # A link within that folder counts by its target alone, so that no loop is walked.
            value = digest(os.readlink(file)) if file.is_symlink() else self._of_file(file)
            parts += [str(file.relative_to(end)), value]
        return digest(*parts)

    def _of_file(self, place: Path) -> str:
        facts = stat_of(place)
        known = self.before.get(str(place))
        if isinstance(known, list) and len(known) == 2 and known[0] == facts:
            self.after[str(place)] = known
            return str(known[1])
        if facts is None or not is_file(facts):
            raise RepositoryError(f"{place} is neither a file nor a link")
        with open(place, "rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        if stat_of(place) != facts:
            raise RepositoryError(f"{place} changed while it was read")
        value = digest(PROGRAM if facts[4] & stat.S_IXUSR else FILE, content)
        if is_settled(facts, self._now_ns):
            self.after[str(place)] = [facts, value]
        return value
