"""How long something took and how long ago it was, in words; every hit says so.

Nothing is imported here. How durations are written by people is read in :mod:`gitcache.core.units`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_DAY: Final = 86400
"""Seconds of a day."""


def format_duration(seconds: float) -> str:
    """Return *seconds* (finite) for people: ``0.4s``, ``2m10s``, ``1h05m``, ``3d``.

    The two largest units are shown, the second only where it is not zero. What is below zero (the
    clock went back) shows as zero. Each bound is where the next unit's rounding begins.
    """
    if seconds < 59.95:
        return f"{max(seconds, 0.0):.1f}s"
    if seconds < 3599.5:
        return _in_two_units(round(seconds), 60, "m", "s")
    if seconds < _DAY - 30:
        return _in_two_units(round(seconds / 60), 60, "h", "m")
    return _in_two_units(round(seconds / 3600), 24, "d", "h")


def _in_two_units(count: int, per_large: int, large: str, small: str) -> str:
    whole, rest = divmod(count, per_large)
    return f"{whole}{large}{rest:02d}{small}" if rest else f"{whole}{large}"


def format_age(began: float, now: float) -> str:
    """Return how long before *now* a moment was; both are seconds since the epoch."""
    age = now - began
    return f"{format_duration(age)} ago" if age > 0 else "in the future"
