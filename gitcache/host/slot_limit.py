"""How many runs of a tool load this machine at once: the number, less where memory is short.

The line of those who wait for their turn is :mod:`gitcache.host.slots`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from gitcache.core.tool import ToolName

NO_LIMIT: Final = 0
"""The setting that lets any number run."""

PRESSURE: Final = Path("/proc/pressure/memory")
"""Linux's pressure stall information (Documentation/accounting/psi.rst)."""

_HEAVY: Final = frozenset({"test", "build"})
"""The tools that by their nature load a machine."""

_FEWEST: Final = 2
"""Runs that even the smallest machine starts at once, so that one long run blocks no short one."""

_CORES_A_RUN: Final = 4
"""A run of tests or a build uses several cores itself."""

_SHORT: Final = 10.0
"""Percent of the last ten seconds in which some process waited for memory: half the runs."""

_SCARCE: Final = 25.0
"""As above: one run."""


def slot_limit(tool: ToolName, setting: int | None, cores: int) -> int:
    """Return how many slots *tool* has; :data:`NO_LIMIT`: any number.

    Args:
        tool: its name.
        setting: what the user wishes; None: nothing.
        cores: how many the machine has for us.
    """
    if setting is not None:
        return max(setting, NO_LIMIT)
    return max(_FEWEST, cores // _CORES_A_RUN) if tool in _HEAVY else NO_LIMIT


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def limit_under(pressure: float, limit: int) -> int:
    """Return the limit, at least 1, while *pressure* percent of the time is lost to memory."""
    if pressure > _SCARCE:
        return 1
    return (limit + 1) // 2 if pressure > _SHORT else limit


def memory_pressure(path: Path = PRESSURE) -> float:
    """Return ``some avg10`` in percent; 0 where the system doesn't tell. Cost: 4 system calls."""
    try:
        with open(path, "rb", 0) as file:
            some = file.read(1 << 10).split(b"\n")[0].split()
        return float(dict(each.split(b"=", 1) for each in some[1:])[b"avg10"])
    except (OSError, ValueError, KeyError):
        return 0.0
