"""A process of its own that appends lines to a journal.

As a program: ``journal_writer.py FOLDER WRITER COUNT LARGE``. It writes a line on its standard
output, waits for one on its standard input, and then appends COUNT lines that name it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gitcache.core.journal_line import line_of
from gitcache.host.journal import append


def numbered_line(writer: str, number: int) -> bytes:
    """Return a line that names *writer* and *number*."""
    return line_of(
        at=1_800_000_000.0 + number,
        tool="test",
        key=None,
        source="run",
        outcome="passed",
        stored=False,
        focused=False,
        duration=1.0,
        saved=0.0,
        worktree=f"/{writer}",
        reason=f"line {number:06d}",
    )


def start_writer(folder: Path, writer: str, count: int, large: int) -> subprocess.Popen[bytes]:
    """Start this module as a program, ready to append."""
    argv = [sys.executable, __file__, str(folder), writer, str(count), str(large)]
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def _main(folder: str, writer: str, count: str, large: str) -> None:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(int(count)):
        append(Path(folder), numbered_line(writer, number), int(large))


if __name__ == "__main__":
    _main(*sys.argv[1:])
