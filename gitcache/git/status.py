"""Reads ``git status --porcelain=v2 -z``: what git says has changed.

The format is git's own (``git help status``, "Porcelain Format Version 2"); ``-z`` gives names as
raw bytes relative to the worktree's top, whatever the user's settings are. No renames are asked
for, so each path stands alone.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from gitcache.core.key import digest
from gitcache.errors import RepositoryError
from gitcache.git.plumbing import GitCall

WITH_CACHE: Final = (
    *("status", "--porcelain=v2", "-z", "--branch", "--no-renames"),
    *("--ignore-submodules=dirty", "--no-ahead-behind", "--no-show-stash"),
)
"""The same question, where ``status.showUntrackedFiles=all`` is set for it.

As an option of the call, the setting would keep git from using its untracked cache.
"""

QUESTION: Final = (*WITH_CACHE, "--untracked-files=all")
"""The words behind ``git``; each overrides a setting of the user that would change the answer.

Of a submodule, git tells whether it is at another commit; what has changed inside is looked at
by a look of its own.
"""

GONE: Final = "000000"
"""The mode of a path that is not there."""

GITLINK: Final = "160000"


@dataclass(frozen=True, slots=True)
class Tracked:
    """A path of HEAD or the index that differs somewhere."""

    path: str
    in_index: str
    """X of git's ``XY``: how the index differs from HEAD, ``.`` where it does not."""

    on_disk: str
    """Y of git's ``XY``: how the disk differs from the index, ``.`` where it does not."""

    submodule: str
    """``N...``, or ``S`` and which of commit, tracked and untracked content moved."""

    head_mode: str
    index_mode: str
    disk_mode: str
    head_oid: str
    index_oid: str


@dataclass(frozen=True, slots=True)
class Unmerged:
    """A path in conflict."""

    path: str
    disk_mode: str


@dataclass(frozen=True, slots=True)
class Untracked:
    """A path that is neither in the index nor ignored; ``/`` at its end: a nested repository."""

    path: str


Record = Tracked | Unmerged | Untracked


@dataclass(frozen=True, slots=True)
class Status:
    """What ``git status`` said."""

    head: str | None
    """The commit that HEAD names; None before the first commit."""

    records: tuple[Record, ...]
    fingerprint: str
    """The digest of git's whole answer, and of what is left out of it."""

    def without(self, paths: Collection[str]) -> Status:
        """Return this status as if the untracked files among *paths* were not there."""
        if not paths:
            return self
        records = tuple(
            each
            for each in self.records
            if not (isinstance(each, Untracked) and each.path in paths)
        )
        return Status(self.head, records, digest(self.fingerprint, *sorted(paths)))


def finish(call: GitCall) -> bytes:
    """Return the answer of *call*, started with one of the questions above.

    Raises:
        RepositoryError: git could not look everywhere, which it takes for nothing being there.
    """
    answer = call.finish()
    for line in call.stderr.decode("utf-8", "replace").splitlines():
        if "could not open directory" in line:
            raise RepositoryError(line.removeprefix("warning: "))
    return answer


def parse(answer: bytes) -> Status:
    """Return what *answer*, the output of :data:`QUESTION`, says.

    Raises:
        RepositoryError: it is in a form that this module does not know.
    """
    head: str | None = None
    records: list[Record] = []
    for line in answer.split(b"\0")[:-1]:
        text = os.fsdecode(line)
        if text.startswith("# branch.oid "):
            oid = text.removeprefix("# branch.oid ")
            head = None if oid == "(initial)" else oid
        elif not text.startswith("# "):
            try:
                records.append(_record(text))
            except ValueError as error:
                raise RepositoryError(f"git status answered {text!r}, which is unknown") from error
    return Status(head, tuple(records), digest(answer))


def _record(text: str) -> Record:
    """Return one line of the answer as a record; ValueError where it is none."""
    if text.startswith("? "):
        return Untracked(text[2:])
    if text.startswith("1 "):
        _, xy, submodule, *facts, path = text.split(" ", 8)
        return Tracked(path, xy[0], xy[1], submodule, *facts)
    if text.startswith("u "):
        *_, disk_mode, _, _, _, path = text.split(" ", 10)
        return Unmerged(path, disk_mode)
    raise ValueError("a record of an unknown kind")
