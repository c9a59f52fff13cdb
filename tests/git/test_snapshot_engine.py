"""Who has which part in a snapshot here, told as it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitcache.git.look import looking_from
from gitcache.git.plumbing import Git
from gitcache.git.snapshot_engine import SnapshotEngine, programs_of, snapshot_engine
from gitcache.git.status import QUESTION, parse
from tests.git.test_version import pretend
from tests.support.repository import Repo


def engine(repo: Repo) -> SnapshotEngine:
    with looking_from(repo.path, dict(os.environ)) as look:
        return snapshot_engine(look, parse(look.repository.git.run(*QUESTION)))


def test_plain_repository_has_pygit2_as_its_hand(repo: Repo) -> None:
    found = engine(repo)
    assert (found.hand, found.converts, found.features) == ("pygit2", False, ())
    assert found.why == "libgit2 opens the repository"
    assert found.why_no_private_index.startswith("the index has ")


def test_sha256_repository_has_git_as_its_hand(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "new", "--object-format=sha256")
    found = engine(repo)
    assert (found.hand, found.why) == ("git", "libgit2 does not read sha256 objects")
    assert found.why_no_private_index == "there is no index"


def test_extension_that_libgit2_does_not_know_is_named(repo: Repo) -> None:
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.partialClone", "origin")
    found = engine(repo)
    assert found.hand == "git"
    assert found.why.startswith("libgit2 can't open the repository: ")
    assert "partialclone" in found.why.lower()


@pytest.mark.parametrize("text", ["*.txt text=auto eol=lf\n", "*.txt filter=x\n"])
def test_attributes_that_convert_are_told(repo: Repo, text: str) -> None:
    repo.write(".gitattributes", text)
    assert engine(repo).converts


def test_what_git_itself_does_faster_is_named(repo: Repo) -> None:
    repo.git("config", "core.untrackedCache", "true")
    repo.git("config", "core.fsmonitor", "true")
    repo.git("update-index", "--split-index")
    assert engine(repo).features == ("untracked cache", "fsmonitor", "split index")


def test_sparse_worktree_is_told(repo: Repo) -> None:
    repo.git("sparse-checkout", "set", "sub")
    assert engine(repo).features == ("sparse checkout",)


def test_big_index_has_a_private_copy(repo: Repo) -> None:
    oid = repo.git("rev-parse", "HEAD:a.txt")
    lines = "".join(f"100644 {oid}\tf/{'x' * 80}{number}\n" for number in range(4000))
    repo.git("update-index", "--index-info", stdin=lines.encode())
    assert engine(repo).why_no_private_index == ""


def test_versions_are_told_of_an_old_git_too(repo: Repo, tmp_path: Path) -> None:
    found = programs_of(Git(repo.path, dict(os.environ)))
    assert f"git version {found.git}" == repo.git("version")
    assert found.git_path is not None
    assert Path(found.git_path).name == "git"
    assert (found.fault, found.libgit2[0].isdigit(), found.pygit2[0].isdigit()) == ("", True, True)

    old = programs_of(Git(repo.path, pretend(tmp_path / "bin", "git version 2.17.1")))
    assert (old.git, old.git_path) == ("2.17.1", str(tmp_path / "bin/git"))
    assert old.fault == "git version 2.17.1 is too old: 2.35 or newer is needed"
