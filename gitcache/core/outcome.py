"""How a tool's process ended, and what that says about the content.

An :data:`Exit` is what the operating system reports; an :data:`Outcome` is what it means. Only a
:data:`Verdict` says something about the content, so only a verdict fits into an entry: a kill can't
be stored because no type would hold it.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass

from gitcache import exits


@dataclass(frozen=True, slots=True)
class Exited:
    """The process ended by itself with a status of 0 to 255."""

    status: int


@dataclass(frozen=True, slots=True)
class Signalled:
    """The process was ended by a signal."""

    signal: int


Exit = Exited | Signalled


@dataclass(frozen=True, slots=True)
class Passed:
    """The tool ended with status 0."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The tool says that the content is bad."""

    status: int
    """The status a caller sees: 1 to 255; 128 + n where signal n ended the tool."""


@dataclass(frozen=True, slots=True)
class Killed:
    """Something outside the content ended the tool."""

    signal: int | None
    """The signal that ended it; None where only its output tells that something did."""

    status: int
    """The status a caller sees."""

    mark: str = ""
    """What in its output tells it; empty where the signal does."""


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The tool ran into its timeout and was ended."""

    timeout: float
    """The limit in seconds."""


@dataclass(frozen=True, slots=True)
class NotStarted:
    """The tool's program, or one that it starts, is not there or not executable."""

    status: int
    """126 or 127."""

    reason: str

    by_tool: bool = False
    """The tool was started, and it ended with the status, which says so by convention."""


@dataclass(frozen=True, slots=True)
class Interrupted:
    """We were told to stop, and ended the tool."""

    signal: int


@dataclass(frozen=True, slots=True)
class Unstable:
    """The content changed while the tool ran, so its result belongs to no tree."""

    status: int
    """The tool's own status."""

    changed: tuple[str, ...]
    """What moved: paths relative to the worktree's top, or names of key inputs."""

    by_others: tuple[str, ...] = ()
    """Those of :attr:`changed` that were written before the tool began or after it ended.

    So not by it. Who wrote what was written while it ran, the system does not tell.
    """

    again: tuple[str, ...] = ()
    """Those that an earlier run of the tool wrote as well, and nobody in between."""

    ignore_lines: tuple[str, ...] = ()
    """Lines for ``.gitignore`` that name the untracked files among those written as it ran."""


@dataclass(frozen=True, slots=True)
class NoVerdict:
    """The tool ended by itself and says nothing about the content."""

    status: int
    """The tool's own status."""

    reason: str
    """What it did, as the verb of a sentence whose subject is the tool."""


@dataclass(frozen=True, slots=True)
class WrapperFailed:
    """What should start the tool within its limits could not, so the tool was not run."""

    reason: str


Verdict = Passed | Failed
Outcome = (
    Verdict | Killed | TimedOut | NotStarted | Interrupted | Unstable | NoVerdict | WrapperFailed
)

_OUTSIDE = frozenset(
    {
        signal.SIGHUP,
        signal.SIGINT,
        signal.SIGKILL,
        signal.SIGTERM,
        signal.SIGXCPU,
        signal.SIGXFSZ,
    }
)
"""Signals that come from a person, a supervisor or a resource limit.

SEGV, BUS, FPE, ILL and ABRT are not among them: the content under test may raise those itself.
"""

_FAULTS = frozenset(
    {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT, signal.SIGTRAP}
)
"""Signals that a program's own fault raises, and which are therefore failures of the content."""


def status_of(exit_: Exit) -> int:
    """Return the status that a shell would report for *exit_*, 0 to 255."""
    match exit_:
        case Exited(status):
            return status
        case Signalled(number):
            return exits.SIGNAL_BASE + number


def classify(exit_: Exit, mark: str | None = None) -> Verdict | Killed | NotStarted:
    """Return what the end of a tool's process means.

    A shell in between reports a signal as status 128 + n, so for outside signals and for faults
    both spellings mean the same. Of any other signal, dying by it is taken for a kill, since a
    verdict must be beyond doubt; 128 + n is then taken for a status of the tool's own.

    A mark decides where the exit alone would be a failure, a fault included: an abort for want of
    memory is the commonest of them. Status 0 is a pass whatever was printed.

    Args:
        exit_: how the process ended.
        mark: what in its output tells of a kill (:mod:`gitcache.core.kill_marks`); None: nothing.
    """
    status = status_of(exit_)
    match exit_:
        case Exited(0):
            return Passed()
        case Exited(exits.NOT_EXECUTABLE):
            return NotStarted(status, "a program is not executable", by_tool=True)
        case Exited(exits.NOT_FOUND):
            return NotStarted(status, "a program was not found", by_tool=True)
        case Exited() if status - exits.SIGNAL_BASE in _OUTSIDE:
            return Killed(status - exits.SIGNAL_BASE, status)
        case Signalled(number) if number not in _FAULTS:
            return Killed(number, status)
    if mark is None:
        return Failed(status)
    number = status - exits.SIGNAL_BASE
    return Killed(number if number in _FAULTS else None, status, mark)


def exit_status(outcome: Outcome) -> int:
    """Return the status with which a caller of ``run`` exits, 0 to 255."""
    match outcome:
        case Passed():
            return exits.PASSED
        case TimedOut():
            return exits.TIMED_OUT
        case Interrupted(number):
            return exits.SIGNAL_BASE + number
        case WrapperFailed():
            return exits.NO_VERDICT
        case Failed(status) | Killed(_, status) | NotStarted(status):
            return status
        case Unstable(status) | NoVerdict(status):
            return status


def name_of(outcome: Outcome) -> str:
    """Return the outcome's name in JSON and in a person's line."""
    return _NAMES[type(outcome)]


_NAMES: dict[type[Outcome], str] = {
    Passed: "passed",
    Failed: "failed",
    Killed: "killed",
    TimedOut: "timed_out",
    NotStarted: "not_started",
    Interrupted: "interrupted",
    Unstable: "unstable",
    NoVerdict: "no_verdict",
    WrapperFailed: "no_verdict",
}
