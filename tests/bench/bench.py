"""A folder with repositories in which commands are timed in turn, as whole processes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Final

WARM_UP: Final = 3
"""Runs before the clock counts: they fill the disk cache and the memos."""

RUNS: Final = 20
"""Runs of each command whose median is shown."""

TOUCHED: Final = 10
"""Files that are modified, and as many untracked ones, in a worktree that is not clean."""

SECONDS_TO_SETTLE: Final = 2.5
"""A file that has just been written is read again at each look, since a stat can't vouch for it."""


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

    def git(self, repository: Path, *words: str, stdin: bytes = b"", quiet: bool = False) -> None:
        """Run git in *repository*, without a word from it where *quiet* is set."""
        argv = ["git", "-c", "core.fsync=none", *words]
        stdout = subprocess.DEVNULL if quiet else None
        subprocess.run(
            argv, cwd=repository, env=self.environ, input=stdin, stdout=stdout, check=True
        )

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
                taken.append(self.once(repository, command))
        return [median(taken[WARM_UP:]) for taken in times]

    def once(self, repository: Path, command: Sequence[str]) -> float:
        """Return the milliseconds of one run of *command* in *repository*."""
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
        """Make sure that *command* has a quick answer from now on.

        The run, what is remembered of the content, and what is remembered of the answer each settle
        before the next of them.
        """
        environ = {**self.environ, "GIT_TOOLCACHE_TRACE": "1"}
        for _ in range(5):
            done = subprocess.run(
                command,
                cwd=repository,
                env=environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=True,
            )
            sleep(SECONDS_TO_SETTLE)
        if b" ms: shown\n" not in done.stderr:
            raise SystemExit(f"no quick answer: {done.stderr.decode()}")
