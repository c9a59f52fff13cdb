"""Durations and amounts of memory, as people write and read them.

Reading is strict: what is not understood as a whole raises ``ValueError``, whose text says what is
taken, worded to stand after "takes". Showing rounds to what a person wants to know; what was shown
reads back to about the same amount. Durations are shown by :mod:`gitcache.core.durations`.

Patterns are compiled when first used: most settings have no duration and no amount.
"""

from __future__ import annotations

import re
from math import inf
from typing import TYPE_CHECKING

from gitcache.core.tool import AutoMemory, Bytes, MemoryLimit, MemoryShare

if TYPE_CHECKING:
    from collections.abc import Mapping

_DURATION_TAKES = 'a duration above zero such as "30m" or seconds'
_LIMIT_TAKES = f'{_DURATION_TAKES}, or "none"'
_WAIT_TAKES = 'a duration such as "30m", seconds, 0 or "none"'
_MEMORY_TAKES = 'an amount such as "4GiB", a share such as "25%", "auto" or bytes'
_AMOUNT_TAKES = 'an amount of at least 1MiB such as "2GiB", or bytes'

_MEBIBYTE = 1 << 20
"""Bytes of the smallest heap that can be told: Node and Go take theirs in MiB."""

_DAY = 86400
"""Seconds of a day."""

_LONGEST_DAYS = 36500
"""Days of the longest duration: a hundred years. CPython's timers overflow at about 292 years."""

_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_DURATION = "".join(rf"(?:({_NUMBER}){unit})?" for unit in ("d", "h", "m", "s", "ms"))
_AMOUNT = r"([0-9]{1,19})(\.[0-9]{1,9})?([A-Za-z]+)"
_SHARE = r"([0-9]{1,3})%"

_MOST_BYTES = 2**63 - 1
"""Bytes of the largest amount: a signed 64-bit number, as TOML and the kernel have it."""

_BYTES_OF: Mapping[str, int] = {
    "B": 1,
    **{letter: 1024**power for power, letter in enumerate("KMGT", 1)},
    **{f"{letter}iB": 1024**power for power, letter in enumerate("KMGT", 1)},
    **{f"{letter}B": 1000**power for power, letter in enumerate("KMGT", 1)},
    "kB": 1000,
}
"""Unit to bytes. A bare letter is binary, as in systemd's ``MemoryMax=``; ``GB`` is decimal (SI).

https://www.freedesktop.org/software/systemd/man/latest/systemd.resource-control.html
"""


def parse_duration(value: object) -> float:
    """Return the seconds that *value* stands for.

    Args:
        value: a number of seconds, or text such as ``"90s"``, ``"500ms"`` or ``"1h30m"``: days,
            hours, minutes, seconds and milliseconds, each at most once and in this order.

    Raises:
        ValueError: it is no such value, not above zero, or above 36500 days.
    """
    seconds = _seconds_of(value)
    if not seconds > 0:  # not a number is not above zero either
        raise ValueError(_DURATION_TAKES)
    if seconds > _LONGEST_DAYS * _DAY:
        raise ValueError(f"a duration of at most {_LONGEST_DAYS} days")
    return float(seconds)


def parse_limit(value: object) -> float | None:
    """Return the seconds after which something ends; None for ``"none"`` and for 0: it does not.

    Raises:
        ValueError: it is neither of these, nor what :func:`parse_duration` takes.
    """
    if value == "none" or (value == 0 and not isinstance(value, bool)):
        return None
    try:
        return parse_duration(value)
    except ValueError as error:
        raise ValueError(str(error).replace(_DURATION_TAKES, _LIMIT_TAKES)) from error


def parse_wait(value: object) -> float:
    """Return the seconds that *value* stands for: 0 for none, infinity for ``"none"``.

    Raises:
        ValueError: it is neither of these, nor what :func:`parse_duration` takes.
    """
    if value == "none":
        return inf
    try:
        return parse_grace(value)
    except ValueError as error:
        raise ValueError(str(error).replace(_DURATION_TAKES, _WAIT_TAKES)) from error


def parse_grace(value: object) -> float:
    """Return the seconds that *value* stands for, as :func:`parse_duration` does, or 0."""
    return 0.0 if _seconds_of(value) == 0 else parse_duration(value)


def _seconds_of(value: object) -> int | float:
    return _spelled_seconds(value) if isinstance(value, str) else _plain_seconds(value)


def _plain_seconds(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(_DURATION_TAKES)
    return value


def _spelled_seconds(text: str) -> float:
    found = re.fullmatch(_DURATION, text)
    if found is None:
        raise ValueError(_DURATION_TAKES)
    days, hours, minutes, seconds, milliseconds = map(float, found.groups(default="0"))
    return days * _DAY + hours * 3600 + minutes * 60 + seconds + milliseconds / 1000


def parse_memory(value: object) -> MemoryLimit:
    """Return the limit that *value* stands for.

    Args:
        value: a number of bytes; text such as ``"4GiB"`` or ``"4G"`` (binary), ``"4GB"``
            (decimal), ``"25%"`` of the machine's memory; or ``"auto"``.

    Raises:
        ValueError: it is no such value, or no amount from one byte to 2^63 - 1, or no share from
            1 to 100.
    """
    if value == "auto":
        return AutoMemory()
    if isinstance(value, str) and (share := re.fullmatch(_SHARE, value)):
        return MemoryShare(_within(int(share[1]), 100, _MEMORY_TAKES))
    return Bytes(_within(_byte_count(value, _MEMORY_TAKES), _MOST_BYTES, _MEMORY_TAKES))


def parse_amount(value: object) -> int:
    """Return the bytes that *value* stands for: a number of them, or text such as ``"2GiB"``.

    Raises:
        ValueError: it is no such value, or no amount from 1 MiB to 2^63 - 1 bytes.
    """
    return _within(_byte_count(value, _AMOUNT_TAKES), _MOST_BYTES, _AMOUNT_TAKES, _MEBIBYTE)


def _within(number: int, most: int, takes: str, least: int = 1) -> int:
    if not least <= number <= most:
        raise ValueError(takes)
    return number


def _byte_count(value: object, takes: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = re.fullmatch(_AMOUNT, value) if isinstance(value, str) else None
    if found is None or found[3] not in _BYTES_OF:
        raise ValueError(takes)
    unit = _BYTES_OF[found[3]]
    return int(found[1]) * unit + round(float(found[2] or 0) * unit)


def format_bytes(count: int) -> str:
    """Return *count* bytes (0 or more) in binary units: ``512B``, ``1.5KiB``, ``4GiB``."""
    if count < 1024:
        return f"{count}B"
    amount, unit = count / 1024, "KiB"
    for larger in ("MiB", "GiB", "TiB"):
        if amount < 1023.95:  # from here on one decimal rounds up to 1024.0
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.1f}".removesuffix(".0") + unit
