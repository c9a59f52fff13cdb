"""What differs between two trees, whatever the user's settings for diffs say."""

from __future__ import annotations

import pytest

from gitcache.core.content import Change
from gitcache.errors import RepositoryError
from gitcache.git.repository import find_repository
from gitcache.git.tree_diff import tree_diff
from tests.support.repository import Repo

NOTHING = "0" * 40


def diff(repo: Repo, before: str, after: str) -> dict[str, tuple[Change, Change]]:
    trees = (repo.git("rev-parse", f"{each}^{{tree}}") for each in (before, after))
    return tree_diff(find_repository(repo.path / "sub", {}), *trees)


def test_added_changed_moved_and_removed_files_are_told_on_both_sides(repo: Repo) -> None:
    repo.git("config", "diff.renames", "copies")
    repo.git("config", "diff.relative", "true")
    repo.git("config", "core.abbrev", "7")
    old_a, old_b = (repo.git("rev-parse", f"HEAD:{name}") for name in ("a.txt", "sub/b.txt"))
    repo.git("mv", "a.txt", "sub/é\n.txt")
    repo.write("sub/b.txt", "b\n").chmod(0o755)
    repo.commit()
    assert diff(repo, "HEAD~1", "HEAD") == {
        "a.txt": (Change("a.txt", "100644", old_a), Change("a.txt", "000000", NOTHING)),
        "sub/b.txt": (
            Change("sub/b.txt", "100644", old_b),
            Change("sub/b.txt", "100755", old_b),
        ),
        "sub/é\n.txt": (
            Change("sub/é\n.txt", "000000", NOTHING),
            Change("sub/é\n.txt", "100644", old_a),
        ),
    }


def test_a_submodule_counts_whatever_is_to_be_ignored(repo: Repo) -> None:
    first, second = "1" * 40, "2" * 40
    for commit in (first, second):
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},lib")
        repo.git("commit", "--quiet", "--message", "lib")
    repo.git("config", "diff.ignoreSubmodules", "all")
    repo.git("config", "submodule.lib.ignore", "all")
    assert diff(repo, "HEAD~1", "HEAD") == {
        "lib": (Change("lib", "160000", first), Change("lib", "160000", second))
    }


def test_a_tree_does_not_differ_from_itself(repo: Repo) -> None:
    assert diff(repo, "HEAD", "HEAD") == {}


def test_a_tree_that_is_not_there_is_an_error(repo: Repo) -> None:
    with pytest.raises(RepositoryError):
        tree_diff(find_repository(repo.path, {}), "1" * 40, "2" * 40)
