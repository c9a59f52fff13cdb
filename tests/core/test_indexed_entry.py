"""An entry in short: what it keeps, and that a foreign row is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gitcache.core.entry import Entry
from gitcache.core.indexed_entry import IndexedEntry
from gitcache.core.key import Key
from gitcache.core.outcome import Passed
from gitcache.core.tool import AD_HOC
from tests.core.test_entry import ENTRY, KEY, TREE

CLEAN = replace(ENTRY, changes=(), changes_total=0, flaky=())
ROW: list[Any] = ["test", TREE, TREE, 1, False, 1767225600.5, True]


def test_entry_in_short_comes_back_from_its_row() -> None:
    short = IndexedEntry.of_entry(CLEAN)
    assert (short.key, short.outcome) == (KEY, "failed")
    assert short.to_row() == ROW
    assert IndexedEntry.from_row(Key(KEY), ROW) == short
    assert IndexedEntry.of_entry(replace(CLEAN, verdict=Passed())).outcome == "passed"


def test_run_with_changes_is_of_no_commit() -> None:
    short = IndexedEntry.of_entry(ENTRY)
    assert short.commit_tree is None
    assert IndexedEntry.from_row(Key(KEY), short.to_row()) == short


@pytest.mark.parametrize(
    "entry",
    [
        replace(CLEAN, extra=("-k", "one")),
        replace(CLEAN, inputs=replace(CLEAN.inputs, tool=AD_HOC)),
        replace(CLEAN, inputs=replace(CLEAN.inputs, blind_spots={"sparse": "0"})),
    ],
)
def test_what_tells_of_less_than_a_tool_on_a_content_is_not_whole(entry: Entry) -> None:
    assert not IndexedEntry.of_entry(entry).is_whole
    assert IndexedEntry.of_entry(CLEAN).is_whole


WRONG: list[list[Any]] = [
    ["a b", "", 1, None],
    ["a b", "", TREE[1:], None],
    ["a b", None],
    ["1", 1.0, True],
    [0, None],
    [1, "1"],
    [1, None, []],
]
"""For each place of a row what can't stand there."""


@pytest.mark.parametrize("place", range(len(ROW)))
def test_row_with_another_value_is_refused(place: int) -> None:
    for value in WRONG[place]:
        with pytest.raises(ValueError, match="a row"):
            IndexedEntry.from_row(Key(KEY), [*ROW[:place], value, *ROW[place + 1 :]])


def test_what_is_no_row_is_refused() -> None:
    rows: list[object] = [None, {}, "row", ROW[:-1], [*ROW, 1]]
    for row in rows:
        with pytest.raises(ValueError, match="a row"):
            IndexedEntry.from_row(Key(KEY), row)
