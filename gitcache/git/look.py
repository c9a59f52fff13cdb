"""One look at a worktree: five git processes, side by side.

Which git this is, where the repository is, which objects there are and what the settings say is
asked at the same time, since each question costs a process and none needs another's answer to
begin; what has changed is asked as soon as the repository is known.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from gitcache.core.content import Snapshot
from gitcache.core.variables import without_git_local
from gitcache.errors import RepositoryError
from gitcache.git import config, status, version
from gitcache.git.index_scan import scan_index
from gitcache.git.memo import MemoFolder
from gitcache.git.plumbing import Git, GitCall, Listener, ObjectReader
from gitcache.git.private_index import LEAST, start_status
from gitcache.git.repository import Repository, find_repository, found, start_looking
from gitcache.git.snapshot import Sight, take_commit, take_index, take_snapshot


class Look:
    """An open look at a worktree; git's answers are asked for once and stay."""

    def __init__(
        self,
        repository: Repository,
        memos: MemoFolder,
        objects: ObjectReader,
        status_answer: Callable[[], bytes],
        config_call: GitCall,
        opened_ns: int,
    ) -> None:
        self.repository = repository
        self.opened_ns = opened_ns
        """A moment before the look, in nanoseconds since the epoch."""

        self.objects = objects
        self._memos = memos
        self._status_answer = status_answer
        self._config_call = config_call
        self._settings: config.Config | None = None
        self._status: status.Status | None = None
        self._snapshots: dict[frozenset[str], Snapshot] = {}

    def snapshot(self, left_out: frozenset[str] = frozenset(), name: str = "") -> Snapshot:
        """Return the content of the working tree.

        A look that somebody's own git or editor came across is taken once more.

        Args:
            left_out: untracked files that do not count; a tracked one counts all the same.
            name: whose they are, for a memo of its own.

        Raises:
            RepositoryError: git can't tell it for certain.
        """
        if left_out not in self._snapshots:
            try:
                self._snapshots[left_out] = self._take(left_out, name)
            except RepositoryError:
                with _looking_at(self.repository, self._memos) as again:
                    self._snapshots[left_out] = again._take(left_out, name)
        return self._snapshots[left_out]

    def settings(self) -> config.Config:
        """Return git's settings here; GitError where they can't be read."""
        if self._settings is None:
            self._settings = config.read_config(self._config_call)
        return self._settings

    def index(self) -> Snapshot:
        """Return the content of the index; RepositoryError where it is in conflict."""
        return take_index(self.repository, self._answer(), self.objects)

    @property
    def is_unborn(self) -> bool:
        """Whether there is no commit yet."""
        return self._answer().head is None

    def commit(self, revision: str) -> Snapshot:
        """Return the content of the commit that *revision* names; RepositoryError where none."""
        return take_commit(self.objects, revision)

    def _take(self, left_out: frozenset[str] = frozenset(), name: str = "") -> Snapshot:
        with self.repository.listing() as git:
            repository = replace(self.repository, git=git)
            return self._take_of(repository, self.settings(), left_out, name)

    def _take_of(
        self,
        repository: Repository,
        settings: config.Config,
        left_out: frozenset[str],
        name: str,
    ) -> Snapshot:
        sight = Sight(
            repository=repository,
            status=self._answer().without(left_out),
            config=settings,
            scan=scan_index(repository, self._memos),
            objects=self.objects,
            memos=self._memos,
            look_inside=self._look_inside,
            memo_name=f"snapshot-{name}" if left_out else "snapshot",
        )
        return take_snapshot(sight)

    def _answer(self) -> status.Status:
        """Return what git's status says, waiting for it where it is still at work."""
        if self._status is None:
            self._status = status.parse(self._status_answer())
        return self._status

    def _look_inside(self, path: str) -> Snapshot:
        """Return the snapshot of the nested repository at *path*, which keeps no memo."""
        place = self.repository.top / path
        try:
            nested = find_repository(place, without_git_local(self.repository.git.environ))
            if nested.top != place.resolve():
                raise RepositoryError("it is no repository of its own")
            with _looking_at(nested, MemoFolder(None)) as look:
                return look.snapshot()
        except RepositoryError as error:
            raise RepositoryError(f"{path}: {error.message}") from error


@contextmanager
def looking_from(
    cwd: Path,
    environ: Mapping[str, str],
    least: int = LEAST,
    listener: Listener | None = None,
) -> Iterator[Look]:
    """Open a look at the worktree around *cwd*.

    Args:
        cwd: the caller's folder.
        environ: the caller's variables.
        least: the bytes of an index from which the status is asked through a copy.
        listener: who hears what git is asked and answers.

    Raises:
        RepositoryError: there is no repository with a working tree here, or git refuses.
    """
    git = Git(cwd, environ, listener=listener)
    with ExitStack() as calls:
        place = calls.enter_context(start_looking(git))
        age = calls.enter_context(git.start(*version.QUESTION))
        objects = calls.enter_context(git.objects())
        settings = calls.enter_context(git.start(*config.QUESTION))
        repository = found(git, place)
        memos = MemoFolder.of_index(repository.common_dir, repository.index)
        opened_ns = time.time_ns()
        answer = start_status(repository, memos, calls, least)
        version.check_version(age)
        yield Look(repository, memos, objects, answer, settings, opened_ns)


@contextmanager
def looking_again(repository: Repository) -> Iterator[Look]:
    """Open another look at the worktree of *repository*."""
    memos = MemoFolder.of_index(repository.common_dir, repository.index)
    with _looking_at(repository, memos) as look:
        yield look


@contextmanager
def _looking_at(repository: Repository, memos: MemoFolder) -> Iterator[Look]:
    with ExitStack() as calls:
        opened_ns = time.time_ns()
        answer = start_status(repository, memos, calls)
        objects = calls.enter_context(repository.git.objects())
        settings = calls.enter_context(repository.git.start(*config.QUESTION))
        yield Look(repository, memos, objects, answer, settings, opened_ns)
