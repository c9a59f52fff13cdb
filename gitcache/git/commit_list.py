"""A list of commits as ``git log`` gives it, whatever the user's settings make of its looks.

What is shown is a format of our own, read by its marks; colours, signatures, notes, decorations,
patches and the pager are all out of play, and no alias stands for a command of git's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gitcache.core.key import CommitId, TreeId
from gitcache.errors import RepositoryError, UsageError
from gitcache.git.plumbing import Git, GitError

_MARK: Final = b"\x01"
"""Stands before the commit and between its parts; what git draws of a graph never holds it."""

_PLAIN: Final = (
    *("--no-color", "--no-show-signature", "--no-notes", "--no-decorate", "--no-patch"),
    *("--no-ext-diff", "--no-mailmap", "--encoding=UTF-8", "--format=%x01%H%x01%T%x01%s"),
)

_SETTINGS: Final = ("log.follow=false", "log.diffMerges=separate")
"""Settings that no option takes back."""


@dataclass(frozen=True, slots=True)
class ListedCommit:
    """A commit of a list."""

    oid: CommitId
    tree: TreeId
    subject: str
    """The first paragraph of its message in one line."""


@dataclass(frozen=True, slots=True)
class ListLine:
    """A line of a list: a commit, or what a graph draws between two."""

    graph: str
    """What git draws before the commit; empty without a graph."""

    commit: ListedCommit | None


def list_commits(
    git: Git, revisions: Sequence[str], count: int | None, graph: bool
) -> tuple[ListLine, ...]:
    """Return the commits that *revisions* reach, newest first, as ``git log`` lists them.

    Args:
        git: as seen from the repository.
        revisions: as gitrevisions(7) has them, ranges too.
        count: at most so many commits; None: all.
        graph: whether git draws how they hang together.

    Raises:
        UsageError: one of the *revisions* is an option.
        RepositoryError: one of them names no commit.
    """
    for each in revisions:
        if each.startswith("-") or not each:
            raise UsageError(f"{each!r} is no revision")
    shape = (*(("--graph",) if graph else ()), *(() if count is None else (f"-n{count}",)))
    try:
        answer = git.run("log", *_PLAIN, *shape, *revisions, "--", config=_SETTINGS)
    except GitError as error:
        if "bad revision" in error.stderr or "unknown revision" in error.stderr:
            raise RepositoryError(f"{' '.join(revisions)!r} names no commits") from error
        raise
    return tuple(_line(each) for each in answer.split(b"\n")[:-1])


def is_unborn(git: Git) -> bool:
    """Return whether HEAD names no commit yet."""
    try:
        git.run("rev-parse", "--quiet", "--verify", "HEAD^{commit}")
    except GitError:
        return True
    return False


def _line(text: bytes) -> ListLine:
    graph, *parts = text.split(_MARK, 3)
    drawn = graph.decode("ascii", "replace")
    if len(parts) != 3:
        return ListLine(drawn, None)
    oid, tree, subject = (each.decode("utf-8", "replace") for each in parts)
    return ListLine(drawn, ListedCommit(CommitId(oid), TreeId(tree), subject))
