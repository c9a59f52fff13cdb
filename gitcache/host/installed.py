"""Installed packages, as values: which places on the disk decide what a tool imports.

What lies there is hashed elsewhere. A place that is named here counts with all its content; a place
that it leads to (an editable install, a link) counts too, unless the snapshot tells its content.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gitcache.host.program import Execution, find_program


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tool runs, as far as its packages depend on it."""

    worktree: Path
    """The worktree's top folder, symbolic links resolved."""

    cwd: Path
    """The absolute folder in which the tool runs."""

    environ: Mapping[str, str]
    """Every variable that the tool sees, by name."""

    executions: tuple[Execution, ...]
    """What its argv leads to, the tool's own program first."""

    cache: Path | None
    """The user's cache folder; None: nothing is remembered."""

    def find(self, word: str) -> Path | None:
        """Return the file that the tool would execute for *word*."""
        return find_program(word, self.cwd, self.environ)

    @property
    def home(self) -> Path | None:
        """The home folder that the tool sees."""
        home = self.environ.get("HOME", "")
        return Path(home) if home.startswith("/") else None

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders of the worktree in which the tool and what it starts run, each once."""
        found = (self.cwd, *(Path(os.path.normpath(each.folder)) for each in self.executions))
        return tuple(dict.fromkeys(each for each in found if each.is_relative_to(self.worktree)))

    def folders_in(self, variable: str) -> tuple[Path, ...]:
        """Return the folders that *variable* lists as ``PATH`` does, for the tool or a part of it.

        A part of it may have a value of its own for it (``env NAME=VALUE``).
        """
        values = [(self.cwd, self.environ.get(variable, ""))]
        values += [(each.folder, each.environ.get(variable, "")) for each in self.executions]
        listed = (
            folder / each for folder, value in values for each in value.split(os.pathsep) if each
        )
        return tuple(dict.fromkeys(listed))


@dataclass(frozen=True, slots=True)
class Installed:
    """The packages of one interpreter or one ``node_modules``."""

    name: str
    """What it is called in the key: the same in every worktree and on every machine."""

    folders: tuple[Path, ...] = ()
    """Installed folders that count whole, in the order in which they are searched."""

    files: tuple[Path, ...] = ()
    """Files that count by their content, such as the interpreter."""

    leads: tuple[Path, ...] = ()
    """Where the lists in the folders lead to: files and folders, which need not exist."""


@dataclass(frozen=True, slots=True)
class Unaccountable:
    """Why it can't be told which packages a tool has."""

    reason: str


def existing(folders: Iterable[Path]) -> tuple[Path, ...]:
    """Return those of *folders* that are there, each once, whatever link leads to it."""
    return tuple({os.path.realpath(each): each for each in folders if os.path.isdir(each)}.values())
