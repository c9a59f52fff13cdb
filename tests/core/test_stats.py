"""Figures of uses: counts, days in the caller's zone, flaky files."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.entry import Entry, PastAttempt, encode
from gitcache.core.key import Key
from gitcache.core.outcome import Failed, Passed
from gitcache.core.stats import (
    DAYS,
    MISSES,
    Figures,
    Flake,
    FlakeCount,
    Tally,
    figures,
    may_be_flaky,
)
from gitcache.core.tool import ToolName
from gitcache.core.uses import Journal, Use, UseSource
from tests.core.test_entry import ENTRY
from tests.core.test_uses import HIT

NOW = 1_800_000_000.0
"""2027-01-15T08:00:00Z."""

DAY = 86400.0
UTC = ZoneInfo("UTC")
RUN = replace(HIT, source="run", saved=0.0, reason="no entry")


def told(*uses: Use, now: float = NOW, zone: str = "UTC", unread: int = 0) -> Figures:
    def day_of(at: float) -> date:
        return datetime.fromtimestamp(at, ZoneInfo(zone)).date()

    return figures(Journal(uses, unread), now, day_of)


def test_an_empty_journal_has_today_and_nothing_else() -> None:
    found = told()
    assert found.total == found.today == found.week == Tally()
    assert (found.total.hit_rate, found.since) == (None, None)
    assert found.days == {date(2027, 1, 15): Tally()}
    assert (dict(found.tools), dict(found.worktrees), found.expensive) == ({}, {}, ())


def test_kinds_of_uses_are_counted_apart() -> None:
    followed = replace(RUN, source="followed")
    found = told(HIT, HIT, RUN, followed, replace(RUN, key=None, duration=3.0))
    assert found.total == Tally(2, 1, 1, 1, saved=25.0, ran=15.5)
    assert found.total.hit_rate == 0.5


def test_periods_are_today_seven_days_and_all() -> None:
    uses = [replace(HIT, at=NOW - back * DAY) for back in (0, 1, 6, 7, 40)]
    found = told(*uses)
    assert [each.hits for each in (found.today, found.week, found.total)] == [1, 3, 5]
    assert found.since == date(2026, 12, 6)


def test_days_begin_with_the_first_that_has_a_use_and_leave_none_out() -> None:
    found = told(replace(HIT, at=NOW - 3 * DAY), HIT)
    assert [(str(day), tally.hits) for day, tally in found.days.items()] == [
        *(("2027-01-12", 1), ("2027-01-13", 0), ("2027-01-14", 0), ("2027-01-15", 1))
    ]
    found = told(replace(HIT, at=NOW - 100 * DAY), replace(HIT, at=NOW - 29 * DAY))
    assert (len(found.days), min(found.days)) == (DAYS, date(2026, 12, 17))


@pytest.mark.parametrize(
    ("zone", "day"),
    [("UTC", "2027-01-15"), ("Pacific/Kiritimati", "2027-01-16"), ("Pacific/Niue", "2027-01-14")],
)
def test_days_are_those_of_the_callers_zone(zone: str, day: str) -> None:
    noon = 1_800_010_800.0  # 11:00 in UTC, 01:00 the next day in Kiritimati, 00:00 in Niue
    found = told(replace(HIT, at=noon - 3600), now=noon - 1800, zone=zone)
    assert [str(each) for each in found.days] == [day]


def test_a_day_of_23_hours_is_one_day() -> None:
    """Clocks in Berlin went forward on 2026-03-29."""
    now = datetime(2026, 3, 30, 0, 30, tzinfo=ZoneInfo("Europe/Berlin")).timestamp()
    before = datetime(2026, 3, 28, 23, 30, tzinfo=ZoneInfo("Europe/Berlin")).timestamp()
    found = told(replace(HIT, at=before), now=now, zone="Europe/Berlin")
    assert [tally.hits for tally in found.days.values()] == [1, 0, 0]


@pytest.mark.parametrize("at", [0.0, 86_400.0, 4_070_908_800.0, 253402300799.0, NOW + 2 * DAY])
def test_a_wrong_clock_gives_no_day_and_the_use_counts(at: float) -> None:
    found = told(replace(HIT, at=at))
    assert (found.total.hits, found.week.hits, found.undated, found.since) == (1, 0, 1, None)


def test_a_clock_a_little_ahead_is_of_today() -> None:
    found = told(replace(HIT, at=NOW + 0.9 * DAY))
    assert (found.today.hits, found.undated) == (1, 0)


@pytest.mark.parametrize("now", [0.0, 4_070_908_800.0])
def test_a_caller_whose_clock_is_wrong_gets_figures_too(now: float) -> None:
    assert told(HIT, now=now).total.hits == 1


def test_tools_and_worktrees_that_are_used_most_come_first() -> None:
    lint = replace(HIT, tool=ToolName("lint"), worktree="/b")
    found = told(HIT, lint, lint, replace(RUN, tool=ToolName("build")))
    assert list(found.tools) == ["lint", "build", "test"]
    assert list(found.worktrees) == ["/b", "/w"]
    assert found.tools["lint"] == Tally(2, saved=25.0)


def test_longest_misses_come_first_and_nothing_else_is_one() -> None:
    runs = [replace(RUN, duration=float(seconds)) for seconds in range(MISSES + 5)]
    others = [replace(each, duration=999.0) for each in (HIT, replace(RUN, key=None))]
    found = told(*runs, *others)
    assert [use.duration for use in found.expensive] == [14, 13, 12, 11, 10, 9, 8, 7, 6, 5]


SOURCES: list[UseSource] = ["run", "hit", "followed"]
USES = st.builds(
    Use,
    at=st.floats(0, 253402300799),
    tool=st.sampled_from([ToolName("test"), ToolName("lint")]),
    key=st.sampled_from([None, Key("ab" * 32)]),
    source=st.sampled_from(SOURCES),
    outcome=st.just("passed"),
    stored=st.booleans(),
    focused=st.booleans(),
    duration=st.floats(0, 1e6),
    saved=st.floats(0, 1e6),
    worktree=st.text(max_size=3),
    reason=st.text(max_size=3),
)


@given(st.lists(USES), st.floats(0, 253402214400))
def test_any_uses_add_up(uses: list[Use], now: float) -> None:
    found = told(*uses, now=now)
    total = found.total
    assert total.asked + total.unkeyed == len(uses)
    for groups in (found.tools, found.worktrees):
        assert sum(each.asked + each.unkeyed for each in groups.values()) == len(uses)
    dated = sum(each.asked + each.unkeyed for each in found.days.values())
    assert found.today.asked <= found.week.asked <= dated <= len(uses) - found.undated
    assert total.hit_rate is None or 0 <= total.hit_rate <= 1
    assert 1 <= len(found.days) <= DAYS


def flakes(*entries: Entry) -> tuple[Flake, ...]:
    count = FlakeCount()
    for entry in entries:
        assert may_be_flaky(encode(entry))
        count.add(entry)
    return count.flakes()


def steady(entry: Entry = ENTRY) -> Entry:
    return replace(entry, flaky=(), verdict=Failed(1))


ONCE_GREEN = (PastAttempt("passed", 0, 1.0, 1.0), PastAttempt("failed", 1, 2.0, 1.0))


def test_flaky_files_are_counted_with_their_last_time() -> None:
    later = replace(ENTRY, started_at=ENTRY.started_at + 9, flaky=("tests/test_b.py", "c.py"))
    assert flakes(later, ENTRY) == (
        Flake("test", "tests/test_b.py", 2, 1767225609.5),
        Flake("test", "c.py", 1, 1767225609.5),
    )


def test_a_failure_that_contradicts_a_pass_names_its_files() -> None:
    assert flakes(replace(steady(), attempts=ONCE_GREEN)) == (
        Flake("test", "tests/test_a.py", 1, 1767225600.5),
    )


def test_a_contradiction_without_files_is_of_the_tool() -> None:
    attempts = (PastAttempt("failed", 1, 1.0, 1.0), PastAttempt("passed", 0, 2.0, 1.0))
    entry = replace(ENTRY, flaky=(), failing_files=(), verdict=Passed(), attempts=attempts)
    assert flakes(entry) == (Flake("test", "", 1, 1767225600.5),)


def test_a_steady_entry_need_not_be_read_as_a_whole() -> None:
    assert not may_be_flaky(encode(steady()))
    count = FlakeCount()
    count.add(steady())
    assert count.flakes() == ()
