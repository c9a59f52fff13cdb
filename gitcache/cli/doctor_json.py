"""The JSON document of ``doctor``; names may be added, those that are there stay."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from platform import python_version
from typing import Any

from gitcache import __version__
from gitcache.cli.as_json import moment
from gitcache.engine.complaints import Complaint
from gitcache.engine.front import Hit, Miss, Unkeyed
from gitcache.engine.health import Health, ToolHealth
from gitcache.engine.hit_cost import HitCost


def outlook(tool: ToolHealth) -> tuple[str, str]:
    """Return what a run of *tool* would do, as ``explain`` names it, and the same for people."""
    match tool.finding:
        case Hit():
            return "hit", "would hit"
        case Miss(_, reason):
            return "miss", f"would miss: {reason}"
        case Unkeyed(_, reason):
            return "run_unkeyed", f"has no key: {reason}"
    return "unknown", "not looked for"


def health_to_json(health: Health, wrong: Sequence[Complaint]) -> dict[str, Any]:
    """Return everything as JSON values; sizes are bytes, times milliseconds or ISO 8601 in UTC."""
    return {
        "version": __version__,
        "python": {"version": python_version(), "path": sys.executable},
        "git": {
            "version": health.programs.git,
            "path": health.programs.git_path,
            "usable": not health.programs.fault,
        },
        "pygit2": health.programs.pygit2,
        "libgit2": health.programs.libgit2,
        "repository": _repository_to_json(health),
        "use": health.use,
        "snapshot": _engine_to_json(health),
        "lock": _lock_to_json(health),
        "slots": _slots_to_json(health),
        "memory_pressure_percent": health.pressure,
        "hooks": _hooks_to_json(health),
        "settings": {"file": health.settings_file or None, "error": health.settings_error or None},
        "tools": [_tool_to_json(each) for each in health.tools],
        "git_config": {
            each.name: {"value": each.value, "scope": each.scope} for each in health.git_settings
        },
        "store": _store_to_json(health),
        "folders": dict(health.usage),
        "hit_cost": _cost_to_json(health.cost) if health.cost else None,
        "warnings": [
            {"name": each.name, "text": each.text, "command": each.command} for each in wrong
        ],
    }


def _repository_to_json(health: Health) -> dict[str, Any]:
    repository = health.repository
    return {
        "worktree": str(repository.top),
        "git_dir": str(repository.git_dir),
        "common_dir": str(repository.common_dir),
        "object_format": repository.object_format,
        "head_time": None if health.head_time is None else moment(health.head_time),
    }


def _engine_to_json(health: Health) -> dict[str, Any]:
    engine = health.engine
    if engine is None:
        return {"eye": None, "why": health.blindness}
    return {
        "eye": "git status",
        "hand": engine.hand,
        "why": engine.why,
        "converts": engine.converts,
        "private_index": not engine.why_no_private_index,
        "why_no_private_index": engine.why_no_private_index or None,
        "features": list(engine.features),
    }


def _lock_to_json(health: Health) -> dict[str, Any]:
    fault = health.lock_fault
    return {
        "kind": None if fault else "flock",
        "folder": str(health.folder),
        "reason": fault or None,
        "runtime_folder": str(health.runtime_folder),
        "runtime_folder_is_private": not health.why_shared,
    }


def _slots_to_json(health: Health) -> list[dict[str, Any]]:
    return [
        {
            "tool": each.tool,
            "limit": each.limit or None,
            "limit_now": each.limit_now or None,
            "holding": [_person(o.pid, o.worktree, o.user, o.host, o.since) for o in each.holding],
            "waiting": [_person(o.pid, o.worktree, o.user, o.host, o.since) for o in each.waiting],
        }
        for each in health.slots
    ]


def _person(pid: int, worktree: str, user: str, host: str, since: float) -> dict[str, Any]:
    return {
        "pid": pid,
        "worktree": worktree,
        "user": user,
        "host": host,
        "since": moment(since),
    }


def _hooks_to_json(health: Health) -> dict[str, Any]:
    hooks = health.hooks
    return {
        "folder": str(hooks.folder),
        "is_there": hooks.is_there,
        "hooks_path": hooks.setting.value if hooks.setting else None,
        "hooks": [
            {
                "name": each.name,
                "path": str(each.path),
                "is_executable": each.is_executable,
                "calls_toolcache": each.calls_us,
            }
            for each in hooks.hooks
        ],
    }


def _tool_to_json(tool: ToolHealth) -> dict[str, Any]:
    plan, finding = tool.plan, tool.finding
    would, _ = outlook(tool)
    reason = finding.reason if isinstance(finding, Miss | Unkeyed) else tool.fault
    return {
        "tool": tool.tool.name,
        "origin": tool.tool.origin,
        "argv": list(plan.argv) if plan else None,
        "directory": plan.directory if plan else None,
        "program": str(tool.program) if tool.program else None,
        "would": would,
        "reason": reason or None,
        "mentioned": dict(tool.mentioned),
        "leftovers": list(tool.leftovers),
    }


def _store_to_json(health: Health) -> dict[str, Any]:
    store = health.store
    return {
        "storage": store.storage,
        "refs": store.refs,
        "loose": store.loose,
        "packed": store.packed,
        "disk_bytes": store.disk_bytes,
        "read": store.read,
        "unusable": store.unusable,
        "foreign": list(store.foreign),
        "missing": list(store.missing),
        "empty_files": [str(each) for each in store.empty_files],
        "broken_files": [str(each) for each in store.broken_files],
    }


def _cost_to_json(cost: HitCost) -> dict[str, Any]:
    return {
        "tool": cost.tool,
        "rounds": cost.rounds,
        "total_ms": _ms(cost.total),
        "python_ms": _ms(cost.python_start),
        "git_status_ms": _ms(cost.git_status),
        "steps": [{"name": each.name, "ms": _ms(each.seconds)} for each in cost.steps],
    }


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)
