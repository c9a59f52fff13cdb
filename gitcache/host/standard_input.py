"""A copy of our standard input for the tool."""

from __future__ import annotations

import hashlib
import os
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
