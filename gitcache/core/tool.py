"""A tool: a named command of the repository, with all that its settings say.

A tool comes from the settings (:mod:`gitcache.core.settings`), from detection
(:mod:`gitcache.core.detect`) or from the words after ``run --``; this module does not care which.
Nothing here is resolved against a machine: no path is looked up, no variable read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import inf
from typing import Final, NewType

ToolName = NewType("ToolName", str)

AD_HOC = ToolName("command")
"""The name under which ``run -- COMMAND`` is keyed; its argv is what tells two of them apart."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def parse_name(text: str) -> ToolName | None:
    """Return *text* as a tool's name, or None where it can't be one.

    Names become the last part of a ref and a column of a table, so they are kept to
    ``[A-Za-z0-9][A-Za-z0-9_-]{0,63}``.
    """
    return ToolName(text) if _NAME.fullmatch(text) else None


@dataclass(frozen=True, slots=True)
class Words:
    """A command given as words, started without a shell."""

    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShellText:
    """A command given as text for ``/bin/sh -c``."""

    text: str


Command = Words | ShellText


def expand(command: Command, extra: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the argv of *command* with the user's *extra* words at its end.

    A shell command takes them as git's ``!`` aliases do: as ``"$@"`` behind the text. White space
    at its end goes, since behind a newline they would be a command of their own.
    """
    match command:
        case Words(argv):
            return argv + extra
        case ShellText(text) if extra:
            return ("/bin/sh", "-c", f'{text.rstrip()} "$@"', "sh", *extra)
        case ShellText(text):
            return ("/bin/sh", "-c", text)


@dataclass(frozen=True, slots=True)
class Bytes:
    """An amount of memory in bytes."""

    count: int


@dataclass(frozen=True, slots=True)
class MemoryShare:
    """A share of the machine's memory in percent, 1 to 100."""

    percent: int


@dataclass(frozen=True, slots=True)
class AutoMemory:
    """A limit that is derived from the machine's memory."""


MemoryLimit = Bytes | MemoryShare | AutoMemory


GRACE: Final = 10.0
"""Seconds between asking a tool to end and killing it, as docker and systemd's order of size."""


@dataclass(frozen=True, slots=True)
class Options:
    """All that the settings can say of a tool beside its command."""

    directory: str = "."
    """Where the tool runs, relative to the worktree's top; ``/`` between parts, no ``..``."""

    inputs: tuple[str, ...] = ()
    """Git pathspecs that select what the verdict depends on; empty: the whole tree."""

    env: tuple[str, ...] = ()
    """Variables that are passed and in the key: names, or a prefix that ends in ``*``."""

    pass_env: tuple[str, ...] = ()
    """Variables that are passed and not in the key, written as in :attr:`env`."""

    set_env: tuple[tuple[str, str], ...] = ()
    """Variables that are set to a fixed value, sorted by name."""

    env_mode: str = "strict"
    """``strict``: declared and default variables only; ``loose``: all variables are passed."""

    ignored_inputs: tuple[str, ...] = ()
    """Gitignored files that count."""

    dependencies: tuple[str, ...] | None = None
    """Installed folders whose content counts; None: what is detected."""

    dependency_check: str = "content"
    """``content``: each file of an installed folder; ``lockfile``: what its installer lists."""

    outputs: tuple[str, ...] = ()
    """Files that the tool makes and a hit restores."""

    timeout: float | None = None
    """Seconds after which the tool is ended; None: no limit."""

    grace: float = GRACE
    """Seconds between asking the tool to end and killing all that it started."""

    leak: str = "report"
    """``report``: what outlives the tool is told; ``fail``: it makes a run that passed fail."""

    memory: MemoryLimit | None = None
    """The memory that the tool may take; None: no limit."""

    workers: int | None = None
    """How many workers the tool is told to use; None: what fits into :attr:`memory`, if set."""

    heap: int | None = None
    """Bytes of heap that each worker is told to use; None: as for :attr:`workers`."""

    kill_marks: bool = True
    """Whether a failure whose output tells of a kill is taken for one, and so not stored."""

    slots: int = 1
    """How many of the machine's slots a run takes."""

    lock_wait: float | None = None
    """Seconds for which a caller waits for another's run; None: what :func:`longest_wait` says."""

    max_age: float | None = None
    """Seconds for which an entry answers; None: for ever."""

    runner: str | None = None
    """The test runner's name, or ``none``; None: recognised from the argv."""

    retry: int = 0
    """How often the whole command runs again after a red that names few files."""

    flaky: str = "pass"
    """What a pass of the second run makes of the first one's red: ``pass`` or ``fail``."""

    junit: str | None = None
    """The JUnit report that the tool writes, relative to :attr:`directory`; None: what its argv
    asks for."""

    isolated: bool = False
    """Whether the tool runs in a clean worktree of its snapshot."""

    color: bool = True
    """Whether a runner that is recognised gets its own flag for colours."""

    pty: bool = False
    """Whether the tool prints to a pseudo-terminal instead of two pipes."""


_FLAKY: Final = "test"
"""The tool whose red is looked at once more, unless its settings say otherwise."""

_A_DAY: Final = 86400.0
"""Seconds."""

_LOOK_AT_THE_WORLD: Final = ("audit", "security-scan")
"""Tools that ask for what is known today, so that their answers grow old."""

_TIMEOUTS: Final = {
    **dict.fromkeys(("test", "build"), 1800.0),
    **dict.fromkeys(("lint", "typecheck", "audit", "security-scan"), 300.0),
}
"""Tool to seconds: several times what a long one takes, so that only what hangs runs into it."""


def default_options(name: ToolName) -> Options:
    """Return the options of a tool called *name* of which the settings say nothing."""
    return Options(
        timeout=_TIMEOUTS.get(name),
        max_age=_A_DAY if name in _LOOK_AT_THE_WORLD else None,
        retry=1 if name == _FLAKY else 0,
    )


_RUNS_WAITED_FOR: Final = 3
"""Times the timeout: the run itself and two that may have its slot before it."""

_LEEWAY: Final = 60.0
"""Seconds for all that a run does beside its tool."""


def longest_wait(options: Options) -> float:
    """Return the seconds for which a caller waits for another's run; infinity: to its end."""
    if options.lock_wait is not None:
        return options.lock_wait
    return inf if options.timeout is None else _RUNS_WAITED_FOR * options.timeout + _LEEWAY


@dataclass(frozen=True, slots=True)
class Tool:
    """A named command with its options."""

    name: ToolName
    command: Command
    origin: str
    """Where the command comes from, for people: ``toolcache.toml``, ``package.json``, …"""

    options: Options = field(default_factory=Options)
