"""The questions that the disk is asked, and their answers as text.

An answer has no NUL, tells all that the asker can have learnt, and is the same as long as that is.
A file's content is asked for by its stat: whoever keeps such an answer makes sure that no later
write can hide behind it.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final


def signature(facts: os.stat_result) -> str:
    """Return *facts* as an answer: all that a write, or another file in its place, changes."""
    return (
        f"{facts.st_size} {facts.st_mtime_ns} {facts.st_ctime_ns}"
        f" {facts.st_ino} {facts.st_dev} {facts.st_mode} {facts.st_uid} {facts.st_gid}"
    )


def truth(value: bool) -> str:
    """Return *value* as an answer."""
    return "yes" if value else "no"


def failure(error: OSError) -> str:
    """Return *error* as an answer."""
    return f"error {error.errno}"


def listing(entries: list[os.DirEntry[str]]) -> str:
    """Return the *entries* of a folder, of which no name has a slash, as an answer."""
    return "/".join(sorted(f"{each.name}/{_kind(each)}" for each in entries))


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"


def names(found: list[str]) -> str:
    """Return the names *found* in a folder as an answer."""
    return "/".join(sorted(found))


def _entries(path: str) -> str:
    with os.scandir(path) as entries:
        return listing(list(entries))


STAT: Final = "stat"
LINK_STAT: Final = "lstat"
ENTRIES: Final = "entries"

QUESTIONS: Final[dict[str, Callable[[str], str]]] = {
    STAT: lambda path: signature(os.stat(path)),
    LINK_STAT: lambda path: signature(os.lstat(path)),
    "is a file": lambda path: truth(os.path.isfile(path)),
    "is a folder": lambda path: truth(os.path.isdir(path)),
    "is a link": lambda path: truth(os.path.islink(path)),
    "exists": lambda path: truth(os.path.exists(path)),
    "is there": lambda path: truth(os.path.lexists(path)),
    "may be executed": lambda path: truth(os.access(path, os.X_OK)),
    "real path": os.path.realpath,
    "target": os.readlink,
    "names": lambda path: names(os.listdir(path)),
    ENTRIES: _entries,
}
"""Kind of question → what answers it for a path; OSError where the disk refuses."""


def ask(kind: str, path: str) -> str:
    """Return the answer to the question of *kind* about *path*."""
    try:
        return QUESTIONS[kind](path)
    except OSError as error:
        return failure(error)
