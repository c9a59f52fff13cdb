"""The one line in which an answer is told to a person."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Final

from gitcache.cli.escapes import printable
from gitcache.core.durations import format_age, format_duration
from gitcache.core.entry import RanIn
from gitcache.core.leak import Leak
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
from gitcache.engine.context import Context
from gitcache.engine.events import Answer

_GREEN, _RED, _YELLOW, _PLAIN = "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"

_PATHS_TOLD: Final = 5
"""How many changed paths a line names before it counts the rest."""


def summary(answer: Answer, context: Context, colour: bool) -> str:
    """Return the line for *answer*: what came out, and where it comes from."""
    if answer.source == "hit":
        before, behind = hit_summary(answer, context, colour)
        return f"{before}{age_words(answer.started_at, context)}{behind}"
    verdict = _verdict(answer, colour)
    doubt = printable(_doubt_words(answer))
    took = f" after {format_duration(answer.duration)}" if _has_run(answer) else ""
    moved = _moved_words(answer.outcome)
    kept = "" if answer.stored else "; nothing is stored"
    return f"toolcache: {answer.tool} {verdict}{took}{moved}{doubt}{kept}"


def _way_to_rerun(outcome: Outcome) -> str:
    return "; --retry-failed runs it again" if isinstance(outcome, Failed) else ""


def _doubt_words(answer: Answer) -> str:
    """Return what a verdict does not stand for by itself: a part, or a second attempt."""
    if answer.focused_on:
        count, of = len(answer.failing_files), len(answer.focused_on)
        return f"; PARTIAL: {count} of {of} files that failed last time"
    if answer.flaky:
        return f"; FLAKY: {listed(answer.flaky)} failed at first"
    if answer.is_contradicted:
        return "; FLAKY: an earlier run on this content ended otherwise"
    return ""


def hit_summary(answer: Answer, context: Context, colour: bool) -> tuple[str, str]:
    """Return the line for *answer*, which an entry gave, before and behind the run's age."""
    place = place_words(answer.ran_in, answer.asked_in, context)
    before = f"toolcache: {answer.tool} {_verdict(answer, colour)}: hit, ran "
    saved = f" {place}, saved {format_duration(answer.saved)}{_doubt_words(answer)}"
    return before, f"{printable(saved)}{_way_to_rerun(answer.outcome)}"


def _verdict(answer: Answer, colour: bool) -> str:
    verdict = printable(outcome_words(answer.outcome))
    return f"{_colour(answer.outcome)}{verdict}{_PLAIN}" if colour else verdict


def _has_run(answer: Answer) -> bool:
    """Return whether the tool itself was started, so that it took some time."""
    match answer.outcome:
        case NotStarted(by_tool=by_tool):
            return by_tool
        case WrapperFailed():
            return False
    return answer.duration > 0


def leak_words(tool: str, leak: Leak) -> str:
    """Return the line that names what outlived *tool*."""
    processes = [f"{each.name} (pid {each.pid})" for each in leak.processes]
    if not processes:
        return f"{tool} left something behind that held its output"
    count = "a process" if len(processes) == 1 else f"{len(processes)} processes"
    return printable(f"{tool} left {count} behind, now ended: {listed(tuple(processes))}")


def outcome_words(outcome: Outcome) -> str:
    """Return *outcome* as the verb of a sentence whose subject is the tool."""
    match outcome:
        case Passed():
            return "passed"
        case Failed(status):
            return f"failed with status {status}"
        case Killed():
            return _killed_words(outcome)
        case TimedOut(timeout):
            return f"ran into its timeout of {_timeout_words(timeout)}"
        case NotStarted():
            return _not_started_words(outcome)
        case Interrupted(number):
            return f"was interrupted by {signal_name(number)}"
        case Unstable(status):
            return f"ended with status {status}"
        case NoVerdict(_, reason):
            return reason
        case WrapperFailed(reason):
            return f"was not run: {reason}"


def _timeout_words(seconds: float) -> str:
    """Return a timeout for people, the shortest ones too."""
    return f"{seconds * 1000:g}ms" if seconds < 0.1 else format_duration(seconds)


def _killed_words(killed: Killed) -> str:
    mark = f": {killed.mark}" if killed.mark else ""
    if killed.signal is None:
        return f"was killed (status {killed.status}){mark}"
    return f"was killed by {signal_name(killed.signal)}{mark}"


def _not_started_words(outcome: NotStarted) -> str:
    if outcome.by_tool:
        return f"ended with status {outcome.status} ({outcome.reason})"
    return f"did not start: {outcome.reason}"


def age_words(started_at: float, context: Context) -> str:
    """Return how long ago *started_at* was."""
    return format_age(started_at, context.now())


def place_words(place: RanIn, asked_in: Path, context: Context) -> str:
    """Return where a run was, as seen from a caller in the worktree *asked_in*."""
    if place.host != context.host:
        return f"in {place.worktree} on {place.host}"
    if place.worktree == str(asked_in):
        return "here"
    return f"in {os.path.relpath(place.worktree, context.cwd)}"


def signal_name(number: int) -> str:
    """Return the signal's name, such as ``SIGKILL``."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _moved_words(outcome: Outcome) -> str:
    """Return what changed while the tool ran, and who wrote it as far as that is known.

    Empty where nothing changed.
    """
    if not isinstance(outcome, Unstable):
        return ""
    told = {*outcome.by_others, *outcome.again}
    groups = (
        (tuple(each for each in outcome.changed if each not in told), "changed while it ran"),
        (outcome.again, "changed while it ran, as in its run before"),
        (outcome.by_others, "changed before it started or after it ended, so not by it"),
    )
    moved = "; ".join(f"{listed(names)} {words}" for names, words in groups if names)
    return printable(f", but {moved}")


def listed(changed: tuple[str, ...]) -> str:
    """Return the paths *changed* for a line: the first few, and how many more there are."""
    shown = ", ".join(changed[:_PATHS_TOLD])
    rest = len(changed) - _PATHS_TOLD
    return f"{shown} and {rest} more" if rest > 0 else shown


def _colour(outcome: Outcome) -> str:
    match outcome:
        case Passed():
            return _GREEN
        case Failed():
            return _RED
    return _YELLOW
