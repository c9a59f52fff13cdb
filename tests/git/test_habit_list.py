"""The list of a tool's habits: what is written is read, and nothing else is."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitcache.core.habits import KEPT_AT_MOST, Trace
from gitcache.git.habit_list import HabitList
from gitcache.git.memo import MemoFolder
from gitcache.git.repository import find_repository
from tests.support.repository import Repo

STAT = (1, 2, 3, 4, 5)
NAMES = st.text(st.characters(blacklist_characters="\0"), min_size=1)
TRACES = st.dictionaries(
    NAMES,
    st.builds(Trace, st.integers(1, 2), st.none() | st.tuples(*[st.integers()] * 5), st.booleans()),
)


def list_in(repo: Repo, *tool: str) -> HabitList:
    return HabitList.of(find_repository(repo.path, {}), tool)


def file_of(habits: HabitList) -> Path:
    assert habits.folder.path is not None
    return habits.folder.path / habits.name


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TRACES)
def test_list_says_what_was_written(tmp_path: Path, traces: dict[str, Trace]) -> None:
    habits = HabitList(MemoFolder(tmp_path / "habits"), "f" * 64)
    habits.write(traces)
    assert habits.read() == traces


def test_list_is_of_one_tool_and_worktree(repo: Repo, tmp_path: Path) -> None:
    other = repo.add_worktree(tmp_path / "other")
    lists = [
        list_in(repo, "test"),
        list_in(repo, "lint"),
        list_in(repo, "test", "x"),
        list_in(other, "test"),
    ]
    lists[0].write({"a.log": Trace(2, STAT)})
    assert [each.read() for each in lists[1:]] == [{}, {}, {}]
    assert len({each.folder for each in lists}) == 1


GOOD = {"a.log": [2, [1, 2, 3, 4, 5], True]}


@pytest.mark.parametrize(
    "paths",
    [
        None,
        [],
        {"a.log": None},
        {"a.log": [2]},
        {"a.log": [2, [1, 2, 3, 4, 5]]},
        {"a.log": [2, [1, 2, 3, 4, 5], 1]},
        {"a.log": [2, [1, 2, 3, 4, 5], None]},
        {"a.log": [3, None, True]},
        {"a.log": [0, None, True]},
        {"a.log": [True, None, True]},
        {"a.log": ["2", None, True]},
        {"a.log": [2, [1, 2, 3, 4], True]},
        {"a.log": [2, [1, 2, 3, 4, 5.0], True]},
        {"a.log": [2, "12345", True]},
        {"a.log": [2, 5, True]},
        {**GOOD, "b.log": [2, [None], True]},
        {f"{number}.log": [2, None, True] for number in range(KEPT_AT_MOST + 1)},
    ],
)
def test_foreign_list_is_none(repo: Repo, paths: object) -> None:
    habits = list_in(repo, "test")
    habits.folder.write(habits.name, {"owner": habits.owner, "paths": paths})
    assert habits.read() == {}


def test_list_of_another_owner_is_none(repo: Repo) -> None:
    mine, other = list_in(repo, "test"), list_in(repo, "lint")
    other.write({"a.log": Trace(2, STAT)})
    file_of(other).rename(file_of(mine))
    assert mine.read() == {}


def test_torn_list_is_none_at_any_byte(repo: Repo) -> None:
    habits = list_in(repo, "test")
    habits.write({"a.log": Trace(2, STAT), "b.log": Trace(1, None)})
    whole = file_of(habits).read_bytes()
    for size in range(len(whole)):
        file_of(habits).write_bytes(whole[:size])
        assert habits.read() == {}


@pytest.mark.parametrize("obstacle", ["file", "folder"])
def test_list_that_cannot_be_written_is_lost_without_a_word(repo: Repo, obstacle: str) -> None:
    habits = list_in(repo, "test")
    place = file_of(habits) if obstacle == "folder" else file_of(habits).parent
    place.parent.mkdir(parents=True)
    place.mkdir() if obstacle == "folder" else place.write_text("")
    habits.write({"a.log": Trace(2, STAT)})
    assert habits.read() == {}


def test_list_is_whole_whoever_else_writes_it(repo: Repo) -> None:
    habits = list_in(repo, "test")
    states = [{f"{number}.log": Trace(2, STAT) for number in range(count)} for count in (1, 900)]
    habits.write(states[0])
    done = threading.Event()

    def write() -> None:
        while not done.is_set():
            for state in states:
                habits.write(state)

    thread = threading.Thread(target=write)
    thread.start()
    seen = [habits.read() for _ in range(200)]
    done.set()
    thread.join()
    assert all(each in states for each in seen)
    assert json.loads(file_of(habits).read_text())["owner"] == habits.owner
