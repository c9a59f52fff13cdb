"""The slots of a tool: how many runs of it load this machine at once, and who is next.

A tool has one folder for all repositories of a user. Who wants a slot has one file there, which the
kernel locks for it (flock(2)) until it goes, so a killed waiter or holder frees its place at once::

    gate                  locked for a moment by who changes or counts the line
    0000000041.holding    runs
    0000000042.waiting    waits; the lower the number, the sooner its turn
    0000000041.lent.7c…   a call inside 41 follows another's run, so 41 counts as none

First come, first served: a waiter holds when no lower number waits and its slots fit beside those
that count, or none counts. So the line always moves, and nobody is overtaken.

Why no circle forms: the order is key lock, then slot. Who holds a slot waits for no other one,
since a run inside it rides on that slot (:attr:`Slot.token`); and where a call inside it follows
another's run, it lends the slot for that time (:func:`lent`). So whoever waits for anything holds
no slot that counts. Were some processes waiting for each other for ever, every slot that counts
would belong to a run that goes on and ends; then none counts, and the first in line, which nobody
behind it can hold up, runs. (Runs that ask for each other's keys without end are a circle of the
user's own, bounded by how long a caller waits.) When a lender goes on, a borrower may still run: a
moment with one run more is the price.

Who waits looks at growing intervals. Nothing simple wakes it: the kernel tells nobody of another's
lock or death (inotify sees neither), memory gets free without an event, and a thread that blocks in
flock could not be stopped. Twenty who wait behind four holders take three percent of one core
together; :meth:`Line.ask` tells what a look costs.

No clock decides anything but the waiter's own pauses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from gitcache.core.tool import ToolName
from gitcache.host.key_lock import (
    SHORTEST_PAUSE,
    LockedFile,
    Pause,
    Unavailable,
    is_locked,
    longer,
    sleep,
)
from gitcache.host.owner import Owner
from gitcache.host.slot_limit import NO_LIMIT, PRESSURE, limit_under, memory_pressure
from gitcache.host.slot_places import (
    count,
    draw,
    hold,
    is_holding,
    lend,
    names_in,
    open_gate,
    place_at,
)

VARIABLE: Final = "GIT_TOOLCACHE_SLOT"
"""The variable that gives a tool :attr:`Slot.token`."""

_GATE_TRIES: Final = 20
"""Tries at the gate before it counts as busy; who passes it takes a millisecond or two."""

_GATE_PAUSE: Final = 0.002
"""Seconds between them."""

_REFRESH: Final = 2.0
"""Seconds after which who waits counts anew, whatever it saw: the memory's pressure may be over."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a run asks for."""

    folder: Path
    """The user's state folder, where the slots of all tools lie."""

    tool: ToolName
    limit: int
    """How many slots the tool has; :data:`NO_LIMIT`: any number."""

    owner: Owner
    slots: int = 1
    """How many of them the run takes, all where it asks for more than there are; 0: none."""

    token: str = ""
    """The caller's :data:`VARIABLE`; empty: this is no run inside a run."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Permission to run, until it is released, this value is lost or the process ends."""

    token: str
    """What the tool gets as :data:`VARIABLE`; empty where there is no slot to ride on."""

    place: LockedFile | None = None
    """Our file in the line; None where nothing is to be let go."""

    def release(self) -> None:
        """Let the next one run. A second call does nothing. Cost: four system calls."""
        if self.place is not None:
            self.place.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


@dataclass(frozen=True, slots=True)
class Waiting:
    """It is not our turn yet."""

    holders: tuple[Owner, ...]
    """Who holds the slots that count, in the order in which they came."""

    ahead: int
    """How many wait before us."""

    limit: int
    """How many slots there are at the moment: fewer than wished where memory is short."""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """The waiting was ended from outside."""


class Line:
    """Our place in the line of one tool, or the wish for one."""

    def __init__(self, wish: Wish, pressure: Path = PRESSURE) -> None:
        self._wish = wish
        self._pressure = pressure
        self._folder = wish.folder / "slots" / wish.tool
        self._mine: LockedFile | None = None
        self._answer = Waiting((), 0, wish.limit)
        self._names: frozenset[str] | None = None
        """The files that lay there; None: they don't matter, since somebody waits before us."""

        self._watched: tuple[Path, ...] = ()
        """The files whose end may make it our turn."""

        self._recount = 0.0
        """When to count in any case, in monotonic seconds."""

        self.pause = SHORTEST_PAUSE
        """Seconds after which it is worth while to ask again."""

    def ask(self) -> Slot | Waiting | Unavailable:
        """Take a slot if it is our turn. The first call takes a place in the line.

        Cost: four system calls where somebody waits before us; five, and four a holder, for the
        first in line; 24, and nine for each in the line, where that changed and every two seconds;
        31, and nine for each in the line, for the first call.
        """
        wish = self._wish
        if rides(wish.token):
            return Slot(wish.token)
        if wish.limit == NO_LIMIT or wish.slots == 0:
            return Slot("")
        try:
            answer = self._answer if self._is_unchanged() else self._look()
        except OSError as error:
            self.leave()
            return Unavailable(error.strerror or str(error))
        if isinstance(answer, Waiting):
            self.pause = longer(self.pause) if answer == self._answer else SHORTEST_PAUSE
            self._answer = answer
        return answer

    def leave(self) -> None:
        """Give up the place, but no slot. A second call does nothing."""
        if self._mine is not None:
            self._mine.remove()
            self._mine = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def _is_unchanged(self) -> bool:
        """Return whether it can't be our turn yet."""
        if self._mine is None or time.monotonic() >= self._recount:
            return False
        try:
            same = self._names is None or self._names == names_in(self._folder)
        except FileNotFoundError:  # somebody removed the folder
            return False
        return same and all(map(is_locked, self._watched))

    def _look(self) -> Slot | Waiting:
        """Count the line while nobody changes it, and take a slot if it is our turn."""
        for _ in range(_GATE_TRIES):
            gate = open_gate(self._folder)
            if gate is not None:
                break
            time.sleep(_GATE_PAUSE)
        else:
            return self._answer
        with gate.file:
            if self._mine is None or not self._mine.is_in_place():
                self.leave()
                self._mine = draw(self._folder, self._wish.owner, self._wish.slots)
            return self._turn(self._mine)

    def _turn(self, mine: LockedFile) -> Slot | Waiting:
        """Return our slot, or what it is that we wait for. The gate is ours."""
        names = names_in(self._folder)
        others = count(mine, names, self._wish.owner.boot)
        used = sum(each.slots for each in others.holding)
        limit = limit_under(memory_pressure(self._pressure), self._wish.limit)
        if not others.before and (used == 0 or used + self._wish.slots <= limit):
            held = hold(mine)
            self._mine = None
            return Slot(f"{self._wish.owner.run_id} {held.path}", held)
        watched = others.before[-1:] or others.holding
        self._watched = tuple(each.path for each in watched)
        self._names = None if others.before else names
        self._recount = time.monotonic() + _REFRESH
        holders = tuple(each.owner for each in others.holding)
        return Waiting(holders, len(others.before), limit)


def wait_for_slot(
    line: Line, report: Callable[[Waiting], None], pause: Pause = sleep
) -> Slot | GivenUp | Unavailable:
    """Wait for our turn in *line*.

    Who has other things to wait for asks the line itself, in :attr:`Line.pause` seconds each time.

    Args:
        line: our place; whoever called this leaves it.
        report: hears what is waited for, at first and whenever that changes.
        pause: what is done between two looks; where it says so, the waiting is over.
    """
    told: Waiting | None = None
    while True:
        answer = line.ask()
        if not isinstance(answer, Waiting):
            return answer
        if answer != told:
            report(answer)
            told = answer
        if pause(line.pause):
            return GivenUp()


def rides(token: str) -> bool:
    """Return whether *token* is that of a run that holds a slot now. Cost: nine system calls."""
    return _ridden(token) is not None


@contextmanager
def lent(token: str, followed: str = "") -> Iterator[None]:
    """Let the slot that *token* tells of not count while the block waits for another's run.

    Nothing happens where this is no run inside a run, where the outer one is gone, or where the
    other's run rides on this very slot. It is lent whatever else the other does: that may have a
    slot, or need none, and still wait for one by way of others. Cost: 21 system calls.

    Args:
        token: the caller's :data:`VARIABLE`.
        followed: the :attr:`Slot.token` of the run that is waited for; empty: it has none yet.
    """
    holding = None if token == followed else _ridden(token)
    try:
        permit = None if holding is None else lend(holding)
    except OSError:  # then it is not lent, and the wait's own bound ends a circle
        permit = None
    try:
        yield
    finally:
        if permit is not None:
            permit.remove()


def _ridden(token: str) -> Path | None:
    """Return the file of the slot that *token* tells of, if its holder lives and is the one meant.

    A number is given anew when its holder is gone, so the run that it was given to counts too.
    """
    run_id, _, text = token.partition(" ")
    path = Path(text)
    if not path.is_absolute() or not is_holding(path):
        return None
    place = place_at(path)
    if place is None or place.owner.run_id != run_id:
        return None
    try:
        return path if is_locked(path) else None
    except OSError:
        return None
