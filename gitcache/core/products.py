"""What tools leave in a worktree beside content: coverage data, logs, reports, caches.

A path is taken for such a product by its name alone. Where a name is in doubt it is none: a product
that is missed costs a run, a source file that is taken for one would cost a right answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final


@dataclass(frozen=True, slots=True)
class Place:
    """A place where tools put products and people put nothing."""

    line: str
    """The line for ``.gitignore`` that names all such places."""


_FOLDERS: Final = frozenset(
    {
        "coverage",
        ".nyc_output",
        "test-results",
        ".pytest_cache",
        "__pycache__",
        ".turbo",
        ".vitest",
    }
)

_FILES: Final = (".coverage", ".coverage.*", "*.log", "junit*.xml", "*.tsbuildinfo")

LINES_TOLD: Final = 8
"""How many lines for ``.gitignore`` a hint names before it counts the rest."""

_WRITTEN_BY_PEOPLE: Final = (".git", ".env", ".coveragerc", "conftest.py")
"""Beginnings of names that are content wherever they lie: they say what somebody is to do."""

_TEST: Final = re.compile(
    r"(?:test_.*|.*[._-](?:test|spec)s?)\.(?:py|[cm]?[jt]sx?|go|rb|php|exs?|rs)"
    r"|.*(?:Test|Tests|Spec)\.(?:java|kt|cs|php|swift)"
)
"""Names under which runners look for tests, also in a folder that is called ``coverage``."""


def place_of(path: str) -> Place | None:
    """Return the place in which the product *path* lies; None where it is taken for content.

    Args:
        path: relative to the worktree's top, parted by ``/``.
    """
    *folders, name = path.split("/")
    if name.startswith(_WRITTEN_BY_PEOPLE) or _TEST.fullmatch(name):
        return None
    for folder in folders:
        if folder in _FOLDERS:
            return Place(f"{folder}/")
    for pattern in _FILES:
        if fnmatchcase(name, pattern):
            return Place(pattern)
    return Place("/" + _escaped(path)) if fnmatchcase(name, ".coverage*") else None


def is_product(path: str) -> bool:
    """Return whether *path* lies in one of the places."""
    return place_of(path) is not None


def among_sources(paths: Iterable[str], tracked: Iterable[str]) -> frozenset[str]:
    """Return the products among *paths* whose folder holds *tracked* files: it is one of sources.

    Hidden files are no sign: ``.gitkeep`` keeps an empty folder.
    """
    folders = {path: folder for path in paths if (folder := _folder_of(path)) is not None}
    if not folders:
        return frozenset()
    sources = {_folder_of(each) for each in tracked if not _name(each).startswith(".")}
    return frozenset(path for path, folder in folders.items() if folder in sources)


def ignore_lines(made: Iterable[str], kept: Iterable[str]) -> tuple[str, ...]:
    """Return lines for the ``.gitignore`` at the top that name every path *made*, none of *kept*.

    A product is named by its place, else the outermost folder that holds nothing to keep.

    Args:
        made: files, relative to the worktree's top.
        kept: the other files that count.
    """
    others = [*kept]
    folders = {folder for path in others for folder in _folders(path)}
    taken = _names_taken(others, folders)
    return tuple(sorted({_line(path, taken, folders) for path in made}))


def hint_to_ignore(lines: tuple[str, ...]) -> str:
    """Return the sentence that tells *lines*, at least one, for ``.gitignore``."""
    told = ", ".join(lines[:LINES_TOLD])
    rest = len(lines) - LINES_TOLD
    more = f" and {rest} more" if rest > 0 else ""
    return f"if the tool makes them, .gitignore wants: {told}{more}"


def _names_taken(kept: Iterable[str], folders: Collection[str]) -> set[str]:
    """Return the lines of places that would name something to keep as well."""
    taken = {f"{_name(each)}/" for each in folders}
    names = {_name(each) for each in (*kept, *folders)}
    taken.update(each for each in _FILES if any(fnmatchcase(name, each) for name in names))
    return taken


def _line(path: str, taken: Collection[str], folders: Collection[str]) -> str:
    place = place_of(path)
    if place is not None and place.line not in taken:
        return place.line
    for folder in reversed([*_folders(path)]):
        if folder not in folders:
            return f"/{_escaped(folder)}/"
    return f"/{_escaped(path)}"


def _folder_of(path: str) -> str | None:
    """Return the outermost folder around *path* that is one of products by its name."""
    parts = path.split("/")
    for depth, folder in enumerate(parts[:-1]):
        if folder in _FOLDERS:
            return "/".join(parts[: depth + 1])
    return None


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _folders(path: str) -> Iterator[str]:
    """Yield every folder above *path*, innermost first."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _escaped(path: str) -> str:
    """Return *path* as a pattern of gitignore(5); what a line can't hold, any letter stands for."""
    text = re.sub(r"([*?\[\\])", r"\\\1", path)
    text = re.sub(r"[\r\n]", "?", text)
    return re.sub(r" +$", lambda match: "\\ " * len(match[0]), text)
