"""Starts the git executable: the one place that does, and the only one that knows its manners.

Every call carries the same protective environment: git takes no optional lock (so the user's index
is never rewritten by a look at it), ignores replace refs (so a tree id means that tree), asks
nobody for a password and speaks English. What a hook or an alias exports (``GIT_DIR``,
``GIT_INDEX_FILE``, …) is left in, so that our own calls look where the user's git looks.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Protocol, Self, cast

from gitcache.errors import RepositoryError

_MANNERS: Final = {
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "LC_ALL": "C",
    "LANGUAGE": "",
}

_EXACT_STAT: Final = ("core.trustctime=true", "core.checkStat=default")
"""Settings that keep git from overlooking a change, whatever the user's configuration says."""


class GitError(RepositoryError):
    """A git command that ended with another status than 0."""

    def __init__(self, argv: Sequence[str], status: int, stderr: bytes) -> None:
        self.returned = status
        self.stderr = stderr.decode("utf-8", "replace").strip()
        self.reason = _reason(self.stderr) or f"status {status}"
        super().__init__(f"git {argv[0]}: {self.reason}")


def _reason(stderr: str) -> str:
    """Return the line in which git gives up, and in brackets the error that made it do so.

    Traces, warnings and hooks' words come before them.
    """
    lines = stderr.replace(":\n\t", ": ").splitlines() or [""]
    ends = [line.removeprefix("fatal: ") for line in lines if line.startswith("fatal: ")]
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    if ends and errors:
        return f"{ends[0]} ({errors[0]})"
    return (*ends, *errors, lines[0])[0]


@dataclass(frozen=True, slots=True)
class Asked:
    """A call of git, as it is started."""

    argv: tuple[str, ...]
    """All its words."""

    cwd: Path
    environ: Mapping[str, str]
    """All its variables."""


class Listener(Protocol):
    """Who wants to know what git is asked and what it answers."""

    def starting(self) -> None:
        """Hear that a process is about to start."""

    def heard(self, asked: Asked, stdin: bytes, status: int, answer: bytes, said: bytes) -> None:
        """Hear the answer to a call, and what it said on its standard error."""

    def reading(self, asked: Asked) -> None:
        """Hear that a reader of objects has started."""

    def looked_up(self, asked: Asked, name: str, answer: bytes) -> None:
        """Hear what a reader of objects answers to *name*."""

    def spoil(self, reason: str) -> None:
        """Hear that an answer can't be had again."""


@dataclass(frozen=True, slots=True)
class Git:
    """Git as seen from one folder with one environment."""

    cwd: Path
    environ: Mapping[str, str]
    config: tuple[str, ...] = ()
    """Settings for every call, each ``name=value``, over those of the user."""

    may_lock: bool = False
    """Whether git may write what it learns into the index that it looks at."""

    listener: Listener | None = field(default=None, compare=False)

    def run(self, *argv: str, stdin: bytes = b"", config: Sequence[str] = ()) -> bytes:
        """Run ``git ARGV…`` to its end and return its standard output.

        Args:
            argv: the words behind ``git``.
            stdin: what the command reads.
            config: settings for this call alone, each ``name=value``.

        Raises:
            GitError: the command ended with another status than 0.
            RepositoryError: there is no git, or the folder is gone.
        """
        with self.start(*argv, config=config) as call:
            return call.finish(stdin)

    def start(
        self, *argv: str, config: Sequence[str] = (), stderr: int = subprocess.PIPE
    ) -> GitCall:
        """Start ``git ARGV…`` and return the running call, so that several run side by side."""
        settings = [word for each in (*_EXACT_STAT, *self.config, *config) for word in ("-c", each)]
        environ = {**self.environ, **_MANNERS, "GIT_OPTIONAL_LOCKS": "01"[self.may_lock]}
        asked = Asked(("git", *settings, *argv), self.cwd, environ)
        if self.listener is not None:
            self.listener.starting()
        try:
            process = subprocess.Popen(
                asked.argv,  # the user's own git, as PATH says
                cwd=self.cwd,
                env=environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except FileNotFoundError as error:
            raise RepositoryError(_missing(self.cwd)) from error
        except OSError as error:
            raise RepositoryError(
                f"git can't be started in {self.cwd}: {error.strerror}"
            ) from error
        return GitCall(argv, process, asked, self.listener)

    def objects(self) -> ObjectReader:
        """Start a reader of objects that answers many questions with one process."""
        return ObjectReader(self)


def _missing(cwd: Path) -> str:
    """Return which of the two is not there: the folder, or git itself."""
    if not os.path.isdir(cwd):
        return f"the folder {cwd} does not exist"
    return "the program git was not found on the PATH"


class GitCall:
    """A running git command; leaving its ``with`` block ends it if nobody waited for it."""

    def __init__(
        self,
        argv: Sequence[str],
        process: subprocess.Popen[bytes],
        asked: Asked,
        listener: Listener | None,
    ) -> None:
        self._argv = argv
        self._process = process
        self._listener = listener
        self.asked = asked
        self.stderr = b""
        """What the command said on its standard error, once it is finished."""

    def finish(self, stdin: bytes = b"", *, may_warn: bool = True) -> bytes:
        """Feed *stdin*, wait for the end and return the standard output.

        Args:
            stdin: what the command reads.
            may_warn: whether the answer counts in spite of a word on the standard error.

        Raises:
            GitError: the command ended with another status than 0, or with a warning.
        """
        stdout, stderr = self._process.communicate(stdin)
        self.stderr = stderr or b""
        if self._listener is not None:
            status = self._process.returncode
            self._listener.heard(self.asked, stdin, status, stdout, self.stderr)
        if self._process.returncode != 0 or (stderr and not may_warn):
            raise GitError(self._argv, self._process.returncode, stderr)
        return stdout

    @property
    def to_git(self) -> IO[bytes]:
        """The pipe that the command reads."""
        return cast(IO[bytes], self._process.stdin)

    @property
    def from_git(self) -> IO[bytes]:
        """The pipe that the command writes."""
        return cast(IO[bytes], self._process.stdout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
        self._process.wait()


@dataclass(frozen=True, slots=True)
class GitObject:
    """One object as ``git cat-file --batch`` tells it."""

    oid: str
    kind: str
    data: bytes


class ObjectReader:
    """A ``git cat-file --batch`` that is asked one name at a time.

    Git ends over a damaged object; another one is then started, so that the next name gets its own
    answer.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._call = self._start()

    def _start(self) -> GitCall:
        # What git says of damaged objects is not read, and would stop it once the pipe is full.
        call = self._git.start("cat-file", "--batch", stderr=subprocess.DEVNULL)
        if self._git.listener is not None:
            self._git.listener.reading(call.asked)
        return call

    def read(self, name: str) -> GitObject | None:
        """Return the object that *name* names (any revision), or None where there is none.

        Raises:
            RepositoryError: git ended and can't be started again.
        """
        if not _fits_in_a_line(name):
            return None
        try:
            self._call.to_git.write(os.fsencode(name) + b"\n")
            self._call.to_git.flush()
            found = self._answer()
        except (OSError, EOFError):
            if self._git.listener is not None:
                self._git.listener.spoil("an object can't be read")
            self.__exit__(None, None, None)
            self._call = self._start()
            return None
        if self._git.listener is not None:
            self._git.listener.looked_up(self._call.asked, name, _spelled(name, found))
        return found

    def _answer(self) -> GitObject | None:
        """Return what git answers; EOFError where it ends instead."""
        header = self._call.from_git.readline()
        if not header.endswith(b"\n"):
            raise EOFError
        match header.split():
            case [oid, kind, size] if size.isdigit():
                data = self._call.from_git.read(int(size))
                if self._call.from_git.read(1) != b"\n":
                    raise EOFError
                return GitObject(oid.decode("ascii"), kind.decode("ascii"), data)
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._call.__exit__(kind, error, trace)


def _spelled(name: str, found: GitObject | None) -> bytes:
    """Return what git answers to *name* where that is *found*; one that has no object is missing.

    Other answers than these (an ambiguous name) are not git's words, and so never found again.
    """
    if found is None:
        return os.fsencode(f"{name} missing\n")
    return b"%b %b %d\n%b\n" % (
        found.oid.encode("ascii"),
        found.kind.encode("ascii"),
        len(found.data),
        found.data,
    )


def _fits_in_a_line(name: str) -> bool:
    """Return whether git reads *name* as one whole line; it drops a CR at a line's end."""
    return "\n" not in name and "\0" not in name and not name.endswith("\r")
