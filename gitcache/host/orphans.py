"""What a supervisor leaves behind when it is killed: it comes to us, and we end it.

While a tool runs we adopt orphans too, behind its supervisor, which adopts them before us. So what
the supervisor has started becomes our child once the supervisor is gone, and nothing else does: a
process that has children already (``exec`` in a script keeps those) adopts nobody, since their
orphans could not be told from the tool's. What shares our session is never the tool's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic, sleep
from typing import Final

from gitcache.host import process_tree
from gitcache.host.process_tree import Process

_AGAIN: Final = 0.005
"""Seconds between two looks at what was killed: the kernel takes about that long."""

_UNENDING: Final = 0.8
"""Seconds after which what can't be killed (another user's, or stuck in the kernel) is left alone:
within the one second that an end may take behind the grace."""


class Orphans:
    """What we adopt of a tool."""

    def __init__(self, adopts: bool) -> None:
        self._adopts = adopts
        self._session = os.getsid(0)

    def kill_all(self) -> None:
        """Kill the orphans and all below them, and take their statuses.

        Must be called when the supervisor's status was taken.
        """
        if not self._adopts:
            return
        end = monotonic() + _UNENDING
        while (left := self._children()) and monotonic() < end:
            process_tree.kill_descendants(os.getpid(), self._is_tools)
            for each in left:
                with suppress(ChildProcessError):
                    os.waitpid(each.pid, os.WNOHANG)
            sleep(_AGAIN)  # then what those have orphaned has come to us

    def _children(self) -> list[Process]:
        return [each for each in process_tree.children() if self._is_tools(each)]

    def _is_tools(self, child: Process) -> bool:
        """Whether *child*, one of ours, is what the tool or its supervisor has started."""
        return child.session != self._session


@contextmanager
def adopted_orphans(supervisor: int) -> Iterator[Orphans]:
    """Adopt, within, what the process *supervisor*, our child, may orphan.

    This takes some milliseconds, so it is done while that process starts.
    """
    living = [each.pid for each in process_tree.children() if not each.is_dead]
    was_adopting = process_tree.adopts_orphans()
    adopts = living == [supervisor] and process_tree.adopt_orphans()
    try:
        yield Orphans(adopts)
    finally:
        if adopts and not was_adopting:
            process_tree.adopt_orphans(False)
