"""A run's turn: it waits until this machine has a slot for it, or something else ends the waiting.

The order is key lock, then slot (:mod:`gitcache.host.slots` says why no circle forms). Where there
are no slots to be had, the run goes on without one.
"""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Final

from gitcache.core.durations import format_duration
from gitcache.engine.context import Context
from gitcache.engine.events import Answer, Reporter, SlotHolder, SlotWait
from gitcache.engine.resolve import Plan
from gitcache.host.dirs import state_folder
from gitcache.host.key_lock import Unavailable
from gitcache.host.owner import Owner
from gitcache.host.slots import VARIABLE, GivenUp, Line, Slot, Waiting, Wish, wait_for_slot

_LOOK_AGAIN: Final = 1.0
"""Seconds between two looks at the store while waiting."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The run was told to stop before it began."""

    signal: int


@dataclass(frozen=True, slots=True)
class TooLate:
    """The time for which a slot was to be waited for is over."""

    reason: str


@dataclass(frozen=True, slots=True)
class Wait:
    """A run that waits for its turn, and what ends that."""

    plan: Plan
    context: Context
    owner: Owner
    slots: int
    """How many slots the tool has; 0: any number."""

    longest: float
    """Seconds for which the run waits."""

    known: Callable[[], Answer | None] = lambda: None
    """Looks whether the run is needed no more, since its answer is stored by now."""

    orders: int | None = None
    """Whence the signals come that tell the run to stop; None: from nowhere."""


@contextmanager
def turn(wait: Wait, reporter: Reporter) -> Iterator[Slot | Answer | Stopped | TooLate]:
    """Yield the slot that is held within, or what came in its stead.

    Args:
        wait: who waits.
        reporter: hears what is waited for.
    """
    wish = _wish(wait)
    if wish is None:
        yield Slot("")
        return
    pause = _Pause(wait)
    with Line(wish) as line:
        found = wait_for_slot(line, lambda waiting: reporter.queues(_told(waiting)), pause)
    match found:
        case Slot():
            with found:
                yield found
        case Unavailable(reason):
            reporter.warning(f"how many runs go on at once can't be limited: {reason}")
            yield Slot("")
        case GivenUp():
            yield pause.reason or TooLate("")


def _wish(wait: Wait) -> Wish | None:
    """Return what the run asks for; None where no slots can be kept, since the user has no home."""
    environ = wait.context.environ
    folder = state_folder(environ)
    if folder is None:
        return None
    tool = wait.plan.tool
    token = environ.get(VARIABLE, "")
    return Wish(folder, tool.name, wait.slots, wait.owner, tool.options.slots, token)


def _told(waiting: Waiting) -> SlotWait:
    holders = [
        SlotHolder(each.tool, each.pid, each.since, each.worktree) for each in waiting.holders
    ]
    return SlotWait(tuple(holders), waiting.ahead, waiting.limit)


class _Pause:
    """Lets time pass for one who waits, and sees what ends the waiting."""

    def __init__(self, wait: Wait) -> None:
        self._wait = wait
        self._deadline = monotonic() + wait.longest
        self._next_look = monotonic() + _LOOK_AGAIN
        self.reason: Answer | Stopped | TooLate | None = None
        """What has ended the waiting."""

    def __call__(self, seconds: float) -> bool:
        now = monotonic()
        if now >= self._deadline:
            self.reason = TooLate(_too_late(self._wait))
        elif now >= self._next_look:
            self._next_look = now + _LOOK_AGAIN
            self.reason = self._wait.known()
        if self.reason is None:
            self.reason = self._order_within(min(seconds, self._deadline - now))
        return self.reason is not None

    def _order_within(self, seconds: float) -> Stopped | None:
        orders = self._wait.orders
        if orders is None:
            sleep(seconds)
            return None
        is_told, _, _ = select.select([orders], [], [], seconds)
        return Stopped(os.read(orders, 1)[0]) if is_told else None


def _too_late(wait: Wait) -> str:
    tool = wait.plan.tool.name
    if wait.longest <= 0:
        return f"{tool} can't begin now: as many other runs as may load this machine go on"
    longest = format_duration(wait.longest)
    return f"{tool} could not begin within {longest}: other runs load this machine"
