"""Processes of their own that take key locks, and what tests need to speak to them.

As a program (``python -m tests.support.locker FOLDER``) it reads orders from its standard input and
answers each with one line: ``take KEY``, ``wait KEY SECONDS`` (``waiting`` comes first),
``release``, ``turns KEY COUNT MARKER``. It holds what it took until it is told to release it or
ends. *turns* takes the lock so many times and puts the file MARKER, which another holder would
find, where it holds it.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from gitcache.core.key import Key
from gitcache.core.tool import ToolName
from gitcache.host.key_lock import Held, HeldByOther, Unavailable, try_take, wait
from gitcache.host.owner import Owner, start_time

_TOP: Final = Path(__file__).parents[2]
"""From where ``python -m`` finds the tests."""


def key_of(text: str) -> Key:
    """Return a key that stands for *text*."""
    return Key(hashlib.sha256(text.encode()).hexdigest())


def this_owner(run_id: str = "run-1", since: float = 1_800_000_000.0) -> Owner:
    """Return this process as an owner."""
    return Owner.of_this_process(ToolName("test"), Path("/w t/1"), "ada", "h", since, run_id)


class Child:
    """A program that answers each line with a line."""

    def __init__(self, argv: list[str]) -> None:
        self._process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, cwd=_TOP
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def tell(self, order: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{order}\n")

    def hear(self) -> str:
        """Wait for the next line of the answer; an empty one: it is gone."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")

    def ask(self, order: str) -> str:
        self.tell(order)
        return self.hear()

    def kill(self) -> None:
        """End it without a chance to clean up."""
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate(timeout=60)

    def kill_unwaited(self) -> None:
        """End it likewise and leave it unwaited for: what is called a zombie."""
        self._process.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)


@contextmanager
def children(argv: list[str], count: int) -> Iterator[list[Child]]:
    """Start *count* processes for the block."""
    started = [Child(argv) for _ in range(count)]
    try:
        yield started
    finally:
        for each in started:
            each.kill()


def locker(folder: Path) -> list[str]:
    """Return the argv of this module as a program."""
    return [sys.executable, "-m", "tests.support.locker", os.fspath(folder)]


@contextmanager
def one_locker(folder: Path) -> Iterator[Child]:
    """Start this module as a program for the block."""
    with children(locker(folder), 1) as (child,):
        yield child


def _told(answer: Held | HeldByOther | Unavailable) -> str:
    match answer:
        case Held():
            return "held"
        case HeldByOther(owner):
            return f"other {'-' if owner is None else owner.pid}"
        case Unavailable(reason):
            return f"unavailable {reason}"


def mark(marker: Path) -> bool:
    """Put our number into *marker*; whether no living process had done so.

    The kernel frees a killed process's locks a moment before the process counts as gone. Whether
    the marker was that one's shows when it is gone: a living holder would take its marker away.
    """
    while True:
        try:
            os.link(_written(marker), marker)
            return True
        except FileExistsError:
            number = int(marker.read_text())
            while start_time(number) is not None:
                if not marker.exists():
                    return False
            marker.unlink()
        except FileNotFoundError:
            return False


def _written(marker: Path) -> Path:
    """Return a file of our own with our number."""
    mine = marker.with_name(f"{marker.name}.{os.getpid()}")
    mine.write_text(str(os.getpid()))
    return mine


def _turns(folder: Path, key: Key, count: int, marker: Path) -> str:
    taken = 0
    while taken < count:
        answer = try_take(folder, key, this_owner())
        if isinstance(answer, Unavailable):
            return f"unavailable {answer.reason}"
        if isinstance(answer, Held):
            if not mark(marker):
                return "two holders"
            os.sched_yield()
            marker.unlink()
            answer.release()
            taken += 1
        os.sched_yield()
    return "had its turns"


def _main(folder: Path) -> None:
    held = []
    for line in sys.stdin:
        match line.split(" "):
            case ["take", name]:
                held.append(try_take(folder, key_of(name.strip()), this_owner()))
                print(_told(held[-1]), flush=True)
            case ["wait", name, seconds]:
                print("waiting", flush=True)
                held.append(wait(folder, key_of(name), this_owner(), float(seconds)))
                print(_told(held[-1]), flush=True)
            case ["turns", name, count, marker]:
                print(_turns(folder, key_of(name), int(count), Path(marker.strip())), flush=True)
            case _:
                for each in held:
                    if isinstance(each, Held):
                        each.release()
                print("released", flush=True)


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
