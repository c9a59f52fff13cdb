"""How many bytes lie in a folder, part by part."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

ITSELF: Final = "."
"""The name of what lies in the folder itself."""


def usage_of(folder: Path) -> dict[str, int]:
    """Return the bytes of the files in each folder of *folder*, and of those in itself.

    Links count as links. What can't be read, or goes meanwhile, counts as nothing.
    """
    found: dict[str, int] = {}
    for place, _, names in os.walk(folder):
        part = os.path.relpath(place, folder).split(os.sep)[0]
        size = sum(_size(os.path.join(place, name)) for name in names)
        if size or part != ITSELF:
            found[part] = found.get(part, 0) + size
    return dict(sorted(found.items()))


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0
