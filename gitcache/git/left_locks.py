"""Git's own lock files that have lain for so long that their git is most likely gone.

Git makes such a file beside the one that it is about to replace, and refuses to write while one is
there; a git that was killed leaves it behind. Who made it, nothing tells.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitcache.git.entry_store import PREFIX
from gitcache.git.notes import REF
from gitcache.git.repository import Repository

OLD: Final = 600.0
"""Seconds: no write takes so long, but a ``git commit`` that waits for an editor may."""

_OF_ALL: Final = ("packed-refs.lock", "config.lock", "shallow.lock", f"{REF}.lock")


@dataclass(frozen=True, slots=True)
class LeftLock:
    """A lock file that is old."""

    path: Path
    age: float
    """Seconds since it was made."""


def left_locks(repository: Repository, now: float) -> tuple[LeftLock, ...]:
    """Return the old lock files of *repository*, as seen at *now*, in seconds since the epoch."""
    ages = ((path, _age(path, now)) for path in _places(repository))
    return tuple(LeftLock(path, age) for path, age in ages if age is not None and age > OLD)


def _places(repository: Repository) -> Iterator[Path]:
    yield repository.index.with_name(f"{repository.index.name}.lock")
    yield repository.git_dir / "HEAD.lock"
    yield from (repository.common_dir / name for name in _OF_ALL)
    yield from sorted((repository.common_dir / PREFIX).glob("*.lock"))


def _age(path: Path, now: float) -> float | None:
    try:
        return now - os.lstat(path).st_mtime
    except OSError:
        return None
