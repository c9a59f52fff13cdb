"""Locks of git that nobody holds any more, as far as their age tells."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitcache.git.left_locks import OLD, left_locks
from gitcache.git.repository import find_repository
from tests.support.repository import Repo

NOW = 1_800_000_000.0


def left(repo: Repo) -> list[str]:
    repository = find_repository(repo.path, dict(os.environ))
    return [
        str(each.path.relative_to(repository.common_dir)) for each in left_locks(repository, NOW)
    ]


def lock(path: Path, age: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (NOW - age, NOW - age))


@pytest.mark.parametrize(
    "name",
    [
        *("index.lock", "HEAD.lock", "packed-refs.lock", "config.lock", "shallow.lock"),
        f"refs/toolcache/{'ab' * 32}.lock",
        "refs/notes/toolcache.lock",
    ],
)
def test_old_lock_is_told_and_a_new_one_is_not(repo: Repo, name: str) -> None:
    lock(repo.path / ".git" / name, OLD - 1)
    assert left(repo) == []
    lock(repo.path / ".git" / name, OLD + 1)
    assert left(repo) == [name]


def test_linked_worktree_has_an_index_of_its_own(repo: Repo, tmp_path: Path) -> None:
    other = repo.add_worktree(tmp_path / "wt")
    lock(repo.path / ".git/worktrees/wt/index.lock", OLD + 1)
    assert (left(repo), left(other)) == ([], ["worktrees/wt/index.lock"])
