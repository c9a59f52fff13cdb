"""Times a hit, as a whole process, beside ``git status`` and ``python -c pass``: ``make bench``.

What is timed is run in turn, so that a busy moment of the machine falls on all alike, and medians
are shown. The repositories are made in a temporary folder, with a home of their own.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Final

from rich.console import Console
from rich.table import Table

WARM_UP: Final = 3
"""Runs before the clock counts: they fill the disk cache and the memos."""

RUNS: Final = 20
"""Runs of each command whose median is shown."""

SIZES: Final = (100, 20_000)
"""Files of the repositories; a hundred in each folder."""

TOUCHED: Final = 10
"""Files that are modified, and as many untracked ones, in a worktree that is not clean."""

SECONDS_TO_SETTLE: Final = 2.5
"""A file that has just been written is read again at each look, since a stat can't vouch for it."""

PYTHON: Final = (sys.executable, "-c", "pass")
GIT_STATUS: Final = ("git", "status")


@dataclass(frozen=True, slots=True)
class Bench:
    """A folder with a home and repositories."""

    folder: Path
    environ: Mapping[str, str]

    @classmethod
    def in_folder(cls, folder: Path) -> Bench:
        """Return a bench in *folder* that knows nothing of the user's settings."""
        (folder / ".gitconfig").write_text(
            "[user]\n\tname = A U Thor\n\temail = author@example.org\n[gc]\n\tauto = 0\n"
        )
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        environ = {**kept, "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
        return cls(folder, environ)

    def git(self, repository: Path, *words: str, stdin: bytes = b"") -> None:
        """Run git in *repository*."""
        argv = ["git", "-c", "core.fsync=none", *words]
        subprocess.run(argv, cwd=repository, env=self.environ, input=stdin, check=True)

    def make_repository(self, size: int) -> Path:
        """Return a repository of *size* committed files whose index is up to date."""
        repository = self.folder / f"{size} files"
        repository.mkdir()
        for number in range(size):
            path = repository / f"folder{number // 100:03}" / f"file{number % 100:02}.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"This is the file {number}.\n")
        self.git(repository, "init", "--quiet")
        self.git(repository, "add", "--all")
        self.git(repository, "commit", "--quiet", "--message", "all")
        sleep(SECONDS_TO_SETTLE)
        self.git(repository, "update-index", "--really-refresh")
        return repository

    def touch(self, repository: Path) -> None:
        """Modify some files of *repository* and add some that git does not know."""
        for number in range(TOUCHED):
            (repository / "folder000" / f"file{number:02}.txt").write_text("modified\n")
            (repository / f"untracked{number}").write_text("new\n")
        sleep(SECONDS_TO_SETTLE)

    def medians(self, repository: Path, commands: Sequence[Sequence[str]]) -> list[float]:
        """Return the median milliseconds of each of *commands* in *repository*."""
        times: list[list[float]] = [[] for _ in commands]
        for _ in range(WARM_UP + RUNS):
            for command, taken in zip(commands, times, strict=True):
                taken.append(self._milliseconds(repository, command))
        return [median(taken[WARM_UP:]) for taken in times]

    def _milliseconds(self, repository: Path, command: Sequence[str]) -> float:
        begin = perf_counter()
        subprocess.run(
            command,
            cwd=repository,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        return (perf_counter() - begin) * 1000

    def check_hit(self, repository: Path, command: Sequence[str]) -> None:
        """Make sure that *command* is answered from the store from now on."""
        for _ in range(2):
            done = subprocess.run(
                command, cwd=repository, env=self.environ, capture_output=True, check=True
            )
        if b": hit, ran " not in done.stderr:
            raise SystemExit(f"not a hit: {done.stderr.decode()}")


def hit_command() -> tuple[str, ...]:
    """Return the argv of the call that is timed."""
    script = Path(sys.executable).with_name("git-toolcache")
    program = (str(script),) if script.exists() else (sys.executable, "-m", "gitcache")
    return (*program, "run", "--", "true")


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


def main() -> None:
    """Measure and show."""
    table = Table(
        title="A hit, as a whole process: milliseconds, and how many times the others",
        caption=f"medians of {RUNS} runs in turn; changed: {TOUCHED} modified, {TOUCHED} untracked",
    )
    for column in ("files", "worktree", "hit", "git status", "python -c pass", "÷ git", "÷ python"):
        table.add_column(column, justify="left" if column == "worktree" else "right")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench.in_folder(Path(folder))
        for size in SIZES:
            add_rows(table, bench, size)
    console = Console()
    console.print(table)
    git = subprocess.run(["git", "version"], capture_output=True, text=True, check=True).stdout
    machine = f"{platform.system()} {platform.release()} {platform.machine()}"
    console.print(
        f"{machine}, {os.cpu_count()} CPUs; Python {platform.python_version()}; {git.strip()}"
    )


if __name__ == "__main__":
    main()
