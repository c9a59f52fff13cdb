"""Tracked files by their names, and paths that no snapshot tells."""

from __future__ import annotations

import os

from gitcache.git.repository import Repository, find_repository
from gitcache.git.tracked_names import ignored_among, tracked_named
from tests.support.repository import Repo


def repository_of(repo: Repo) -> Repository:
    return find_repository(repo.path, dict(os.environ))


def test_tracked_files_are_found_in_any_folder(repo: Repo) -> None:
    for name in ("package.json", "web/package.json", "web/requirements-dev.txt", "other"):
        repo.write(name, "")
    repo.git("add", "--all")
    repo.write("new/package.json", "")
    patterns = ("package.json", "requirements*.txt")
    wanted = ("package.json", "web/package.json", "web/requirements-dev.txt")
    assert tracked_named(repository_of(repo), patterns) == wanted


def test_the_answer_follows_the_index_and_the_question(repo: Repo) -> None:
    repository = repository_of(repo)
    index = repo.path / ".git" / "index"
    for number, name in enumerate(("a/go.mod", "b/go.mod")):
        repo.write(name, "")
        repo.git("add", "--all")
        os.utime(index, (number, number))
        assert len(tracked_named(repository, ["go.mod"])) == number + 1
        assert len(tracked_named(repository, ["go.mod"])) == number + 1
    assert tracked_named(repository, ["a.txt"]) == ("a.txt",)


def test_ignored_paths_are_those_that_no_snapshot_tells(repo: Repo) -> None:
    repo.write(".gitignore", "vendor/\n")
    repo.write("vendor/a", "")
    (repo.path / "link").symlink_to("vendor")
    repository = repository_of(repo)
    assert ignored_among(repository, ["vendor", "sub", "nowhere"]) == {"vendor"}
    assert ignored_among(repository, ["sub"]) == frozenset()
    assert ignored_among(repository, []) == frozenset()
    assert ignored_among(repository, ["link/a"]) == {"link/a"}
