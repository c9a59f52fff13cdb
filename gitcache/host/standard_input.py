"""What waits on our standard input, and a copy of it for the tool."""

from __future__ import annotations

import hashlib
import os
import select
import stat
from dataclasses import dataclass
from typing import IO

_READ_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class InputCopy:
    """All that was on the standard input."""

    file: IO[bytes]
    """A temporary file without a name, at its start."""

    digest: str


def copy_input(descriptor: int = 0) -> InputCopy:
    """Read *descriptor* to its end and return a copy, whose size only the disk bounds."""
    import tempfile  # its import costs, and few runs have an input

    content = hashlib.sha256()
    file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the run that reads it
    while data := os.read(descriptor, _READ_AT_ONCE):
        content.update(data)
        file.write(data)
    file.seek(0)
    return InputCopy(file, content.hexdigest())


def input_is_waiting(descriptor: int = 0) -> bool:
    """Return whether data waits on *descriptor* that a tool would not see; never blocks."""
    try:
        facts = os.fstat(descriptor)
        if stat.S_ISREG(facts.st_mode):
            return facts.st_size > os.lseek(descriptor, 0, os.SEEK_CUR)
        if not stat.S_ISFIFO(facts.st_mode) and not stat.S_ISSOCK(facts.st_mode):
            return False
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return any(events & select.POLLIN for _, events in poll.poll(0))
    except OSError:
        return False
