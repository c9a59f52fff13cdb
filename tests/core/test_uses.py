"""Uses from the bytes of a journal, which may be anything."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.journal_line import line_of
from gitcache.core.key import Key
from gitcache.core.tool import ToolName
from gitcache.core.uses import Use, last_used, parse_journal
from tests.core.test_journal_line import USE, line

HIT = Use(
    at=1_800_000_000.25,
    tool=ToolName("test"),
    key=Key("ab" * 32),
    source="hit",
    outcome="passed",
    stored=True,
    focused=False,
    duration=12.5,
    saved=12.5,
    worktree="/w",
    reason="",
)


def test_a_line_gives_its_use() -> None:
    assert parse_journal(line()).uses == (HIT,)
    assert parse_journal(line()).unread == 0


def test_a_run_without_a_key_has_none() -> None:
    (use,) = parse_journal(line(key=None, source="run", stored=False, focused=True)).uses
    assert (use.key, use.source, use.stored, use.focused) == (None, "run", False, True)


@given(
    st.lists(st.one_of(st.binary(), st.just(line()), st.binary().map(lambda b: line()[:-1] + b)))
)
def test_any_bytes_are_read(pieces: list[bytes]) -> None:
    found = parse_journal(b"".join(pieces))
    lines = [each for each in b"".join(pieces).split(b"\n") if each]
    assert len(found.uses) + found.unread == len(lines)
    for use in found.uses:
        assert 0 <= use.at < 253402300800
        assert 0 <= use.duration <= 36500 * 86400
        assert 0 <= use.saved <= 36500 * 86400


@given(st.lists(st.one_of(st.binary(), st.just(b"use1\t"), st.just(b"\xff\xfe\x00")), min_size=1))
def test_whole_lines_between_others_are_read(pieces: list[bytes]) -> None:
    foreign = b"".join(pieces)
    text = line() + foreign + b"\n" + line(tool="lint")
    tools = [use.tool for use in parse_journal(text).uses]
    assert (tools[0], tools[-1]) == ("test", "lint")


@pytest.mark.parametrize(
    "wrong",
    [
        {"at": -1.0},
        {"at": math.nan},
        {"at": math.inf},
        {"at": 253402300800.0},
        {"duration": -0.5},
        {"duration": 4e9},
        {"saved": math.inf},
        {"tool": "-x"},
        {"tool": "a b"},
        {"key": "AB" * 32},
        {"key": "ab"},
        {"source": "hits"},
        {"outcome": "good"},
    ],
)
def test_what_no_use_is_like_is_left_out_and_counted(wrong: dict[str, Any]) -> None:
    found = parse_journal(line(**wrong) + line())
    assert (found.uses, found.unread) == ((HIT,), 1)


def test_numbers_of_any_length_are_no_times() -> None:
    text = line().replace(b"1800000000.250", b"9" * 3000)
    assert parse_journal(text).unread == 1


def test_clocks_of_1970_and_2099_are_read() -> None:
    text = line(at=0.0) + line(at=4_070_908_800.0)
    assert [use.at for use in parse_journal(text).uses] == [0.0, 4_070_908_800.0]


def test_last_use_of_a_key_is_the_latest_by_its_time() -> None:
    other = "cd" * 32
    text = b"".join(
        line_of(**{**USE, "at": at, "key": key})
        for at, key in ((10.0, other), (30.0, HIT.key), (20.0, HIT.key), (40.0, None))
    )
    assert last_used(parse_journal(text).uses) == {HIT.key: 30.0, other: 10.0}
