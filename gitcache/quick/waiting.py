"""Whether data waits on our standard input."""

from __future__ import annotations

import os
import stat


def input_is_waiting(descriptor: int = 0) -> bool:
    """Return whether data waits on *descriptor* that a tool would not see; never blocks."""
    try:
        facts = os.fstat(descriptor)
        if stat.S_ISREG(facts.st_mode):
            return facts.st_size > os.lseek(descriptor, 0, os.SEEK_CUR)
        if not stat.S_ISFIFO(facts.st_mode) and not stat.S_ISSOCK(facts.st_mode):
            return False
        import select  # mostly the standard input is the null device or a terminal

        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return any(events & select.POLLIN for _, events in poll.poll(0))
    except OSError:
        return False
