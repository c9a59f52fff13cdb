"""Where Node's packages lie for a tool: every ``node_modules`` through which it may resolve one.

Covered: from the tool's folder and from each package of the repository (root and workspaces) up to
the file system's root, the folders in ``NODE_PATH``, Node's old global folders, a globally
installed package whose program the tool starts, and yarn's Plug'n'Play. Links that lead out of a
``node_modules`` (``npm link``) are found when it is hashed. A package manager counts by its own
``package.json``: it starts scripts, and what it installs is looked at.

https://nodejs.org/api/modules.html#loading-from-node_modules-folders
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from gitcache.host.installed import Installed, Place, existing
from gitcache.host.json_file import read_object

_FOLDER: Final = "node_modules"
_MANIFEST: Final = "package.json"

_MANAGERS: Final = frozenset({"npm", "corepack", "yarn", "pnpm"})
"""Packages that start what others contain."""

RUNNERS: Final = (
    *("npm", "npx", "pnpm", "yarn", "eslint", "biome", "oxlint", "prettier", "tsc"),
    *("jest", "vitest", "mocha", "playwright"),
)
"""Programs on the PATH whose package is looked at: what Node's tools are usually run by."""

_ENTRIES: Final = ("main", "module", "browser", "types", "typings", "bin", "exports", "files")
"""Fields of a ``package.json`` that name what others load."""

_PLUG_AND_PLAY: Final = (".pnp.cjs", ".pnp.js", ".pnp.loader.mjs")
"""https://yarnpkg.com/features/pnp"""


def node_folders(place: Place, packages: Iterable[str]) -> tuple[Installed, ...]:
    """Return the folders from which packages are loaded by a tool in *place*.

    Args:
        place: where the tool runs.
        packages: the folders with a ``package.json``, relative to the worktree's top.
    """
    starts = [place.worktree, *place.folders, *(place.worktree / each for each in packages)]
    return (
        *_inside(place.worktree, starts),
        *_numbered("above", (each / _FOLDER for each in place.worktree.parents)),
        *_numbered("path", _global_folders(place)),
        *_programs(place),
        *_plug_and_play(place.worktree),
    )


def _inside(worktree: Path, starts: Iterable[Path]) -> Iterator[Installed]:
    """Yield the folders of packages from *starts* up to *worktree*, by their path in it."""
    folders = {
        folder
        for start in starts
        for folder in (start, *start.parents)
        if folder.is_relative_to(worktree)
    }
    for folder in sorted(folders):
        if os.path.isdir(folder / _FOLDER):
            yield Installed(str((folder / _FOLDER).relative_to(worktree)), (folder / _FOLDER,))


def _numbered(kind: str, folders: Iterable[Path]) -> Iterator[Installed]:
    """Yield those of *folders* that are there; their paths differ from machine to machine."""
    for number, folder in enumerate(existing(folders)):
        yield Installed(f"{_FOLDER}:{kind}:{number}", (folder,))


def _global_folders(place: Place) -> Iterator[Path]:
    yield from place.folders_in("NODE_PATH")
    if place.home:
        yield from (place.home / ".node_modules", place.home / ".node_libraries")
    if node := place.find("node"):
        yield Path(os.path.realpath(node)).parent.parent / "lib" / "node"


def _programs(place: Place) -> Iterator[Installed]:
    """Yield the globally installed packages of what the tool starts and of the usual runners."""
    for role, program in _started(place):
        package = _package_of(Path(os.path.realpath(program)))
        if package is None or package.is_relative_to(place.worktree):
            continue
        name = f"{_FOLDER}:global:{role}"
        if package.name in _MANAGERS:
            yield Installed(name, files=tuple(filter(os.path.isfile, [package / _MANIFEST])))
        else:
            yield Installed(name, (package,))


def _started(place: Place) -> Iterator[tuple[str, Path]]:
    """Yield each program that may belong to a package, and what it is called in the key."""
    for number, program in enumerate(dict.fromkeys(each.program for each in place.executions)):
        yield f"program {number + 1}" if number else "program", program
    for name in RUNNERS:
        if (found := place.find(name)) is not None:
            yield name, found


def _package_of(program: Path) -> Path | None:
    """Return the installed package that *program* belongs to; None where it is in none.

    It is the outermost one, which holds what it depends on; pnpm keeps that beside it, so there all
    that is installed counts.
    """
    parts = program.parts
    if _FOLDER not in parts[:-2]:
        return None
    start = parts.index(_FOLDER) + 1
    if parts[start] == ".pnpm":
        return Path(*parts[:start])
    return Path(*parts[: start + 1 + parts[start].startswith("@")])


def folders_above(package: Path) -> Iterator[Path]:
    """Yield the folders above *package* from which it loads others; none where it is no package."""
    if os.path.isfile(package / _MANIFEST):
        yield from existing(each / _FOLDER for each in package.parents)


def named_places(package: Path) -> Iterator[Path]:
    """Yield the files and folders at the top of *package* from which others load it.

    They are the first parts of the paths that its ``package.json`` names, such as ``dist`` of
    ``./dist/index.js``; a package without one has none.

    https://nodejs.org/api/packages.html#package-entry-points
    """
    manifest = read_object(package / _MANIFEST)
    paths = (text for field in _ENTRIES for text in _texts_in(manifest.get(field)))
    firsts = (os.path.normpath(each).split("/")[0] for each in paths)
    yield from (package / each for each in dict.fromkeys(firsts) if each not in ("", ".", ".."))


def _texts_in(value: object) -> Iterator[str]:
    """Yield the texts in a part of a JSON document; a mapping's names are none."""
    match value:
        case str():
            yield value
        case list():
            yield from (text for each in value for text in _texts_in(each))
        case dict():
            yield from (text for each in value.values() for text in _texts_in(each))


def _plug_and_play(worktree: Path) -> Iterator[Installed]:
    """Yield yarn's map of packages with what it maps to, where packages are loaded by it.

    Archives in yarn's global cache are named by their checksum in the map's lockfile.
    """
    maps = tuple(worktree / name for name in _PLUG_AND_PLAY if os.path.isfile(worktree / name))
    if maps:
        folders = existing(worktree / ".yarn" / name for name in ("unplugged", "cache"))
        yield Installed("plug-and-play", folders, maps)
