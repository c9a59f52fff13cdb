"""Who holds the slots of a tool and who waits for them, as somebody sees it who wants none.

Nothing is changed: what the dead left stays for who counts the line the next time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gitcache.core.tool import ToolName
from gitcache.host.key_lock import is_locked
from gitcache.host.owner import Owner, this_machine
from gitcache.host.slot_limit import NO_LIMIT, limit_under
from gitcache.host.slot_places import Place, is_holding, names_in, place_at


@dataclass(frozen=True, slots=True)
class ToolSlots:
    """The slots of one tool on this machine."""

    tool: ToolName
    limit: int
    """How many there are; :data:`~gitcache.host.slot_limit.NO_LIMIT`: any number."""

    limit_now: int
    """The same while memory is as short as it is."""

    holding: tuple[Owner, ...]
    waiting: tuple[Owner, ...]


def slots_of(state: Path | None, tool: ToolName, limit: int, pressure: float) -> ToolSlots:
    """Return the slots of *tool*.

    Args:
        state: the user's state folder; None: there is none, and so no line.
        tool: its name.
        limit: how many slots it has.
        pressure: percent of the time that is lost to memory.
    """
    places = [] if state is None else list(_living(state / "slots" / tool))
    return ToolSlots(
        tool,
        limit,
        limit if limit == NO_LIMIT else limit_under(pressure, limit),
        tuple(each.owner for each in places if is_holding(each.path)),
        tuple(each.owner for each in places if not is_holding(each.path)),
    )


def _living(folder: Path) -> Iterator[Place]:
    """Yield who is in the line of *folder*, in the order of their numbers."""
    boot = this_machine().boot
    try:
        names = sorted(names_in(folder))
    except OSError:  # nobody has ever been in it
        return
    for name in names:
        place = place_at(folder / name)
        if place is not None and place.owner.boot == boot and _is_living(place.path):
            yield place


def _is_living(path: Path) -> bool:
    try:
        return is_locked(path)
    except OSError:
        return os.path.lexists(path)
