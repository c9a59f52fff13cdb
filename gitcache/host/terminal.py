"""A pseudo-terminal for a tool that prints otherwise where nobody seems to look.

Its size is the same for every caller. It passes on what the tool writes as it is: no line end is
turned into two bytes, nothing is echoed. It is nobody's controlling terminal, so the tool can't ask
a question by it; what asks anyway finds no ``/dev/tty``.
"""

from __future__ import annotations

import os
import termios
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from gitcache.core.output import Stream
from gitcache.core.terminal import COLUMNS, ROWS


@dataclass(frozen=True, slots=True)
class PseudoTerminal:
    """Both ends of a pseudo-terminal."""

    ours: IO[bytes]
    theirs: IO[bytes]
    """What the tool prints to."""

    def read_alone(self) -> Mapping[Stream, IO[bytes]]:
        """Give up the tool's end, once the tool has it, and return ours, which then has an end."""
        self.theirs.close()
        return {"stdout": self.ours}


@contextmanager
def pseudo_terminal(is_wanted: bool) -> Iterator[PseudoTerminal | None]:
    """Yield a pseudo-terminal that is closed afterwards; None where none *is_wanted*."""
    if not is_wanted:
        yield None
        return
    ours, theirs = os.openpty()
    with open(ours, "rb", buffering=0) as reader, open(theirs, "wb", buffering=0) as writer:
        _set_up(theirs)
        yield PseudoTerminal(reader, writer)


def _set_up(descriptor: int) -> None:
    """Set the size and switch off what changes bytes on their way (termios(3))."""
    termios.tcsetwinsize(descriptor, (ROWS, COLUMNS))
    modes = termios.tcgetattr(descriptor)
    modes[1] &= ~termios.OPOST
    modes[3] &= ~(termios.ECHO | termios.ECHONL)
    termios.tcsetattr(descriptor, termios.TCSANOW, modes)
