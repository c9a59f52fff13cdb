"""A system that can't lock files, for one process and its children: flock(2) fails there.

As a program: ``no_flock.py ERRNO PROGRAM ARGUMENT…`` runs PROGRAM so. The kernel itself refuses
(seccomp(2)), as it does for a file system without locks.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from typing import Final

_FLOCK: Final = {"x86_64": 73, "aarch64": 32}
"""Machine → the number of flock(2)."""

_NO_NEW_PRIVS, _SECCOMP, _FILTER = 38, 22, 2
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06


def can_refuse() -> bool:
    """Return whether this machine is one that this module knows."""
    return sys.platform == "linux" and os.uname().machine in _FLOCK


def without_flock(number: int, argv: list[str]) -> list[str]:
    """Return the argv that runs *argv* where flock(2) fails with the errno *number*."""
    return [sys.executable, __file__, str(number), *argv]


def _refuse(number: int) -> None:
    program = b"".join(
        struct.pack("HBBI", *each)
        for each in (
            (_LOAD, 0, 0, 0),
            (_JUMP_IF_EQUAL, 0, 1, _FLOCK[os.uname().machine]),
            (_RETURN, 0, 0, _ERRNO | number),
            (_RETURN, 0, 0, _ALLOW),
        )
    )
    memory = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HP", len(program) // 8, ctypes.addressof(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    for call in ((_NO_NEW_PRIVS, 1, 0, 0, 0), (_SECCOMP, _FILTER, head, 0, 0)):
        if libc.prctl(*call) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    _refuse(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])
