"""Sets the clock of each Python process back by a day once a file is there: by ``PYTHONPATH``.

``CLOCK_WENT_BACK`` names the file. Only the clock that may be set is: the monotonic one goes on.
"""

from __future__ import annotations

import os
import time

DAY = 86400
REAL, REAL_NS = time.time, time.time_ns


def behind() -> int:
    """Return by how many seconds the clock is behind."""
    return DAY if os.path.exists(os.environ.get("CLOCK_WENT_BACK", "")) else 0


def _time() -> float:
    return REAL() - behind()


def _time_ns() -> int:
    return REAL_NS() - behind() * 10**9


time.time, time.time_ns = _time, _time_ns
