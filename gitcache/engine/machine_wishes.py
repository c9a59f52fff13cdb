"""What a machine's own git settings ask of how runs share it: ``toolcache.linger`` and ``.slots``.

Only a run asks for them, so a hit is spared them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Final

from gitcache.core.tool import ToolName
from gitcache.core.units import parse_wait
from gitcache.engine.context import Context
from gitcache.engine.wishes import understood
from gitcache.errors import RepositoryError
from gitcache.git.config import Config, config_of
from gitcache.git.plumbing import Git

LINGER: Final = "toolcache.linger"
"""How long a run goes on without a caller."""

SLOTS: Final = "toolcache.slots"
"""How many runs of each tool load this machine at once; with a tool's name behind it, of that."""

_LINGER: Final = 2.0
"""Seconds for which a run goes on after its last caller has gone: one that is called again finds
it."""


@dataclass(frozen=True, slots=True)
class MachineWishes:
    """What a machine's own settings ask of the runs of one tool."""

    linger: float | None = _LINGER
    """Seconds for which a run goes on without a caller; None: to its end."""

    ends_by_any_signal: bool = True
    """Whether any signal to its only caller ends a run, else Ctrl-C alone."""

    slots: int | None = None
    """How many runs of the tool load the machine at once; None: nothing is said."""


def machine_wishes(tool: ToolName, context: Context) -> MachineWishes:
    """Return what git's settings, the repository's and the user's, ask of the runs of *tool*.

    Cost: a process of git.

    Raises:
        SettingsError: that can't be meant.
    """
    try:
        config = config_of(Git(context.cwd, context.environ))
    except RepositoryError:
        config = Config({})
    linger = config.get(LINGER, "")
    return MachineWishes(
        linger=understood(LINGER, linger, _linger) if linger else _LINGER,
        ends_by_any_signal=not linger,
        slots=_slots_of(tool, config),
    )


def _slots_of(tool: ToolName, config: Config) -> int | None:
    """Return how many slots *config* gives *tool*, by its name or as every tool; None: none."""
    for name in (f"{SLOTS}.{tool.lower()}", SLOTS):
        if value := config.get(name, ""):
            return understood(name, value, _slots)
    return None


def _linger(value: object) -> float | None:
    seconds = parse_wait(value)
    return None if seconds == inf else seconds


def _slots(value: object) -> int:
    if not isinstance(value, int):
        raise ValueError("a whole number, 0 for no limit")
    return value
