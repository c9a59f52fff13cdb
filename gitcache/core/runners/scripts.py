"""Scripts of packages, and the words by which npm and its likes call them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from gitcache.core.ecosystems.documents import json_object, mapping
from gitcache.core.runners.found import ByScript, Direct, EachPackage, Found
from gitcache.core.runners.runner import Line
from gitcache.core.runners.words import Argv

MANAGERS: Final = frozenset(("npm", "pnpm", "yarn", "bun"))
"""The programs that run scripts of packages."""

_BEFORE_NAMES: Final = frozenset(
    ("run", "run-script", "foreach", "workspace", "workspaces", "recursive", "multi")
)
"""Words of theirs behind which a script's name stands."""

_EACH_PACKAGE: Final = frozenset(
    (
        *("-r", "--recursive", "-ws", "--workspaces", "-w", "--workspace"),
        *("-F", "--filter", "workspace", "workspaces", "recursive", "multi"),
    )
)
"""Words of managers that mean other packages than the one that is here."""

_SOME_PACKAGES: Final = frozenset(("-F", "--filter", "-w", "--workspace", "workspace"))
"""Those of them that choose packages."""


def script_of_each(words: Argv) -> EachPackage | None:
    """Return the script of every package that *words* run; None: they do something else."""
    manager = os.path.basename(words[0])
    names = [each for each in words[1:] if each[:1] != "-" and each not in _BEFORE_NAMES]
    is_for_all = not any(word.split("=")[0] in _SOME_PACKAGES for word in words)
    if len(names) != 1 or not is_for_all:
        return None
    return EachPackage(manager, "test" if names[0] == "t" else names[0])


def means_packages(words: Argv) -> bool:
    """Return whether a manager's *words* mean other packages than the one that is here."""
    return any(each.split("=")[0] in _EACH_PACKAGE for each in _own_words(words))


def _own_words(words: Argv) -> Argv:
    """Return the words that are the manager's: up to ``--`` for npm, else up to a name."""
    behind = words[1:]
    if os.path.basename(words[0]) == "npm":
        return behind[: behind.index("--")] if "--" in behind else behind
    ends = (at for at, each in enumerate(behind) if each[:1] != "-" and each not in _BEFORE_NAMES)
    return behind[: next(ends, len(behind))]


def scripts_in(manifest: str) -> dict[str, str]:
    """Return the scripts in the text of a ``package.json``: name → text for the shell."""
    scripts = mapping(json_object(manifest).get("scripts"))
    return {name: text for name, text in scripts.items() if isinstance(text, str)}


def is_alone_in(name: str, scripts: Mapping[str, str]) -> bool:
    """Return whether no script runs before or after the one that is called *name*."""
    return not {f"pre{name}", f"post{name}"}.intersection(scripts)


def called(words: Argv, place: int, inner: Found, folder: str, *, is_alone: bool) -> Found:
    """Return the runner of a script in *folder*, as *words* call it by its name at *place*.

    It has no line where the words that the script gets can't be told.
    """
    readable = replace(inner, line=None, launch=Direct(()))
    manager = os.path.basename(words[0])
    call, extra = _split_call(manager, words, place)
    if extra is None or inner.line is None or inner.directory != folder:
        return readable
    written = (*inner.line.written, *extra)
    told = inner.runner.grammar.read(written)
    if told is None or not isinstance(inner.launch, Direct):
        return readable
    launch = ByScript(manager, call, extra, inner.launch.before, is_alone)
    return replace(inner, line=Line(inner.line.head, told, written), launch=launch)


def _split_call(manager: str, words: Argv, place: int) -> tuple[Argv, Argv | None]:
    """Return the manager's own words, and those for the script; None: they can't be told.

    npm keeps options for itself up to ``--``, which it takes away. The others hand over all that
    stands behind the name: pnpm with the ``--``, yarn and bun with it or without by version.
    """
    behind = words[place + 1 :]
    if manager != "npm":
        is_told = manager == "pnpm" or behind[:1] != ("--",)
        return words[: place + 1], behind if is_told else None
    end = behind.index("--") if "--" in behind else len(behind)
    if any(not word.startswith("-") for word in behind[:end]):
        return words, None
    return (*words[: place + 1], *behind[:end]), behind[end + 1 :]
