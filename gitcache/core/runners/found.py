"""What is found of a runner in a command: its line, and what starts it."""

from __future__ import annotations

from dataclasses import dataclass

from gitcache.core.runners.runner import Line, Runner
from gitcache.core.runners.words import Argv


@dataclass(frozen=True, slots=True)
class Direct:
    """The words before the runner's own, as they stand."""

    before: Argv


@dataclass(frozen=True, slots=True)
class ByScript:
    """A script of a package that its manager runs."""

    manager: str

    call: Argv
    """The manager's words up to the script's name, and its own options; empty where the command
    is a text of its own (``npm exec -c``)."""

    extra: Argv
    """The words that the user appended."""

    before: Argv
    """As for :class:`Direct`, within the script."""

    is_alone: bool
    """Whether no script runs before or after it."""


@dataclass(frozen=True, slots=True)
class EachPackage:
    """A script of several packages: ``pnpm -r test``."""

    manager: str
    script: str


Launch = Direct | ByScript | EachPackage


@dataclass(frozen=True, slots=True)
class Found:
    """A runner in a command."""

    runner: Runner
    directory: str
    """Where the runner runs, relative to the worktree's top."""

    started_in: str
    """Where the command is started, relative to the top."""

    line: Line | None
    """None: the runner's own words are not to be rebuilt, only its output can be read."""

    launch: Launch = Direct(())
