"""Times a hit, as a whole process, beside ``git status`` and ``python -c pass``.

What is timed is run in turn, so that a busy moment of the machine falls on all alike, and medians
are shown. The repositories are made in a temporary folder, with a home of their own.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from rich.table import Table

from tests.bench.bench import RUNS, TOUCHED, Bench

SIZES: Final = (100, 20_000)
"""Files of the repositories; a hundred in each folder."""

PYTHON: Final = (sys.executable, "-c", "pass")
GIT_STATUS: Final = ("git", "status")


def program() -> tuple[str, ...]:
    """Return the words that call the program that is timed."""
    script = Path(sys.executable).with_name("git-toolcache")
    return (str(script),) if script.exists() else (sys.executable, "-m", "gitcache")


def hit_command() -> tuple[str, ...]:
    """Return the argv of the call that is timed."""
    return (*program(), "run", "--", "true")


def add_rows(table: Table, bench: Bench, size: int) -> None:
    """Measure a repository of *size* files, clean and not, and add its rows to *table*."""
    repository = bench.make_repository(size)
    hit = hit_command()
    for state in ("clean", "changed"):
        if state == "changed":
            bench.touch(repository)
        bench.check_hit(repository, hit)
        ours, status, python = bench.medians(repository, (hit, GIT_STATUS, PYTHON))
        times = (f"{each:.1f}" for each in (ours, status, python))
        table.add_row(f"{size:,}", state, *times, f"{ours / status:.1f}", f"{ours / python:.1f}")


def table_of_hits(bench: Bench) -> Table:
    """Measure hits in repositories of all sizes."""
    table = Table(
        title="A hit, as a whole process: milliseconds, and how many times the others",
        caption=f"medians of {RUNS} runs in turn; changed: {TOUCHED} modified, {TOUCHED} untracked",
    )
    for column in ("files", "worktree", "hit", "git status", "python -c pass", "÷ git", "÷ python"):
        table.add_column(column, justify="left" if column == "worktree" else "right")
    for size in SIZES:
        add_rows(table, bench, size)
    return table
