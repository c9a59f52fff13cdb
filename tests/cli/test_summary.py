"""The line in which an answer is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gitcache.cli.summary import leak_words, summary
from gitcache.core.entry import RanIn
from gitcache.core.leak import Leak, LeftProcess
from gitcache.core.outcome import (
    Failed,
    Interrupted,
    Killed,
    NotStarted,
    NoVerdict,
    Outcome,
    Passed,
    TimedOut,
    Unstable,
    WrapperFailed,
)
from gitcache.core.output import Output
from gitcache.core.tool import ToolName
from gitcache.engine.events import Answer
from tests.support.calls import NOW, context_in

HERE = Path("/work/here")
RUN = Answer(
    tool=ToolName("test"),
    outcome=Passed(),
    source="run",
    output=Output(),
    started_at=NOW,
    duration=12.34,
    ran_in=RanIn(str(HERE), None, "here", "me"),
    asked_in=HERE,
    stored=True,
)
HIT = replace(RUN, source="hit", started_at=NOW - 130)


def told(answer: Answer, colour: bool = False) -> str:
    return summary(answer, context_in(HERE / "sub"), colour)


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (Failed(3), "test failed with status 3 after 12.3s"),
        (Killed(9, 137), "test was killed by SIGKILL after 12.3s"),
        (Killed(77, 205), "test was killed by signal 77 after 12.3s"),
        (
            Killed(None, 1, "Killed"),
            "test was killed (status 1): Killed after 12.3s",
        ),
        (
            Killed(6, 134, "memory allocation of 8 bytes failed"),
            "test was killed by SIGABRT: memory allocation of 8 bytes failed after 12.3s",
        ),
        (TimedOut(90.0), "test ran into its timeout of 1m30s after 12.3s"),
        (TimedOut(0.001), "test ran into its timeout of 1ms after 12.3s"),
        (TimedOut(0.0625), "test ran into its timeout of 62.5ms after 12.3s"),
        (TimedOut(0.1), "test ran into its timeout of 0.1s after 12.3s"),
        (Interrupted(2), "test was interrupted by SIGINT after 12.3s"),
        (WrapperFailed("no bus"), "test was not run: no bus"),
        (NotStarted(126, "why"), "test did not start: why"),
        (NotStarted(127, "why", by_tool=True), "test ended with status 127 (why) after 12.3s"),
        (NoVerdict(0, "ran no test"), "test ran no test after 12.3s"),
        (
            Unstable(0, ("a", "b")),
            "test ended with status 0 after 12.3s, but a, b changed while it ran",
        ),
        (
            Unstable(1, tuple("abcdefg")),
            "test ended with status 1 after 12.3s, "
            "but a, b, c, d, e and 2 more changed while it ran",
        ),
        (
            Unstable(0, ("a", "b", "c"), by_others=("b",), again=("c",)),
            "test ended with status 0 after 12.3s, but a changed while it ran; "
            "c changed while it ran, as in its run before; "
            "b changed before it started or after it ended, so not by it",
        ),
    ],
)
def test_a_run_says_what_came_out_and_that_nothing_is_stored(outcome: Outcome, line: str) -> None:
    assert told(replace(RUN, outcome=outcome, stored=False)) == (
        f"toolcache: {line}; nothing is stored"
    )


def test_a_stored_run_says_how_long_it_took() -> None:
    assert told(RUN) == "toolcache: test passed after 12.3s"


def test_a_tool_that_never_ran_took_no_time() -> None:
    outcome = NotStarted(127, "pytest: command not found")
    assert told(replace(RUN, outcome=outcome, duration=0.0, stored=False)) == (
        "toolcache: test did not start: pytest: command not found; nothing is stored"
    )


@pytest.mark.parametrize(
    ("leak", "words"),
    [
        (Leak(), "test left something behind that held its output"),
        (
            Leak((LeftProcess(7, "no\x1b[2Jde"),)),
            "test left a process behind, now ended: no\\x1b[2Jde (pid 7)",
        ),
        (
            Leak(tuple(LeftProcess(pid, "n") for pid in range(1, 8))),
            "test left 7 processes behind, now ended: n (pid 1), n (pid 2), n (pid 3), n (pid 4), "
            "n (pid 5) and 2 more",
        ),
    ],
)
def test_a_leak_is_a_line_of_its_own(leak: Leak, words: str) -> None:
    assert leak_words("test", leak) == words


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (RanIn("/work/here", "c" * 40, "here", "you"), "here"),
        (RanIn("/work/other", None, "here", "me"), "in ../../other"),
        (RanIn("/work/here", None, "there", "me"), "in /work/here on there"),
    ],
)
def test_a_hit_says_how_old_it_is_where_it_ran_and_what_it_saved(place: RanIn, words: str) -> None:
    assert told(replace(HIT, ran_in=place)) == (
        f"toolcache: test passed: hit, ran 2m10s ago {words}, saved 12.3s"
    )


def test_a_hit_from_the_future_is_not_called_old() -> None:
    assert told(replace(HIT, started_at=NOW + 60)) == (
        "toolcache: test passed: hit, ran in the future here, saved 12.3s"
    )


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        (Passed(), "\x1b[32mpassed\x1b[0m"),
        (Failed(1), "\x1b[31mfailed with status 1\x1b[0m"),
        (Killed(9, 137), "\x1b[33mwas killed by SIGKILL\x1b[0m"),
        (NoVerdict(0, "ran no test"), "\x1b[33mran no test\x1b[0m"),
    ],
)
def test_colour_is_on_the_verdict_alone(outcome: Outcome, verdict: str) -> None:
    assert (
        told(replace(RUN, outcome=outcome), colour=True) == f"toolcache: test {verdict} after 12.3s"
    )


def test_foreign_names_do_not_command_the_terminal() -> None:
    place = RanIn("/x\x1b[2J\n", None, "h\x9bost", "me")
    assert told(replace(HIT, ran_in=place)) == (
        r"toolcache: test passed: hit, ran 2m10s ago in /x\x1b[2J\n on h\x9bost, saved 12.3s"
    )
    line = told(replace(RUN, outcome=Unstable(0, ("a\x1b]0;x\x07", "\udcff"))))
    assert line == (
        "toolcache: test ended with status 0 after 12.3s, "
        r"but a\x1b]0;x\x07, \udcff changed while it ran"
    )
