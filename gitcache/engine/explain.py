"""Why a tool would hit or miss: the nearest entry of the same tool, and what differs from it.

Looking changes nothing in the repository. A ``run`` asks too, before it starts the tool, and then
looks only as far as its person would not notice: see :class:`Patience`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Final

from gitcache.core.differences import Difference, differences, nearest
from gitcache.core.entry import Entry, decode
from gitcache.core.key import Key
from gitcache.core.policy import NO_ENTRY
from gitcache.core.tool import ToolName
from gitcache.engine.changed_files import changed_files
from gitcache.engine.context import Context
from gitcache.engine.front import Hit, Miss, Unkeyed, find
from gitcache.engine.mentions import mentioned_in
from gitcache.engine.resolve import Plan, Request
from gitcache.engine.versions import versions_between
from gitcache.errors import RepositoryError
from gitcache.git.entry_store import EntryStore
from gitcache.git.repository import find_repository


@dataclass(frozen=True, slots=True)
class Patience:
    """How far a search for the nearest entry goes; it begins with the newest."""

    always: int
    """How many entries of the store are read in any case, so that a slow machine finds some too."""

    at_most: int
    """How many are read at all."""

    seconds: float
    """After how long no further one is read, beyond :attr:`always`."""


BEFORE_A_RUN: Final = Patience(always=10, at_most=200, seconds=0.05)
"""A twentieth of a second is not noticed before a tool that takes seconds; entries that a change
was made from are among the newest."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The stored entry that differs least from what was asked for."""

    entry: Entry
    differences: tuple[Difference, ...]
    left_out: tuple[str, ...] = ()
    """The files that differ as well and that the tool's ``inputs`` do not select."""


@dataclass(frozen=True, slots=True)
class ExplainedHit:
    """A hit, with what it looks past."""

    hit: Hit
    left_out: tuple[str, ...] = ()
    """As for :class:`Nearest`."""


@dataclass(frozen=True, slots=True)
class ExplainedMiss:
    """A miss with what its reason lies in."""

    miss: Miss
    nearest: Nearest | None = None
    """None where no entry of the tool was found, or where the miss has a reason of its own."""

    is_first: bool = False
    """Whether the whole store was searched and holds no entry of the tool."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """The miss's reason, then each difference, as short texts."""
        told = self.nearest.differences if self.nearest else ()
        return (self.miss.reason, *(each.text for each in told))


Explanation = ExplainedHit | ExplainedMiss | Unkeyed


def explain(request: Request, context: Context) -> Explanation:
    """Return why a run of *request* would hit or miss.

    Raises:
        ToolcacheError: there is no repository or no such tool, or the settings are wrong.
    """
    find_repository(context.cwd, context.environ)
    match find(request, context):
        case Hit(question, entry) as hit:
            return ExplainedHit(hit, changed_files(entry, question).left_out)
        case Miss() as miss:
            return explain_miss(miss, context)
        case unkeyed:
            return unkeyed


def plan_of(explanation: Explanation) -> Plan:
    """Return the plan that *explanation* is about."""
    match explanation:
        case ExplainedHit(Hit(question)) | ExplainedMiss(Miss(question)):
            return question.plan
        case Unkeyed(plan):
            return plan


def mentioned(plan: Plan, context: Context) -> dict[str, str]:
    """Return the variables that *plan* withholds and a tracked file names, with the first file."""
    repository = find_repository(context.cwd, context.environ)
    return mentioned_in(repository, [plan.environment])


def explain_miss(miss: Miss, context: Context, patience: Patience | None = None) -> ExplainedMiss:
    """Return *miss* with the nearest entry and its differences, where nothing is stored at all.

    Args:
        miss: what was found.
        context: the surroundings of the call.
        patience: how far to search; None: the whole store.
    """
    if miss.reason != NO_ENTRY:
        return ExplainedMiss(miss)
    question = miss.question
    search = _Search(EntryStore(question.repository), question.inputs.tool, patience)
    try:
        found = nearest(question.inputs, search)
    except (RepositoryError, OSError):
        return ExplainedMiss(miss)  # the reason that is known stands
    if found is None:
        return ExplainedMiss(miss, is_first=search.is_whole)
    files = changed_files(found, question)
    versions = versions_between(found, question, context)
    told = differences(question.inputs, found, files.counted, versions)
    return ExplainedMiss(miss, Nearest(found, told, files.left_out))


class _Search:
    """The entries of one tool, newest first, as far as patience goes."""

    def __init__(self, store: EntryStore, tool: ToolName, patience: Patience | None) -> None:
        self.is_whole = True
        self._store = store
        self._tool = tool
        self._patience = patience

    def __iter__(self) -> Iterator[Entry]:
        start = monotonic()
        named = f'"tool":{json.dumps(self._tool)}'.encode("ascii")
        for count, (key, blob) in enumerate(self._store.newest_first()):
            if self._is_enough(count, start):
                self.is_whole = False
                return
            # An entry is kilobytes to read and another tool's is of no use, so it is not parsed.
            entry = _entry_in(blob, key) if named in blob else None
            if entry is not None:
                yield entry

    def _is_enough(self, count: int, start: float) -> bool:
        limit = self._patience
        if limit is None or count < limit.always:
            return False
        return count >= limit.at_most or monotonic() - start > limit.seconds


def _entry_in(blob: bytes, key: Key) -> Entry | None:
    """Return the entry that *blob* holds; None where it holds none or belongs elsewhere."""
    try:
        entry = decode(blob)
    except ValueError:
        return None
    return entry if entry.key == key else None
