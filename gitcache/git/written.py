"""Which files of a worktree were written since a moment, whatever they hold now.

A file that is edited and put back has its old bytes and a new change time (``st_ctime``), which no
program sets. So a verdict is only trusted where nothing that counts was written while its tool ran.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from stat import S_ISDIR

from gitcache.git.memo import stat_of
from gitcache.git.repository import Repository


def written_since(repository: Repository, moment_ns: int, others: Iterable[str]) -> set[str]:
    """Return the files that were written at *moment_ns* or later, relative to the worktree's top.

    Tracked files are looked at, and *others*; files within submodules are not. The kernel may date
    a file a timer's tick (10 ms at most) too early, so a write so shortly after the moment may be
    missed.

    Raises:
        RepositoryError: git can't list the tracked files.
    """
    tracked = repository.git.run("ls-files", "-z").split(b"\0")[:-1]
    paths = {*map(os.fsdecode, tracked), *others}
    stats = ((path, stat_of(repository.top / path)) for path in paths)
    # A folder's date moves with whatever is ignored in it, so a submodule's says nothing.
    return {
        path
        for path, stat in stats
        if stat is not None and stat[2] >= moment_ns and not S_ISDIR(stat[4])
    }
