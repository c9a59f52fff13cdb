"""The ordinary path, overheard: what a memo would hold, and whether it still does."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path
from typing import Final

import pytest

from gitcache.core.content import Snapshot
from gitcache.engine.overheard import IMPLIED
from gitcache.git.look import looking_from
from gitcache.git.private_index import LEAST
from gitcache.quick.answer import first_other
from gitcache.quick.listener import Listener, Shown, Terms
from gitcache.quick.memo import Memo
from gitcache.quick.place import Place
from gitcache.quick.streams import Tape

SETTLED: Final = 10
"""Seconds after which a file's stat vouches for its content, on any file system."""

_LOOKS: Final = 4
"""How many looks it may take until all that is remembered has been written."""


def settle_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the clocks of this process ahead, so that what has just been written has settled.

    The times in a stat are the kernel's, so an edit shows in them all the same.
    """
    seconds, nanoseconds = time.time, time.time_ns
    monkeypatch.setattr(time, "time", lambda: seconds() + SETTLED)
    monkeypatch.setattr(time, "time_ns", lambda: nanoseconds() + SETTLED * 1_000_000_000)


def later() -> float:
    """Return a time at which all that has been written by now has settled."""
    return time.time() + SETTLED


def hear_snapshot(
    folder: Path, env: Mapping[str, str], least: int = LEAST
) -> tuple[Snapshot, Memo | None]:
    """Return the snapshot of the worktree around *folder*, and the memo of what it depends on.

    None where there would be none after some looks either. Only who listens takes all for settled;
    what the look itself remembers is as young as it is.
    """
    environ = {**os.environ, **env}
    for _ in range(_LOOKS):
        listener = Listener(IMPLIED, later)
        with listener.listening(), looking_from(folder, environ, least, listener) as look:
            snapshot = look.snapshot()
        listener.found(Terms(Place("", "", "")))
        memo = listener.memo(Shown((), "", Tape(), 0, b""), environ)
        if memo is not None:
            break
    return snapshot, memo


def still_holds(memo: Memo, folder: Path, env: Mapping[str, str]) -> bool:
    """Return whether *memo*, of a call from *folder*, holds today."""
    return first_other_in(memo, folder, env) == ""


def first_other_in(memo: Memo, folder: Path, env: Mapping[str, str]) -> str:
    """Return what is other today than in *memo*, of a call from *folder*."""
    with chdir(folder):
        return first_other(memo, str(folder), {**os.environ, **env})
