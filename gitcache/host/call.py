"""What is asked of a process, and what came of it: the values around a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from gitcache.core.leak import Leak
from gitcache.core.outcome import Exit
from gitcache.core.tool import GRACE


@dataclass(frozen=True, slots=True)
class Call:
    """What is started, and how."""

    argv: tuple[str, ...]
    cwd: Path
    environ: Mapping[str, str]
    timeout: float | None = None
    """Seconds; None: no limit."""

    grace: float = GRACE
    """Seconds between asking the tool to end and killing all of it."""

    stdin: IO[bytes] | None = None
    """What the tool reads; None: the null device."""

    pty: bool = False
    """Whether the tool prints to a pseudo-terminal, and all of it is told as ``stdout``."""

    linger: float = 0.0
    """Seconds for which the tool may go on when we are gone."""

    orders: int | None = None
    """A descriptor from which signals' numbers come, a byte each: as if they had reached us."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The process ran and is gone."""

    exit: Exit
    duration: float
    """Seconds from the start to the end of the process, without those for which it was stopped."""

    timed_out: bool = False
    """Whether we ended it, since its timeout had passed."""

    interrupted_by: int | None = None
    """The signal that told us to stop, if one did."""

    leak: Leak | None = None
    """What still ran, or held a pipe, after the tool's own end."""


@dataclass(frozen=True, slots=True)
class NeverStarted:
    """There was nothing to run."""

    status: int
    """126 or 127, as a shell tells it."""

    reason: str
