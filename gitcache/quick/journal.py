"""A line at the end of the journal, if that is there; :mod:`gitcache.host.journal` keeps it."""

from __future__ import annotations

import os

NAME = "journal"
"""The name of its file in this program's folder."""

APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""Not blocking, since what lies there may be a pipe without a reader."""


def note(common_dir: str, line: bytes) -> None:
    """Append *line* to the journal below *common_dir*; where that fails, no verdict is lost."""
    try:
        descriptor = os.open(os.path.join(common_dir, "toolcache", NAME), APPENDING)
    except OSError:
        return
    try:
        os.write(descriptor, line)
    except OSError:
        return
    finally:
        os.close(descriptor)
