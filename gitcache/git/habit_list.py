"""The list of what one tool writes in one worktree, kept below the common git folder.

A list is never the truth. One that is lost, torn, foreign or too long is an empty one; what a
good one says of a path holds only together with the path's stat.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gitcache.core.habits import ENOUGH, KEPT_AT_MOST, Stat, Trace
from gitcache.core.key import digest
from gitcache.git.memo import MemoFolder, stat_of
from gitcache.git.repository import Repository

_STAT_SIZE: Final = 5
"""Numbers in a stat."""


@dataclass(frozen=True, slots=True)
class HabitList:
    """Where the list of one tool and worktree lies."""

    folder: MemoFolder
    owner: str
    """The digest of the worktree and the tool, under which the list lies and which it repeats."""

    @classmethod
    def of(cls, repository: Repository, tool: Sequence[str]) -> HabitList:
        """Return the list of *tool*, whose words tell it from others, in this worktree."""
        owner = digest(str(repository.git_dir), str(repository.top), *tool)
        return cls(MemoFolder(repository.common_dir / "toolcache" / "habits"), owner)

    @property
    def name(self) -> str:
        """The name of its file."""
        return self.owner[:16]

    def read(self) -> dict[str, Trace]:
        """Return path → trace; nothing where there is no good list."""
        value = self.folder.read(self.name)
        try:
            if value.get("owner") != self.owner or len(value["paths"]) > KEPT_AT_MOST:
                return {}
            return {str(path): _trace(each) for path, each in value["paths"].items()}
        except (KeyError, TypeError, ValueError, AttributeError):
            return {}

    def write(self, traces: Mapping[str, Trace]) -> None:
        """Replace the list in one step; where that fails, the old one stays."""
        paths = {path: [each.runs, each.left, each.is_made] for path, each in traces.items()}
        self.folder.write(self.name, {"owner": self.owner, "paths": paths})


def _trace(value: Any) -> Trace:
    """Return the trace that *value* tells; ValueError or TypeError where it tells none."""
    runs, left, is_made = value
    if type(runs) is not int or not 1 <= runs <= ENOUGH:
        raise ValueError("not a number of runs")
    if type(is_made) is not bool:
        raise TypeError("no truth value")
    if left is None:
        return Trace(runs, None, is_made)
    if len(left) != _STAT_SIZE or any(type(each) is not int for each in left):
        raise ValueError("not a stat")
    return Trace(runs, tuple(left), is_made)


def stats_now(repository: Repository, paths: Sequence[str]) -> dict[str, Stat | None]:
    """Return the stat of each of *paths*, relative to the top; None where nothing is there."""
    top = str(repository.top)
    stats = {path: stat_of(os.path.join(top, path)) for path in paths}
    return {path: None if stat is None else tuple(stat) for path, stat in stats.items()}
