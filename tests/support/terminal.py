"""A process whose terminal is ours to type on, and to close."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.repository import Ran, Repo

_TAKE_THE_TERMINAL = (
    "import fcntl, os, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execvp(sys.argv[1], sys.argv[1:])"
)


class Terminal:
    """A process that leads a session on a terminal of its own; killed at the end."""

    def __init__(
        self,
        words: list[str],
        cwd: Path,
        env: Mapping[str, str] | None = None,
        is_plain: bool = False,
    ) -> None:
        """Start *words* in *cwd*.

        Args:
            words: what leads the session.
            cwd: where it runs.
            env: what it sees beside this process's variables.
            is_plain: whether bytes come to the screen as they were written, and no key does.
        """
        self._screen, keyboard = pty.openpty()
        if is_plain:
            modes = termios.tcgetattr(keyboard)
            modes[1] &= ~termios.OPOST
            modes[3] &= ~termios.ECHO
            termios.tcsetattr(keyboard, termios.TCSANOW, modes)
        self._seen = b""
        self.process = subprocess.Popen(
            [sys.executable, "-Sc", _TAKE_THE_TERMINAL, *words],
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=keyboard,
            stdout=keyboard,
            stderr=keyboard,
            start_new_session=True,
        )
        os.close(keyboard)
        self._is_open = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        self.close()

    def type(self, keys: bytes) -> None:
        """Type *keys*."""
        os.write(self._screen, keys)

    def read_until(self, text: bytes) -> bytes:
        """Return what the screen shows once *text* is on it."""
        while text not in self._seen:
            self._seen += os.read(self._screen, 4096)
        return self._seen

    def read_to_the_end(self) -> bytes:
        """Return what the screen shows once nobody writes to it any more."""
        try:
            while data := os.read(self._screen, 4096):
                self._seen += data
        except OSError:  # how Linux tells that the last writer is gone
            pass
        return self._seen

    def close(self) -> None:
        """Close the terminal, as its window would."""
        if self._is_open:
            self._is_open = False
            os.close(self._screen)

    def wait(self) -> tuple[int, bytes]:
        """Return how the process ended, and what the screen showed then."""
        seen = self.read_to_the_end()
        return self.process.wait(), seen


def toolcache_at_terminal(repo: Repo, *words: str, env: Mapping[str, str] | None = None) -> Ran:
    """Run git toolcache at a terminal; both streams are on its screen, told as ``stdout``."""
    argv = [sys.executable, "-m", "gitcache", *words]
    with Terminal(argv, repo.path, {"TERM": "xterm", **(env or {})}, is_plain=True) as terminal:
        return Ran(*terminal.wait(), b"")
