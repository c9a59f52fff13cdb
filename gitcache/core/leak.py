"""What a tool left running when it had ended, in an answer and in an entry.

A leak says nothing against the content, so it is told beside the verdict, on the run and on every
hit. Only where the settings say so it makes a run that passed a failure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Self

_MOST_PIDS: Final = 1 << 22
"""The largest pid of a Linux: ``PID_MAX_LIMIT``."""


@dataclass(frozen=True, slots=True)
class LeftProcess:
    """A process that outlived the tool that started it."""

    pid: int
    name: str
    """What the system calls it: on Linux the first 15 bytes of its program's name."""


@dataclass(frozen=True, slots=True)
class Leak:
    """Something outlived the tool, and was ended."""

    processes: tuple[LeftProcess, ...] = ()
    """Which processes; empty where only a held pipe told of them."""

    def to_json(self) -> list[dict[str, Any]]:
        """Return the processes as JSON values."""
        return [{"pid": each.pid, "name": each.name} for each in self.processes]

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Return the leak of the processes that *value* tells; ValueError where it tells none."""
        if not isinstance(value, list):
            raise ValueError("its leaked processes are no list")
        return cls(tuple(map(_process_from_json, value)))


def _process_from_json(value: object) -> LeftProcess:
    match value:
        case {"pid": bool()}:
            pass
        case {"pid": int(pid), "name": str(name)} if 0 < pid <= _MOST_PIDS:
            return LeftProcess(pid, name)
    raise ValueError("a leaked process is no pid and name")
