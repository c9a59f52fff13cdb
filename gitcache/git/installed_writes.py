"""Which files of installed folders were written since a moment, whatever they hold now.

Installers share files between folders by hard links, and each link more or less moves the change
time of all of them. So where a file has several, it was written only if its bytes were.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from stat import S_ISDIR
from typing import Final

from gitcache.core.habits import Stat
from gitcache.git.installed_git import NOT_COUNTED
from gitcache.git.memo import stat_of

_PASSED_OVER: Final = tuple(
    (outer, name, each.endswith("/"))
    for each in NOT_COUNTED
    for outer, _, name in [each.rstrip("/").rpartition("/")]
)
"""Of each pattern: the name of the folder around, or nothing; a name; whether it is a folder's."""


def installed_writes(places: Iterable[Path], moment_ns: int) -> dict[str, Stat]:
    """Return the files at and below *places* that were written at *moment_ns* or later.

    Places need not exist, and what is gone meanwhile is not told; links are not followed.
    """
    written = {}
    for place in places:
        for path in _files(str(place)):
            stat = _written(path, moment_ns)
            if stat is not None:
                written[path] = stat
    return written


def _written(path: str, moment_ns: int) -> Stat | None:
    """Return the stat of *path* where it was written at *moment_ns* or later."""
    try:
        facts = os.lstat(path)
    except OSError:
        return None
    date = facts.st_ctime_ns if facts.st_nlink == 1 else facts.st_mtime_ns
    if date < moment_ns or S_ISDIR(facts.st_mode):
        return None
    stat = stat_of(path)
    return None if stat is None else tuple(stat)


def _files(place: str) -> Iterator[str]:
    """Yield every file at or below *place* that counts, its path with each name of a folder."""
    waiting = [place]
    while waiting:
        folder = waiting.pop()
        try:
            entries = [*os.scandir(folder)]
        except NotADirectoryError:
            yield folder
            continue
        except OSError:
            continue
        for each in entries:
            is_folder = each.is_dir(follow_symlinks=False)
            if _counts(os.path.basename(folder), each.name, is_folder):
                if is_folder:
                    waiting.append(each.path)
                else:
                    yield each.path


def _counts(folder: str, name: str, is_folder: bool) -> bool:
    return name != ".git" and not any(
        (is_folder or not only_folder) and outer in ("", folder) and fnmatchcase(name, pattern)
        for outer, pattern, only_folder in _PASSED_OVER
    )
