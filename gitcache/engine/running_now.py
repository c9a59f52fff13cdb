"""What runs now in a repository: tools, their callers, and how far they have come."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final

from gitcache.core.key import Key
from gitcache.core.tool import ToolName
from gitcache.engine.context import Context
from gitcache.engine.running import Greeting, address_of, folder_of, run_folder
from gitcache.git.repository import Repository
from gitcache.host.following import connect, follow
from gitcache.host.key_lock import is_held, known_keys, owner_of
from gitcache.host.live_log import Frame, last_line
from gitcache.host.messages import Message
from gitcache.host.owner import Owner

_PATIENCE: Final = 1.0
"""Seconds in which a runner tells who it is, unless it is stopped."""


@dataclass(frozen=True, slots=True)
class RunningNow:
    """A run that goes on."""

    key: Key
    tool: ToolName
    worktree: str
    user: str
    pid: int
    """Of the process that runs the tool."""

    since: float
    """Seconds since the epoch."""

    followers: int | None
    """How many callers it has; None where it does not tell us."""

    last_line: str
    """What the tool printed last; empty where that is nothing, or can't be read."""


def running_now(repository: Repository, context: Context) -> tuple[RunningNow, ...]:
    """Return the runs of all worktrees of *repository*, the oldest first."""
    folder = folder_of(repository)
    keys = [key for key in known_keys(folder) if is_held(folder, key)]
    runs = [_run(repository, key, context) for key in keys]
    return tuple(sorted(filter(None, runs), key=lambda each: each.since))


def _run(repository: Repository, key: Key, context: Context) -> RunningNow | None:
    owner = owner_of(folder_of(repository), key)
    if owner is None:  # it begins or ends in this moment
        return None
    return RunningNow(
        key,
        owner.tool,
        owner.worktree,
        owner.user,
        owner.pid,
        owner.since,
        _followers(address_of(repository, key, context)),
        _last_line(repository, key, owner),
    )


def _followers(address: Path | None) -> int | None:
    connection = None if address is None else connect(address)
    if connection is None:
        return None
    look = _Look()
    follow(connection, look, {}, deadline=monotonic() + _PATIENCE, says=())
    return look.followers


def _last_line(repository: Repository, key: Key, owner: Owner) -> str:
    try:
        line = last_line(run_folder(repository, key, owner.run_id))
    except (OSError, ValueError):
        return ""
    return os.fsdecode(line)


class _Look:
    """Hears the greeting and goes."""

    def __init__(self) -> None:
        self.followers: int | None = None

    def greeted(self, payload: bytes) -> None:
        greeting = Greeting.decode(payload)
        self.followers = None if greeting is None else greeting.followers

    def news(self, payload: bytes) -> None:
        """Hear nothing."""

    def other(self, message: Message) -> None:
        """Hear nothing."""

    def frame(self, frame: Frame) -> None:
        """Hear nothing."""

    def missed(self, count: int) -> None:
        """Hear nothing."""
