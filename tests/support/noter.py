"""A process of its own that writes notes: ``noter.py REPOSITORY TOOL LOCKED COMMIT…``.

With LOCKED ``locked`` it takes the lock as a run does; with ``free`` the ref's compare-and-swap is
all that keeps writers apart.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from gitcache.core.key import CommitId, Key
from gitcache.core.note import NoteLine
from gitcache.core.tool import ToolName
from gitcache.engine.commit_notes import one_writer
from gitcache.git.notes import add_to_note
from gitcache.git.repository import find_repository

NEW_YEAR = 1767225600.0
"""2026-01-01T00:00:00Z, in seconds since the epoch."""


def line_of(tool: str) -> NoteLine:
    """Return a pass of *tool*."""
    return NoteLine(ToolName(tool), "passed", 1.0, NEW_YEAR, Key("0" * 64))


def text_of(*tools: str) -> str:
    """Return the note that passes of *tools* make, without the newline at its end."""
    return "\n".join(f"{tool} passed 1.0s 2026-01-01T00:00:00Z 000000000000" for tool in tools)


def add(path: Path, commit: str, tool: str = "test") -> None:
    """Note a pass of *tool* on *commit* in the repository at *path*."""
    add_to_note(find_repository(path, os.environ), CommitId(commit), line_of(tool))


def start_noter(path: Path, tool: str, way: str, *commits: str) -> subprocess.Popen[bytes]:
    """Start this module as a program."""
    return subprocess.Popen([sys.executable, __file__, str(path), tool, way, *commits])


def _main(path: str, tool: str, way: str, *commits: str) -> None:
    repository = find_repository(Path(path), os.environ)
    for commit in commits:
        if way == "locked":
            with one_writer(repository):
                add_to_note(repository, CommitId(commit), line_of(tool))
        else:
            add_to_note(repository, CommitId(commit), line_of(tool))


if __name__ == "__main__":
    _main(*sys.argv[1:])
