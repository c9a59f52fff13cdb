"""Scripts: files that another program reads, which their first line names."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from gitcache.core.shebang import interpreters_of

_HEAD: Final = 1 << 12
"""Bytes of a script that hold its interpreter's name: Linux reads 255, installers write more."""


def is_script(program: Path) -> bool:
    """Return whether the file *program* is read by another program; OSError as it is raised."""
    with open(program, "rb") as file:
        return file.read(2) == b"#!"


def interpreter_of(program: Path, find: Callable[[str], Path | None]) -> Path | None:
    """Return the program that reads the script *program*; None where it names none that is there.

    Args:
        program: an existing file.
        find: returns the file that is executed for a word, for ``#!/usr/bin/env WORD``.
    """
    with open(program, "rb") as file:
        named = list(interpreters_of(file.read(_HEAD), str(program), ()))
    words = [word for each in named[-1:] for part in each[:-1] for word in part.split(" ")]
    if words and os.path.basename(words[0]) == "env":
        words = [each for each in words[1:] if not each.startswith("-") and "=" not in each]
    return find(words[0]) if words else None
