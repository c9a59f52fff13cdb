"""Where in an argv a program stands: the runner's own, and the one that a launcher starts."""

from __future__ import annotations

import os
import posixpath
import re
from typing import Final

from gitcache.core.launchers import PackageScript, Read
from gitcache.core.runners.runner import Runner
from gitcache.core.runners.words import Argv
from gitcache.core.shell_text import Started, assigned

_FOLDER_OPTIONS: Final = frozenset(("-C", "--chdir", "--directory", "--dir", "--cwd", "--prefix"))
"""Options of launchers that say where what they start runs."""


def unassigned(words: Argv) -> Argv:
    """Return *words* without the ``NAME=VALUE`` words that they begin with."""
    while words and assigned(words[0]):
        words = words[1:]
    return words


def exact_place(words: Argv, step: object) -> int | None:
    """Return where in *words* the program stands that *step* starts with just the words there."""
    if isinstance(step, Read):
        place = next((at for at, word in enumerate(words) if at and word == step.word), None)
        return place if place is not None and "/" in step.word else None
    if not isinstance(step, Started):
        return None
    place = len(words) - len(step.argv)
    same = place > 0 and words[place + 1 :] == step.argv[1:]
    return place if same and words[place].split("@")[0] == step.argv[0].split("@")[0] else None


def folder_of(before: Argv, step: object) -> str:
    """Return where a launcher with the words *before* runs what it starts."""
    folder = step.folder if isinstance(step, Started) else "."
    if folder != "." or (isinstance(step, PackageScript) and step.folder != "."):
        return folder
    for place, word in enumerate(before):
        name, equals, value = word.partition("=")
        if name in _FOLDER_OPTIONS:
            folder = posixpath.join(folder, value if equals else "".join(before[place + 1 :][:1]))
    return folder


def program_place(words: Argv, runner: Runner) -> int | None:
    """Return where the word stands that names *runner*, if *words* begin with it."""
    if _is_program(words[0], runner.programs):
        return 0
    name = os.path.basename(words[0]).rstrip("0123456789.")
    if name == "coverage" and words[1:2] == ("run",):
        name = "python"
    return _module_place(words, runner.modules) if name in ("python", "pypy") else None


def _is_program(word: str, programs: frozenset[str]) -> bool:
    """Return whether *word* names one of *programs*: by its name, or as an installed file."""
    folder, name = posixpath.split(word)
    name = re.sub(r"(?<=.)@.*$", "", name)
    is_installed = posixpath.basename(folder) in ("bin", ".bin") or "node_modules/" in word
    return name in programs and (not folder or is_installed)


def _module_place(words: Argv, modules: frozenset[str]) -> int | None:
    """Return where the module's name stands if *words* are ``python -m`` and one of *modules*."""
    place = 2 if words[1:2] == ("run",) else 1
    while place < len(words) and words[place].startswith("-"):
        word = words[place]
        if word.startswith("-m") and word[2:] in modules:
            return place
        if re.fullmatch(r"-[A-Za-z]*m", word):
            return place + 1 if modules.intersection(words[place + 1 : place + 2]) else None
        place += 2 if word in ("-W", "-X", "--check-hash-based-pycs") else 1
    return None
