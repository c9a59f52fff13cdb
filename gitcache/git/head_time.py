"""When the commit that HEAD names was made."""

from __future__ import annotations

from gitcache.git.plumbing import GitError
from gitcache.git.repository import Repository


def head_time(repository: Repository) -> float | None:
    """Return HEAD's commit time in seconds since the epoch; None before the first commit.

    Signatures and notes, which the user's settings may ask for, are not looked at.
    """
    words = ("rev-list", "--max-count=1", "--no-commit-header", "--format=%ct", "HEAD")
    try:
        return float(repository.git.run(*words))
    except (GitError, ValueError):
        return None
