"""Kills this process at one of its steps: for a test, by way of ``PYTHONPATH``.

Python imports it before anything else (the site module). A step is an audit event of a write, of a
lock, of a socket or of a new process (sys.addaudithook). Variables say what is wanted::

    FAULT_ROLE  "caller" or "runner": which of our processes is meant
    FAULT_AT    the number of the step at which it is killed; empty: none
    FAULT_MARK  a file that is made by who is killed, so that no second one is
    FAULT_LOG   a file to which each step is written, a line each
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

STEPS = frozenset(
    (
        *("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate", "os.utime", "os.chmod"),
        *("fcntl.flock", "socket.bind", "socket.connect"),
        *("os.posix_spawn", "os.fork", "subprocess.Popen"),
    )
)
"""The events that are steps whatever they are about; "open" is one where it is for writing."""

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def role() -> str:
    """Return what this process is; empty where it is none of ours."""
    words = " ".join(sys.orig_argv)
    if "gitcache.engine.runner" in words:
        return "runner"
    return "caller" if " -m gitcache run " in f"{words} " else ""


class Steps:
    """Counts the steps of this process."""

    def __init__(self, at: str, mark: str, log: str) -> None:
        self._at, self._mark, self._log = at, mark, log
        self._count = 0
        self._is_ours = False
        """Whether the step is one of this hook itself."""

    def __call__(self, event: str, facts: tuple[Any, ...]) -> None:
        is_path = event == "open" and not isinstance(facts[0], int)
        is_write = is_path and isinstance(facts[2], int) and facts[2] & WRITING
        if self._is_ours or not (is_write or event in STEPS):
            return
        self._is_ours = True
        if self._log:
            self._write(self._log, f"{event} {facts[:1]}\n")
        if str(self._count) == self._at and not os.path.exists(self._mark):
            self._write(self._mark, event)
            os.kill(os.getpid(), signal.SIGKILL)
        self._count += 1
        self._is_ours = False

    def _write(self, path: str, text: str) -> None:
        with open(path, "a") as file:
            file.write(text)


if os.environ.get("FAULT_ROLE") == role() != "":
    sys.addaudithook(
        Steps(*(os.environ.get(f"FAULT_{name}", "") for name in ("AT", "MARK", "LOG")))
    )
