"""Ends this process by a signal, so that its caller sees what ended it."""

from __future__ import annotations

import os
import signal

from gitcache import exits


def die_by(number: int) -> int:
    """End this process by the signal *number*, so that our caller sees what ended us.

    Returns the status to exit with where that signal does not end us.
    """
    if number == signal.SIGQUIT:
        import resource  # nobody wants the memory of this process in a file

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return exits.SIGNAL_BASE + number
