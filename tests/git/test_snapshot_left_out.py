"""Snapshots that leave untracked files out, with git as the referee."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitcache.git.look import looking_from
from tests.support.repository import Repo

FILES = ("a.txt", "sub/b.txt", "run.log", "coverage/x.json", "sub/__pycache__/a.pyc", "new.py")


def tree_by_git(repo: Repo, left_out: frozenset[str]) -> str:
    """Return the tree of ``git add`` of all but the untracked files *left_out*."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "index")
        shutil.copy2(repo.path / ".git/index", copy)
        env = {
            "GIT_INDEX_FILE": str(copy),
            "GIT_OBJECT_DIRECTORY": folder,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(repo.path / ".git/objects"),
        }
        tracked = set(repo.git("ls-files", "-z", env=env).split("\0"))
        excluded = [f":(exclude,literal,top){path}" for path in sorted(left_out - tracked)]
        repo.git("add", "--all", "--", ":/", *excluded, env=env)
        return repo.git("write-tree", env=env)


def snapshot_tree(repo: Repo, left_out: frozenset[str]) -> str:
    with looking_from(repo.path, os.environ) as look:
        tree = look.snapshot(left_out, "test").tree
        assert look.snapshot(left_out, "test").tree == tree
        return tree


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    written=st.dictionaries(st.sampled_from(FILES), st.sampled_from(["", "x\n", "y\r\n"])),
    staged=st.sets(st.sampled_from(FILES)),
    left_out=st.frozensets(st.sampled_from(FILES)),
)
def test_snapshot_is_gits_own_tree_without_the_untracked_ones(
    repo: Repo, written: dict[str, str], staged: set[str], left_out: frozenset[str]
) -> None:
    repo.git("reset", "--quiet", "--hard")
    repo.git("clean", "-qfdx")
    for path, text in written.items():
        repo.write(path, text)
    for path in staged & written.keys():
        repo.git("add", path)
    whole = snapshot_tree(repo, frozenset())
    assert whole == repo.tree_by_git()
    assert snapshot_tree(repo, left_out) == tree_by_git(repo, left_out)
    assert snapshot_tree(repo, frozenset()) == whole


def test_tracked_file_is_never_left_out(repo: Repo) -> None:
    repo.write("a.txt", "edited\n")
    left_out = frozenset({"a.txt"})
    assert snapshot_tree(repo, left_out) == repo.tree_by_git()


def test_memo_of_one_tool_does_not_answer_for_another(repo: Repo) -> None:
    for name in ("run.log", "coverage/x.json"):
        path = repo.write(name, name)
        os.utime(path, (1, 1))
    one, two = frozenset({"run.log"}), frozenset({"coverage/x.json"})
    for _ in range(2):
        for left_out in (one, two, one | two, frozenset[str]()):
            assert snapshot_tree(repo, left_out) == tree_by_git(repo, left_out)


@pytest.mark.parametrize("autocrlf", ["true", "input"])
def test_files_left_out_are_no_blind_spot_either(repo: Repo, autocrlf: str) -> None:
    repo.git("config", "core.autocrlf", autocrlf)
    before = repo.snapshot()
    repo.write("run.log", "a\r\n")
    with looking_from(repo.path, os.environ) as look:
        assert look.snapshot(frozenset({"run.log"}), "test") == before
