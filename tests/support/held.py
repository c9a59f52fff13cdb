"""A FIFO that tells when the last of those who hold its writing end is gone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held_open(fifo: Path) -> Iterator[int]:
    """Yield the reading end of a new *fifo*, which ends when nobody can write to it any more."""
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    try:
        yield reader
    finally:
        os.close(reader)


def is_released(reader: int) -> bool:
    """Return, once it is so, that nobody holds the other end of *reader* and nothing was written.

    A test's own time limit ends the waiting for what is never let go of.
    """
    return os.read(reader, 1) == b""
