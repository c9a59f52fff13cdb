"""Statistics in words, the same on a terminal and on a page."""

from __future__ import annotations

from datetime import datetime

from gitcache.core.stats import Figures, Tally, is_right
from gitcache.core.uses import Use


def periods(figures: Figures) -> list[tuple[str, Tally]]:
    """Return the three periods with their names."""
    everything = f"all, since {figures.since}" if figures.since else "all"
    return [("today", figures.today), ("7 days", figures.week), (everything, figures.total)]


def percent(tally: Tally) -> str:
    """Return the hit rate; a dash where nothing could hit."""
    return "-" if tally.hit_rate is None else f"{tally.hit_rate:.0%}"


def day_words(at: float, now: float) -> str:
    """Return the local day and minute of *at*; which clock was wrong where it was."""
    if not is_right(at, now):
        return "a wrong clock's time"
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M")


def reason_words(use: Use) -> str:
    """Return why *use* was no hit, and what its run leaves to be wished for."""
    part = "; only what failed last" if use.focused else ""
    kept = "" if use.stored else f"; {use.outcome.replace('_', ' ')}, not stored"
    return f"{use.reason or 'no reason is known'}{part}{kept}"
