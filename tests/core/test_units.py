"""Durations and amounts of memory: what is taken, what is refused, what is shown."""

from __future__ import annotations

import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.durations import format_duration
from gitcache.core.tool import AutoMemory, Bytes, MemoryLimit, MemoryShare
from gitcache.core.units import (
    format_bytes,
    parse_amount,
    parse_duration,
    parse_memory,
)

DURATION = 'a duration above zero such as "30m" or seconds'
MEMORY = 'an amount such as "4GiB", a share such as "25%", "auto" or bytes'


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("90s", 90.0),
        ("30m", 1800.0),
        ("24h", 86400.0),
        ("7d", 604800.0),
        ("500ms", 0.5),
        ("9ms", 0.009),
        ("1h30m", 5400.0),
        ("1d2h3m4s5ms", 93784.005),
        ("12.3s", 12.3),
        ("1.5h", 5400.0),
        (45, 45.0),
        (0.25, 0.25),
    ],
)
def test_duration_is_read_in_seconds(value: object, seconds: float) -> None:
    assert parse_duration(value) == seconds


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        0,
        -5,
        -0.5,
        math.nan,
        "",
        " ",
        "0s",
        "90",
        "-5s",
        "1 h",
        "30m ",
        "30m1h",
        "1h1h",
        "5w",
        "1e3s",
        "٣s",  # an Arabic-Indic digit: int() would take it
        ".5s",
        None,
        ["30m"],
        {},
    ],
)
def test_refused_duration_says_what_is_taken(value: object) -> None:
    with pytest.raises(ValueError, match="duration") as caught:
        parse_duration(value)
    assert str(caught.value) == DURATION


@pytest.mark.parametrize("value", ["36501d", 1e300, math.inf, 16**900, "9" * 5000 + "s"])
def test_duration_that_no_timer_can_wait_for_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="duration") as caught:
        parse_duration(value)
    assert str(caught.value) == "a duration of at most 36500 days"


@pytest.mark.parametrize(
    ("value", "limit"),
    [
        ("4GiB", Bytes(4294967296)),
        ("512MiB", Bytes(536870912)),
        ("1.5KiB", Bytes(1536)),
        ("4GB", Bytes(4000000000)),
        ("3kB", Bytes(3000)),
        ("3KB", Bytes(3000)),
        ("800M", Bytes(838860800)),
        ("4G", Bytes(4294967296)),
        ("2K", Bytes(2048)),
        ("1T", Bytes(1099511627776)),
        ("1TB", Bytes(1000000000000)),
        ("512B", Bytes(512)),
        (1048576, Bytes(1048576)),
        ("1%", MemoryShare(1)),
        ("25%", MemoryShare(25)),
        ("100%", MemoryShare(100)),
        ("auto", AutoMemory()),
    ],
)
def test_memory_is_read_as_bytes_share_or_auto(value: object, limit: MemoryLimit) -> None:
    assert parse_memory(value) == limit


@pytest.mark.parametrize(
    "value",
    [
        True,
        0,
        -1,
        1.5,
        2**63,
        "",
        "4",
        "0GiB",
        "0.1B",
        "-4GiB",
        "4 GiB",
        "4gib",
        "9999999999T",
        "9" * 5000 + "G",
        "0%",
        "101%",
        "12.5%",
        "Auto",
        None,
        [],
    ],
)
def test_refused_memory_says_what_is_taken(value: object) -> None:
    with pytest.raises(ValueError, match="amount") as caught:
        parse_memory(value)
    assert str(caught.value) == MEMORY


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-3.0, "0.0s"),  # the clock went back
        (0.0, "0.0s"),
        (0.4, "0.4s"),
        (12.34, "12.3s"),
        (59.94, "59.9s"),
        (59.96, "1m"),
        (130.0, "2m10s"),
        (125.0, "2m05s"),
        (300.0, "5m"),
        (3599.4, "59m59s"),
        (3599.6, "1h"),
        (3900.0, "1h05m"),
        (86369.0, "23h59m"),
        (86399.0, "1d"),
        (259200.0, "3d"),
        (277200.0, "3d05h"),
        (8640000.0, "100d"),
    ],
)
def test_duration_is_shown_with_its_two_largest_units(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0B"),
        (1023, "1023B"),
        (1024, "1KiB"),
        (1536, "1.5KiB"),
        (1048575, "1MiB"),
        (536870912, "512MiB"),
        (4294967296, "4GiB"),
        (1099511627776, "1TiB"),
        (2251799813685248, "2048TiB"),
    ],
)
def test_bytes_are_shown_in_binary_units(count: int, text: str) -> None:
    assert format_bytes(count) == text


@given(st.integers(1, 36499), st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
def test_parts_of_a_duration_add_up(days: int, hours: int, minutes: int, seconds: int) -> None:
    whole = parse_duration(f"{days}d{hours}h{minutes}m{seconds}s")
    assert whole == days * 86400 + hours * 3600 + minutes * 60 + seconds


@given(st.floats(0.05, 3e9))
def test_shown_duration_reads_back_within_its_last_unit(seconds: float) -> None:
    # The last unit shown is a tenth of a second below a minute, then seconds, minutes and hours;
    # from 30 seconds on, each of them is below 1/40 of the whole.
    assert parse_duration(format_duration(seconds)) == pytest.approx(seconds, abs=0.051, rel=0.025)


@given(st.floats(0.05, 3e9), st.floats(0.05, 3e9))
def test_longer_duration_never_shows_as_a_shorter_one(one: float, other: float) -> None:
    shorter, longer = sorted((one, other))
    assert parse_duration(format_duration(shorter)) <= parse_duration(format_duration(longer))


def _byte_count(limit: MemoryLimit) -> int:
    assert isinstance(limit, Bytes)
    return limit.count


@given(st.integers(1, 2**62))
def test_shown_bytes_read_back_within_a_twentieth(count: int) -> None:
    assert _byte_count(parse_memory(format_bytes(count))) == pytest.approx(count, rel=0.05)


@given(st.integers(1, 2**62), st.integers(1, 2**62))
def test_more_bytes_never_show_as_fewer(one: int, other: int) -> None:
    fewer, more = sorted((one, other))
    shown_fewer, shown_more = parse_memory(format_bytes(fewer)), parse_memory(format_bytes(more))
    assert _byte_count(shown_fewer) <= _byte_count(shown_more)


@given(st.integers(1, 2**62))
def test_whole_bytes_are_kept_exactly(count: int) -> None:
    assert parse_memory(count) == parse_memory(f"{count}B") == Bytes(count)


anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.from_regex(r"[0-9a-zG.%]+")
)


@given(anything)
def test_duration_is_within_its_range_or_refused(value: object) -> None:
    with suppress(ValueError):
        assert 0 < parse_duration(value) <= 36500 * 86400


@given(anything)
def test_memory_is_within_its_range_or_refused(value: object) -> None:
    with suppress(ValueError):
        match parse_memory(value):
            case Bytes(count):
                assert 1 <= count < 2**63
            case MemoryShare(percent):
                assert 1 <= percent <= 100
            case AutoMemory():
                assert value == "auto"


@pytest.mark.parametrize(
    ("value", "count"),
    [("1MiB", 1048576), ("2GiB", 2147483648), ("1.5G", 1610612736), (1048576, 1048576)],
)
def test_an_amount_is_read_as_bytes(value: object, count: int) -> None:
    assert parse_amount(value) == count


@pytest.mark.parametrize("value", ["auto", "25%", "1023KiB", 0, -1, True, 2**63, "", None, 1.5])
def test_a_refused_amount_says_what_is_taken(value: object) -> None:
    with pytest.raises(ValueError, match="1MiB") as caught:
        parse_amount(value)
    assert str(caught.value) == 'an amount of at least 1MiB such as "2GiB", or bytes'
