"""How long two writes to a file may look alike."""

from __future__ import annotations

from typing import Final

TICK_NS: Final = 2_000_000_000
"""Nanoseconds within which two writes may leave the same stat: the coarsest common clock tick."""
