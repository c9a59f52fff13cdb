"""What a hit costs here: each step of a real look-up, timed within this process.

The steps are those of :func:`gitcache.engine.front.find`, taken one by one, so that each can be
told; what they sum up to is what a call takes beside the start of python. Nothing is run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Final, TypeVar

from gitcache.core.tool import ToolName
from gitcache.engine.context import Context
from gitcache.engine.front import ask, look_up
from gitcache.engine.habits import known_habits, list_of
from gitcache.engine.installed import installed_parts
from gitcache.engine.resolve import Plan, Request, make_plan
from gitcache.engine.wishes import with_wishes
from gitcache.git.ignored_files import ignored_parts
from gitcache.git.look import Look, looking_from
from gitcache.git.memo import MemoFolder
from gitcache.git.repository import Repository
from gitcache.git.status import QUESTION
from gitcache.host.folder import DiskFolder
from gitcache.host.program import chain_of
from gitcache.host.start_time import own_start, python_start

ROUNDS: Final = 5
"""How often each step is timed; the median is told, so that one slow round is none."""

_ENOUGH: Final = 1.0
"""Seconds after which no further round begins: a big worktree takes long for each."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a look-up."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class HitCost:
    """What a look-up of one tool takes."""

    tool: ToolName
    rounds: int
    git_status: float
    """Seconds of a plain ``git status`` here: what git alone takes to look."""

    python_start: float
    """Seconds of an interpreter that does nothing."""

    steps: tuple[Step, ...]
    """In the order in which they are taken."""

    @property
    def total(self) -> float:
        """Seconds of the whole call: the start of python and every step."""
        return self.python_start + sum(each.seconds for each in self.steps)


def hit_cost(
    tool: ToolName, repository: Repository, context: Context, rounds: int = ROUNDS
) -> HitCost:
    """Return what a look-up of *tool* costs, which must have a key here.

    Args:
        tool: its name.
        repository: the caller's worktree.
        context: the caller's surroundings.
        rounds: how often each step is timed, at least once.

    Raises:
        ToolcacheError, OSError, ValueError: the content changed so that it has none any more.
    """
    times = [_round(tool, repository, context)]
    end = perf_counter() + _ENOUGH
    while len(times) < rounds and perf_counter() < end:
        times.append(_round(tool, repository, context))
    middle = {name: median(each[name] for each in times) for name in times[0]}
    git_status, python = middle.pop("git status"), middle.pop("python")
    steps = tuple(Step(name, seconds) for name, seconds in middle.items())
    return HitCost(tool, len(times), git_status, python, steps)


class _Stopwatch:
    """The seconds of each thing that was done, in the order in which it was."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def time(self, name: str, act: Callable[[], _T]) -> _T:
        """Do *act* and return what it returns."""
        start = perf_counter()
        result = act()
        self.seconds[name] = perf_counter() - start
        return result


def _round(tool: ToolName, repository: Repository, context: Context) -> Mapping[str, float]:
    """Return the seconds of everything, once."""
    watch = _Stopwatch()
    python = python_start(context.environ) or 0.0
    start = own_start(context.environ) or 0.0
    watch.seconds |= {"python": python, "imports": max(0.0, start - python)}
    watch.time("git status", lambda: repository.git.run(*QUESTION))
    opening = looking_from(context.cwd, context.environ)
    look = watch.time("repository", opening.__enter__)
    try:
        _look_up(tool, look, context, watch)
    finally:
        opening.__exit__(None, None, None)
    return watch.seconds


def _look_up(tool: ToolName, look: Look, context: Context, watch: _Stopwatch) -> None:
    """Take the steps behind the opening of the look."""
    repository = look.repository
    plan = watch.time("settings", lambda: _plan(tool, look, context))
    habits = watch.time("habits", lambda: known_habits(plan, repository))
    name = list_of(plan, repository).name
    snapshot = watch.time("snapshot", lambda: look.snapshot(habits.left_out, name))
    chain = watch.time("programs", lambda: chain_of(plan.argv, plan.cwd, plan.environment.passed))
    watch.time("installed", lambda: installed_parts(plan, chain, repository, snapshot, context))
    memos = MemoFolder.of_index(repository.common_dir, repository.index)
    ignored = plan.tool.options.ignored_inputs
    watch.time("ignored files", lambda: ignored_parts(repository, snapshot, ignored, memos))
    question = watch.time("key", lambda: ask(plan, repository, snapshot, context))
    # The key is made of the three parts before it too; what is told of it is the rest.
    parts = sum(watch.seconds[each] for each in ("programs", "installed", "ignored files"))
    watch.seconds["key"] = max(0.0, watch.seconds["key"] - parts)
    watch.time("store", lambda: look_up(question, look.objects, context))


def _plan(tool: ToolName, look: Look, context: Context) -> Plan:
    top, prefix = look.repository.top, look.repository.prefix
    plan = make_plan(Request(tool), DiskFolder(top), top, prefix, context.environ)
    return with_wishes(plan, look.settings())
