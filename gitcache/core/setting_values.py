"""The vocabulary of a tool's table in the settings: every name, and how its value is read.

:data:`CONVERTERS` is the whole of it. Every name but ``command`` and ``shell`` is a field of
:class:`~gitcache.core.tool.Options`; a new setting is a row here and a field there. A converter
returns the value or raises ``ValueError`` with what is taken, worded to stand after "takes".

Which file and table a value stands in is not known here (:mod:`gitcache.core.settings`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitcache.core.tool import AD_HOC, ToolName, Words, parse_name
from gitcache.core.units import (
    parse_amount,
    parse_duration,
    parse_grace,
    parse_limit,
    parse_memory,
    parse_wait,
)
from gitcache.core.variable_names import is_git_local

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

RUNNERS = (
    *("pytest", "unittest", "vitest", "jest", "node", "mocha"),
    *("go", "cargo", "nextest", "rspec", "phpunit", "ctest"),
)
"""The test runners that a tool can be said to be: those of :mod:`gitcache.core.runners`."""

_LONGEST_SHOWN = 60
"""Characters of a string that a message shows: with its place, the message fits on two lines."""

_COMMAND_TAKES = "a string of words or an array of strings, the first not empty, without NUL"
_PATH_TAKES = 'a relative path without ".." or NUL'


def shown(value: object) -> str:
    """Return *value* as TOML writes it, on one short line and without control characters."""
    match value:
        case str():
            return _quoted(value if len(value) <= _LONGEST_SHOWN else f"{value[:_LONGEST_SHOWN]}…")
        case bool():
            return str(value).lower()
        case int() if value.bit_length() > 63:  # str() refuses to write thousands of digits
            return "a number beyond 64 bits"
        case list():
            items = ["an array" if isinstance(item, list) else shown(item) for item in value[:3]]
            return f"[{', '.join(items + ['…'] * (len(value) > 3))}]"
        case dict():
            return "a table"
    return str(value)


def _quoted(text: str) -> str:
    import json  # only a mistake needs it

    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(mark if mark.isprintable() else ascii(mark)[1:-1] for mark in quoted)


class UnfitItemError(ValueError):
    """What is taken, and the item of an array or table, as shown, that is not."""

    def __init__(self, takes: str, item: str) -> None:
        super().__init__(takes)
        self.item = item


def as_table(value: object) -> dict[str, object]:
    """Return *value* where it is a table."""
    if not isinstance(value, dict):
        raise ValueError("a table")
    return value


def as_tool_name(value: object) -> ToolName:
    """Return *value* where it can name a tool."""
    name = parse_name(value) if isinstance(value, str) else None
    if name is None or name == AD_HOC:
        raise ValueError(f'[A-Za-z0-9][A-Za-z0-9_-]{{0,63}} other than "{AD_HOC}"')
    return name


def _command(value: object) -> str | Words:
    """Return an array's words, or a string as it stands: ``shell`` says what becomes of it."""
    words: list[Any] = value if isinstance(value, list) else [value]
    if not all(isinstance(word, str) and "\0" not in word for word in words):
        raise ValueError(_COMMAND_TAKES)
    if not words or not words[0].strip():
        raise ValueError(_COMMAND_TAKES)
    return Words(tuple(words)) if isinstance(value, list) else words[0]


def as_words(text: str) -> Words:
    """Return the words of *text*, split as a POSIX shell splits them; nothing is expanded."""
    import shlex  # an array needs none

    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError("words quoted as a shell quotes them") from error
    if not words or not words[0].strip():
        raise ValueError(_COMMAND_TAKES)
    return Words(tuple(words))


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _whole_number(least: int) -> Callable[[object], int]:
    """Return the converter of a whole number that is *least* or more."""

    def convert(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**63:
            raise ValueError(f"a whole number, {least} or more")
        return value

    return convert


def _text(value: object) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError("a non-empty string without NUL")
    return value


def _path(value: object) -> str:
    """Return a path below the worktree's top, without empty and ``.`` parts."""
    if not isinstance(value, str) or not value or value.startswith("/") or "\0" in value:
        raise ValueError(_PATH_TAKES)
    parts = [part for part in value.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ValueError(_PATH_TAKES)
    return "/".join(parts) or "."


def _is_variable(name: str) -> bool:
    return name.isascii() and name.isidentifier()  # in ASCII: [A-Za-z_][A-Za-z0-9_]*


def _variable(value: object) -> str:
    if (
        not isinstance(value, str)
        or not _is_variable(value.removesuffix("*"))
        or is_git_local(value)
    ):
        raise ValueError("a variable name")
    return value


def _set_env(value: object) -> tuple[tuple[str, str], ...]:
    takes = "a table of variable names to strings without NUL"
    if not isinstance(value, dict):
        raise ValueError(takes)
    for name, text in value.items():
        if not _is_variable(name) or not isinstance(text, str) or "\0" in text:
            shown_name = name if _is_variable(name) else shown(name)
            raise UnfitItemError(takes, f"{shown_name} = {shown(text)}")
        if is_git_local(name):
            raise UnfitItemError("variables other than git's local ones", f"{name} = {shown(text)}")
    return tuple(sorted(value.items()))


def _array(takes: str, item: Callable[[object], str]) -> Callable[[object], tuple[str, ...]]:
    """Return the converter of an array whose every item goes through *item*."""

    def convert(value: object) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise ValueError(takes)
        return tuple(map(convert_item, value))

    def convert_item(value: object) -> str:
        try:
            return item(value)
        except ValueError as error:
            raise UnfitItemError(takes, shown(value)) from error

    return convert


def _choice(*names: str) -> Callable[[object], str]:
    """Return the converter of a string that is one of *names*."""

    def convert(value: object) -> str:
        if not isinstance(value, str) or value not in names:
            *others, last = [f'"{name}"' for name in names]
            raise ValueError(f"{', '.join(others)} or {last}")
        return value

    return convert


_texts = _array("an array of non-empty strings without NUL", _text)
_paths = _array('an array of relative paths without ".." or NUL', _path)
_variables = _array(
    'an array of variable names such as "CI" or "DJANGO_*", none of them git\'s local ones',
    _variable,
)
as_env_mode = _choice("strict", "loose")

CONVERTERS: Mapping[str, Callable[[object], object]] = {
    "command": _command,
    "shell": _boolean,
    "directory": _path,
    "inputs": _texts,
    "env": _variables,
    "pass_env": _variables,
    "set_env": _set_env,
    "env_mode": as_env_mode,
    "ignored_inputs": _texts,
    "dependencies": _paths,
    "dependency_check": _choice("content", "lockfile"),
    "outputs": _paths,
    "timeout": parse_limit,
    "grace": parse_grace,
    "leak": _choice("report", "fail"),
    "memory": parse_memory,
    "workers": _whole_number(1),
    "heap": parse_amount,
    "kill_marks": _boolean,
    "slots": _whole_number(0),
    "lock_wait": parse_wait,
    "max_age": parse_duration,
    "runner": _choice(*RUNNERS, "none"),
    "junit": _path,
    "retry": _whole_number(0),
    "flaky": _choice("pass", "fail"),
    "isolated": _boolean,
    "color": _boolean,
    "pty": _boolean,
}

NAMES = tuple(CONVERTERS)
"""The names that a tool's table takes."""
