"""Which files of a worktree were written since a moment, whatever they hold now.

A file that is edited and put back has its old bytes and a new change time (``st_ctime``), which no
program sets. So a verdict is only trusted where no file that counts was written while its tool ran.
A file that is gone again, and a folder that is moved away and back, tell nothing of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from stat import S_ISDIR
from typing import Final

from gitcache.core.habits import Stat
from gitcache.core.key import TreeId
from gitcache.git.memo import stat_of
from gitcache.git.repository import Repository

_MOVED: Final = ("HEAD", "logs/HEAD", "ORIG_HEAD", "AUTO_MERGE")
"""What git writes in a worktree's own folder when it moves HEAD, resets, or takes up a stash."""

_STASHED: Final = ("refs/stash", "logs/refs/stash")
"""What it writes in the folder of all worktrees when it stashes."""


def tracked_paths(repository: Repository) -> frozenset[str]:
    """Return the paths of the index.

    Raises:
        RepositoryError: git can't list them.
    """
    with repository.listing() as git:
        listed = git.run("ls-files", "-z").split(b"\0")[:-1]
    return frozenset(map(os.fsdecode, listed))


def paths_of(repository: Repository, tree: TreeId) -> frozenset[str]:
    """Return the paths of all files in *tree*; errors as :func:`tracked_paths`."""
    words = ("-r", "-z", "--name-only", "--full-tree", tree)
    listed = repository.git.run("ls-tree", *words).split(b"\0")[:-1]
    return frozenset(map(os.fsdecode, listed))


def written_since(repository: Repository, moment_ns: int, paths: Iterable[str]) -> dict[str, Stat]:
    """Return those of *paths* that were written at *moment_ns* or later, with their stat.

    The paths are relative to the worktree's top; files within submodules are not looked at. The
    kernel may date a file a timer's tick (10 ms at most) too early, so a write so shortly after the
    moment may be missed.
    """
    stats = ((path, stat_of(repository.top / path)) for path in paths)
    # A folder's date moves with whatever is ignored in it, so a submodule's says nothing.
    return {
        path: tuple(stat)
        for path, stat in stats
        if stat is not None and stat[2] >= moment_ns and not S_ISDIR(stat[4])
    }


def head_moved_since(repository: Repository, moment_ns: int) -> bool:
    """Return whether git says that HEAD moved, or changes were stashed, at *moment_ns* or later.

    Whoever leaves a branch or a change and takes it up again writes every file that is in it.
    """
    own, common = repository.git_dir, repository.common_dir
    signs = [*(own / each for each in _MOVED), *(common / each for each in _STASHED)]
    stats = map(stat_of, signs)
    return any(stat is not None and stat[2] >= moment_ns for stat in stats)
