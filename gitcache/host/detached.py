"""Starts a process of ours that outlives its starter: in its own session, on no terminal."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from gitcache.errors import NoVerdictError

_PACKAGES: Final = Path(__file__).parents[2]
"""Where this package is imported from, whatever the new process would find."""

_HEARD: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Signals that the new process does not ignore, even where we do."""


def start_detached(module: str, log: Path, environ: Mapping[str, str]) -> socket.socket:
    """Start ``main`` of *module* in a new process, and return a connection to it.

    It is called with the number of its end of the connection; what it says goes to the file *log*.
    Nobody waits for the process: it has ended when the connection has.

    Raises:
        NoVerdictError: no process can be started.
        OSError: the log can't be written.
    """
    ours, theirs = socket.socketpair()
    with theirs, open(log, "ab") as said, open(os.devnull, "rb") as nothing:
        descriptor = theirs.fileno()
        path = f"import os, sys; sys.path.insert(0, {str(_PACKAGES)!r}); os.chdir('/')"
        fork = "import os; os.fork() and os._exit(0)"  # who starts it never has it for a child
        code = f"{fork}; {path}; from {module} import main; main({descriptor})"
        os.set_inheritable(descriptor, True)
        try:
            pid = os.posix_spawn(
                sys.executable,
                [sys.executable, "-P", "-c", code],
                environ,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, nothing.fileno(), 0),
                    (os.POSIX_SPAWN_DUP2, said.fileno(), 1),
                    (os.POSIX_SPAWN_DUP2, said.fileno(), 2),
                ],
                setsid=True,
                setsigmask=[],
                setsigdef=_HEARD,
            )
        except OSError as error:
            ours.close()
            raise NoVerdictError(f"no process can be started: {error.strerror}") from error
    with suppress(ChildProcessError):  # our caller may have the kernel reap
        os.waitpid(pid, 0)
    return ours
