"""Who holds a lock or a slot: a record beside it, for people and for careful signals.

A record is never the truth: only the kernel's lock tells whether something is held. One that is
lost, torn or foreign costs the words about its owner. The process that it names may be gone and its
number be another's, so nothing is done to a process unless :meth:`Owner.is_running` says that it is
the very one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from math import isfinite
from pathlib import Path
from typing import Any, Final, Self

from gitcache.core.tool import ToolName, parse_name

_LONGEST: Final = 1 << 16
"""Bytes of a record that are read: some paths of PATH_MAX (4096 bytes), escaped, fit in."""

_RUN_ID: Final = re.compile(r"[0-9A-Za-z-]{1,64}")
_ENDED: Final = frozenset({b"Z", b"X"})
"""States of a process that holds nothing any more: a zombie, a dead one (proc_pid_stat(5))."""

_START: Final = 19
"""Where the start is among the facts behind a process's name: the page's field 22."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What a process number means something in."""

    boot: str
    """The boot of the kernel (random(4)); the host's name where the system doesn't tell."""

    pid_namespace: int
    """The namespace of the process numbers (namespaces(7)); 0 where the system has none."""


def this_machine() -> Machine:
    """Return where this process runs. Cost: five system calls."""
    try:
        boot = _read("/proc/sys/kernel/random/boot_id").decode("ascii").strip()
        return Machine(boot, os.stat("/proc/self/ns/pid").st_ino)
    except (OSError, ValueError):
        return Machine(os.uname().nodename, 0)


@dataclass(frozen=True, slots=True)
class Owner:
    """A process that holds a key or a slot, and for what."""

    pid: int
    started: int | None
    """The process's start in clock ticks after the boot; None where the system doesn't tell."""

    boot: str
    """As in :class:`Machine`."""

    pid_namespace: int
    """As in :class:`Machine`."""

    tool: ToolName
    worktree: str
    """The path of the worktree's top, as the owner saw it."""

    user: str
    host: str
    since: float
    """Seconds since the epoch, to be shown only: a clock may be set."""

    run_id: str
    """Up to 64 letters, digits and dashes that no other run has."""

    @classmethod
    def of_this_process(
        cls, tool: ToolName, worktree: Path, user: str, host: str, since: float, run_id: str
    ) -> Self:
        """Return the record of this process. Cost: ten system calls."""
        machine, pid = this_machine(), os.getpid()
        here = (machine.boot, machine.pid_namespace)
        return cls(pid, start_time(pid), *here, tool, str(worktree), user, host, since, run_id)

    @classmethod
    def from_json(cls, value: object) -> Self | None:
        """Return the record in *value*, whoever wrote it; None where it is none."""
        if not isinstance(value, dict) or not value.keys() >= {each.name for each in fields(cls)}:
            return None
        given: dict[str, Any] = {each.name: value[each.name] for each in fields(cls)}
        return cls(**given) if all(_FITS[name](given[name]) for name in given) else None

    def to_json(self) -> dict[str, object]:
        """Return what :meth:`from_json` reads."""
        return asdict(self)

    def is_on(self, machine: Machine) -> bool:
        """Return whether the record's process number means a process here."""
        return (self.boot, self.pid_namespace) == (machine.boot, machine.pid_namespace)

    def is_running(self) -> bool:
        """Return whether it is certain that this very process lives on this machine."""
        return self.is_on(this_machine()) and self.started == start_time(self.pid) is not None

    def is_gone(self) -> bool:
        """Return whether it is certain that this very process has ended."""
        if not self.is_on(this_machine()):
            return False
        facts = _facts(self.pid)
        if facts is None:
            return not _is_numbered(self.pid)
        return facts[0] in _ENDED or self.started not in (None, int(facts[_START]))


def start_time(pid: int) -> int | None:
    """Return when the process *pid* started, in clock ticks after the boot.

    None where there is no such process any more, or where the system doesn't tell. Cost: four
    system calls.
    """
    facts = _facts(pid)
    return None if facts is None or facts[0] in _ENDED else int(facts[_START])


def _facts(pid: int) -> list[bytes] | None:
    """Return what the system tells of a process, from its state on (proc_pid_stat(5))."""
    try:
        return _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return None


def _read(path: str) -> bytes:
    with open(path, "rb", 0) as file:
        return file.read(_LONGEST)


def _is_numbered(pid: int) -> bool:
    """Return whether there is a process *pid*; ``/proc`` may hide those of other users."""
    try:
        os.kill(pid, 0)  # no signal: a question (kill(2))
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _is_whole(value: object, top: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < top


def _is_text(value: object) -> bool:
    return isinstance(value, str)


_FITS: Final[dict[str, Callable[[Any], bool]]] = {
    "pid": lambda value: _is_whole(value, 1 << 31) and value > 0,
    "started": lambda value: value is None or _is_whole(value, 1 << 64),
    "boot": _is_text,
    "pid_namespace": lambda value: _is_whole(value, 1 << 64),
    "tool": lambda value: isinstance(value, str) and parse_name(value) is not None,
    "worktree": _is_text,
    "user": _is_text,
    "host": _is_text,
    "since": lambda value: isinstance(value, float) and isfinite(value),
    "run_id": lambda value: isinstance(value, str) and _RUN_ID.fullmatch(value) is not None,
}
"""Field → whether a value from a file fits it."""


def read_record(path: Path) -> object:
    """Return the JSON in the file *path*; None where there is none that can be read.

    Never waits for a pipe, follows no symbolic link and reads 64 KiB at most. Cost: five system
    calls.
    """
    try:
        with open(path, "rb", 0, opener=_opener) as file:
            return json.loads(file.read(_LONGEST) or b"")  # nothing comes from a silent pipe
    except (OSError, ValueError, RecursionError):
        return None


def _opener(path: str, _: int) -> int:
    return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def unfinished(path: Path) -> Path:
    """Return where the record *path* is written before it is put in its place."""
    return path.with_name(f"{path.name}.new")


def write_record(path: Path, record: dict[str, object], mode: int) -> None:
    """Replace the file *path* in one step. Only who holds the lock beside it may write it.

    So one name serves for the unfinished file, and what a killed writer leaves is replaced. Cost:
    seven system calls.

    Raises:
        OSError: it can't be written.
    """
    beside = unfinished(path)
    with suppress(FileNotFoundError):
        os.unlink(beside)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(beside, flags, mode)
    with open(descriptor, "wb", 0) as file:
        os.fchmod(descriptor, mode)  # whatever the umask takes away
        file.write(json.dumps(record).encode("ascii"))
    os.replace(beside, path)
