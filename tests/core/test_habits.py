"""What is learnt of a tool's runs, and that nothing but its habits is excused."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.habits import (
    COARSE_TICK_NS,
    ENOUGH,
    KEPT_AT_MOST,
    TICK_NS,
    Habits,
    Since,
    Stat,
    Trace,
    When,
    Window,
    excused,
    is_settled,
    learnt,
    since_then,
)
from gitcache.core.products import is_product

ONE: Stat = (1, 2, 3, 4, 5)
TWO: Stat = (1, 2, 4, 4, 5)

PATHS = st.sampled_from(
    ["a.py", "gen.py", "coverage/x.json", "coverage/new.test.js", ".coverage", "run.log"]
)
STATS = st.tuples(*[st.integers(0, 3)] * 5)
TRACES = st.dictionaries(
    PATHS, st.builds(Trace, st.integers(1, ENOUGH), st.none() | STATS, st.booleans()), max_size=6
)
NOW = st.dictionaries(PATHS, st.none() | STATS, max_size=6)


def habits_of(traces: Mapping[str, Trace], now: Mapping[str, Stat | None]) -> Habits:
    since = {path: since_then(trace, now.get(path)) for path, trace in traces.items()}
    return Habits(traces, since)


@given(TRACES, NOW)
def test_only_products_as_two_runs_left_them_are_left_out(
    traces: dict[str, Trace], now: dict[str, Stat | None]
) -> None:
    for path in habits_of(traces, now).left_out:
        assert is_product(path)
        assert traces[path].runs == 2
        assert traces[path].is_made
        assert now[path] is not None
        assert now[path] == traces[path].left


@given(TRACES, NOW)
def test_what_somebody_wrote_counts_before_and_after(
    traces: dict[str, Trace], now: dict[str, Stat | None]
) -> None:
    foreign = {
        path
        for path, stat in now.items()
        if path in traces and stat not in (None, traces[path].left)
    }
    assert habits_of(traces, now).left_out_afterwards.isdisjoint(foreign)


@given(
    TRACES,
    NOW,
    st.dictionaries(PATHS, st.none() | STATS),
    st.sets(PATHS),
    st.sets(PATHS),
    st.sets(PATHS),
)
def test_tracked_or_plain_file_that_changed_is_never_excused(
    traces: dict[str, Trace],
    now: dict[str, Stat | None],
    written: dict[str, Stat | None],
    made: set[str],
    changed: set[str],
    tracked: set[str],
) -> None:
    after = learnt(habits_of(traces, now), written, made)
    fine = excused(after, written.keys(), changed, tracked)
    assert fine <= written.keys()
    assert all(after[path].runs == 2 for path in fine)
    assert all(is_product(path) and path not in tracked for path in fine & changed)
    assert all(after[path].is_made for path in fine & changed)


@given(st.dictionaries(PATHS, STATS))
def test_first_run_excuses_nothing(written: dict[str, Stat]) -> None:
    assert excused(learnt(Habits(), written, written), written.keys(), (), ()) == frozenset()


@given(TRACES, NOW, st.dictionaries(PATHS, STATS), st.integers(0, 4))
def test_list_is_bounded_and_holds_what_was_written_or_is_a_product(
    traces: dict[str, Trace],
    now: dict[str, Stat | None],
    written: dict[str, Stat | None],
    most: int,
) -> None:
    after = learnt(habits_of(traces, now), written, (), most)
    assert len(after) <= most <= KEPT_AT_MOST
    assert all(path in written or is_product(path) for path in after)


@pytest.mark.parametrize(
    ("since", "runs"),
    [("as left", 2), ("absent", 2), ("foreign", 1)],
)
def test_second_run_makes_a_habit_where_nobody_else_wrote_in_between(
    since: Since, runs: int
) -> None:
    known = Habits({"gen.py": Trace(1, ONE)}, {"gen.py": since})
    assert learnt(known, {"gen.py": TWO}) == {"gen.py": Trace(runs, TWO)}


@pytest.mark.parametrize("since", ["as left", "absent", "foreign"])
def test_habit_stays_one_whoever_wrote_in_between(since: Since) -> None:
    known = Habits({"gen.py": Trace(2, ONE)}, {"gen.py": since})
    assert learnt(known, {"gen.py": TWO}) == {"gen.py": Trace(2, TWO)}


@pytest.mark.parametrize(
    ("runs", "was_made", "since", "is_new", "now"),
    [
        (1, True, "as left", False, Trace(2, TWO, True)),
        (1, False, "as left", False, Trace(2, TWO, False)),
        (2, True, "absent", True, Trace(2, TWO, True)),
        (2, False, "absent", True, Trace(1, TWO, True)),
        (2, True, "absent", False, Trace(2, TWO, False)),
        (2, True, "foreign", False, Trace(2, TWO, False)),
        (1, True, "foreign", True, Trace(1, TWO, False)),
    ],
)
def test_product_is_the_tools_own_where_it_made_it_and_nobody_else_wrote(
    runs: int, was_made: bool, since: Since, is_new: bool, now: Trace
) -> None:
    known = Habits({"run.log": Trace(runs, ONE, was_made)}, {"run.log": since})
    assert learnt(known, {"run.log": TWO}, {"run.log"} if is_new else ()) == {"run.log": now}


def test_product_that_was_there_before_is_never_left_out() -> None:
    first = learnt(Habits(), {"run.log": ONE})
    second = learnt(Habits(first, {"run.log": "as left"}), {"run.log": TWO})
    assert Habits(second, {"run.log": "as left"}).left_out == frozenset()
    assert excused(second, {"run.log"}, {"run.log"}, ()) == frozenset()


@pytest.mark.parametrize(
    ("path", "runs", "since", "stays"),
    [
        ("run.log", 1, "as left", True),
        ("run.log", 1, "foreign", False),
        ("run.log", 1, "absent", False),
        ("run.log", 2, "as left", True),
        ("run.log", 2, "foreign", False),
        ("run.log", 2, "absent", False),
        ("gen.py", 2, "as left", False),
        ("gen.py", 1, "as left", False),
    ],
)
def test_run_that_does_not_write_leaves_only_products_known(
    path: str, runs: int, since: Since, stays: bool
) -> None:
    known = Habits({path: Trace(runs, ONE)}, {path: since})
    assert learnt(known, {}) == ({path: Trace(runs, ONE)} if stays else {})


def test_full_list_keeps_products_that_were_written_first() -> None:
    known = Habits({"old.log": Trace(2, ONE)}, {"old.log": "as left"})
    written: dict[str, Stat | None] = {"b.py": ONE, "a.py": ONE, "new.log": ONE}
    assert [*learnt(known, written, (), 3)] == ["new.log", "old.log", "a.py"]


@pytest.mark.parametrize(
    ("ctime", "when"),
    [
        (1_000_000_000 - TICK_NS - 1, "before"),
        (1_000_000_000 - TICK_NS, "during"),
        (1_000_000_000, "during"),
        (2_000_000_000, "during"),
        (2_000_000_001, "after"),
    ],
)
def test_change_time_tells_when_a_file_was_written(ctime: int, when: When) -> None:
    assert Window(1_000_000_000, 2_000_000_000).when((0, 0, ctime, 0, 0)) == when


def test_stat_is_settled_once_the_clock_has_ticked() -> None:
    fine, coarse = (0, 0, 5_000_000_001, 0, 0), (0, 0, 5_000_000_000, 0, 0)
    assert not is_settled(fine, 5_000_000_001 + TICK_NS)
    assert is_settled(fine, 5_000_000_002 + TICK_NS)
    assert not is_settled(coarse, 5_000_000_000 + COARSE_TICK_NS)
    assert is_settled(coarse, 5_000_000_001 + COARSE_TICK_NS)
    assert not is_settled((0, 9_000_000_000, 1, 0, 0), 8_000_000_000)
