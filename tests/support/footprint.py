"""All that lies below a folder, so that a look which leaves a trace is found out."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

Trace = tuple[int, int, bytes]
"""Mode, time of change in nanoseconds, content; the last two only where they count."""


def footprint(root: Path) -> dict[str, Trace]:
    """Return every path below *root* with what must not change by a look at it.

    Left out is what is ours: the folder ``toolcache`` of a git folder. Of folders only the names
    in them count, not their time.
    """
    return {str(path.relative_to(root)): _trace(path) for path in _below(root)}


def _below(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        if "HEAD" in names and "toolcache" in folders:
            folders.remove("toolcache")
        yield from (Path(folder, name) for name in (*folders, *names))


def _trace(path: Path) -> Trace:
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        return found.st_mode, found.st_mtime_ns, os.fsencode(path.readlink())
    if not stat.S_ISREG(found.st_mode):
        return found.st_mode, 0, b""
    # Whoever reads a split index renews the time of its shared half, and whoever has a use for an
    # object that is there already may renew the object's, so that it is not collected.
    is_renewed = path.name.startswith("sharedindex.") or "objects" in path.parts
    return found.st_mode, 0 if is_renewed else found.st_mtime_ns, path.read_bytes()
