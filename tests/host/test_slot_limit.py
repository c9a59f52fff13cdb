"""How many runs of a tool may load the machine at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitcache.core.tool import ToolName
from gitcache.host.slot_limit import (
    NO_LIMIT,
    PRESSURE,
    limit_under,
    memory_pressure,
    slot_limit,
    usable_cores,
)


@pytest.mark.parametrize(
    ("tool", "setting", "cores", "limit"),
    [
        ("test", None, 1, 2),
        ("test", None, 11, 2),
        ("build", None, 12, 3),
        ("test", None, 64, 16),
        ("lint", None, 64, NO_LIMIT),
        ("command", None, 64, NO_LIMIT),
        ("test", 5, 64, 5),
        ("lint", 1, 64, 1),
        ("test", 0, 64, NO_LIMIT),
        ("test", -1, 64, NO_LIMIT),
    ],
)
def test_limit_is_the_setting_or_a_quarter_of_the_cores_for_heavy_tools(
    tool: str, setting: int | None, cores: int, limit: int
) -> None:
    assert slot_limit(ToolName(tool), setting, cores) == limit


def test_cores_are_those_that_this_process_may_use() -> None:
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)


@pytest.mark.parametrize(
    ("pressure", "limit", "left"),
    [
        (0.0, 4, 4),
        (10.0, 4, 4),
        (10.01, 4, 2),
        (10.01, 5, 3),
        (10.01, 1, 1),
        (25.0, 8, 4),
        (25.01, 8, 1),
        (100.0, 1, 1),
    ],
)
def test_short_memory_halves_the_limit_and_scarce_memory_leaves_one(
    pressure: float, limit: int, left: int
) -> None:
    assert limit_under(pressure, limit) == left


@pytest.mark.parametrize(
    ("text", "pressure"),
    [
        (
            "some avg10=12.34 avg60=1.00 avg300=0.50 total=1\nfull avg10=99.00 avg60=0 total=0\n",
            12.34,
        ),
        ("", 0.0),
        ("some\n", 0.0),
        ("some avg10=much\n", 0.0),
        ("some avg10\n", 0.0),
        ("\xff\n", 0.0),
    ],
)
def test_pressure_is_what_some_process_lost_in_ten_seconds(
    tmp_path: Path, text: str, pressure: float
) -> None:
    (tmp_path / "memory").write_text(text)

    assert memory_pressure(tmp_path / "memory") == pressure


def test_system_without_pressure_files_has_none(tmp_path: Path) -> None:
    assert memory_pressure(tmp_path / "none") == 0.0


@pytest.mark.skipif(not PRESSURE.exists(), reason="the kernel does not tell")
def test_this_kernels_pressure_can_be_read() -> None:
    assert 0.0 <= memory_pressure() <= 100.0
