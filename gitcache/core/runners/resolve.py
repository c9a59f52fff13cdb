"""Names that a runner printed, resolved to files of the worktree.

A name counts only where it is an existing file inside the worktree; a guess that leads nowhere is
dropped, since a focused run of the wrong files would be for nothing.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from gitcache.core.runners.runner import Printed, Project

MOST_FILES: Final = 100
"""Files beyond which a run of them alone is no shorter way to the answer, so that none is named."""


def resolved(printed: Iterable[Printed], project: Project, directory: str) -> tuple[str, ...]:
    """Return the files that are meant, relative to the worktree's top, each once, in their order.

    Args:
        printed: what the runner named.
        project: the worktree.
        directory: where the runner ran, relative to the top.

    Returns:
        At most :data:`MOST_FILES` files; none where there are more.
    """
    names = _Names(project, directory)
    files = dict.fromkeys(file for each in printed if (file := names.file(each)) is not None)
    return tuple(files) if len(files) <= MOST_FILES else ()


class _Names:
    """The worktree's files, by the last part of their names once that is asked for."""

    def __init__(self, project: Project, directory: str) -> None:
        self._project = project
        self._directory = directory
        self._by_name: dict[str, list[str]] | None = None
        self._known: dict[Printed, str | None] = {}

    def file(self, printed: Printed) -> str | None:
        """Return the file that *printed* means; None where there is none, or more than one."""
        if printed not in self._known:
            found = (self._one(way, printed.folder) for way in printed.ways)
            self._known[printed] = next(filter(None, found), None)
        return self._known[printed]

    def _one(self, way: str, folder: str) -> str | None:
        within = self._within(way)
        if within is None:
            return None
        for path in self._places(within, folder, is_absolute=way.startswith("/")):
            if path and self._project.exists(path):
                return path
        return None if way.startswith("/") else self._unique(within)

    def _within(self, way: str) -> str | None:
        """Return *way* relative to the top, or to where it was printed; None: it is elsewhere."""
        path = posixpath.normpath(way)
        if not way or "\0" in way or way.endswith("/"):
            return None
        if not path.startswith("/"):
            return path
        tops = (f"{top.rstrip('/')}/" for top in self._project.tops)
        return next((path.removeprefix(top) for top in tops if path.startswith(top)), None)

    def _places(self, path: str, folder: str, *, is_absolute: bool) -> Iterator[str | None]:
        """Yield where *path* may lie, relative to the top, the likeliest first."""
        if folder and not is_absolute:
            base = self._within(folder) if folder.startswith("/") else self._joined(folder)
            yield None if base is None else _inside(posixpath.join(base, path))
        yield _inside(path)
        if not is_absolute:
            yield self._joined(path)

    def _joined(self, path: str) -> str | None:
        return _inside(posixpath.join(self._directory, path))

    def _unique(self, path: str) -> str | None:
        """Return the only tracked file whose path ends with the parts of *path*."""
        parts = [part for part in path.split("/") if part != ".."]
        suffix = "/".join(parts)
        if self._by_name is None:
            self._by_name = _by_last_part(self._project.tracked)
        found = [
            each
            for each in self._by_name.get(posixpath.basename(suffix), ())
            if each == suffix or each.endswith(f"/{suffix}")
        ]
        return found[0] if len(found) == 1 and self._project.exists(found[0]) else None


def _by_last_part(paths: Collection[str]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        named[posixpath.basename(path)].append(path)
    return named


def _inside(path: str) -> str | None:
    """Return *path* without ``.`` and ``..``; None where it leads out of the worktree."""
    path = posixpath.normpath(path)
    return None if path == ".." or path.startswith(("../", "/")) else path
