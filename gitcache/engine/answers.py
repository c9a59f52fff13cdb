"""The answers that need no run: of an entry, and of a caller that was told to go before the end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gitcache.core.entry import Entry
from gitcache.core.outcome import Interrupted
from gitcache.core.output import Output
from gitcache.engine.context import Context
from gitcache.engine.events import Answer
from gitcache.engine.front import Question


def hit_answer(question: Question, entry: Entry) -> Answer:
    """Return the answer that *entry* gives to *question*."""
    return Answer(
        tool=question.plan.tool.name,
        outcome=entry.verdict,
        source="hit",
        output=entry.output,
        started_at=entry.started_at,
        duration=entry.duration,
        ran_in=entry.ran_in,
        asked_in=question.plan.top,
        key=question.key,
        tree=question.snapshot.tree,
        stored=True,
        terminal=entry.inputs.terminal,
        failing_files=entry.failing_files,
        flaky=entry.flaky,
        is_contradicted=entry.is_contradicted,
        leak=entry.leak,
        folder=_folder_of(question),
    )


def asked_here(answer: Answer, question: Question) -> Answer:
    """Return the *answer* of a run for the caller who asked *question*."""
    return replace(answer, folder=_folder_of(question))


def _folder_of(question: Question) -> Path:
    return question.repository.common_dir / "toolcache"


def interrupted_answer(
    question: Question, context: Context, number: int, output: Output, reasons: tuple[str, ...]
) -> Answer:
    """Return the answer of a caller that the signal *number* told to go.

    Args:
        question: what was asked.
        context: the surroundings of the call.
        number: the signal.
        output: what was heard until then.
        reasons: why nothing stored answers.
    """
    from gitcache.engine.keep import ran_in  # a hit is spared it

    plan, snapshot = question.plan, question.snapshot
    return Answer(
        tool=plan.tool.name,
        outcome=Interrupted(number),
        source="run",
        output=output,
        started_at=context.now(),
        duration=0.0,
        ran_in=ran_in(plan.top, snapshot.head, context),
        asked_in=plan.top,
        key=question.key,
        tree=snapshot.tree,
        reasons=reasons,
    )
