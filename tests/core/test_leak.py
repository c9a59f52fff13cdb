"""A leak and its JSON form: what is written is read, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.leak import Leak, LeftProcess

processes = st.builds(LeftProcess, st.integers(1, 1 << 22), st.text())


@given(st.lists(processes, max_size=3))
def test_leak_is_read_as_it_was_written(left: list[LeftProcess]) -> None:
    leak = Leak(tuple(left))
    assert Leak.from_json(leak.to_json()) == leak


def test_json_of_a_leak_is_written_down() -> None:
    assert Leak((LeftProcess(12, "node"),)).to_json() == [{"pid": 12, "name": "node"}]


@pytest.mark.parametrize(
    "value",
    [
        *(None, {}, "node", [None], [[]], [{}], [{"pid": 1}], [{"name": "node"}]),
        *([{"pid": True, "name": "node"}], [{"pid": "1", "name": "node"}]),
        *([{"pid": 0, "name": "node"}], [{"pid": 1 << 23, "name": "node"}]),
        [{"pid": 1, "name": None}],
    ],
)
def test_anything_else_is_no_leak(value: object) -> None:
    with pytest.raises(ValueError, match="leaked process"):
        Leak.from_json(value)
