"""The flags by which test runners and linters colour what they print into a pipe.

A row is here only where the flag colours the runner's own output and reaches nothing else, so that
it can't change a verdict. Jest has none: its ``--color`` makes chalk and its likes colour within
the tests too, in its worker processes as well, and snapshots then differ. Biome has none: it then
prints links and other characters too. What an argv does not
name as a word of its own (the text of a shell, a package's script, a Makefile) is left alone, and
so is an argv that says anything about colours itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from gitcache.core.launchers import started_by
from gitcache.core.shell_text import Started

Argv = tuple[str, ...]


class Coloured(NamedTuple):
    """An argv that asks for colours."""

    argv: Argv
    flag: str
    """The word that was added."""


class _Flag(NamedTuple):
    word: str
    subcommands: frozenset[str] = frozenset()
    """The words behind which alone it is taken; empty: it is taken behind the program's name."""


_FLAGS: Final[Mapping[str, _Flag]] = {
    # https://docs.pytest.org/en/stable/reference/reference.html#command-line-flags
    **dict.fromkeys(("pytest", "py.test"), _Flag("--color=yes")),
    # https://vitest.dev/guide/cli.html: seen by the main process only, not by those of the tests
    "vitest": _Flag("--color"),
    # https://doc.rust-lang.org/cargo/commands/cargo-test.html#display-options: cargo and rustc
    # colour what they say themselves; the test programs do not get it
    "cargo": _Flag(
        "--color=always", frozenset(("bench", "build", "check", "clippy", "doc", "test"))
    ),
    # https://eslint.org/docs/latest/use/command-line-interface#--color---no-color
    "eslint": _Flag("--color"),
}
"""Program to its flag."""

_MODULES: Final = ("pytest",)
"""Programs of :data:`_FLAGS` that ``python -m`` starts under the same name."""

_SPEAKS: Final = re.compile(r"-.*colou?r|[^/=]*colou?r[^/=]*=|.*no:terminal", re.IGNORECASE)
"""A word that says something about colours, or that pytest is to do without its terminal part."""

_VARIABLES: Final = frozenset(
    ("FORCE_COLOR", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "PY_COLORS", "CARGO_TERM_COLOR")
)
"""Variables that say whether to colour: a tool that sees one is told already."""

_MAY_HAVE_SCRIPTS: Final = frozenset(("pipenv", "pdm", "hatch", "rye", "yarn"))
"""Launchers that take the word behind ``run`` for a script of the project's own, if there is one,
or that may read the options of a program as theirs."""

_BIN_FOLDERS: Final = ("bin", ".bin")
"""Folders in which a file has a runner's name because it is one, and not a script around it."""

_DEEPEST: Final = 8
"""Launchers in one argv that are looked through: more than anybody writes."""


def coloured(argv: Argv, variables: Iterable[str]) -> Coloured | None:
    """Return *argv* with the flag for colours of the runner that it names; None where none is.

    Args:
        argv: what would be started.
        variables: the names of the variables that it would see.
    """
    if any(map(_SPEAKS.match, argv)) or not _VARIABLES.isdisjoint(variables):
        return None
    place = _runner_in(argv)
    flag = None if place is None else _FLAGS[_name(argv[place])]
    if place is None or flag is None:
        return None
    if flag.subcommands:
        place = _subcommand_behind(argv, place)
        if argv[place] not in flag.subcommands:
            return None
    return Coloured((*argv[: place + 1], flag.word, *argv[place + 1 :]), flag.word)


def _runner_in(argv: Argv) -> int | None:
    """Return where the runner stands in *argv*, launchers before it looked through."""
    place = 0
    for _ in range(_DEEPEST):
        words = argv[place:]
        if _is_runner(words[0]):
            return place
        module = _module_in(words)
        if module is not None:
            return place + module
        step = _step(words)
        if step is None:
            return None
        place += step
    return None


def _is_runner(word: str) -> bool:
    folder = os.path.basename(os.path.dirname(word))
    return _name(word) in _FLAGS and ("/" not in word or folder in _BIN_FOLDERS)


def _name(word: str) -> str:
    """Return the program that *word* names: ``.venv/bin/pytest`` and ``-mpytest`` mean pytest."""
    name = os.path.basename(word).removeprefix("-m")
    return re.sub(r"(?<=.)@.*$", "", name)


def _module_in(words: Argv) -> int | None:
    """Return where the name of a runner's module stands in *words*, if they are ``python -m``."""
    if os.path.basename(words[0]).rstrip("0123456789.") not in ("python", "pypy"):
        return None
    position = 1
    while position < len(words) and words[position].startswith("-"):
        word = words[position]
        if word.removeprefix("-m") in _MODULES:
            return position
        if re.fullmatch(r"-[A-Za-z]*m", word):
            is_runner = words[position + 1 : position + 2] in [(each,) for each in _MODULES]
            return position + 1 if is_runner else None
        position += 2 if word in ("-W", "-X", "--check-hash-based-pycs") else 1
    return None


def _step(words: Argv) -> int | None:
    """Return how far behind its launcher the program stands that *words* start for certain."""
    launcher, started = os.path.basename(words[0]), started_by(words)
    if launcher in _MAY_HAVE_SCRIPTS or len(started) != 1:
        return None
    (only,) = started
    if not isinstance(only, Started):
        return None
    step = len(words) - len(only.argv)
    if step < 1 or words[step + 1 :] != only.argv[1:] or _name(words[step]) != _name(only.argv[0]):
        return None
    if launcher == "npm" and "--" not in words[:step]:  # npm takes options that stand there
        return None
    return step


def _subcommand_behind(argv: Argv, place: int) -> int:
    """Return where the first word stands behind the program at *place* that is no option."""
    for position in range(place + 1, len(argv)):
        if not argv[position].startswith(("-", "+")):
            return position
    return place
