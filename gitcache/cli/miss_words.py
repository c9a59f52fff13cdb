"""A miss in one line: what differs from the nearest entry, the files last and by their names."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from gitcache.cli.escapes import printable
from gitcache.cli.summary import age_words, listed, place_words
from gitcache.core.entry import Entry
from gitcache.core.outcome import Passed
from gitcache.core.tool import AD_HOC
from gitcache.engine.context import Context
from gitcache.engine.explain import ExplainedMiss, Nearest

_CLAUSES_TOLD: Final = 3
"""How many differences beside the content a line tells before it counts the rest."""


def miss_words(explained: ExplainedMiss, context: Context) -> str:
    """Return why nothing stored answers, as one line of printable characters."""
    question = explained.miss.question
    if explained.nearest is not None and explained.nearest.differences:
        words = _difference_words(explained.nearest, question.plan.top, context)
    elif explained.is_first:
        words = f"no entry for this {_noun(question.plan.tool.name)} yet"
    else:
        words = explained.miss.reason
    return printable(words)


def since_words(entry: Entry, asked_in: Path, context: Context) -> str:
    """Return which run *entry* is of, as seen from a caller in the worktree *asked_in*."""
    verdict = "pass" if isinstance(entry.verdict, Passed) else "failure"
    place = place_words(entry.ran_in, asked_in, context)
    return f"the {verdict} {age_words(entry.started_at, context)} {place}"


def _difference_words(nearest: Nearest, asked_in: Path, context: Context) -> str:
    clauses = [each.text for each in nearest.differences if each.name != "tree"]
    rest = len(clauses) - _CLAUSES_TOLD
    told = clauses[:_CLAUSES_TOLD] + ([f"{rest} more differences"] if rest > 1 else clauses[3:])
    for tree in (each for each in nearest.differences if each.name == "tree"):
        files = f": {listed(tree.paths)}" if tree.paths else ""
        told.append(f"{tree.text} since {since_words(nearest.entry, asked_in, context)}{files}")
    return ", ".join(told)


def _noun(tool: str) -> str:
    return "command" if tool == AD_HOC else "tool"
