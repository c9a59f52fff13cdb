"""The slots of a tool, beside other processes that hold, wait, lend and are killed."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType

import pytest

from gitcache.core.tool import ToolName
from gitcache.host import slot_limit, slot_places, slots
from gitcache.host.key_lock import LONGEST_PAUSE, Unavailable
from gitcache.host.owner import Owner
from gitcache.host.slot_limit import NO_LIMIT
from gitcache.host.slots import (
    GivenUp,
    Line,
    Slot,
    Waiting,
    Wish,
    lent,
    rides,
    wait_for_slot,
)
from tests.support.clocks import clocks_read
from tests.support.locker import Child, children, this_owner
from tests.support.no_flock import can_refuse, without_flock
from tests.support.slot_taker import slot_taker
from tests.support.unprivileged import unprivileged

TEST = ToolName("test")
BUILD = ToolName("build")


class Takers:
    """Starts processes that take slots of one state folder."""

    def __init__(self, state: Path, stack: ExitStack) -> None:
        self.state = state
        self.pressure = state / "pressure"
        self._stack = stack

    def start(self, limit: int, count: int) -> list[Child]:
        argv = slot_taker(self.state, limit, self.pressure)
        return self._stack.enter_context(children(argv, count))

    def holding(self, limit: int = 1) -> tuple[Child, str]:
        """Return a process that holds a slot, and its token."""
        (child,) = self.start(limit, 1)
        answer = child.ask("ask 1")
        assert answer.startswith("slot run-")
        return child, answer.removeprefix("slot ")

    def press(self, percent: float) -> None:
        self.pressure.write_text(f"some avg10={percent:.2f} avg60=0.00 avg300=0.00 total=0\n")


@pytest.fixture
def takers(tmp_path: Path) -> Iterator[Takers]:
    state = tmp_path / "state"
    state.mkdir()
    with ExitStack() as stack:
        yield Takers(state, stack)


def wish(
    state: Path, limit: int = 1, slots: int = 1, token: str = "", tool: ToolName = TEST
) -> Wish:
    return Wish(state, tool, limit, this_owner(), slots, token)


def line(state: Path, limit: int = 1, slots: int = 1, token: str = "") -> Line:
    return Line(wish(state, limit, slots, token), state / "pressure")


def take(state: Path, limit: int = 1, slots: int = 1, token: str = "") -> Slot:
    answer = line(state, limit, slots, token).ask()
    assert isinstance(answer, Slot), answer
    return answer


def files(state: Path, tool: ToolName = TEST) -> list[str]:
    return sorted(name for name in os.listdir(state / "slots" / tool) if name != "gate")


def wait_until_it_is_our_turn(place: Line) -> Slot:
    answer = wait_for_slot(place, lambda _: None)
    assert isinstance(answer, Slot), answer
    return answer


def test_slot_is_free_again_when_it_is_released_and_leaves_nothing(tmp_path: Path) -> None:
    with take(tmp_path):
        assert files(tmp_path) == ["0000000001.holding"]
    assert files(tmp_path) == []

    take(tmp_path).release()


def test_no_more_runs_than_slots_at_once(takers: Takers) -> None:
    (first, _), (second, _) = takers.holding(2), takers.holding(2)

    with line(takers.state, 2) as place:
        assert place.ask() == Waiting(_owners(takers.state), 0, 2)
        assert [each.pid for each in _owners(takers.state)] == [first.pid, second.pid]
        second.ask("release")
        wait_until_it_is_our_turn(place).release()


def _owners(state: Path) -> tuple[Owner, ...]:
    place = line(state, 1)
    answer = place.ask()
    place.leave()
    assert isinstance(answer, Waiting)
    return answer.holders


def test_tools_have_slots_of_their_own(tmp_path: Path) -> None:
    with take(tmp_path), line(tmp_path) as place:
        assert isinstance(place.ask(), Waiting)
        other = Line(wish(tmp_path, tool=BUILD)).ask()
        assert isinstance(other, Slot)
        other.release()


@pytest.mark.parametrize(("limit", "slots"), [(NO_LIMIT, 1), (1, 0)])
def test_run_without_limit_or_without_weight_touches_nothing(
    tmp_path: Path, limit: int, slots: int
) -> None:
    for _ in range(3):
        assert line(tmp_path, limit, slots).ask() == Slot("")
    assert not (tmp_path / "slots").exists()


def test_twenty_processes_never_take_more_than_the_slots(takers: Takers, tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    folder.mkdir()
    light, heavy = takers.start(3, 14), takers.start(3, 6)
    for each in light:
        each.tell(f"turns 4 1 {folder}")
    for each in heavy:
        each.tell(f"turns 4 2 {folder}")

    seen = [int(each.hear()) for each in (*light, *heavy)]

    assert 1 <= max(seen) <= 3
    assert files(takers.state) == []


def test_twenty_waiters_get_their_turns_in_the_order_in_which_they_came(
    takers: Takers, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    holder, _ = takers.holding()
    waiters = takers.start(1, 20)
    for each in waiters:
        assert each.ask(f"turn 1 {log}") == "in line"

    holder.ask("release")

    assert {each.hear() for each in waiters} == {"done"}
    assert log.read_text().split() == [str(each.pid) for each in waiters]
    assert files(takers.state) == []


def test_killed_waiters_and_holders_hold_nobody_up(takers: Takers, tmp_path: Path) -> None:
    log = tmp_path / "log"
    holder, _ = takers.holding()
    waiters = takers.start(1, 9)
    for each in waiters:
        assert each.ask(f"turn 1 {log}") == "in line"
    for each in waiters[0::2]:
        each.kill()

    holder.kill()

    left = waiters[1::2]
    assert {each.hear() for each in left} == {"done"}
    assert log.read_text().split() == [str(each.pid) for each in left]
    assert files(takers.state) == []


def test_waiter_behind_one_that_moved_on_is_next(takers: Takers) -> None:
    """A place that holds now is no place that waits: who was behind it must look."""
    (one, _), (two, _) = takers.holding(2), takers.holding(2)
    (before,) = takers.start(2, 1)
    assert before.ask("ask 1").startswith("waiting")
    with line(takers.state, 2) as place:
        assert place.ask() == Waiting(_owners(takers.state), 1, 2)
        one.ask("release")
        two.ask("release")
        assert before.ask("ask 1").startswith("slot")

        wait_until_it_is_our_turn(place).release()


def test_nobody_overtakes_a_run_that_needs_more_slots(takers: Takers) -> None:
    holder, _ = takers.holding(2)
    (heavy,) = takers.start(2, 1)
    assert heavy.ask("ask 2") == f"waiting: [{holder.pid}] hold, 0 ahead, 2 slots"

    with line(takers.state, 2) as light:
        answer = light.ask()
        assert isinstance(answer, Waiting)
        assert answer.ahead == 1
        heavy.kill()

        wait_until_it_is_our_turn(light).release()


def test_run_that_needs_more_slots_than_there_are_runs_alone(takers: Takers) -> None:
    with take(takers.state, 2, slots=5), line(takers.state, 2) as place:
        assert isinstance(place.ask(), Waiting)
    holder, _ = takers.holding(2)
    with line(takers.state, 2, slots=5) as place:
        assert isinstance(place.ask(), Waiting)
        holder.ask("release")
        wait_until_it_is_our_turn(place).release()


def test_callers_who_disagree_about_the_limit_each_keep_to_their_own(takers: Takers) -> None:
    takers.holding(3)
    with line(takers.state, 1) as strict:
        assert isinstance(strict.ask(), Waiting)
        with line(takers.state, 3) as lax:
            assert isinstance(lax.ask(), Waiting)  # nobody is overtaken
            strict.leave()
            wait_until_it_is_our_turn(lax).release()


def test_short_memory_lets_half_of_the_runs_start(takers: Takers) -> None:
    takers.press(10.5)
    takers.holding(4)
    takers.holding(4)
    with line(takers.state, 4) as place:
        answer = place.ask()
        assert isinstance(answer, Waiting)
        assert answer.limit == 2
        takers.press(0)
        wait_until_it_is_our_turn(place).release()


def test_scarce_memory_lets_one_run_start(takers: Takers) -> None:
    takers.press(25.5)
    takers.holding(4)
    with line(takers.state, 4) as place:
        answer = place.ask()
        assert isinstance(answer, Waiting)
        assert answer.limit == 1


def test_what_is_waited_for_is_told_once_and_again_when_it_changes(takers: Takers) -> None:
    holder, _ = takers.holding()
    (before,) = takers.start(1, 1)
    before.ask("ask 1")
    heard: list[Waiting] = []
    pauses: list[float] = []

    def pause(seconds: float) -> bool:
        pauses.append(seconds)
        if len(pauses) == 20:
            before.kill()
        return len(pauses) == 40

    with line(takers.state) as place:
        answer = wait_for_slot(place, heard.append, pause)

    assert answer == GivenUp()
    assert [each.ahead for each in heard] == [1, 0]
    assert [[owner.pid for owner in each.holders] for each in heard] == [[holder.pid]] * 2
    assert pauses[:20] == sorted(pauses[:20])
    assert (pauses[0], max(pauses)) == (0.01, LONGEST_PAUSE)
    assert files(takers.state) == ["0000000001.holding"]


def test_leaving_twice_or_after_the_turn_takes_nothing_away(tmp_path: Path) -> None:
    place = line(tmp_path)
    slot = place.ask()
    assert isinstance(slot, Slot)
    place.leave()
    assert files(tmp_path) == ["0000000001.holding"]
    slot.release()
    with take(tmp_path):
        slot.release()
        assert files(tmp_path) == ["0000000001.holding"]


def test_run_inside_a_run_rides_on_its_slot(takers: Takers) -> None:
    _, token = takers.holding()
    (inner,) = takers.start(1, 1)
    inner.ask(f"nested {token}")

    assert inner.ask("ask 1") == f"slot {token}"
    assert files(takers.state) == ["0000000001.holding"]
    assert inner.ask("release") == "release"
    assert rides(token)


def test_run_of_another_tool_inside_a_run_rides_too(takers: Takers) -> None:
    _, token = takers.holding()

    assert Line(wish(takers.state, token=token, tool=BUILD)).ask() == Slot(token)


def test_token_of_a_run_that_is_gone_is_worth_nothing(takers: Takers) -> None:
    outer, token = takers.holding()
    outer.kill()
    assert files(takers.state) == ["0000000001.holding"]
    assert not rides(token)
    other, _ = takers.holding()

    with line(takers.state, token=token) as place:
        answer = place.ask()
        assert isinstance(answer, Waiting)
        assert [each.pid for each in answer.holders] == [other.pid]


def test_token_of_an_earlier_run_with_the_same_number_is_worth_nothing(takers: Takers) -> None:
    outer, token = takers.holding()
    outer.ask("release")
    _, other = takers.holding()

    assert token.partition(" ")[2] == other.partition(" ")[2]
    assert not rides(token)
    assert rides(other)


@pytest.mark.parametrize(
    "token", ["", "run-1", "run-1 ", "run-1 x.holding", "run-1 /etc/passwd", "\0 /\0", " /"]
)
def test_foreign_token_is_worth_nothing(tmp_path: Path, token: str) -> None:
    assert not rides(token)
    with lent(token):
        pass
    take(tmp_path, token=token).release()


def test_place_that_waits_is_no_slot_to_ride_on(takers: Takers) -> None:
    takers.holding()
    (waiter,) = takers.start(1, 1)
    waiter.ask("ask 1")

    assert not rides(f"run-{waiter.pid} {takers.state}/slots/test/0000000002.waiting")


def test_follower_inside_a_run_lends_its_slot_until_it_has_its_answer(takers: Takers) -> None:
    outer, token = takers.holding()
    (inner,) = takers.start(1, 1)
    with line(takers.state) as place:
        assert isinstance(place.ask(), Waiting)
        inner.ask(f"lend {token}")
        borrowed = wait_until_it_is_our_turn(place)
        inner.ask("return")
        assert rides(token)  # the lender goes on, beside the borrower

    with line(takers.state, 2) as later:
        assert isinstance(later.ask(), Waiting)
        borrowed.release()
        outer.ask("release")
        wait_until_it_is_our_turn(later).release()
    assert files(takers.state) == []


def test_slot_is_not_lent_to_the_run_that_rides_on_it(takers: Takers) -> None:
    """The inner run loads the machine in the outer one's place."""
    _, token = takers.holding()

    with lent(token, followed=token), line(takers.state) as place:
        assert isinstance(place.ask(), Waiting)


@pytest.mark.parametrize("whom", ["follower", "outer run"])
def test_loan_ends_with_the_killed(takers: Takers, whom: str) -> None:
    outer, token = takers.holding()
    (inner,) = takers.start(1, 1)
    inner.ask(f"lend {token}")
    (inner if whom == "follower" else outer).kill()

    with line(takers.state) as place:
        if whom == "follower":
            assert isinstance(place.ask(), Waiting)
            outer.kill()
        wait_until_it_is_our_turn(place).release()
        if whom == "outer run":  # a number with a loan is not given anew
            inner.ask("return")
    assert files(takers.state) == []


def test_two_loans_of_one_slot_end_with_the_last(takers: Takers) -> None:
    outer, token = takers.holding()
    one, two = takers.start(1, 2)
    one.ask(f"lend {token}")
    two.ask(f"lend {token}")
    one.ask("return")
    take(takers.state).release()
    two.ask("return")

    with line(takers.state) as place:
        assert isinstance(place.ask(), Waiting)
        outer.ask("release")
        wait_until_it_is_our_turn(place).release()


def test_runs_of_two_tools_that_follow_each_other_form_no_circle(takers: Takers) -> None:
    """A test follows a build that waits for the slot of a build that follows a waiting test."""
    state = takers.state
    with take(state) as test, _build(state).ask() as build:  # type: ignore[union-attr]
        waiting_build, waiting_test = _build(state), line(state)
        assert isinstance(waiting_build.ask(), Waiting)
        assert isinstance(waiting_test.ask(), Waiting)

        with lent(test.token), lent(build.token):
            wait_until_it_is_our_turn(waiting_test).release()
            wait_until_it_is_our_turn(waiting_build).release()


def _build(state: Path) -> Line:
    return Line(wish(state, tool=BUILD), state / "pressure")


def test_run_without_a_slot_in_a_circle_is_no_circle_either(takers: Takers) -> None:
    """Here the outer run follows a lint, which has no slot, which follows a waiting test."""
    state = takers.state
    with take(state) as outer, line(state) as waiting, lent(outer.token):
        lint = take(state, NO_LIMIT)
        with lent(lint.token):
            wait_until_it_is_our_turn(waiting).release()


def test_folder_that_is_removed_while_runs_wait_does_no_harm(takers: Takers) -> None:
    takers.holding()
    with line(takers.state) as place:
        assert isinstance(place.ask(), Waiting)
        for path in (takers.state / "slots" / "test").iterdir():
            path.unlink()
        (takers.state / "slots" / "test").rmdir()

        wait_until_it_is_our_turn(place).release()


def test_torn_and_foreign_files_in_the_line_count_for_nothing(takers: Takers) -> None:
    takers.holding()[0].ask("release")
    folder = takers.state / "slots" / "test"
    (folder / "0000000007.holding").write_text("{")
    (folder / "0000000008.waiting").touch()
    (folder / "0000000009.lent.0123456789abcdef").touch()
    (folder / "notes.txt").touch()

    with take(takers.state):
        assert files(takers.state) == ["0000000010.holding", "notes.txt"]


def test_times_of_files_and_records_decide_nothing(takers: Takers) -> None:
    takers.holding()
    for second in (0, 4_000_000_000):
        for path in (takers.state / "slots" / "test").iterdir():
            os.utime(path, (second, second))
        with line(takers.state) as place:
            assert isinstance(place.ask(), Waiting)


@pytest.mark.parametrize("module", [slots, slot_places, slot_limit])
def test_no_clock_that_may_be_set_is_read(module: ModuleType) -> None:
    assert clocks_read(module) == set()


def test_state_folder_in_which_nobody_may_write_gives_no_slot() -> None:
    with unprivileged() as home:
        home.chmod(0o555)

        assert line(home).ask() == Unavailable("Permission denied")

        home.chmod(0o755)


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK])
@pytest.mark.skipif(not can_refuse(), reason="no way to take flock away here")
def test_file_system_without_locks_gives_no_slot(takers: Takers, number: int) -> None:
    argv = without_flock(number, slot_taker(takers.state, 1, takers.pressure))
    with children(argv, 1) as (other,):
        assert other.ask("ask 1") == f"unavailable {os.strerror(number)}"


def test_long_and_strange_state_folder_is_a_folder(tmp_path: Path) -> None:
    state = tmp_path / "with spaces\nand lines" / ("d" * 120) / ("é" * 60)
    assert len(os.fsencode(state)) > 200

    with take(state) as slot:
        assert line(state, token=slot.token).ask() == Slot(slot.token)
