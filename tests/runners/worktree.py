"""A folder with real tests in it, each of whose files notes outside of it that it was run."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gitcache.core.output import Chunk, Output
from gitcache.core.runners import failing_files, focused, ran_nothing, recognise
from gitcache.core.runners.found import Found
from gitcache.core.runners.runner import Project

NODE_MODULES = Path(__file__).parent.parent.parent / ".runners" / "node_modules"
"""Where ``make test-runners`` installs the runners of node."""


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run of a command."""

    status: int
    output: Output
    ran: tuple[str, ...]
    """The test files that were run, sorted."""


@dataclass(frozen=True, slots=True)
class Worktree:
    """A folder with tests."""

    top: Path
    log: Path
    """Where a test file notes its name; not below :attr:`top`."""

    def write(self, name: str, text: str) -> None:
        """Write a file; ``LOG`` and ``NAME`` in its text become the log's path and its name."""
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("LOG", repr(str(self.log))).replace("NAME", repr(name)))

    def run(self, argv: Iterable[str], directory: str = ".") -> Run:
        """Run *argv*, as git toolcache does: without a terminal, into two pipes."""
        self.log.write_text("")
        ran = subprocess.run(
            tuple(argv),
            cwd=self.top / directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=100,
            env={**os.environ, "CI": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        )
        output = Output((Chunk("stdout", ran.stdout), Chunk("stderr", ran.stderr)))
        return Run(ran.returncode, output, tuple(sorted({*self.log.read_text().split()})))

    @property
    def project(self) -> Project:
        """What is to be known of the folder as it is now."""
        paths = (each for each in self.top.rglob("*") if each.is_file())
        names = [str(each.relative_to(self.top)) for each in paths]
        tracked = tuple(each for each in names if not each.startswith("node_modules/"))
        return Project(tracked, tracked.__contains__, self._read, (str(self.top),))

    def _read(self, name: str) -> str | None:
        path = self.top / name
        return path.read_text() if path.is_file() else None

    def found(self, line: str) -> Found:
        """Return the runner that the command *line* starts."""
        found = recognise(tuple(shlex.split(line)), self.project)
        assert found is not None
        return found

    def failed(self, line: str, run: Run, report: bytes | None = None) -> tuple[str, ...]:
        """Return the files that failed in *run*, sorted."""
        return tuple(sorted(failing_files(self.found(line), run.output, self.project, report)))

    def says_nothing_ran(self, line: str, run: Run) -> bool:
        """Return whether the output of *run* says that there was no test."""
        return ran_nothing(self.found(line), run.output)

    def run_focused(self, line: str, files: tuple[str, ...]) -> list[Run]:
        """Run the focused commands of *line* for *files*."""
        commands = focused(self.found(line), files, self.project)
        assert commands is not None
        return [self.run(each.argv, each.directory) for each in commands]


def ran_in(runs: list[Run]) -> tuple[str, ...]:
    """Return the files that were run in any of *runs*, sorted."""
    return tuple(sorted(name for each in runs for name in each.ran))
