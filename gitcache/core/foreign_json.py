"""Reads members of JSON that anybody may have written: each of its kind, or a ``ValueError``.

The errors are words about "its" member, for a sentence about what was read.
"""

from __future__ import annotations

from typing import Final, TypeVar

from gitcache.core.key import is_oid

_YEAR_10000: Final = 253402300800
"""Seconds since the epoch at which the year 10000 begins; ``datetime`` goes no further."""

_MOST: Final = (1 << 63) - 1
"""The largest count: what a signed word holds."""

_T = TypeVar("_T")


def texts(values: list[object]) -> tuple[str, ...]:
    """Return *values*, each of which must be a text."""
    if not all(isinstance(each, str) for each in values):
        raise ValueError("a list of texts holds something else")
    return tuple(str(each) for each in values)


def take(value: object, name: str, kind: type[_T]) -> _T:
    """Return the member *name* of the object *value*, which must be of *kind*."""
    if not isinstance(value, dict) or name not in value:
        raise ValueError(f"its {name} is missing")
    member = value[name]
    if not isinstance(member, kind) or (isinstance(member, bool) and kind is int):
        raise ValueError(f"its {name} is of a wrong type")
    return member


def take_oid(value: object, name: str) -> str:
    """Return the object id *name*: nothing else may get into a git command."""
    text = take(value, name, str)
    if not is_oid(text):
        raise ValueError(f"its {name} is no object id")
    return text


def take_count(value: object, name: str, most: int = _MOST) -> int:
    """Return the whole number *name* of the object *value*, 0 to *most*."""
    count = take(value, name, int)
    if not 0 <= count <= most:
        raise ValueError(f"its {name} is out of range")
    return count


def take_number(value: object, name: str) -> float:
    """Return the number *name* of the object *value*: seconds that a calendar can show."""
    number = take(value, name, object)
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ValueError(f"its {name} is no number")
    if not 0 <= number < _YEAR_10000:
        raise ValueError(f"its {name} is out of range")
    return float(number)
