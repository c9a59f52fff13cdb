"""Both makers of trees give git's own id, and neither leaves a trace."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence

import pytest

from gitcache.core.content import Change
from gitcache.core.key import TreeId
from gitcache.errors import RepositoryError
from gitcache.git.repository import Repository, find_repository
from gitcache.git.tree_maker import make_tree_by_git, make_tree_by_libgit2
from tests.support.repository import Repo

Maker = Callable[[Repository, TreeId, Sequence[Change]], TreeId]

GONE = "0" * 40
NEW = "9daeafb9864cf43055ae93beb0afd6c7d144bfa4"
"""The id of a blob that is stored nowhere: ``test`` and a newline."""


@pytest.fixture(params=[make_tree_by_libgit2, make_tree_by_git], ids=["libgit2", "git"])
def make(request: pytest.FixtureRequest) -> Maker:
    maker: Maker = request.param
    return maker


def made(make: Maker, repo: Repo, *changes: Change) -> str:
    repository = find_repository(repo.path, os.environ)
    return make(repository, TreeId(repo.git("rev-parse", "HEAD^{tree}")), changes)


def test_changed_file_leaves_its_neighbours_as_they_are(make: Maker, repo: Repo) -> None:
    repo.write("deep/er/c.txt", "c\n")
    repo.commit()
    repo.write("a.txt", "test\n")
    assert made(make, repo, Change("a.txt", "100644", NEW)) == repo.tree_by_git()


def test_new_names_are_sorted_as_git_sorts_them(make: Maker, repo: Repo) -> None:
    names = ["sub.", "sub0", "sub-/x", "sub/a", "z\n", os.fsdecode(b"bytes\xff"), "a b"]
    for name in names:
        repo.write(name, "test\n")
    changes = [Change(name, "100644", NEW) for name in names]
    assert made(make, repo, *changes) == repo.tree_by_git()


def test_folder_takes_the_place_of_a_file(make: Maker, repo: Repo) -> None:
    (repo.path / "a.txt").unlink()
    repo.write("a.txt/inner", "test\n")
    changes = [Change("a.txt/inner", "100644", NEW), Change("a.txt", "000000", GONE)]
    assert made(make, repo, *changes) == repo.tree_by_git()


def test_file_takes_the_place_of_a_folder(make: Maker, repo: Repo) -> None:
    shutil.rmtree(repo.path / "sub")
    repo.write("sub", "test\n")
    changes = [Change("sub", "100644", NEW), Change("sub/b.txt", "000000", GONE)]
    assert made(make, repo, *changes) == repo.tree_by_git()


def test_removing_all_gives_the_empty_tree(make: Maker, repo: Repo) -> None:
    gone = [Change(name, "000000", GONE) for name in ("a.txt", "sub/b.txt", "never/there")]
    assert made(make, repo, *gone) == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def test_empty_tree_is_a_base(make: Maker, repo: Repo) -> None:
    repository = find_repository(repo.path, os.environ)
    tree = make(repository, TreeId(repository.empty_tree), [Change("x", "100755", NEW)])
    assert tree == "2a9e99896c6233b94d548378301b6a19c0a033b7"


def test_nothing_enters_or_touches_the_object_store(make: Maker, repo: Repo) -> None:
    repo.write("twin/b.txt", "b\n")
    repo.commit()
    objects = repo.path / ".git/objects"
    for path in objects.rglob("*"):
        os.utime(path, (1, 1))
    before = {path: path.stat().st_mtime_ns for path in objects.rglob("*")}
    b_txt = repo.git("rev-parse", "HEAD:sub/b.txt")
    made(make, repo, Change("again/b.txt", "100644", b_txt), Change("x", "100644", NEW))
    assert {path: path.stat().st_mtime_ns for path in objects.rglob("*")} == before


def test_name_that_git_will_not_have_is_never_left_out(repo: Repo) -> None:
    with pytest.raises(RepositoryError, match=r"can't add x/\.git/config"):
        made(make_tree_by_git, repo, Change("x/.git/config", "100644", NEW))


def test_no_hook_of_the_user_hears_of_a_tree(make: Maker, repo: Repo) -> None:
    hook = repo.write(".git/hooks/post-index-change", "#!/bin/sh\ntouch heard\n")
    hook.chmod(0o755)
    made(make, repo, Change("x", "100644", NEW))
    assert not list(repo.path.rglob("heard"))
