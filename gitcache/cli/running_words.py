"""What goes on, told to a person: whose run is followed, and what a run waits for."""

from __future__ import annotations

import os

from gitcache.cli.escapes import printable
from gitcache.core.durations import format_duration
from gitcache.engine.context import Context
from gitcache.engine.events import FollowedRun, SlotWait


def following_words(run: FollowedRun, context: Context) -> str:
    """Return whose run is followed: ``following ../wt3 (pid 4121, 2m10s in, 6 waiting)``."""
    verb = "following" if run.is_heard else "waiting for"
    others = f", {run.waiting} waiting" if run.waiting else ""
    return printable(f"{verb} {run_words(run.worktree, run.pid, run.since, context, others)}")


def queue_words(wait: SlotWait, context: Context) -> str:
    """Return what a run waits for: ``waiting for a slot, 1 ahead; running: test in ../wt3 (…)``."""
    ahead = f", {wait.ahead} ahead" if wait.ahead else ""
    holders = [
        f"{each.tool} in {run_words(each.worktree, each.pid, each.since, context)}"
        for each in wait.holders
    ]
    running = f"; running: {', '.join(holders)}" if holders else ""
    return printable(f"waiting for one of {_slots(wait.limit)}{ahead}{running}")


def run_words(worktree: str, pid: int, since: float, context: Context, more: str = "") -> str:
    """Return a run for people: ``../wt3 (pid 4121, 2m10s in)``; *more* stands in the brackets."""
    place = os.path.relpath(worktree, context.cwd)
    name = "a run here" if place == "." else place
    return f"{name} (pid {pid}, {length_words(since, context)} in{more})"


def length_words(since: float, context: Context) -> str:
    """Return how long what has begun at *since* goes on."""
    return format_duration(max(0.0, context.now() - since))


def _slots(limit: int) -> str:
    return "1 slot" if limit == 1 else f"{limit} slots"
