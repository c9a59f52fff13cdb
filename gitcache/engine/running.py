"""What a runner and its followers agree on: where it is to be found, and what they say.

Both are processes of one user and, as the greeting proves, of one version of this program; so what
goes between them is pickled. Nothing is read that way from a file.
"""

from __future__ import annotations

import copyreg
import hashlib
import json
import os
import pickle
import stat
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Self

from gitcache import __version__
from gitcache.core.durations import format_duration
from gitcache.core.key import Key
from gitcache.core.tool import AD_HOC, Tool
from gitcache.engine.context import Context
from gitcache.engine.events import Answer, FollowedRun
from gitcache.engine.front import Question
from gitcache.engine.resolve import Plan
from gitcache.errors import NoVerdictError
from gitcache.git.repository import Repository
from gitcache.host.dirs import runtime_folder
from gitcache.host.live_log import Frame
from gitcache.host.owner import Owner


def _proxy(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


copyreg.pickle(MappingProxyType, lambda proxy: (_proxy, (dict(proxy),)))

ORDER: Final = b"o"
"""To a runner, first: what to run."""

HELD: Final = b"h"
"""From a runner that leaves, since another one runs for the key."""

UNAVAILABLE: Final = b"u"
"""From a runner that leaves, since nothing can be shared here; the payload says why."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What rules a run beside its question."""

    wait: float
    """Seconds for which its caller waits for other runs, infinity for no bound."""

    slots: int
    """How many runs of the tool load the machine at once; 0: any number."""

    linger: float | None = 0.0
    """Seconds for which the run goes on without a follower; None: to its end."""

    ends_by_any_signal: bool = True
    """Whether any signal to its only caller ends the run, else Ctrl-C alone."""

    is_forced: bool = False
    """Whether what is stored is no answer."""

    may_focus: bool = False
    """Whether the files that failed last may be the answer."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a runner is started for."""

    question: Question
    context: Context
    reasons: tuple[str, ...]
    """Why nothing stored answers."""

    run_id: str
    terms: Terms

    def encoded(self) -> bytes:
        """Return the order as it is sent."""
        return pickle.dumps(self)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the order of the process that started this one."""
        order = pickle.loads(payload)  # noqa: S301 (over a socket pair with our own starter)
        if not isinstance(order, cls):
            raise TypeError("no order")
        return order


@dataclass(frozen=True, slots=True)
class Greeting:
    """Who runs, as a runner tells each follower."""

    version: str
    pid: int
    since: float
    """Seconds since the epoch."""

    worktree: str
    folder: str
    """Where the log lies."""

    began: float
    """As :attr:`since`, by the machine's clock that nobody sets, in seconds."""

    slot: str
    """The token of the run's slot; empty while it has none."""

    followers: int
    """How many follow already."""

    def encoded(self) -> bytes:
        """Return the greeting as it is sent, readable for every version."""
        return json.dumps([getattr(self, name) for name in self.__slots__]).encode("ascii")

    @classmethod
    def decode(cls, payload: bytes) -> Self | None:
        """Return the greeting; None where another version of this program runs."""
        try:
            value: Any = json.loads(payload)
            return cls(*value) if value[0] == __version__ else None
        except (ValueError, TypeError, LookupError):
            return None


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a runner tells instead of an answer: it did not run, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Told:
    """What a runner tells at its end."""

    answer: Answer | Refusal
    """Without its output where the log has that."""

    said: tuple[Frame, ...] = ()
    """What it has said that is not in the log."""

    def encoded(self) -> bytes:
        """Return it as it is sent."""
        return pickle.dumps(self)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return what the runner told; it is of our own user."""
        told = pickle.loads(payload)  # noqa: S301
        if not isinstance(told, cls):
            raise TypeError("no end")
        return told


def unheard(owner: Owner) -> FollowedRun:
    """Return the run of *owner*, which this caller can't follow."""
    return FollowedRun(owner.pid, owner.since, owner.worktree, is_heard=False)


def busy(tool: Tool, run: FollowedRun | None, now: float, waited: float) -> NoVerdictError:
    """Return the error of a caller that has waited long enough for another's run of *tool*.

    Args:
        tool: what is run.
        run: by whom; None: nobody tells.
        now: the time in seconds since the epoch.
        waited: seconds; 0: it was not to wait at all.
    """
    who = "another process"
    if run is not None:
        who = f"{run.worktree} (pid {run.pid}), since {format_duration(now - run.since)}"
    if waited <= 0:
        name = "-- COMMAND" if tool.name == AD_HOC else tool.name
        hint = f"without --no-wait this call waits for it; git toolcache attach {name} shows it"
        return NoVerdictError(f"{tool.name} is run by {who}", hint=hint)
    message = f"{tool.name} is still run by {who}: waited {format_duration(waited)} for it"
    return NoVerdictError(message, hint="--wait TIME, or lock_wait in the settings, waits longer")


def owner_of_run(plan: Plan, context: Context, run_id: str) -> Owner:
    """Return who this process is as the runner of *plan*."""
    tool, top = plan.tool.name, plan.top
    return Owner.of_this_process(tool, top, context.user, context.host, context.now(), run_id)


def folder_of(repository: Repository) -> Path:
    """Return this program's folder in the common dir."""
    return repository.common_dir / "toolcache"


def run_folder(repository: Repository, key: Key, run_id: str) -> Path:
    """Return where the log of the run *run_id* lies."""
    return folder_of(repository) / "running" / key / run_id


def address_of(repository: Repository, key: Key, context: Context) -> Path | None:
    """Return where the runner for *key* listens; None where no folder is ours alone."""
    folder = runtime_folder(context.environ)
    place = f"{os.path.realpath(repository.common_dir)}\0{key}"
    name = hashlib.sha256(os.fsencode(place)).hexdigest()[:32]
    return folder / name if _is_ours_alone(folder) else None


def _is_ours_alone(folder: Path) -> bool:
    """Make *folder* where it is missing, and return whether no other user can reach into it."""
    try:
        folder.mkdir(mode=stat.S_IRWXU, parents=True, exist_ok=True)
        facts = os.lstat(folder)
    except OSError:
        return False
    is_private = stat.S_ISDIR(facts.st_mode) and not stat.S_IMODE(facts.st_mode) & 0o077
    return is_private and facts.st_uid == os.geteuid()
