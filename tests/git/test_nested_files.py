"""Which files of a repository within a worktree count there."""

from __future__ import annotations

import os

from gitcache.git.nested_files import nested_files
from gitcache.git.repository import find_repository
from tests.support.repository import Repo


def listed(repo: Repo, path: str) -> list[str]:
    return sorted(nested_files(find_repository(repo.path, os.environ), path))


def test_tracked_and_new_files_count_and_ignored_ones_do_not(repo: Repo) -> None:
    inner = Repo.init(repo.path / "lib")
    inner.write(".gitignore", "*.log\n")
    inner.write("a.txt", "a")
    inner.commit()
    inner.write("sub/new.txt", "new")
    inner.write("x.log", "x")
    assert listed(repo, "lib") == ["lib/.gitignore", "lib/a.txt", "lib/sub/new.txt"]


def test_repository_within_it_counts_by_its_files(repo: Repo) -> None:
    inner = Repo.init(repo.path / "lib")
    inner.write("a.txt", "a")
    inner.commit()
    innermost = Repo.init(inner.path / "deep/er")
    innermost.write("b.txt", "b")
    innermost.commit()
    assert listed(repo, "lib") == ["lib/a.txt", "lib/deep/er/b.txt"]
    inner.git("add", "deep/er")
    assert listed(repo, "lib") == ["lib/a.txt", "lib/deep/er/b.txt"]


def test_folder_without_a_repository_counts_by_all_its_files(repo: Repo) -> None:
    repo.write("lib/a/x", "x")
    (repo.path / "lib/link").symlink_to("a")
    assert listed(repo, "lib") == ["lib/a/x", "lib/link"]


def test_what_is_not_there_has_no_files(repo: Repo) -> None:
    assert listed(repo, "gone") == []
