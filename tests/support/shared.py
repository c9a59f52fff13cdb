"""Callers of git toolcache that share runs, as real processes, and a tool that they wait for.

Nothing here sleeps for a time: a tool waits for a FIFO, a test for a line or for a file.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from gitcache.core.entry import decode
from gitcache.host.process_tree import find
from tests.support.calls import Process, start
from tests.support.repository import Repo


@contextmanager
def calling(repo: Repo, *words: str, **options: Any) -> Iterator[Process]:
    """Start git toolcache in *repo*, and end it where the test has not.

    What is read of its output by lines is no more than these lines.
    """
    with start(repo, *words, bufsize=0, **options) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def all_calling(repos: list[Repo], *words: str, **options: Any) -> Iterator[list[Process]]:
    """Start git toolcache in each of *repos*."""
    with ExitStack() as stack:
        yield [stack.enter_context(calling(each, *words, **options)) for each in repos]


def await_out(process: Process, line: bytes) -> None:
    """Return once *process* has printed *line*, its next."""
    assert cast(IO[bytes], process.stdout).readline() == line


def await_err(process: Process, part: str) -> str:
    """Return the next line of *process* on the standard error in which *part* stands."""
    said = []
    while line := cast(IO[bytes], process.stderr).readline():
        said.append(line.decode())
        if part in said[-1]:
            return said[-1]
    raise AssertionError(said)


def until(is_so: Callable[[], bool]) -> None:
    """Return once something is so of which nothing tells; the test's time limit is the bound."""
    while not is_so():
        threading.Event().wait(0.01)


def await_end(pid: int) -> None:
    """Return when there is no living process *pid* any more."""
    until(lambda: (process := find(pid)) is None or process.is_dead)


@dataclass(frozen=True, slots=True)
class Ended:
    """A caller that has ended."""

    status: int
    stdout: bytes
    stderr: bytes

    @property
    def source(self) -> str:
        """Where its answer came from, by what it said."""
        said = self.stderr.decode()
        if ": hit, ran " in said.splitlines()[-1]:
            return "hit"
        return "followed" if "toolcache: following " in said else "run"

    @property
    def warnings(self) -> list[str]:
        """What it was warned of."""
        lines = self.stderr.decode().splitlines()
        return [each.removeprefix("warning: ") for each in lines if each.startswith("warning: ")]


def ended(process: Process) -> Ended:
    """Return how *process* has ended, once it has."""
    stdout, stderr = process.communicate()
    return Ended(process.returncode, stdout, stderr)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that keeps count of its runs, outside of every worktree."""

    folder: Path

    @classmethod
    def below(cls, folder: Path) -> Tool:
        """Return one that keeps its files in a new folder below *folder*."""
        tool = cls(folder / "tool")
        tool.folder.mkdir()
        os.mkfifo(tool.gate)
        return tool

    @property
    def gate(self) -> Path:
        """A FIFO; who reads it waits until :meth:`open` was called."""
        return self.folder / "gate"

    def open(self, text: str = "through\n") -> None:
        """Let one who reads the gate read *text*."""
        self.gate.write_text(text)

    def words(self, text: str) -> tuple[str, ...]:
        """Return a command that counts its run, then does what *text* says."""
        return ("--", "sh", "-c", self.text(text))

    def text(self, text: str) -> str:
        """Return shell text that counts its run, then does what *text* says."""
        return f"echo $$ >>{self.folder}/runs; {text}"

    @property
    def pids(self) -> list[int]:
        """The process of each of its runs."""
        runs = self.folder / "runs"
        return [int(each) for each in runs.read_text().split()] if runs.exists() else []

    @property
    def runs(self) -> int:
        """How often it has run."""
        return len(self.pids)


def runner_of(repo: Repo) -> int:
    """Return the process that runs the one tool that runs in the repository of *repo*."""
    locks = common_dir(repo) / "toolcache" / "locks"
    until(lambda: list(locks.glob("*.owner")) != [])
    [record] = locks.glob("*.owner")
    return int(json.loads(record.read_text())["pid"])


def kill_runner(repo: Repo) -> int:
    """Kill the process that runs the one tool that runs, and return which one it was."""
    pid = runner_of(repo)
    os.kill(pid, signal.SIGKILL)
    return pid


def common_dir(repo: Repo) -> Path:
    """Return the folder that all worktrees of *repo* share."""
    return Path(repo.path, repo.git("rev-parse", "--git-common-dir"))


def leaves_nothing(repo: Repo) -> bool:
    """Return, once it is so, that no lock and no run's log is left in the repository."""
    folder = common_dir(repo) / "toolcache"
    until(lambda: not any((folder / "running").glob("*")))
    return not list((folder / "locks").iterdir())


def is_sound(repo: Repo) -> bool:
    """Return whether every entry is whole and nobody's lock is left."""
    assert list(common_dir(repo).rglob("*.lock")) == []
    for ref in repo.git("for-each-ref", "--format=%(refname)", "refs/toolcache/").split():
        decode(repo.git("cat-file", "blob", ref).encode())
    return repo.git("fsck", "--no-dangling") == ""
