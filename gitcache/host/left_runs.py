"""What runs leave behind whose runners were killed: their tools' processes and their folders.

A supervisor ends its tool when its runner dies, so there is something to do only where both were
killed, or where the platform has no supervision. The next runner does it. A process is taken for a
dead run's only if the run's id stands last in its :data:`INSIDE`; it is of our own user, since
nobody else's variables can be read.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from gitcache.core.key import Key, parse_key
from gitcache.host import process_tree
from gitcache.host.broadcast import LAST_WORDS
from gitcache.host.key_lock import known_keys, owner_of, sweep
from gitcache.host.owner import Owner
from gitcache.host.process_tree import Process

INSIDE: Final = "GIT_TOOLCACHE_INSIDE"
"""The variable that tells a tool in which runs it is: ``KEY:RUN_ID``, the innermost one last."""


_READ_WITHIN: Final = 2 * LAST_WORDS
"""Seconds after which nobody reads the log of a run that has ended."""


def inside(environ: Mapping[str, str], key: Key, run_id: str) -> str:
    """Return :data:`INSIDE` for the tool of the run *run_id*, asked for with *environ*."""
    return f"{environ.get(INSIDE, '')} {key}:{run_id}".strip()


def is_inside(environ: Mapping[str, str], folder: Path, key: Key) -> bool:
    """Return whether who has *environ* is itself in a run for *key* that goes on.

    The variable alone proves nothing: it may have outlived its run.
    """
    ids = {each.partition(":")[2] for each in environ.get(INSIDE, "").split() if key in each}
    owner = owner_of(folder, key) if ids else None
    return owner is not None and owner.run_id in ids


def marks(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the marks in *environ* for a tool that is in the same runs as its caller."""
    return {INSIDE: environ[INSIDE]} if INSIDE in environ else {}


def end_left_runs(folder: Path, address_of: Callable[[Key], Path | None]) -> None:
    """End what killed runners left in *folder*, this program's folder in the common dir.

    Cost: five system calls for each key that is held.

    Args:
        folder: where locks and logs lie.
        address_of: tells where a key's runner listens.
    """

    def wind_up(key: Key, owner: Owner | None) -> None:
        end_left_run(owner)
        remove_left_logs(folder, key)
        if (address := address_of(key)) is not None:
            with suppress(OSError):
                address.unlink(missing_ok=True)

    sweep(folder, {*known_keys(folder), *_logged_keys(folder)}, wind_up)


def end_left_run(owner: Owner | None) -> None:
    """End what is left of the run of *owner*, who was killed while it held a key that we hold now.

    Where the process that a record names goes on, the record is not to be trusted.

    Args:
        owner: None: nothing is known of one.
    """
    if owner is not None and owner.is_gone():
        process_tree.kill_all(lambda: _processes_of(owner.run_id))


def remove_left_logs(folder: Path, key: Key) -> None:
    """Remove the logs of runs for *key*, of which none goes on: the caller holds the key.

    One that has ended just now stays: a follower may still read it.
    """
    for each in _folders_in(folder / "running" / key):
        with suppress(OSError):
            if abs(time.time() - each.stat().st_mtime) > _READ_WITHIN:
                shutil.rmtree(each, ignore_errors=True)
    with suppress(OSError):
        (folder / "running" / key).rmdir()


def _logged_keys(folder: Path) -> list[Key]:
    keys = (parse_key(each.name) for each in _folders_in(folder / "running"))
    return [key for key in keys if key is not None]


def _folders_in(folder: Path) -> list[Path]:
    try:
        return [
            Path(each.path) for each in os.scandir(folder) if each.is_dir(follow_symlinks=False)
        ]
    except OSError:
        return []


def _processes_of(run_id: str) -> list[Process]:
    return [each for each in process_tree.everything() if _innermost_run(each) == run_id]


def _innermost_run(process: Process) -> str | None:
    """Return the id of the run that *process* is in; None where it is in none, or is another's."""
    variables: list[bytes] = []
    with suppress(OSError), open(f"/proc/{process.pid}/environ", "rb") as file:
        variables = file.read().split(b"\0")
    start = os.fsencode(f"{INSIDE}=")
    values = [each.removeprefix(start) for each in variables if each.startswith(start)]
    return os.fsdecode(values[0]).rpartition(":")[2] if values else None
