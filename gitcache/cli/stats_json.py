"""The JSON document of ``stats``; names may be added, those that are there stay."""

from __future__ import annotations

from datetime import date
from typing import Any

from gitcache.cli.as_json import moment
from gitcache.core.stats import Flake, Tally
from gitcache.core.uses import Use
from gitcache.engine.stats import Statistics


def statistics_to_json(found: Statistics) -> dict[str, Any]:
    """Return everything as JSON values; times are ISO 8601 in UTC, days local, the rest seconds."""
    figures = found.figures
    return {
        "at": moment(found.now),
        "since": _day_or_none(figures.since),
        "today": _tally_to_json(figures.today),
        "week": _tally_to_json(figures.week),
        "all": _tally_to_json(figures.total),
        "tools": {name: _tally_to_json(each) for name, each in figures.tools.items()},
        "worktrees": {name: _tally_to_json(each) for name, each in figures.worktrees.items()},
        "days": {str(day): _tally_to_json(each) for day, each in figures.days.items()},
        "expensive": [_use_to_json(each) for each in figures.expensive],
        "flaky": [_flake_to_json(each) for each in found.flakes],
        "store": {"entries": found.store.entries, "disk_bytes": found.store.disk_bytes},
        "undated": figures.undated,
        "unread": figures.unread,
    }


def _day_or_none(day: date | None) -> str | None:
    return None if day is None else str(day)


def _tally_to_json(tally: Tally) -> dict[str, Any]:
    return {
        "hits": tally.hits,
        "misses": tally.misses,
        "followed": tally.followed,
        "unkeyed": tally.unkeyed,
        "hit_rate": tally.hit_rate,
        "saved_s": tally.saved,
        "ran_s": tally.ran,
    }


def _use_to_json(use: Use) -> dict[str, Any]:
    return {
        "at": moment(use.at),
        "tool": use.tool,
        "key": use.key,
        "outcome": use.outcome,
        "stored": use.stored,
        "scope": "focused" if use.focused else "full",
        "duration_s": use.duration,
        "worktree": use.worktree,
        "reason": use.reason or None,
    }


def _flake_to_json(flake: Flake) -> dict[str, Any]:
    return {
        "tool": flake.tool,
        "file": flake.file or None,
        "count": flake.count,
        "last_seen": moment(flake.last_seen),
    }
