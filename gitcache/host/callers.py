"""Which commands of git this process runs below: a hook, a rebase, a bisection.

Only Linux tells; elsewhere there are none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

from gitcache.host import process_tree

_MOST: Final = 100
"""Processes above this one that are looked at."""

_VALUED: Final = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"})
"""Options of git that take the next word (git(1))."""


def git_commands_above() -> Iterator[str]:
    """Yield the command of each git process above this one, the nearest first: ``push``."""
    process = process_tree.find(os.getpid())
    for _ in range(_MOST):
        if process is None or process.parent <= 1:
            return
        process = process_tree.find(process.parent)
        if process is not None and process.name == b"git":
            command = _command(_argv(process.pid))
            if command:
                yield command


def _argv(pid: int) -> list[str]:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return [os.fsdecode(each) for each in file.read().split(b"\0")[:-1]]
    except OSError:
        return []


def _command(argv: Sequence[str]) -> str:
    """Return the command of git in *argv*; empty where there is none."""
    words = iter(argv[1:])
    for word in words:
        if word in _VALUED:
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""
