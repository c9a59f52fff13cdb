"""The environment's parts: which there are, and what moves each of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gitcache.host.environment import Surroundings, capture

PROGRAM = "#!/bin/sh\nexit 0\n"


@pytest.fixture
def place(tmp_path: Path) -> Surroundings:
    tool = tmp_path / "bin" / "tool"
    tool.parent.mkdir()
    tool.write_text(PROGRAM)
    tool.chmod(0o755)
    return Surroundings((tool,), tmp_path, {}, None, 0.0)


def test_parts_are_the_platform_and_the_program_where_nothing_else_counts(
    place: Surroundings,
) -> None:
    parts = capture(place)
    assert set(parts) == {"platform", "program"}
    assert {len(each) for each in parts.values()} == {64}


def test_a_program_counts_by_its_content_and_not_by_its_place(
    place: Surroundings, tmp_path: Path
) -> None:
    before = capture(place)["program"]
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / "bin").rename(elsewhere)
    moved = replace(place, files=(elsewhere / "tool",))
    assert capture(moved)["program"] == before
    (elsewhere / "tool").write_text("#!/bin/sh\nexit 1\n")
    assert capture(moved)["program"] != before


def test_a_program_that_the_snapshot_tells_has_no_part(place: Surroundings) -> None:
    assert set(capture(replace(place, is_told=lambda _: True))) == {"platform"}


def test_a_program_that_is_not_there_has_no_part(place: Surroundings) -> None:
    assert set(capture(replace(place, files=()))) == {"platform"}


def test_unset_empty_and_set_are_three_values(place: Surroundings) -> None:
    told = [
        capture(replace(place, keyed=keyed)).get("variable:X")
        for keyed in ({}, {"X": ""}, {"X": "0"}, {"X": "1"})
    ]
    assert told[0] is None
    assert len(set(told)) == 4


def test_two_variables_with_one_value_are_two_parts(place: Surroundings) -> None:
    parts = capture(replace(place, keyed={"X": "1", "Y": "1"}))
    assert parts["variable:X"] != parts["variable:Y"]


def test_the_worktrees_own_path_in_a_value_is_the_same_in_each_worktree(
    place: Surroundings,
) -> None:
    values = [
        capture(replace(place, worktree=Path(top), keyed={"PYTHONPATH": f"{top}/src:/lib"}))
        for top in ("/a/one", "/a/two")
    ]
    assert values[0] == values[1]
    foreign = capture(replace(place, worktree=Path("/a/one"), keyed={"PYTHONPATH": "/a/two/src"}))
    assert foreign["variable:PYTHONPATH"] != values[0]["variable:PYTHONPATH"]


def test_no_value_stands_in_a_part(place: Surroundings) -> None:
    parts = capture(replace(place, keyed={"TOKEN": "secret"}))
    assert "secret" not in str(parts)


def test_input_counts_only_where_it_is_passed(place: Surroundings) -> None:
    assert capture(replace(place, stdin_digest="d" * 64))["stdin"] == "d" * 64
    assert "stdin" not in capture(place)
