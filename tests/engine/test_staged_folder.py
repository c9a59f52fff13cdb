"""The index's folder, as settings and detection look into it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from gitcache.engine.staged_folder import StagedFolder
from gitcache.git.look import looking_from
from tests.support.repository import Repo


@contextmanager
def staged(repo: Repo) -> Iterator[StagedFolder]:
    with looking_from(repo.path, os.environ) as look:
        yield StagedFolder(look.objects, look.index())


def test_names_are_those_of_head_with_the_staged_changes(repo: Repo) -> None:
    repo.write("new/deep/c.txt", "c\n")
    repo.write("sub/d.txt", "d\n")
    repo.write("sub/deep/e.txt", "e\n")
    repo.git("add", "--all")
    repo.git("rm", "--quiet", "--cached", "a.txt", "sub/b.txt")
    repo.write("sub/untracked", "")

    with staged(repo) as folder:
        assert folder.names == {"new", "sub"}
        assert folder.names_in("sub") == {"d.txt", "deep"}
        assert folder.names_in("new") == {"deep"}
        assert folder.names_in("none") == frozenset()


def test_names_of_a_folder_begin_with_no_other_ones(repo: Repo) -> None:
    repo.write("sub-way/x.txt", "")
    repo.write("other/sub/y.txt", "")
    repo.git("add", "--all")

    with staged(repo) as folder:
        assert folder.names_in("sub") == {"b.txt"}


def test_folder_that_became_a_file_has_no_names(repo: Repo) -> None:
    repo.git("rm", "--quiet", "-r", "sub")
    repo.write("sub", "a file\n")
    repo.git("add", "--all")

    with staged(repo) as folder:
        assert folder.names == {"a.txt", "sub"}
        assert folder.names_in("sub") == frozenset()


def test_file_below_is_read_as_staged_and_as_far_as_it_is_wanted(repo: Repo) -> None:
    repo.write("sub/digits", "0123456789")
    repo.git("add", "--all")
    repo.write("sub/digits", "edited")

    with staged(repo) as folder:
        assert folder.read("sub/digits") == b"0123456789"
        assert folder.read("sub/digits", 4) == b"0123"
        assert folder.read("sub/b.txt", 1) == b"b"
