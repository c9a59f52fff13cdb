"""Which hooks git would run here, and whether they ask for stored results.

Hooks are read, never run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitcache.git.config import Setting, settings_named
from gitcache.git.repository import Repository

NAMES: Final = ("pre-commit", "pre-push")
"""The hooks in which a result of a tool is asked for."""

_CALL: Final = re.compile(rb"\bgit[ \t]+toolcache\b|\bgit-toolcache\b|-m[ \t]+gitcache\b")

_READ_AT_MOST: Final = 1 << 17
"""Bytes of a hook that are looked through: hooks are scripts of some lines."""


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook that is there."""

    name: str
    path: Path
    is_executable: bool
    """Whether git runs it: one that is not executable is passed over (githooks(5))."""

    calls_us: bool
    """Whether its text names git toolcache."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """What git has to say of hooks here."""

    folder: Path
    is_there: bool
    """Whether the folder is there."""

    setting: Setting | None
    """``core.hooksPath``; None where it is not set."""

    hooks: tuple[Hook, ...]
    """Those of :data:`NAMES` that are there."""


def hooks_of(repository: Repository) -> Hooks:
    """Return the hooks of *repository*; RepositoryError where git can't tell."""
    git = repository.git
    words = ("rev-parse", "--path-format=absolute", "--git-path", "hooks")
    folder = Path(os.fsdecode(git.run(*words).removesuffix(b"\n")))
    setting = next(iter(settings_named(git, r"^core\.hookspath$")), None)
    return Hooks(folder, folder.is_dir(), setting, tuple(_hooks_in(folder)))


def _hooks_in(folder: Path) -> Iterator[Hook]:
    for name in NAMES:
        path = folder / name
        if path.is_file():
            yield Hook(name, path, os.access(path, os.X_OK), _calls_us(path))


def _calls_us(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return _CALL.search(file.read(_READ_AT_MOST)) is not None
    except OSError:
        return False
