"""Which tracked files have certain names, and which paths of a worktree no snapshot tells."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress

from gitcache.git.memo import MemoFolder, is_settled, stat_of
from gitcache.git.plumbing import GitError
from gitcache.git.repository import Repository


def tracked_named(repository: Repository, patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the paths of the tracked files whose names match *patterns*, in any folder.

    Listing a big index takes milliseconds, so the answer is remembered under the index file's stat.

    Args:
        repository: the worktree.
        patterns: file names, in which ``*`` stands for any text.

    Raises:
        RepositoryError: git can't list the index.
    """
    memos = MemoFolder.of_index(repository.common_dir, repository.index)
    stat = stat_of(repository.index)
    memo = memos.read("names")
    if memo.get("patterns") == list(patterns) and memo.get("stat") == stat:
        with suppress(KeyError, TypeError):  # a foreign memo is none
            return tuple(str(each) for each in memo["paths"])
    words = [f":(glob)**/{each}" for each in patterns]
    with repository.listing() as git:
        answer = git.run("--no-literal-pathspecs", "ls-files", "-z", "--", *words)
    found = [os.fsdecode(each) for each in answer.split(b"\0")[:-1]]
    if stat is not None and stat == stat_of(repository.index) and is_settled(stat, time.time_ns()):
        memos.write("names", {"patterns": list(patterns), "stat": stat, "paths": found})
    return tuple(found)


def ignored_among(repository: Repository, paths: Sequence[str]) -> frozenset[str]:
    """Return those of *paths*, relative to the worktree's top, whose content no snapshot tells.

    A path of which git can't say it (behind a link, in a submodule) is one of them.

    Raises:
        RepositoryError: there is no git.
    """
    if not paths:
        return frozenset()
    names = b"".join(os.fsencode(each) + b"\0" for each in paths)
    try:
        answer = repository.git.run("check-ignore", "-z", "--stdin", stdin=names)
    except GitError as error:
        return frozenset() if error.returned == 1 else frozenset(paths)
    return frozenset(os.fsdecode(each) for each in answer.split(b"\0")[:-1])
