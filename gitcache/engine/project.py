"""What test runners ask about a worktree, answered from its disk and its index."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from gitcache.core.runners.runner import Project
from gitcache.git.repository import Repository
from gitcache.git.written import tracked_paths

_LONGEST: Final = 1 << 20
"""Bytes of a file that is read whole: a package.json or a configuration."""


def project_of(repository: Repository) -> Project:
    """Return the worktree of *repository*; its index is listed once somebody asks."""
    top = str(repository.top)

    def exists(path: str) -> bool:
        real = os.path.realpath(os.path.join(top, path))
        return os.path.isfile(real) and real.startswith(f"{os.path.realpath(top)}/")

    def read(path: str) -> str | None:
        return _text(Path(top, path)) if exists(path) else None

    tops = dict.fromkeys((top, os.path.realpath(top)))
    return Project(_Tracked(repository), exists, read, tuple(tops))


def _text(path: Path) -> str | None:
    try:
        with open(path, "rb") as file:
            data = file.read(_LONGEST + 1)
        return None if len(data) > _LONGEST else data.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


class _Tracked(Collection[str]):
    """The paths of the index, listed when they are first asked for.

    Raises:
        RepositoryError: git can't list them.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._paths: frozenset[str] | None = None

    def _listed(self) -> frozenset[str]:
        if self._paths is None:
            self._paths = tracked_paths(self._repository)
        return self._paths

    def __contains__(self, path: object) -> bool:
        return path in self._listed()

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed())

    def __len__(self) -> int:
        return len(self._listed())
