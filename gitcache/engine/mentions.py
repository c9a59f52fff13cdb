"""Variables that tools may miss: set here, not passed, and named by a tracked file."""

from __future__ import annotations

from collections.abc import Iterable

from gitcache.core.variables import ToolEnvironment
from gitcache.core.withheld import worth_telling
from gitcache.git.mentions import first_mentions
from gitcache.git.repository import Repository


def mentioned_in(repository: Repository, environments: Iterable[ToolEnvironment]) -> dict[str, str]:
    """Return name → the first tracked file that names it, of what *environments* withhold.

    Sorted by name. All of them cost one search through the tracked files.
    """
    withheld = {name for each in environments for name in worth_telling(each.withheld)}
    return first_mentions(repository, sorted(withheld))
