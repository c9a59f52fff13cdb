"""What each way to end means: a verdict, a kill, or no start."""

from __future__ import annotations

import signal

import pytest

from gitcache.core.outcome import (
    Exited,
    Failed,
    Interrupted,
    Killed,
    NotStarted,
    NoVerdict,
    Outcome,
    Passed,
    Signalled,
    TimedOut,
    Unstable,
    WrapperFailed,
    classify,
    exit_status,
    name_of,
    status_of,
)

NO_VERDICT = {126, 127, 129, 130, 137, 143, 152, 153}
FAULTS = [
    (signal.SIGSEGV, 139),
    (signal.SIGABRT, 134),
    (signal.SIGFPE, 136),
    (signal.SIGILL, 132),
    (signal.SIGBUS, 135),
    (signal.SIGTRAP, 133),
]
OUTSIDE = [
    (signal.SIGHUP, 129),
    (signal.SIGINT, 130),
    (signal.SIGKILL, 137),
    (signal.SIGTERM, 143),
    (signal.SIGXCPU, 152),
    (signal.SIGXFSZ, 153),
]


def test_status_zero_is_the_only_pass() -> None:
    assert classify(Exited(0)) == Passed()
    assert [status for status in range(256) if classify(Exited(status)) == Passed()] == [0]


def test_any_other_status_of_the_tool_is_a_failure_but_those_of_kills() -> None:
    statuses = sorted(set(range(1, 256)) - NO_VERDICT)
    assert [classify(Exited(status)) for status in statuses] == [Failed(each) for each in statuses]


def test_no_status_of_a_kill_is_a_verdict() -> None:
    assert not any(isinstance(classify(Exited(each)), Passed | Failed) for each in NO_VERDICT)


@pytest.mark.parametrize("status", [126, 127])
def test_a_missing_program_is_no_verdict_whoever_returned_the_status(status: int) -> None:
    outcome = classify(Exited(status))
    assert isinstance(outcome, NotStarted)
    assert outcome.status == status


def test_a_program_that_did_not_start_says_why() -> None:
    assert classify(Exited(126)) == NotStarted(126, "a program is not executable", by_tool=True)
    assert classify(Exited(127)) == NotStarted(127, "a program was not found", by_tool=True)


@pytest.mark.parametrize(("number", "status"), OUTSIDE)
def test_a_kill_is_no_verdict_in_either_spelling(number: int, status: int) -> None:
    assert classify(Signalled(number)) == Killed(number, status)
    assert classify(Exited(status)) == Killed(number, status)


@pytest.mark.parametrize(("number", "status"), FAULTS)
def test_a_fault_of_the_program_is_a_failure_in_either_spelling(number: int, status: int) -> None:
    assert classify(Signalled(number)) == Failed(status)
    assert classify(Exited(status)) == Failed(status)


def test_death_by_any_signal_but_a_fault_is_a_kill() -> None:
    numbers = sorted(set(range(1, 65)) - {number for number, _ in FAULTS})
    assert [classify(Signalled(each)) for each in numbers] == [
        Killed(each, 128 + each) for each in numbers
    ]


def test_a_broken_pipe_as_a_status_is_the_tools_own_word() -> None:
    assert classify(Exited(141)) == Failed(141)
    assert classify(Signalled(signal.SIGPIPE)) == Killed(13, 141)


MARK = "JavaScript heap out of memory"


@pytest.mark.parametrize("status", [1, 2, 100, 124, 125, 255])
def test_a_failure_with_a_mark_is_a_kill_of_its_own_status(status: int) -> None:
    assert classify(Exited(status), MARK) == Killed(None, status, MARK)
    assert exit_status(Killed(None, status, MARK)) == status


@pytest.mark.parametrize(("number", "status"), FAULTS)
def test_a_fault_with_a_mark_is_a_kill_in_either_spelling(number: int, status: int) -> None:
    assert classify(Signalled(number), MARK) == Killed(number, status, MARK)
    assert classify(Exited(status), MARK) == Killed(number, status, MARK)


def test_a_mark_changes_neither_a_pass_nor_what_is_no_verdict_without_it() -> None:
    assert classify(Exited(0), MARK) == Passed()
    for status in NO_VERDICT:
        assert classify(Exited(status), MARK) == classify(Exited(status))
    assert classify(Signalled(9), MARK) == Killed(9, 137)


def test_a_caller_exits_with_the_tools_own_status() -> None:
    assert [status_of(Exited(each)) for each in range(256)] == list(range(256))
    assert [exit_status(classify(Exited(each))) for each in range(256)] == list(range(256))


def test_a_caller_reports_a_signal_as_a_shell_does() -> None:
    signals = [Signalled(number) for number in range(1, 65)]
    assert [status_of(each) for each in signals] == list(range(129, 193))
    assert [exit_status(classify(each)) for each in signals] == list(range(129, 193))


@pytest.mark.parametrize(
    ("outcome", "name", "status"),
    [
        (Passed(), "passed", 0),
        (Failed(3), "failed", 3),
        (Killed(9, 137), "killed", 137),
        (Killed(None, 1, "Killed"), "killed", 1),
        (TimedOut(1.5), "timed_out", 124),
        (NotStarted(127, "gone"), "not_started", 127),
        (Interrupted(2), "interrupted", 130),
        (Interrupted(15), "interrupted", 143),
        (Unstable(0, ("a.txt",)), "unstable", 0),
        (Unstable(5, ("a.txt",)), "unstable", 5),
        (WrapperFailed("no bus"), "no_verdict", 125),
        (NoVerdict(0, "ran no test"), "no_verdict", 0),
    ],
)
def test_every_outcome_has_a_name_and_a_status(outcome: Outcome, name: str, status: int) -> None:
    assert name_of(outcome) == name
    assert exit_status(outcome) == status
