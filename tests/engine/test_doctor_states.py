"""The doctor in every state of the corpus: it always has an answer and leaves no trace."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gitcache.engine.complaints import complaints
from gitcache.engine.context import Context
from gitcache.engine.doctor import examine
from gitcache.errors import RepositoryError
from tests.git.states.corpus import REFUSALS, STATES
from tests.git.states.state import Refusal, State
from tests.git.test_snapshot_corpus import fresh, name
from tests.support.footprint import footprint

NO_REPOSITORY = {
    "places-bare",
    "places-configuration_that_can_not_be_read",
    "places-format_from_the_future",
    "settings-owned_by_another",
}
"""Where git itself finds no worktree."""


@pytest.mark.parametrize("make", [*STATES, *REFUSALS], ids=name)
def test_every_state_is_told_without_a_trace(
    make: Callable[[object], State | Refusal], tmp_path: Path
) -> None:
    state = make(fresh(tmp_path / "one"))
    folder = state.folder if isinstance(state, State) else ""
    before = footprint(tmp_path)
    environ = {**os.environ, **state.env}
    context = Context(state.here.path / folder, environ, time.time, "here", "me")

    if name(make) in NO_REPOSITORY:
        with pytest.raises(RepositoryError):
            examine(context)
        assert footprint(tmp_path) == before
        return
    health = examine(context)

    assert footprint(tmp_path) == before
    found = {each.name for each in complaints(health, context)} - {"no_bytecode"}
    assert found <= {"git_too_old" if name(make) == "places-git_too_old" else "no_snapshot"}
    assert bool(found) == bool(health.blindness)
