"""The processes that a process has started, and theirs: found, told, and ended to the last.

On Linux a process can adopt what is orphaned below it (:func:`adopt_orphans`). Then all that it
ever started stays below it, whatever sessions and forks it went through, and ``/proc`` shows it.
Elsewhere nothing is found here. No process is signalled before its start time was seen to be that
of the process that was found.

The supervisor imports this, so it is kept free of modules whose import takes long.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Iterator
else:
    import _signal as signal  # signal.py makes enums of it, which takes as long as all the rest

_SET_PDEATHSIG = 1
_SET_CHILD_SUBREAPER = 36
_GET_CHILD_SUBREAPER = 37
"""Options of prctl(2), from ``linux/prctl.h``."""

_MOST_ROUNDS = 100
"""Looks for processes that were forked while others were being stopped; two or three are usual."""


class Process:
    """A process as it was at one moment."""

    __slots__ = ("group", "name", "parent", "pid", "session", "started", "state")

    def __init__(self, stat: bytes) -> None:
        """Read the content of ``/proc/PID/stat`` (proc_pid_stat(5))."""
        head, _, tail = stat.rpartition(b") ")
        pid, _, self.name = head.partition(b" (")
        fields = tail.split()
        self.pid = int(pid)
        self.state = fields[0]
        self.parent, self.group, self.session = map(int, fields[1:4])
        self.started = int(fields[19])
        """Clock ticks since the machine's start: with the pid it tells two processes apart."""

    @property
    def identity(self) -> tuple[int, int]:
        """What no other process has ever had."""
        return self.pid, self.started

    @property
    def is_dead(self) -> bool:
        """Whether it has ended and only its status is left."""
        return self.state in (b"Z", b"X")


def find(pid: int) -> Process | None:
    """Return the process *pid* as it is now; None where there is none, or no ``/proc``."""
    try:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    except OSError:
        return None
    try:
        return Process(os.read(descriptor, 4096))
    except OSError:  # it ended meanwhile
        return None
    finally:
        os.close(descriptor)


def everything() -> Iterator[Process]:
    """Yield all living processes that can be seen."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in names:
        process = find(int(name)) if name.isdecimal() else None
        if process is not None and not process.is_dead:
            yield process


def children() -> list[Process]:
    """Return this process's own children, dead ones too; none where the system does not list them.

    Of those that end meanwhile some can be left out, but never all.
    """
    found: list[Process] = []
    try:
        for task in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{task}/children", "rb") as file:
                found += filter(None, (find(int(pid)) for pid in file.read().split()))
    except OSError:
        return []
    return found


def descendants(
    root: int, is_meant: Callable[[Process], bool] = lambda child: True
) -> list[Process]:
    """Return all living processes below the process *root*, parents first.

    Args:
        root: the process's pid.
        is_meant: which of its own children are looked at, with all below them.
    """
    below: dict[int, list[Process]] = {}
    for process in everything():
        below.setdefault(process.parent, []).append(process)
    found = [each for each in below.get(root, ()) if is_meant(each)]
    for each in found:  # grows behind its end while it is walked
        found += below.get(each.pid, ())
    return found


def in_session(session: int, started: int) -> list[Process]:
    """Return the living processes of the *session* whose leader has *started* at that tick."""
    return [each for each in everything() if each.session == session and each.started >= started]


def send(process: Process, number: int) -> None:
    """Send the signal *number* to *process*, if that is still the one that was found."""
    try:
        descriptor = os.pidfd_open(process.pid)  # from here on its pid can't become another's
    except (AttributeError, OSError):  # no such system call, or no such process
        descriptor = None
    try:
        now = find(process.pid)
        if now is None or now.identity != process.identity:
            return
        if descriptor is None:
            os.kill(process.pid, number)
        else:
            signal.pidfd_send_signal(descriptor, number)
    except (ProcessLookupError, PermissionError):
        return
    finally:
        if descriptor is not None:
            os.close(descriptor)


def ignores(process: Process, number: int) -> bool:
    """Return whether *process* ignores the signal *number*."""
    try:
        with open(f"/proc/{process.pid}/status", "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return False
    masks = [int(line.split()[1], 16) for line in lines if line.startswith(b"SigIgn:")]
    return any(mask >> (number - 1) & 1 for mask in masks)


def kill_descendants(root: int, is_meant: Callable[[Process], bool] = lambda child: True) -> None:
    """Kill all processes below the process *root*, as :func:`descendants` finds them."""
    kill_all(lambda: descendants(root, is_meant))


def kill_session(session: int, started: int) -> None:
    """Kill what is left of a *session* whose leader had *started* at that tick."""
    kill_all(lambda: in_session(session, started))


def kill_all(look: Callable[[], list[Process]]) -> None:
    """Kill all that *look* finds, however fast they fork.

    They are stopped first: a process with a signal pending can't finish a fork, so the looks for
    more come to an end.
    """
    stopped: dict[tuple[int, int], Process] = {}
    for _ in range(_MOST_ROUNDS):
        fresh = [each for each in look() if each.identity not in stopped]
        if not fresh:
            break
        for each in fresh:
            send(each, signal.SIGSTOP)
            stopped[each.identity] = each
    for each in stopped.values():
        send(each, signal.SIGKILL)


def adopt_orphans(does: bool = True) -> bool:
    """Become, or cease to be, the parent of what is orphaned below this process.

    Returns:
        whether that works here.
    """
    return _prctl(_SET_CHILD_SUBREAPER, int(does))


def adopts_orphans() -> bool:
    """Return whether this process becomes the parent of what is orphaned below it."""
    try:
        import ctypes
    except ImportError:
        return False
    answer = ctypes.c_int(0)
    return _prctl(_GET_CHILD_SUBREAPER, ctypes.addressof(answer)) and answer.value != 0


def die_with_parent() -> bool:
    """Let the kernel kill this process when its parent dies; return whether that works here."""
    return _prctl(_SET_PDEATHSIG, int(signal.SIGKILL))


def _prctl(option: int, value: int) -> bool:
    if sys.platform != "linux":
        return False
    try:
        import ctypes  # Python has no prctl of its own

        none = ctypes.c_ulong(0)
        done = ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), none, none, none)
    except (ImportError, OSError, AttributeError):
        return False
    return int(done) == 0
