"""Whether the content stood still while the tool ran.

The key is derived again after the run. Where it differs, the result belongs to no tree: neither to
the one before, which the tool may not have seen whole, nor to the one after. The same goes for a
file that counts and was written meanwhile, even if it holds again what it held before.
"""

from __future__ import annotations

from gitcache.core.content import Change, Snapshot
from gitcache.core.key import KeyInputs
from gitcache.core.outcome import Failed, Outcome, Passed, Unstable, exit_status
from gitcache.engine.context import Context
from gitcache.engine.front import Question, ask
from gitcache.errors import RepositoryError
from gitcache.git.look import looking_again
from gitcache.git.selection import left_out
from gitcache.git.written import written_since
from gitcache.host.standard_input import InputCopy


def settled(
    outcome: Outcome, question: Question, context: Context, stdin: InputCopy | None
) -> Outcome:
    """Return *outcome*, or ``Unstable`` where it is a verdict on content that has moved since."""
    if not isinstance(outcome, Passed | Failed):
        return outcome
    moved = _moved_since(question, context, stdin)
    return Unstable(exit_status(outcome), moved) if moved else outcome


def _moved_since(question: Question, context: Context, stdin: InputCopy | None) -> tuple[str, ...]:
    """Return what differs now from *question*: paths, then names of other key inputs."""
    try:
        with looking_again(question.repository) as look:
            snapshot = look.snapshot()
        plan = question.plan
        now = ask(plan, question.repository, snapshot, context, stdin)
        if now.key == question.key:
            return _written_meanwhile(question)
    except (RepositoryError, OSError) as error:
        return (str(error),)
    return (*_moved_paths(question.snapshot, snapshot), *_moved_parts(question.inputs, now.inputs))


def _written_meanwhile(question: Question) -> tuple[str, ...]:
    """Return the files that count and were written since *question* was asked.

    They hold what they held before, but the tool may have seen something else in between.
    """
    repository, snapshot = question.repository, question.snapshot
    untracked = (each.path for each in snapshot.changes if not each.is_removal)
    written = written_since(repository, question.asked_ns, untracked)
    inputs = question.plan.tool.options.inputs
    if written and inputs:
        written.difference_update(left_out(repository, snapshot, inputs))
    return tuple(sorted(written))


def _moved_paths(before: Snapshot, after: Snapshot) -> tuple[str, ...]:
    """Return the paths in which two snapshots differ, as far as their changes over HEAD tell."""
    if before.tree == after.tree:
        return ()
    if before.head_tree != after.head_tree:
        return ("HEAD",)
    differing: set[Change] = set(before.changes) ^ set(after.changes)
    return tuple(sorted({each.path for each in differing}))


def _moved_parts(before: KeyInputs, after: KeyInputs) -> tuple[str, ...]:
    """Return the names of blind spots and of the environment's parts that differ."""
    differing = (before.blind_spots.items() ^ after.blind_spots.items()) | (
        before.environment.items() ^ after.environment.items()
    )
    return tuple(sorted({name for name, _ in differing}))
