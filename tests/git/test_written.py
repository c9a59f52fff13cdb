"""Which files were written since a moment, whatever they hold."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest

from gitcache.git.repository import Repository, find_repository
from gitcache.git.written import head_moved_since, tracked_paths, written_since
from tests.support.repository import Repo

LATER = 2**62


def of(repo: Repo) -> Repository:
    return find_repository(repo.path, os.environ)


def a_moment_from_now() -> int:
    """Return a moment after which the kernel dates each write: its clock has ticked since."""
    now = time.time_ns()
    while time.time_ns() < now + 30_000_000:
        pass
    return now + 15_000_000


def rewrite(repo: Repo) -> None:
    repo.write("a.txt", "a\n")


def replace(repo: Repo) -> None:
    repo.write("b", "a\n").rename(repo.path / "a.txt")


def set_back(repo: Repo) -> None:
    rewrite(repo)
    os.utime(repo.path / "a.txt", (1, 1))


def change_mode(repo: Repo) -> None:
    (repo.path / "a.txt").chmod(0o600)


@pytest.mark.parametrize("act", [rewrite, replace, set_back, change_mode])
def test_file_that_was_touched_is_seen_with_its_stat(
    repo: Repo, act: Callable[[Repo], None]
) -> None:
    moment = a_moment_from_now()
    act(repo)
    facts = os.lstat(repo.path / "a.txt")
    stat = (facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino, facts.st_mode)
    assert written_since(of(repo), moment, ["a.txt", "sub/b.txt", "gone"]) == {"a.txt": stat}


def test_folder_is_never_written(repo: Repo) -> None:
    assert written_since(of(repo), 0, ["sub", "a.txt"]).keys() == {"a.txt"}


def test_tracked_paths_are_those_of_the_index(repo: Repo) -> None:
    repo.write("new\n.txt", "")
    repo.write("untracked", "")
    repo.git("add", "new\n.txt")
    assert tracked_paths(of(repo)) == {"a.txt", "sub/b.txt", "new\n.txt"}


@pytest.mark.parametrize(
    "words",
    [
        ("checkout", "--quiet", "--detach", "HEAD^"),
        ("commit", "--quiet", "--allow-empty", "--message", "x"),
        ("stash", "push", "--quiet"),
        ("-c", "alias.x=!git stash push -q && git stash pop -q", "x"),
    ],
)
@pytest.mark.parametrize("linked", [False, True])
def test_move_of_head_is_seen(repo: Repo, words: tuple[str, ...], linked: bool) -> None:
    here = repo.add_worktree(repo.path.parent / "linked") if linked else repo
    here.write("sub/b.txt", "more\n")
    here.commit()
    here.write("a.txt", "edited\n")
    moment = a_moment_from_now()
    here.git("status")
    here.git("add", "a.txt")
    assert not head_moved_since(of(here), moment)
    here.git(*words)
    assert head_moved_since(of(here), moment)
    assert not head_moved_since(of(here), LATER)
