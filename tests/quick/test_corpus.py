"""The whole corpus of the snapshot's states, by memo: an edit is never overlooked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.git.states import (
    attributes,
    edits,
    encodings,
    filters,
    flags,
    formats,
    kinds,
    line_ends,
    names,
    places,
    settings,
)
from tests.git.states.corpus import BLIND_STATES, STATES
from tests.git.states.state import BlindState, State
from tests.git.test_snapshot_corpus import fresh, name
from tests.support.overhearing import hear_snapshot, settle_clocks, still_holds
from tests.support.repository import Repo

CONVERTING = (attributes, encodings, filters, line_ends)


def make_settled(
    make: Callable[[Repo], State], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> State:
    """Make a state, all of which counts as settled.

    Not so where bytes are converted: an edit that git takes back shows in nothing but the index's
    own age.
    """
    if make.__module__ not in {each.__name__ for each in CONVERTING}:
        settle_clocks(monkeypatch)
    return make(fresh(folder))


@pytest.mark.parametrize("make", STATES, ids=name)
def test_memo_does_not_outlive_an_edit(
    make: Callable[[Repo], State], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = make_settled(make, tmp_path / "one", monkeypatch)
    folder = state.here.path / state.folder
    snapshot, memo = hear_snapshot(folder, state.env)
    assert snapshot.tree == state.tree_by_git()
    if memo is None:
        return  # the ordinary path answers each time
    state.edit()
    assert not still_holds(memo, folder, state.env)
    second, memo = hear_snapshot(folder, state.env)
    assert second.tree == state.tree_by_git()


@pytest.mark.parametrize("make", BLIND_STATES, ids=name)
def test_memo_does_not_outlive_an_edit_that_git_overlooks(
    make: Callable[[Repo], BlindState], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = make_settled(make, tmp_path / "one", monkeypatch)
    assert isinstance(state, BlindState)
    folder = state.here.path / state.folder
    _, memo = hear_snapshot(folder, state.env)
    state.overlooked()
    assert memo is None or not still_holds(memo, folder, state.env)


@pytest.mark.parametrize("least", [1, 1 << 19], ids=["by-a-copy", "plain"])
@pytest.mark.parametrize(
    "make",
    [
        *(edits.clean, edits.mixed, edits.all_removed, kinds.links, kinds.made_executable),
        *(line_ends.crlf_taken_in, flags.assumed_unchanged, flags.skipped_and_edited),
        *(formats.sha256, formats.many_files, places.linked_worktree, places.subfolder),
        *(names.odd_names, names.names_that_are_no_text, settings.hooks_elsewhere),
    ],
    ids=name,
)
def test_memo_holds_while_nothing_happens(
    make: Callable[[Repo], State], least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle_clocks(monkeypatch)
    state = make(fresh(tmp_path / "one"))
    folder = state.here.path / state.folder
    _, memo = hear_snapshot(folder, state.env, least)
    assert memo is not None
    for _ in range(2):
        assert still_holds(memo, folder, state.env)
