"""The snapshot in every state of the corpus, with git as the referee.

In each state the tree is git's, before and after one more edit; a second look says the same; and
nothing that lies in or around the repository has changed by a look. Where git is blind, the blind
spots say what its tree does not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitcache.errors import RepositoryError
from tests.git.states import edits, formats, line_ends, submodule_content
from tests.git.states.corpus import BLIND_STATES, REFUSALS, STATES
from tests.git.states.state import BlindState, Refusal, State
from tests.support.footprint import footprint
from tests.support.repository import Repo
from tests.support.unprivileged import unprivileged


def fresh(folder: Path) -> Repo:
    """Return a repository with one commit, alone in *folder*."""
    repo = Repo.init(folder / "repo")
    repo.write("a.txt", "a\n")
    repo.write("sub/b.txt", "b\n")
    repo.commit("first")
    return repo


def name(make: Callable[[Repo], object]) -> str:
    """Return the name of a state, its family in front."""
    return f"{make.__module__.rpartition('.')[2]}-{make.__name__}"


@pytest.mark.parametrize("make", STATES, ids=name)
def test_tree_is_gits_and_moves_with_one_more_edit(
    make: Callable[[Repo], State], tmp_path: Path
) -> None:
    state = make(fresh(tmp_path / "one"))
    first = state.look()
    assert first.tree == state.tree_by_git()
    state.edit()
    second = state.look()
    assert second.tree == state.tree_by_git()
    assert second.tree != first.tree


@pytest.mark.parametrize("make", STATES, ids=name)
def test_second_look_says_the_same_and_neither_leaves_a_trace(
    make: Callable[[Repo], State], tmp_path: Path
) -> None:
    state = make(fresh(tmp_path / "one"))
    before = footprint(tmp_path)
    first = state.look()
    second = state.look()
    assert footprint(tmp_path) == before
    assert second == first
    assert not (state.is_whole and first.blind_spots)


@pytest.mark.parametrize("make", BLIND_STATES, ids=name)
def test_edit_that_git_overlooks_moves_the_blind_spots(
    make: Callable[[Repo], BlindState], tmp_path: Path
) -> None:
    state = make(fresh(tmp_path / "one"))
    first = state.look()
    state.overlooked()
    second = state.look()
    assert first.tree == second.tree == state.tree_by_git()
    assert second.blind_spots != first.blind_spots


@pytest.mark.parametrize("make", BLIND_STATES, ids=name)
def test_equal_content_has_equal_blind_spots(
    make: Callable[[Repo], BlindState], tmp_path: Path
) -> None:
    one, other = (make(fresh(tmp_path / each)).look() for each in ("one", "other"))
    assert (one.tree, one.blind_spots) == (other.tree, other.blind_spots)


@pytest.mark.parametrize("make", REFUSALS, ids=name)
def test_uncertain_content_is_refused_by_name_and_without_a_trace(
    make: Callable[[Repo], Refusal], tmp_path: Path
) -> None:
    state = make(fresh(tmp_path / "one"))
    before = footprint(tmp_path)
    with pytest.raises(RepositoryError) as refusal:
        state.look()
    assert state.names in refusal.value.message
    assert footprint(tmp_path) == before
    state.cure()
    assert state.look().tree == state.tree_by_git()


@pytest.mark.parametrize(
    "garbage", [b"", b"garbage\0", b"[]", b"null", b'{"tree": 1}'], ids=["empty", *"abcd"]
)
@pytest.mark.parametrize(
    "make",
    [
        edits.mixed,
        edits.clean,
        line_ends.crlf_taken_in,
        submodule_content.submodule_edited,
        formats.sha256,
    ],
    ids=name,
)
def test_garbage_in_our_own_folder_changes_no_answer(
    make: Callable[[Repo], State], garbage: bytes, tmp_path: Path
) -> None:
    state = make(fresh(tmp_path / "one"))
    first = state.look()
    for path in tmp_path.rglob("toolcache/**/*"):
        if path.is_file():
            path.write_bytes(garbage)
    assert state.look() == first
    state.edit()
    assert state.look().tree == state.tree_by_git()


@pytest.fixture
def restricted(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repo]:
    """Return a repository of a user who can be kept from reading a file."""
    repo.write("new.txt", "new\n")
    repo.snapshot()  # what is imported late is imported now, while every folder can be read
    with unprivileged() as home:
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
        yield fresh(home)


def test_edited_file_that_may_not_be_read_is_refused_by_name(restricted: Repo) -> None:
    restricted.write("sub/b.txt", "edited\n").chmod(0)
    with pytest.raises(RepositoryError, match=r"sub/b\.txt"):
        restricted.snapshot()


def test_new_file_that_may_not_be_read_is_refused_by_name(restricted: Repo) -> None:
    restricted.write("sub/new.txt", "new\n").chmod(0)
    with pytest.raises(RepositoryError, match=r"sub/new\.txt"):
        restricted.snapshot()


@pytest.mark.parametrize("folder", ["closed", "sub"])
def test_folder_that_may_not_be_read_is_refused_though_git_takes_it_for_empty(
    restricted: Repo, folder: str
) -> None:
    restricted.write(f"{folder}/in.txt", "in\n")
    (restricted.path / folder).chmod(0)
    with pytest.raises(RepositoryError, match=f"could not open directory '{folder}/'"):
        restricted.snapshot()


@pytest.mark.parametrize("make", [edits.mixed, line_ends.crlf_taken_in, formats.sha256], ids=name)
def test_repository_that_may_not_be_written_is_seen_all_the_same(
    make: Callable[[Repo], State], restricted: Repo
) -> None:
    state = make(restricted)
    for folder, _, _ in os.walk(state.here.path / ".git"):
        os.chmod(folder, 0o555)
    assert state.look().tree == state.tree_by_git()
    state.edit()
    assert state.look().tree == state.tree_by_git()
