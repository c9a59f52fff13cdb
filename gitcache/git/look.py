"""One look at a worktree: three git processes, started together.

Where the repository is, what has changed and which objects there are is asked at the same time,
since each question costs a process and none needs another's answer to begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from gitcache.core.content import Snapshot
from gitcache.git import snapshot
from gitcache.git.plumbing import Git, GitCall, ObjectReader
from gitcache.git.repository import Repository, found, start_looking
from gitcache.git.status import QUESTION, Status, parse


class Look:
    """An open look at a worktree; what it says of the content is asked once and stays."""

    def __init__(self, repository: Repository, objects: ObjectReader, status: GitCall) -> None:
        self.repository = repository
        self.objects = objects
        self._call = status
        self._status: Status | None = None

    def snapshot(self) -> Snapshot:
        """Return the content of the working tree.

        Raises:
            RepositoryError: git can't tell it for certain.
        """
        return snapshot.take_snapshot(self.repository, self._answer(), self.objects)

    def index(self) -> Snapshot:
        """Return the content of the index; RepositoryError where it is in conflict."""
        return snapshot.take_index(self.repository, self._answer(), self.objects)

    def commit(self, revision: str) -> Snapshot:
        """Return the content of the commit that *revision* names; RepositoryError where none."""
        return snapshot.take_commit(self.objects, revision)

    def _answer(self) -> Status:
        """Return what git's status says, waiting for it where it is still at work."""
        if self._status is None:
            self._status = parse(self._call.finish())
        return self._status


@contextmanager
def looking_from(cwd: Path, environ: Mapping[str, str]) -> Iterator[Look]:
    """Open a look at the worktree around *cwd*.

    Raises:
        RepositoryError: there is no repository with a working tree here, or git refuses.
    """
    git = Git(cwd, environ)
    with ExitStack() as calls:
        place = calls.enter_context(start_looking(git))
        status = calls.enter_context(git.start(*QUESTION))
        objects = calls.enter_context(git.objects())
        yield Look(found(git, place), objects, status)


@contextmanager
def looking_again(repository: Repository) -> Iterator[Look]:
    """Open another look at the worktree of *repository*."""
    with ExitStack() as calls:
        status = calls.enter_context(repository.git.start(*QUESTION))
        objects = calls.enter_context(repository.git.objects())
        yield Look(repository, objects, status)
