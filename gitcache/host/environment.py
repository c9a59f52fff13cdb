"""The environment half of the key: what decides a verdict and is not in the tree.

Each part is a name and a digest, computed by one row of :data:`_PARTS`; a part that does not apply
is absent. Values themselves never leave this module.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitcache.core.key import digest
from gitcache.core.variables import variable_digest
from gitcache.host.program import program_digest


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the parts are computed from."""

    files: tuple[Path, ...]
    """The programs that the tool's argv leads to, and the scripts that they read."""

    worktree: Path
    keyed: Mapping[str, str]
    """The variables that are in the key, by name."""

    cache: Path | None
    """The user's cache folder."""

    now: float
    """Seconds since the epoch."""

    is_told: Callable[[Path], bool] = lambda _: False
    """Whether the snapshot tells the content of a file."""

    rules: tuple[str, ...] = ()
    """What the settings say of variables that no key tells: nothing in a plain tool."""

    fails_by_leak: bool = False
    """Whether what the tool leaves running makes its run a failure."""

    stdin_digest: str | None = None
    """The digest of what is passed on the standard input; None: the null device."""


def capture(surroundings: Surroundings) -> dict[str, str]:
    """Return the digest of each part of the environment, by the part's name.

    Raises:
        OSError: something that counts can't be read.
    """
    return {name: value for part in _PARTS for name, value in part(surroundings)}


def _platform(_: Surroundings) -> Iterator[tuple[str, str]]:
    """The operating system, the architecture and the C library. Cost: two system calls."""
    system = os.uname()
    yield "platform", digest(system.sysname, system.machine, _c_library())


def _c_library() -> str:
    """Return the C library's family and version, empty where it does not tell."""
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (ValueError, OSError):
        return ""


def _program(surroundings: Surroundings) -> Iterator[tuple[str, str]]:
    """The content of the programs that the argv starts. Cost: a stat each.

    What the snapshot tells is left out, so that a commit's own scripts count as that commit has
    them, whatever lies on the disk.
    """
    digests = [
        program_digest(each, surroundings.cache, surroundings.now, surroundings.worktree)
        for each in surroundings.files
        if not surroundings.is_told(each)
    ]
    if digests:
        yield "program", digest(*digests)


def _variables(surroundings: Surroundings) -> Iterator[tuple[str, str]]:
    """Each keyed variable that is set; an unset one is absent. Cost: a hash a variable."""
    for name, value in surroundings.keyed.items():
        yield f"variable:{name}", variable_digest(name, value, str(surroundings.worktree))


def _rules(surroundings: Surroundings) -> Iterator[tuple[str, str]]:
    """How variables get to the tool, where the settings, which need not be tracked, say so."""
    if surroundings.rules:
        yield "rules", digest(*surroundings.rules)


def _leak(surroundings: Surroundings) -> Iterator[tuple[str, str]]:
    """What a leak means, where the settings say so: the same run then has another verdict."""
    if surroundings.fails_by_leak:
        yield "leak", digest("fail")


def _stdin(surroundings: Surroundings) -> Iterator[tuple[str, str]]:
    """What is passed on the standard input, where something is."""
    if surroundings.stdin_digest is not None:
        yield "stdin", surroundings.stdin_digest


_Part = Callable[[Surroundings], Iterator[tuple[str, str]]]

_PARTS: Final[tuple[_Part, ...]] = (_platform, _program, _variables, _rules, _leak, _stdin)
