"""Whether the content stood still while the tool ran.

Where it moved, the result belongs to no tree: neither to the one before, which the tool may not
have seen whole, nor to the one after. What the tool is known to write at each of its runs is
excused (:mod:`gitcache.core.habits`); nothing else is.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from gitcache.core.content import Snapshot
from gitcache.core.habits import Stat, Trace, Window, excused, is_leftover, is_settled, learnt
from gitcache.core.outcome import Failed, Outcome, Passed, Unstable, exit_status
from gitcache.core.products import ignore_lines, is_product
from gitcache.engine.aftermath import Aftermath, look_after
from gitcache.engine.context import Context
from gitcache.engine.front import Question, ask
from gitcache.engine.habits import list_of
from gitcache.errors import RepositoryError
from gitcache.git.habit_list import stats_now
from gitcache.git.look import Look, looking_again
from gitcache.git.repository import Repository
from gitcache.host.standard_input import InputCopy

_PAUSE: Final = 0.005
"""Seconds between two looks at the clock, a part of its tick."""

_PAUSES: Final = 5
"""How often to wait for the clock to tick: somewhat longer than a tick takes."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What came of a run, now that the content was looked at again."""

    outcome: Outcome
    question: Question
    """What a verdict answers: what was asked, without the products that are habits by now."""


def settled(
    outcome: Outcome,
    question: Question,
    context: Context,
    stdin: InputCopy | None,
    window: Window,
) -> Settled:
    """Return what *outcome* comes to: ``Unstable`` where it is a verdict on content that moved.

    Args:
        outcome: how the tool ended.
        question: what it was started for.
        context: the caller's surroundings.
        stdin: what the tool read.
        window: when it ran.
    """
    if not isinstance(outcome, Passed | Failed):
        return Settled(outcome, question)
    try:
        with looking_again(question.repository) as look:
            aftermath = look_after(question, look, context, stdin, window)
            traces = _remember(question, aftermath, context)
            unstable = _unstable(exit_status(outcome), question, aftermath, traces)
            if unstable is not None:
                return Settled(unstable, question)
            without = _without_products(question, aftermath, traces, look)
            return Settled(outcome, _asked_of(without, question, context, stdin))
    except (RepositoryError, OSError) as error:
        return Settled(Unstable(exit_status(outcome), (str(error),)), question)


def _remember(question: Question, aftermath: Aftermath, context: Context) -> Mapping[str, Trace]:
    """Return what is known of the tool after its run, and keep it for the next one."""
    before = question.habits
    traces = learnt(before, _left(question.repository, aftermath.own), aftermath.made)
    if context.use == "on" and traces != before.traces:
        list_of(question.plan, question.repository).write(traces)
    return traces


def _left(repository: Repository, own: Mapping[str, Stat]) -> dict[str, Stat | None]:
    """Return path → stat of the tool's *own* files, each once no later write can hide behind it."""
    for _ in range(_PAUSES):
        now_ns = time.time_ns()
        if all(is_settled(stat, now_ns) for stat in own.values()):
            break
        time.sleep(_PAUSE)
    now_ns = time.time_ns()
    stats = stats_now(repository, [*own])
    return {
        path: stat if stats[path] == stat and is_settled(stat, now_ns) else None
        for path, stat in own.items()
    }


def _unstable(
    status: int, question: Question, aftermath: Aftermath, traces: Mapping[str, Trace]
) -> Unstable | None:
    """Return how the content moved; None where only the tool's habits did."""
    tracked = aftermath.tracked
    fine = excused(traces, aftermath.own.keys(), aftermath.differing, tracked)
    moved = aftermath.touched - fine
    if not moved and not aftermath.parts:
        return None
    made = (moved & aftermath.during.keys()) - tracked - aftermath.beside
    again = {path for path in moved & aftermath.own.keys() & traces.keys() if traces[path].is_habit}
    untracked = {each.path for each in question.snapshot.changes if not is_product(each.path)}
    return Unstable(
        status,
        (*sorted(moved), *aftermath.parts),
        by_others=tuple(sorted(moved & aftermath.by_others)),
        again=tuple(sorted(again)),
        ignore_lines=ignore_lines(made, (tracked | untracked) - made),
    )


def _without_products(
    question: Question, aftermath: Aftermath, traces: Mapping[str, Trace], look: Look
) -> Snapshot:
    """Return the content of before without the products that are habits since this run.

    The next snapshot leaves them out, so that is where the verdict is looked for. Where the content
    of before can't be told without them for certain, it stays as it was.
    """
    since, before = question.habits.since, question.snapshot
    gone = frozenset(
        path
        for path, trace in traces.items()
        if is_leftover(path, trace) and path not in aftermath.tracked
        if since.get(path, "foreign") != "foreign"
    )
    has_any = not gone.isdisjoint(each.path for each in before.changes)
    if not has_any or not aftermath.differing <= gone:
        return before
    after = look.snapshot(gone, list_of(question.plan, question.repository).name)
    rest = tuple(each for each in before.changes if each.path not in gone)
    is_the_same = (after.head_tree, after.changes, after.blind_spots) == (
        before.head_tree,
        rest,
        before.blind_spots,
    )
    return after if is_the_same else before


def _asked_of(
    snapshot: Snapshot, question: Question, context: Context, stdin: InputCopy | None
) -> Question:
    """Return *question* about *snapshot*, which is its own or that without some products."""
    if snapshot is question.snapshot:
        return question
    asked = ask(question.plan, question.repository, snapshot, context, stdin)
    if asked.inputs.environment != question.inputs.environment:
        return question
    return replace(asked, asked_ns=question.asked_ns, habits=question.habits)
