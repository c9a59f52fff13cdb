"""A tool's habits in a worktree: read before its snapshot is taken, written after its run.

The list belongs to a named tool whatever its extra words are; a command of the caller's own has one
for its words and folder.
"""

from __future__ import annotations

from gitcache.core.habits import Habits, since_then
from gitcache.core.tool import AD_HOC
from gitcache.engine.resolve import Plan
from gitcache.git.habit_list import HabitList, stats_now
from gitcache.git.repository import Repository


def list_of(plan: Plan, repository: Repository) -> HabitList:
    """Return the list of the tool of *plan* in this worktree."""
    is_own = plan.tool.name == AD_HOC
    words = (plan.directory, *plan.argv) if is_own else ()
    return HabitList.of(repository, (plan.tool.name, *words))


def known_habits(plan: Plan, repository: Repository) -> Habits:
    """Return what is known of the tool of *plan* here, and what became of it since."""
    traces = list_of(plan, repository).read()
    if not traces:
        return Habits()
    stats = stats_now(repository, [*traces])
    since = {path: since_then(trace, stats[path]) for path, trace in traces.items()}
    return Habits(traces, since)
