"""The JSON documents of the verbs; names may be added, those that are there stay."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from gitcache.core.colours import without_colours
from gitcache.core.entry import chunk_to_json
from gitcache.core.outcome import (
    Interrupted,
    Killed,
    NotStarted,
    NoVerdict,
    Outcome,
    Unstable,
    WrapperFailed,
    exit_status,
    name_of,
)
from gitcache.core.output import Chunk
from gitcache.core.terminal import asks_for_colours, merges_streams
from gitcache.engine.events import Answer
from gitcache.engine.front import Miss


def document(value: object) -> bytes:
    """Return *value* as one JSON document with a newline at its end."""
    return json.dumps(value).encode("ascii") + b"\n"


def answers_to_json(answers: Sequence[Answer], asked: int, raw: bool = False) -> object:
    """Return the answers as an array where several tools were *asked* for, else as an object."""
    values = [answer_to_json(each, raw) for each in answers]
    return values if asked > 1 else values[0]


def answer_to_json(answer: Answer, raw: bool = False) -> dict[str, Any]:
    """Return *answer* as JSON values; times are ISO 8601 in UTC, durations seconds.

    Args:
        answer: what is told.
        raw: whether colours that we asked the tool for are kept.
    """
    outcome = answer.outcome
    return {
        "tool": answer.tool,
        "key": answer.key,
        "tree": answer.tree,
        "source": answer.source,
        "outcome": name_of(outcome),
        "exit_status": exit_status(outcome),
        "signal": outcome.signal if isinstance(outcome, Killed | Interrupted) else None,
        "cause": _cause(outcome),
        "stored": answer.stored,
        "flaky": list(answer.flaky),
        "failing_files": list(answer.failing_files),
        "duration_s": answer.duration,
        "saved_s": answer.saved,
        "reasons": list(answer.reasons),
        **_moved_to_json(outcome),
        "scope": "focused" if answer.focused_on else "full",
        "focused_on": list(answer.focused_on),
        "contradicted": answer.is_contradicted,
        "leaked": answer.leak is not None,
        "leaked_processes": answer.leak.to_json() if answer.leak else [],
        "coloured": asks_for_colours(answer.terminal),
        "streams_merged": merges_streams(answer.terminal),
        "output": [chunk_to_json(each) for each in _told(answer, raw)],
        "truncated_bytes": answer.output.cut_bytes,
        "ran_at": moment(answer.started_at),
        "ran_in": answer.ran_in.to_json(),
    }


def _cause(outcome: Outcome) -> str | None:
    """Return why there is no verdict, in words, where the outcome itself does not say it."""
    match outcome:
        case Killed(mark=mark):
            return mark or None
        case NotStarted(_, reason) | NoVerdict(_, reason) | WrapperFailed(reason):
            return reason
    return None


def _moved_to_json(outcome: Outcome) -> dict[str, list[str]]:
    """Return what changed while the tool ran, and what is known of who wrote it."""
    moved = outcome if isinstance(outcome, Unstable) else Unstable(0, ())
    return {
        "changed": list(moved.changed),
        "changed_by_others": list(moved.by_others),
        "changed_again": list(moved.again),
        "gitignore": list(moved.ignore_lines),
    }


def _told(answer: Answer, raw: bool) -> tuple[Chunk, ...]:
    """Return the output of *answer*, without the colours that are our doing unless *raw*."""
    chunks = answer.output.chunks
    return without_colours(chunks) if asks_for_colours(answer.terminal) and not raw else chunks


def miss_to_json(miss: Miss) -> dict[str, Any]:
    """Return a miss under the names of an answer; what only an answer has is null."""
    question = miss.question
    return {
        "tool": question.plan.tool.name,
        "key": question.key,
        "tree": question.snapshot.tree,
        "source": None,
        "outcome": None,
        "exit_status": None,
        "stored": False,
        "reasons": [miss.reason],
    }


def moment(seconds: float) -> str:
    """Return *seconds* since the epoch as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
