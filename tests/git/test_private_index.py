"""The status through a copy of the index is git's own, in every state of the corpus."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.git.states.corpus import STATES
from tests.git.states.state import State
from tests.git.test_snapshot_corpus import fresh, name
from tests.support.footprint import footprint
from tests.support.repository import Repo

ALWAYS = 0
"""The bytes of an index from which it is copied."""


def copies(repo: Repo) -> list[Path]:
    """Return the copies of indexes that are kept."""
    return list((repo.path / ".git/toolcache/memo").glob("*/status-index"))


@pytest.mark.slow
@pytest.mark.parametrize("make", STATES, ids=name)
def test_look_through_a_copy_is_gits_in_every_state(
    make: Callable[[Repo], State], tmp_path: Path
) -> None:
    state = make(fresh(tmp_path / "one"))
    before = footprint(tmp_path)
    first = state.look(ALWAYS)
    assert state.look(ALWAYS) == first
    assert footprint(tmp_path) == before
    assert first.tree == state.tree_by_git()
    state.edit()
    second = state.look(ALWAYS)
    assert second.tree == state.tree_by_git()
    assert second == state.look()


def test_copy_follows_the_index_and_learns(repo: Repo) -> None:
    repo.snapshot(least=ALWAYS)
    (copy,) = copies(repo)
    assert b"UNTR" in copy.read_bytes()
    for number in range(3):
        repo.write(f"new/{number}.txt", "new\n")
        assert repo.snapshot(least=ALWAYS).tree == repo.tree_by_git()
    repo.git("add", "new/1.txt")
    repo.write("new/1.txt", "edited\n")
    assert repo.snapshot(least=ALWAYS).tree == repo.tree_by_git()
    repo.git("rm", "--quiet", "--force", "new/1.txt")
    assert repo.snapshot(least=ALWAYS).tree == repo.tree_by_git()


def test_each_worktree_has_its_own_copy(repo: Repo, tmp_path: Path) -> None:
    other = repo.add_worktree(tmp_path / "other")
    repo.write("here.txt", "here\n")
    other.write("there.txt", "there\n")
    for each in (repo, other, repo, other):
        assert each.snapshot(least=ALWAYS).tree == each.tree_by_git()
    assert len(copies(repo)) == 2


def test_damaged_copy_and_one_that_cannot_be_written_cost_nothing_but_time(repo: Repo) -> None:
    repo.write("new.txt", "new\n")
    repo.snapshot(least=ALWAYS)
    (copy,) = copies(repo)
    for damage in (b"", b"DIRC", b"nonsense" * 99):
        copy.write_bytes(damage)
        assert repo.snapshot(least=ALWAYS).tree == repo.tree_by_git()
    copy.unlink()
    copy.mkdir()
    assert repo.snapshot(least=ALWAYS).tree == repo.tree_by_git()


def test_lock_left_by_a_killed_git_is_removed_in_time(repo: Repo) -> None:
    repo.snapshot(least=ALWAYS)
    (copy,) = copies(repo)
    lock = copy.with_name("status-index.lock")
    lock.touch()
    os.utime(lock, (1, 1))
    repo.write("new.txt", "new\n")
    repo.git("add", "new.txt")
    assert repo.snapshot(least=ALWAYS).tree == repo.tree_by_git()
    assert not lock.exists()


def test_small_index_is_looked_at_as_it_is(repo: Repo) -> None:
    repo.snapshot()
    assert copies(repo) == []
