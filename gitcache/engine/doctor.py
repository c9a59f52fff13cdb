"""Looks at everything that decides how git toolcache works in a worktree.

Nothing is run, and neither index, refs nor working tree are touched; what can't be told is a fact
too, so only a missing repository, or git, ends the look.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

from gitcache.core.products import ignore_lines
from gitcache.core.settings import OWN_FILE, SHARED_FILE
from gitcache.core.tool import Tool
from gitcache.core.withheld import worth_telling
from gitcache.engine.context import Context
from gitcache.engine.declared_tools import parse_settings
from gitcache.engine.detected_tools import all_tools
from gitcache.engine.front import Finding, Hit, Miss, Unkeyed, find_in_worktree, plan_only
from gitcache.engine.habits import known_habits
from gitcache.engine.health import Health, ToolHealth
from gitcache.engine.hit_cost import ROUNDS, HitCost, hit_cost
from gitcache.engine.machine_wishes import machine_wishes
from gitcache.engine.mentions import mentioned_in
from gitcache.engine.resolve import Plan, Request
from gitcache.engine.running import folder_of
from gitcache.errors import RepositoryError, SettingsError, ToolcacheError
from gitcache.git.config import settings_named
from gitcache.git.head_time import head_time
from gitcache.git.hooks import hooks_of
from gitcache.git.left_locks import left_locks
from gitcache.git.look import Look, looking_from
from gitcache.git.repository import Repository, find_repository
from gitcache.git.snapshot_engine import SnapshotEngine, programs_of, snapshot_engine
from gitcache.git.status import QUESTION, Status, Untracked, parse
from gitcache.git.store_facts import store_facts
from gitcache.git.written import tracked_paths
from gitcache.host.dirs import runtime_folder, state_folder, why_shared
from gitcache.host.disk_usage import usage_of
from gitcache.host.folder import DiskFolder
from gitcache.host.lock_probe import probe
from gitcache.host.program import find_program
from gitcache.host.slot_limit import memory_pressure, slot_limit, usable_cores
from gitcache.host.slot_view import ToolSlots, slots_of
from gitcache.host.start_time import is_compiled

OURS: Final = r"^(toolcache\.|alias\.toolcache$)"
"""Git's settings that are about this program."""


def examine(context: Context, rounds: int = ROUNDS) -> Health:
    """Return how git toolcache is in the caller's worktree.

    Args:
        context: the caller's surroundings.
        rounds: how often each step of a hit is timed.

    Raises:
        ToolcacheError: there is no repository with a working tree, or no git.
    """
    repository = find_repository(context.cwd, context.environ)
    file, tools, error = _settings(DiskFolder(repository.top))
    with ExitStack() as stack:
        sight = _sight(repository, context, stack)
        told = _tools(tools, repository, sight, context)
    cost = _cost(told, repository, context, rounds)
    folder, pressure = folder_of(repository), memory_pressure()
    runtime = runtime_folder(context.environ)
    with repository.git.objects() as objects:
        store = store_facts(repository, objects)
    return Health(
        use=context.use,
        repository=repository,
        programs=programs_of(repository.git),
        engine=sight.engine,
        blindness=sight.blindness,
        folder=folder,
        lock=probe(folder),
        runtime_folder=runtime,
        why_shared=why_shared(runtime),
        pressure=pressure,
        slots=tuple(_slots(each.tool, context, pressure) for each in told),
        hooks=hooks_of(repository),
        settings_file=file,
        settings_error=error,
        tools=told,
        git_settings=settings_named(repository.git, OURS),
        store=store,
        usage=usage_of(folder),
        cost=cost,
        left_locks=left_locks(repository, context.now()),
        head_time=head_time(repository),
        is_compiled=is_compiled(),
    )


@dataclass(frozen=True, slots=True)
class _Sight:
    """What git sees of the worktree."""

    look: Look | None = None
    status: Status | None = None
    engine: SnapshotEngine | None = None
    blindness: str = ""


def _sight(repository: Repository, context: Context, stack: ExitStack) -> _Sight:
    """Return a look at the worktree that is open as long as *stack*, or why there is none."""
    try:
        look = stack.enter_context(looking_from(context.cwd, context.environ))
        status = parse(repository.git.run(*QUESTION))
        return _Sight(look, status, snapshot_engine(look, status))
    except RepositoryError as error:
        return _Sight(blindness=error.message)


def _settings(folder: DiskFolder) -> tuple[str, tuple[Tool, ...], str]:
    """Return the settings' file, the tools, and why there are none where the settings are wrong."""
    try:
        file = parse_settings(folder).file
        return file, all_tools(folder), ""
    except SettingsError as error:
        file = OWN_FILE if error.message.startswith(OWN_FILE) else SHARED_FILE
        return file, (), error.message


def _tools(
    tools: tuple[Tool, ...], repository: Repository, sight: _Sight, context: Context
) -> tuple[ToolHealth, ...]:
    """Return what is to be known of each of *tools*."""
    looked = [_look_for(each, sight.look, context) for each in tools]
    plans = [each.plan for each in looked if each.plan is not None]
    mentioned = mentioned_in(repository, [each.environment for each in plans])
    return tuple(
        _tool(tool, each, mentioned, sight) for tool, each in zip(tools, looked, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Looked:
    """What came of looking for a tool's result."""

    plan: Plan | None = None
    finding: Finding | None = None
    fault: str = ""


def _look_for(tool: Tool, look: Look | None, context: Context) -> _Looked:
    request = Request(tool.name)
    try:
        machine_wishes(tool.name, context)  # which a run would refuse
        if look is None:
            return _Looked(plan_only(request, context))
        finding = find_in_worktree(request, look, context)
    except ToolcacheError as error:
        return _Looked(fault=error.message)
    match finding:
        case Hit(question) | Miss(question):
            return _Looked(question.plan, finding)
        case Unkeyed(plan):
            return _Looked(plan, finding)


def _tool(
    tool: Tool,
    looked: _Looked,
    mentioned: Mapping[str, str],
    sight: _Sight,
) -> ToolHealth:
    plan = looked.plan
    if plan is None:
        return ToolHealth(tool, None, None, None, {}, fault=looked.fault)
    variables = worth_telling(plan.environment.withheld)
    return ToolHealth(
        tool=plan.tool,
        plan=plan,
        finding=looked.finding,
        program=find_program(plan.argv[0], plan.cwd, plan.environment.passed),
        mentioned={name: mentioned[name] for name in variables if name in mentioned},
        leftovers=_leftovers(plan, sight),
    )


def _leftovers(plan: Plan, sight: _Sight) -> tuple[str, ...]:
    """Return the lines for ``.gitignore`` for what the runs of *plan* left, where that counts."""
    if sight.look is None or sight.status is None:
        return ()
    habits = known_habits(plan, sight.look.repository)
    untracked = {each.path for each in sight.status.records if isinstance(each, Untracked)}
    left = (habits.traces.keys() & untracked) - habits.left_out
    if not left:
        return ()
    tracked = tracked_paths(sight.look.repository)
    return ignore_lines(left, tracked | (untracked - habits.traces.keys()))


def _slots(tool: Tool, context: Context, pressure: float) -> ToolSlots:
    try:
        wished = machine_wishes(tool.name, context).slots
    except SettingsError:  # it is complained of with the tool
        wished = None
    limit = slot_limit(tool.name, wished, usable_cores())
    return slots_of(state_folder(context.environ), tool.name, limit, pressure)


def _cost(
    tools: tuple[ToolHealth, ...], repository: Repository, context: Context, rounds: int
) -> HitCost | None:
    """Return what a hit costs, of a tool that is stored or else of one that could be."""
    hits = [each for each in tools if isinstance(each.finding, Hit)]
    misses = [each for each in tools if isinstance(each.finding, Miss)]
    for each in (hits + misses)[:1]:
        try:
            return hit_cost(each.tool.name, repository, context, rounds)
        except (ToolcacheError, OSError, ValueError):  # somebody changed the content meanwhile
            return None
    return None
