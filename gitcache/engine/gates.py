"""Whether a call decides about a commit: there the whole command alone may speak."""

from __future__ import annotations

from typing import Final

from gitcache.engine.context import Context
from gitcache.git.repository import Repository
from gitcache.host.callers import git_commands_above

_GATES: Final = frozenset(
    {
        *("commit", "push", "merge", "rebase", "am", "cherry-pick", "revert", "pull"),
        *("bisect", "receive-pack", "send-pack"),
    }
)
"""Git's commands that run hooks, or that take the word of what they run."""

_UNDER_WAY: Final = ("rebase-merge", "rebase-apply", "BISECT_LOG")
"""What lies in a worktree's git folder while a rebase or a bisection is under way."""


def is_at_a_gate(repository: Repository, context: Context) -> bool:
    """Return whether the call stands in a hook, a rebase or a bisection."""
    if "GIT_INDEX_FILE" in context.environ:  # of a commit's hooks (githooks(5))
        return True
    if any((repository.git_dir / name).exists() for name in _UNDER_WAY):
        return True
    return not _GATES.isdisjoint(git_commands_above())
