"""The files of a tool's line: one for each process in it, locked by that process while it lives.

A file's name tells its number and what its process does; its content tells who that is and is
written once, before anybody counts. Files whose processes have ended are removed by who counts. Who
draws a number, counts or moves on has the line's gate, so nobody sees half of that.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitcache.host.key_lock import LockedFile, lock_file
from gitcache.host.owner import Owner, read_record

_NAME: Final = re.compile(r"(\d{10,18})\.(waiting|holding|lent\.[0-9a-f]{16})")
_MODE: Final = 0o600
"""Permissions of a file: the line is one user's."""


@dataclass(frozen=True, slots=True)
class Place:
    """A process in the line."""

    number: int
    """The lower, the earlier it came."""

    path: Path
    owner: Owner
    slots: int
    """How many it takes, or will take."""


@dataclass(frozen=True, slots=True)
class Count:
    """The others in a line, as far as they come before us, in the order of their numbers."""

    before: tuple[Place, ...]
    """Who waits and came earlier."""

    holding: tuple[Place, ...]
    """Who holds slots that count: lent ones don't."""


def open_gate(folder: Path) -> LockedFile | None:
    """Lock the line in *folder*, which is made where it is missing; None where another has."""
    try:
        return lock_file(folder / "gate", _MODE)
    except FileNotFoundError:
        os.makedirs(folder, 0o700, exist_ok=True)
        return lock_file(folder / "gate", _MODE)


def names_in(folder: Path) -> frozenset[str]:
    """Return the names of the line's files, without the gate's. Cost: five system calls."""
    return frozenset(name for name in os.listdir(folder) if _NAME.fullmatch(name))


def draw(folder: Path, owner: Owner, slots: int) -> LockedFile:
    """Take the place behind all others. The gate is ours."""
    number = 1 + max(map(_number, names_in(folder)), default=0)
    mine = lock_file(folder / f"{number:010}.waiting", _MODE)
    if mine is None:
        raise BlockingIOError(errno.EAGAIN, "a new place is taken already")
    mine.file.write(json.dumps({"owner": owner.to_json(), "slots": slots}).encode("ascii"))
    return mine


def hold(mine: LockedFile) -> LockedFile:
    """Let our waiting place be one that holds. The gate is ours."""
    path = mine.path.with_suffix(".holding")
    os.rename(mine.path, path)
    return LockedFile(path, mine.file)


def lend(holding: Path) -> LockedFile | None:
    """Let the slot of the file *holding* not count until what is returned is removed."""
    return lock_file(holding.with_suffix(f".lent.{secrets.token_hex(8)}"), _MODE)


def count(mine: LockedFile, names: frozenset[str], boot: str) -> Count:
    """Return the others among *names* in our line, and remove what the dead left. The gate is ours.

    Others of another machine, on a home that several share, are none of ours.
    """
    folder = mine.path.parent
    paths = [folder / name for name in sorted(names - {mine.path.name})]
    living = [path for path in paths if _is_living(path)]
    places = [place for path in living if (place := place_at(path)) is not None]
    here = [place for place in places if place.owner.boot == boot]
    lent = {_number(path.name) for path in living if ".lent." in path.name}
    ours = _number(mine.path.name)
    return Count(
        tuple(each for each in here if not is_holding(each.path) and each.number < ours),
        tuple(each for each in here if is_holding(each.path) and each.number not in lent),
    )


def is_holding(path: Path) -> bool:
    """Return whether *path* is that of a place that holds."""
    return path.suffix == ".holding" and _NAME.fullmatch(path.name) is not None


def place_at(path: Path) -> Place | None:
    """Return the place that the file *path* tells of; None where it tells of none."""
    record = read_record(path) if path.suffix in (".waiting", ".holding") else None
    if not isinstance(record, dict) or _NAME.fullmatch(path.name) is None:
        return None
    owner, slots = Owner.from_json(record.get("owner")), record.get("slots")
    if owner is None or not isinstance(slots, int) or slots < 1:
        return None
    return Place(_number(path.name), path, owner, slots)


def _number(name: str) -> int:
    return int(name.partition(".")[0])


def _is_living(path: Path) -> bool:
    """Return whether a process has locked *path*, and remove it where none has."""
    try:
        locked = lock_file(path, None)
    except FileNotFoundError:
        return False
    if locked is not None:
        locked.remove()
    return locked is None
