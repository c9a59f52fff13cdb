"""What takes how long, a line a step, where ``GIT_TOOLCACHE_TRACE=1`` asks for it."""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

VARIABLE: Final = "GIT_TOOLCACHE_TRACE"

_BEGAN: Final = time.perf_counter()
"""The moment at which this module was loaded, which is among the first things that are done."""


def step(what: str) -> None:
    """Tell that *what* is done, and the milliseconds since this program began."""
    if os.environ.get(VARIABLE) == "1":
        milliseconds = (time.perf_counter() - _BEGAN) * 1000
        line = f"toolcache: trace: {milliseconds:.1f} ms: {what}\n"
        try:
            os.write(2, line.encode("utf-8", "backslashreplace"))
        except OSError:
            return  # nobody reads it
