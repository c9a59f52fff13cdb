"""All that ``doctor`` finds out, as one value; what is wrong with it is told elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gitcache.core.tool import Tool
from gitcache.engine.context import Use
from gitcache.engine.front import Finding
from gitcache.engine.hit_cost import HitCost
from gitcache.engine.resolve import Plan
from gitcache.git.config import Setting
from gitcache.git.hooks import Hooks
from gitcache.git.left_locks import LeftLock
from gitcache.git.repository import Repository
from gitcache.git.snapshot_engine import Programs, SnapshotEngine
from gitcache.git.store_facts import StoreFacts
from gitcache.host.key_lock import Unavailable
from gitcache.host.lock_probe import Closed, Lockable, Probed
from gitcache.host.slot_view import ToolSlots


@dataclass(frozen=True, slots=True)
class ToolHealth:
    """One tool of the worktree."""

    tool: Tool
    plan: Plan | None
    """What would be started; None where :attr:`fault` says why there is none."""

    finding: Finding | None
    """What the store has for it; None where git could not be asked."""

    program: Path | None
    """The file that would be executed; None where there is none."""

    mentioned: Mapping[str, str]
    """Variable that is set, not passed, and named by a tracked file → the first such file."""

    leftovers: tuple[str, ...] = ()
    """Lines for ``.gitignore`` for what its runs left in the worktree and still counts."""

    fault: str = ""
    """Why it can't be started; empty where it can."""


@dataclass(frozen=True, slots=True)
class Health:
    """How git toolcache is in one worktree."""

    use: Use
    repository: Repository
    programs: Programs
    engine: SnapshotEngine | None
    """None where git can't look at the worktree; :attr:`blindness` says why."""

    blindness: str
    """Why no snapshot can be taken at all; empty where one can."""

    folder: Path
    """This program's folder in the common dir; need not be there."""

    lock: Probed
    runtime_folder: Path
    why_shared: str
    """Why the runtime folder is not the user's alone; empty where it is."""

    pressure: float
    """Percent of the last ten seconds in which some process waited for memory."""

    slots: tuple[ToolSlots, ...]
    hooks: Hooks
    settings_file: str
    """The name of the file with the settings; empty where there is none."""

    settings_error: str
    """Why the settings can't be used; empty where they can."""

    tools: tuple[ToolHealth, ...]
    git_settings: tuple[Setting, ...]
    """Git's settings ``toolcache.*``, and the alias ``toolcache``."""

    store: StoreFacts
    usage: Mapping[str, int]
    """Part of :attr:`folder` → bytes."""

    cost: HitCost | None
    """None where no tool has a key."""

    left_locks: tuple[LeftLock, ...]
    head_time: float | None
    """When HEAD was committed, in seconds since the epoch; None before the first commit."""

    is_compiled: bool
    """Whether python finds byte code of this program, or else compiles it at each call."""

    @property
    def lock_fault(self) -> str:
        """Why no lock can be had; empty where one can."""
        match self.lock:
            case Lockable():
                return ""
            case Closed(reason) | Unavailable(reason):
                return reason
