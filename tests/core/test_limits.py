"""What limits come to on a machine, and what a tool is told of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.limits import (
    HINTS,
    Limits,
    Machine,
    asked_limits,
    hinted_variables,
    limits_on,
    memory_on,
)
from gitcache.core.tool import AutoMemory, Bytes, MemoryLimit, MemoryShare, Options

GIB = 1 << 30
SMALL, MIDDLE, LARGE = Machine(4 * GIB, 2), Machine(16 * GIB, 8), Machine(64 * GIB, 32)

ASKED = Options(workers=3, heap=512 << 20)
PYTEST = ("pytest",)


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        (Options(), {}),
        (Options(memory=Bytes(4 * GIB)), {"memory": "4294967296"}),
        (Options(memory=MemoryShare(25)), {"memory": "25%"}),
        (Options(memory=AutoMemory()), {"memory": "auto"}),
        (ASKED, {"workers": "3", "heap": "536870912"}),
    ],
)
def test_what_was_asked_for_is_spelled_in_one_way(options: Options, asked: dict[str, str]) -> None:
    assert asked_limits(options) == asked


@pytest.mark.parametrize(
    ("limit", "machine", "count"),
    [
        (Bytes(5), SMALL, 5),
        (MemoryShare(25), SMALL, GIB),
        (MemoryShare(100), LARGE, 64 * GIB),
        (MemoryShare(1), Machine(10, 1), 1),
        (AutoMemory(), SMALL, 2 * GIB),
        (AutoMemory(), MIDDLE, 4 * GIB),
        (AutoMemory(), LARGE, 8 * GIB),
    ],
)
def test_a_limit_comes_to_bytes(limit: MemoryLimit, machine: Machine, count: int) -> None:
    assert memory_on(limit, machine) == count


@pytest.mark.parametrize(
    ("machine", "options", "memory", "limits"),
    [
        (MIDDLE, Options(), None, Limits()),
        (MIDDLE, ASKED, None, Limits(None, 3, 512 << 20)),
        (SMALL, Options(), 2 * GIB, Limits(2 * GIB, 1, GIB)),
        (MIDDLE, Options(), 4 * GIB, Limits(4 * GIB, 3, GIB)),
        (SMALL, Options(), 8 * GIB, Limits(8 * GIB, 2, 8 * GIB // 3)),
        (MIDDLE, Options(), 100, Limits(100, 1, 50)),
        (MIDDLE, Options(heap=GIB), 4 * GIB, Limits(4 * GIB, 4, GIB)),
        (MIDDLE, Options(heap=8 * GIB), 4 * GIB, Limits(4 * GIB, 1, 4 * GIB)),
        (SMALL, Options(workers=7), 4 * GIB, Limits(4 * GIB, 7, GIB // 2)),
        (SMALL, Options(workers=8, heap=GIB), 4 * GIB, Limits(4 * GIB, 8, GIB // 2)),
    ],
)
def test_workers_and_heap_follow_from_the_memory(
    machine: Machine, options: Options, memory: int | None, limits: Limits
) -> None:
    assert limits_on(machine, options, memory) == limits


amounts = st.integers(1, 1 << 45)
asked = st.builds(
    Options,
    workers=st.none() | st.integers(1, 1000),
    heap=st.none() | st.integers(1 << 20, 1 << 45),
)


@given(st.builds(Machine, amounts, st.integers(1, 1000)), asked, amounts)
def test_workers_times_heap_is_never_above_the_limit(
    machine: Machine, options: Options, memory: int
) -> None:
    limits = limits_on(machine, options, memory)
    assert limits.workers is not None
    assert limits.heap is not None
    assert limits.workers >= 1
    assert limits.workers * limits.heap <= memory


def test_a_tool_without_limits_is_told_nothing() -> None:
    assert hinted_variables(Limits(), Options(), PYTEST, {}) == {}


def test_a_tool_is_told_by_the_variables_that_programs_read() -> None:
    assert hinted_variables(Limits(4 * GIB, 3, GIB), Options(), PYTEST, {}) == {
        "VITEST_MAX_WORKERS": "3",
        "VITEST_MAX_FORKS": "3",
        "VITEST_MIN_FORKS": "1",
        "VITEST_MAX_THREADS": "3",
        "VITEST_MIN_THREADS": "1",
        "CARGO_BUILD_JOBS": "3",
        "RUST_TEST_THREADS": "3",
        "NEXTEST_TEST_THREADS": "3",
        "GOMAXPROCS": "3",
        "PYTEST_XDIST_AUTO_NUM_WORKERS": "3",
        "NODE_OPTIONS": "--max-old-space-size=1024",
        "GOMEMLIMIT": "1024MiB",
    }


def test_a_variable_that_is_set_stays_whatever_it_says() -> None:
    every = {hint.variable: "" for hint in HINTS}
    assert hinted_variables(Limits(4 * GIB, 3, GIB), ASKED, ("pnpm", "test"), every) == {}


def test_make_is_told_only_where_workers_are_asked_for_since_it_uses_one_by_itself() -> None:
    assert hinted_variables(Limits(None, 3, None), ASKED, PYTEST, {})["MAKEFLAGS"] == "-j3"
    assert "MAKEFLAGS" not in hinted_variables(Limits(GIB, 3, 1), Options(), PYTEST, {})


@pytest.mark.parametrize(
    ("argv", "is_told"),
    [
        (("pnpm", "-r", "test"), True),
        (("/bin/sh", "-c", "pnpm -r build && pnpm -r test"), True),
        (("npm", "test"), False),
    ],
)
def test_pnpm_alone_is_told_of_workspaces_since_npm_warns_of_the_name(
    argv: tuple[str, ...], is_told: bool
) -> None:
    variables = hinted_variables(Limits(None, 3, None), ASKED, argv, {})
    assert ("npm_config_workspace_concurrency" in variables) is is_told


def test_heap_alone_says_nothing_of_workers_and_less_than_a_mebibyte_is_not_told() -> None:
    heap = hinted_variables(Limits(None, None, 2 * GIB), Options(), PYTEST, {})
    assert heap == {"NODE_OPTIONS": "--max-old-space-size=2048", "GOMEMLIMIT": "2048MiB"}
    assert "NODE_OPTIONS" not in hinted_variables(Limits(100, 1, 50), Options(), PYTEST, {})


def test_every_row_names_its_reader_and_its_source() -> None:
    assert all(hint.read_by and hint.source.startswith("https://") for hint in HINTS)
    assert len({hint.variable for hint in HINTS}) == len(HINTS)
