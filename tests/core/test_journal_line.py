"""The line of a use: short, on one line, and read back as it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.journal_line import FIELDS, LONGEST, fields_of, line_of

USE: dict[str, Any] = {
    "at": 1_800_000_000.25,
    "tool": "test",
    "key": "ab" * 32,
    "source": "hit",
    "outcome": "passed",
    "stored": True,
    "focused": False,
    "duration": 12.5,
    "saved": 12.5,
    "worktree": "/w",
    "reason": "",
}

TEXTS = st.text(st.characters(exclude_categories=()))
"""Lone surrogates too, as names of files have them."""


def line(**values: Any) -> bytes:
    return line_of(**{**USE, **values})


def test_line_is_written_down_as_it_is_documented() -> None:
    assert line(reason="no entry") == (
        b"use1\t1800000000.250\ttest\t" + b"ab" * 32 + b"\thit\tpassed\t1\tfull\t12.500\t12.500"
        b"\t/w\tno entry\n"
    )
    assert line(key=None, stored=False, focused=True, source="run").split(b"\t")[3:8] == [
        *(b"", b"run", b"passed", b"0", b"focused")
    ]


def test_what_parts_fields_and_lines_is_escaped() -> None:
    written = line(worktree="/a\tb\nc%09", reason="50%\n")
    assert written.endswith(b"\t/a%09b%0Ac%2509\t50%25%0A\n")
    fields = fields_of(written[:-1])
    assert fields is not None
    assert (fields["worktree"], fields["reason"]) == ("/a\tb\nc%09", "50%\n")


@given(TEXTS, TEXTS)
def test_any_text_makes_one_short_line_that_is_read_back(worktree: str, reason: str) -> None:
    written = line(worktree=worktree, reason=reason)
    assert len(written) <= LONGEST
    assert written.count(b"\n") == 1
    fields = fields_of(written[:-1])
    assert fields is not None
    assert list(fields) == list(FIELDS)
    if worktree.isascii():
        assert fields["worktree"] == worktree[-1000:]
    if reason.isascii():
        assert fields["reason"] == reason[:160]


@pytest.mark.parametrize("character", ["%", "\t", "\udcff", "\U0001f600"])
def test_the_longest_texts_still_make_a_short_line(character: str) -> None:
    written = line(worktree=character * 5000, reason=character * 5000)
    assert len(written) <= LONGEST
    assert fields_of(written[:-1]) is not None


@given(st.integers(0, 150))
def test_a_whole_line_behind_a_torn_one_counts(length: int) -> None:
    torn = line(tool="lint", reason="no entry")[:length]
    fields = fields_of(torn + line()[:-1])
    assert fields is not None
    assert fields["tool"] == "test"


def test_a_worktree_whose_name_ends_as_a_line_begins_is_no_line() -> None:
    fields = fields_of(line(worktree="/w/use1", reason="why")[:-1])
    assert fields is not None
    assert (fields["worktree"], fields["reason"]) == ("/w/use1", "why")


@pytest.mark.parametrize(
    "foreign", [b"", b"use1", b"use1\t", b"use2" + line()[4:-1], line()[:-3].replace(b"\t", b" ")]
)
def test_what_is_no_line_has_no_fields(foreign: bytes) -> None:
    assert fields_of(foreign) is None
