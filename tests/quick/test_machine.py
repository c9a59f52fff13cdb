"""A memo after any sequence of edits and git commands: it holds only where nothing has changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis.stateful import invariant, run_state_machine_as_test

from gitcache.core.content import Snapshot
from gitcache.quick.memo import Memo
from tests.git.test_snapshot_machine import LONG, SHORT, Worktree
from tests.support.overhearing import hear_snapshot, settle_clocks, still_holds


class Remembered(Worktree):
    """A worktree of which somebody keeps a memo."""

    def __init__(self) -> None:
        super().__init__()
        self.snapshot: Snapshot | None = None
        self.memo: Memo | None = None

    @invariant()
    def memo_holds_only_where_the_content_is_the_same(self) -> None:
        held = self.memo is not None and still_holds(self.memo, self.repo.path, {})
        before = self.snapshot
        self.snapshot, self.memo = hear_snapshot(self.repo.path, {})
        if held and before is not None:
            now = self.snapshot
            assert (now.tree, now.blind_spots) == (before.tree, before.blind_spots)


def _remembered_in(folder: Path) -> type[Remembered]:
    """Return the machine that works below *folder*."""

    class Here(Remembered):
        parent = folder

    return Here


@pytest.mark.timeout(600)
def test_memo_holds_only_where_nothing_changed_in_any_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle_clocks(monkeypatch)
    run_state_machine_as_test(_remembered_in(tmp_path), settings=SHORT)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_memo_holds_only_where_nothing_changed_in_two_thousand_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle_clocks(monkeypatch)
    run_state_machine_as_test(_remembered_in(tmp_path), settings=LONG)
