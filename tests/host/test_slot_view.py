"""Who holds slots and who waits, seen by somebody who takes no place in the line."""

from __future__ import annotations

import os
from pathlib import Path

from gitcache.core.tool import ToolName
from gitcache.host.slot_view import ToolSlots, slots_of
from tests.support.locker import children
from tests.support.slot_taker import slot_taker

TEST = ToolName("test")


def view(state: Path | None, limit: int = 1, pressure: float = 0.0) -> ToolSlots:
    return slots_of(state, TEST, limit, pressure)


def test_line_that_nobody_was_ever_in_is_empty_and_is_not_made(tmp_path: Path) -> None:
    assert view(tmp_path / "state") == ToolSlots(TEST, 1, 1, (), ())
    assert not (tmp_path / "state").exists()
    assert view(None) == ToolSlots(TEST, 1, 1, (), ())


def test_limit_falls_with_memory_and_no_limit_stays_none(tmp_path: Path) -> None:
    assert [view(tmp_path, 8, pressure).limit_now for pressure in (0.0, 20.0, 90.0)] == [8, 4, 1]
    assert view(tmp_path, 0, 90.0).limit_now == 0


def test_holder_and_waiter_are_told_until_they_are_gone(tmp_path: Path) -> None:
    argv = slot_taker(tmp_path, 1, tmp_path / "no pressure")
    with children(argv, 2) as (holder, waiter):
        assert holder.ask("ask 1").startswith("slot ")
        assert waiter.ask("ask 1").startswith("waiting: ")
        names = sorted(os.listdir(tmp_path / "slots/test"))

        found = view(tmp_path)

        assert [len(found.holding), len(found.waiting)] == [1, 1]
        assert found.holding[0].pid != found.waiting[0].pid
        assert sorted(os.listdir(tmp_path / "slots/test")) == names
    assert view(tmp_path) == ToolSlots(TEST, 1, 1, (), ())
