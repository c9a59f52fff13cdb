"""Keeps a verdict: makes the entry of a run and brings it into the store."""

from __future__ import annotations

from pathlib import Path

from gitcache import __version__
from gitcache.core.content import CHANGES_KEPT
from gitcache.core.entry import Entry, PastAttempt, RanIn, decode, encode
from gitcache.core.outcome import Verdict
from gitcache.engine.context import Context
from gitcache.engine.front import Question
from gitcache.engine.rerun import Tested
from gitcache.git.entry_store import EntryStore


def keep(question: Question, tested: Tested, verdict: Verdict, context: Context) -> Entry:
    """Store *verdict*, the outcome of *tested*, as the answer to *question*; return the entry.

    Earlier attempts under the same key stay in the entry, so that contradictions show.

    Raises:
        StoreError: it can't be stored; the message says why.
    """
    snapshot, result = question.snapshot, tested.attempt
    entry = Entry(
        inputs=question.inputs,
        verdict=verdict,
        output=result.output,
        started_at=result.started_at,
        duration=result.duration,
        ran_in=ran_in(question.plan.top, snapshot.head, context),
        head_tree=snapshot.head_tree,
        changes=snapshot.changes[:CHANGES_KEPT],
        changes_total=len(snapshot.changes),
        failing_files=tested.failing_files,
        flaky=tested.flaky,
        flaky_tail=tested.flaky_tail,
        leak=result.leak,
        limited_to=result.limited_to,
        extra=question.plan.extra,
        version=__version__,
    )
    stored = [entry]

    def follow(present: bytes | None) -> bytes:
        stored.append(entry.following((*_attempts_in(present), *tested.earlier)))
        return encode(stored[-1])

    EntryStore(question.repository).write(question.key, follow)
    return stored[-1]


def ran_in(worktree: Path, head: str | None, context: Context) -> RanIn:
    """Return where this call runs its tool."""
    return RanIn(str(worktree), head, context.host, context.user)


def _attempts_in(blob: bytes | None) -> tuple[PastAttempt, ...]:
    """Return the attempts that a stored *blob* tells of; none where it is no entry."""
    try:
        return decode(blob).attempts if blob else ()
    except ValueError:
        return ()
