"""The small front: reads the words of a ``run`` without typer, whose import costs more than a hit.

It knows the options of ``run`` and nothing else. Any word that it does not understand, help and
mistakes included, is left to typer, which reads the same options again and says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Final

from gitcache.cli.display import FULL, Show, parse_show
from gitcache.core.units import parse_limit, parse_wait


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the words of a ``run`` ask for."""

    tools: tuple[str, ...] = ()
    behind: tuple[str, ...] | None = None
    """The words behind ``--``; None where there is no ``--``."""

    force: bool = False
    as_json: bool = False
    quiet: bool = False
    show: Show = FULL
    timeout: float | None = None
    """Seconds, infinity for no limit; None: what the settings say."""

    keep_going: bool = False
    pass_stdin: bool = False
    loose: bool = False
    verbose: bool = False
    raw: bool = False
    interactive: bool = False
    bisect: bool = False
    full: bool = False
    retry_failed: bool = False
    background: bool = False
    foreground: bool = False
    no_wait: bool = False
    wait: float | None = None
    """Seconds for which another's run is waited for, infinity for no bound; None: what the settings
    say."""


_SWITCHES: Final[dict[str, Callable[[RunOptions], RunOptions]]] = {
    "--force": lambda options: replace(options, force=True),
    "--json": lambda options: replace(options, as_json=True),
    "--quiet": lambda options: replace(options, quiet=True),
    "-q": lambda options: replace(options, quiet=True),
    "--keep-going": lambda options: replace(options, keep_going=True),
    "--stdin": lambda options: replace(options, pass_stdin=True),
    "--verbose": lambda options: replace(options, verbose=True),
    "-v": lambda options: replace(options, verbose=True),
    "--loose": lambda options: replace(options, loose=True),
    "--full": lambda options: replace(options, full=True),
    "--retry-failed": lambda options: replace(options, retry_failed=True),
    "--background": lambda options: replace(options, background=True),
    "--foreground": lambda options: replace(options, foreground=True),
    "--no-wait": lambda options: replace(options, no_wait=True),
    "--raw": lambda options: replace(options, raw=True),
    "--interactive": lambda options: replace(options, interactive=True),
    "--bisect": lambda options: replace(options, bisect=True),
}
"""Word to what it does to the options."""

_VALUES: Final = ("--output", "--timeout", "--wait")
"""Options that take a value, as the next word or behind ``=``."""


def read(words: Sequence[str]) -> RunOptions | None:
    """Return what *words* ask of ``run``, or None where typer must read them."""
    if not words or words[0] != "run":
        return None
    before, behind = split(words[1:])
    try:
        return replace(_read_options(iter(before)), behind=behind)
    except ValueError:
        return None


def split(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """Return *words* before and behind the first ``--``; None behind where there is none."""
    if "--" not in words:
        return tuple(words), None
    position = list(words).index("--")
    return tuple(words[:position]), tuple(words[position + 1 :])


def parse_timeout(text: str) -> float:
    """Return the seconds that *text* says, infinity for "none" and 0; ValueError for all else."""
    seconds = parse_limit(float(text) if text.replace(".", "", 1).isdecimal() else text)
    return inf if seconds is None else seconds


def parse_waiting(text: str) -> float:
    """Return the seconds that *text* says, infinity for "none"; ValueError for all else."""
    return parse_wait(float(text) if text.replace(".", "", 1).isdecimal() else text)


def _read_options(words: Iterator[str]) -> RunOptions:
    """Return the options that *words* give; ValueError where one is not known here."""
    options = RunOptions()
    for word in words:
        name, equals, value = word.partition("=")
        if word in _SWITCHES:
            options = _SWITCHES[word](options)
        elif name in _VALUES:
            options = _with_value(options, name, value if equals else next(words, ""))
        elif word.startswith("-"):
            raise ValueError(word)
        else:
            options = replace(options, tools=(*options.tools, word))
    return options


def _with_value(options: RunOptions, name: str, value: str) -> RunOptions:
    if name == "--output":
        return replace(options, show=parse_show(value))
    if name == "--wait":
        return replace(options, wait=parse_waiting(value))
    return replace(options, timeout=parse_timeout(value))
