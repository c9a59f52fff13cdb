"""What a runner and its followers agree on: where it is to be found, and what they say.

Both are processes of one user and, as the greeting proves, of one version of this program; so what
goes between them is pickled. Nothing is read that way from a file.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from gitcache import __version__
from gitcache.core.key import Key
from gitcache.engine.context import Context
from gitcache.engine.front import Question
from gitcache.git.repository import Repository
from gitcache.host.dirs import runtime_folder

ORDER: Final = b"o"
"""To a runner, first: what to run."""

HELD: Final = b"h"
"""From a runner that leaves, since another one runs for the key."""

UNAVAILABLE: Final = b"u"
"""From a runner that leaves, since nothing can be shared here; the payload says why."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a runner is started for."""

    question: Question
    context: Context
    reasons: tuple[str, ...]
    """Why nothing stored answers."""

    is_forced: bool
    """Whether what is stored is no answer."""

    run_id: str
    linger: float | None
    """Seconds for which the run goes on without a follower; None: to its end."""

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


def folder_of(repository: Repository) -> Path:
    """Return this program's folder in the common dir."""
    return repository.common_dir / "toolcache"


def run_folder(repository: Repository, key: Key, run_id: str) -> Path:
    """Return where the log of the run *run_id* lies."""
    return folder_of(repository) / "running" / key / run_id


def address_of(question: Question, context: Context) -> Path | None:
    """Return where a runner for *question* listens; None where no folder is ours alone."""
    folder = runtime_folder(context.environ)
    place = f"{os.path.realpath(question.repository.common_dir)}\0{question.key}"
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
