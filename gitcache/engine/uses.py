"""Notes each use of a result in the journal, once its caller has it.

A use that can't be noted is left out: it costs no verdict, and nobody waits or hears of it.
"""

from __future__ import annotations

from pathlib import Path

from gitcache.core.journal_line import line_of
from gitcache.core.outcome import name_of
from gitcache.core.policy import NO_ENTRY
from gitcache.engine.context import Context
from gitcache.engine.events import Answer
from gitcache.errors import RepositoryError
from gitcache.host.journal import append


def note_use(answer: Answer, context: Context) -> None:
    """Append *answer*, which its caller has seen, to the journal of the caller's repository.

    Nothing is written outside a repository, and where the store is off or only read.
    """
    if context.use != "on":
        return
    folder = answer.folder or _folder_here(context)
    if folder is not None:
        append(folder, use_line(answer, context.now()))


def _folder_here(context: Context) -> Path | None:
    """Return this program's folder where a run without a key was asked for."""
    from gitcache.engine.running import folder_of  # a hit is spared it
    from gitcache.git.repository import find_repository

    try:
        return folder_of(find_repository(context.cwd, context.environ))
    except (RepositoryError, OSError, ValueError):
        return None


def _reason(answer: Answer) -> str:
    """Return the first reason that says more than that nothing is stored."""
    told = (each for each in answer.reasons if each != NO_ENTRY)
    return next(told, NO_ENTRY if answer.reasons else "")


def use_line(answer: Answer, now: float) -> bytes:
    """Return the journal's line of *answer*, which its caller has at the moment *now*."""
    return line_of(
        at=now,
        tool=answer.tool,
        key=answer.key,
        source=answer.source,
        outcome=name_of(answer.outcome),
        stored=answer.stored,
        focused=bool(answer.focused_on),
        duration=answer.duration,
        saved=answer.saved,
        worktree=str(answer.asked_in),
        reason=_reason(answer),
    )
