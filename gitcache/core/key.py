"""The key: what makes two runs the same run.

:class:`KeyInputs` holds every fact that may decide a verdict; the key is the SHA-256 of their
canonical JSON. One ordered list of names, :data:`NAMES`, drives the hash, the check on reading and
the check on writing, so an input can't be in one and missing in another. Where a run happened
(worktree, host, user, branch) is never among them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, NewType, Self

from gitcache.core.tool import ToolName, parse_name

Key = NewType("Key", str)
"""64 lower-case hex digits; the last part of the entry's ref."""

TreeId = NewType("TreeId", str)
"""A git tree's object id in hex: 40 digits, 64 in a SHA-256 repository."""

CommitId = NewType("CommitId", str)
"""A git commit's object id in hex."""

SCHEMA: Final = 1
"""The number of the entry's format and of the rules behind the key; a new number shares nothing."""

_KEY: Final = re.compile(r"[0-9a-f]{64}")
_OID: Final = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


def is_oid(text: str) -> bool:
    """Return whether *text* is a whole object id in hex."""
    return _OID.fullmatch(text) is not None


def parse_key(text: str) -> Key | None:
    """Return *text* as a key, or None where it can't be one."""
    return Key(text) if _KEY.fullmatch(text) else None


@dataclass(frozen=True, slots=True)
class KeyInputs:
    """Every fact that decides a verdict, in the order of the design."""

    tool: ToolName
    argv: tuple[str, ...]
    """After expansion, with any extra words of the user."""

    directory: str
    """Where the tool runs, relative to the worktree's top; ``.`` is the top."""

    tree: TreeId
    """The snapshot's tree, or the tree that the tool's ``inputs`` select."""

    environment: Mapping[str, str] = field(default_factory=dict)
    """Part name to digest, of all that the tree does not show."""

    blind_spots: Mapping[str, str] = field(default_factory=dict)
    """Kind and path to digest, of what git does not see; empty in a plain checkout."""

    limits: Mapping[str, str] = field(default_factory=dict)
    """What the settings ask for, never what was derived from this machine's size."""

    isolation: Literal["in-place", "isolated"] = "in-place"
    terminal: Mapping[str, str] = field(default_factory=dict)
    """What was done for colours, as :mod:`gitcache.core.terminal` words it; mostly nothing."""

    schema: int = SCHEMA

    def to_json(self) -> dict[str, Any]:
        """Return the inputs as JSON values, by name, without empty ones of :data:`_OPTIONAL`."""
        values = {name: getattr(self, name) for name in NAMES}
        values["argv"] = list(self.argv)
        return {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in values.items()
            if value or name not in _OPTIONAL
        }

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Return the inputs that *value* tells.

        Raises:
            ValueError: a name is missing, unknown or of the wrong type.
        """
        if not isinstance(value, dict):
            raise ValueError("the key inputs are no object")
        given = {**{name: {} for name in _OPTIONAL}, **value}
        if set(given) != set(NAMES):
            raise ValueError(f"the key inputs are {sorted(value)}, not {sorted(NAMES)}")
        for name, is_right in _CHECKS.items():
            if not is_right(given[name]):
                raise ValueError(f"the key input {name} has a wrong value")
        return cls(**{**given, "argv": tuple(given["argv"])})


NAMES: Final = (
    "schema",
    "tool",
    "argv",
    "directory",
    "tree",
    "environment",
    "blind_spots",
    "limits",
    "isolation",
    "terminal",
)
"""Every key input, in the order in which differences are told."""

assert set(NAMES) == {each.name for each in fields(KeyInputs)}  # noqa: S101 - a rule of this module

_OPTIONAL: Final = frozenset({"blind_spots", "limits", "terminal"})
"""Mappings that a plain run has nothing in."""


def _is_argv(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(word, str) for word in value)


def _is_text_map(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


_CHECKS: Final[dict[str, Callable[[object], bool]]] = {
    "schema": lambda value: type(value) is int and value == SCHEMA,
    "tool": lambda value: isinstance(value, str) and parse_name(value) is not None,
    "argv": _is_argv,
    "directory": lambda value: isinstance(value, str) and bool(value),
    "tree": lambda value: isinstance(value, str) and is_oid(value),
    "environment": _is_text_map,
    "blind_spots": _is_text_map,
    "limits": _is_text_map,
    "isolation": lambda value: value in ("in-place", "isolated"),
    "terminal": _is_text_map,
}


def canonical(inputs: KeyInputs) -> bytes:
    """Return the one spelling of *inputs*: JSON with sorted names, no spaces, in UTF-8.

    A byte of an argv that is no UTF-8 is a lone surrogate in Python and stays one here, so that no
    two argvs share a spelling.
    """
    text = json.dumps(inputs.to_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


def derive_key(inputs: KeyInputs) -> Key:
    """Return the SHA-256 of the canonical *inputs*."""
    return Key(hashlib.sha256(canonical(inputs)).hexdigest())


def digest(*parts: str | bytes) -> str:
    """Return the SHA-256 of *parts*, each with its length before it, in hex.

    Used for every value that is keyed by its digest; the lengths keep ``("ab", "c")`` and
    ``("a", "bc")`` apart.
    """
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        total.update(b"%d:" % len(data))
        total.update(data)
    return total.hexdigest()
