"""How long a program takes that does nothing: the floor under all that is started."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib.util import cache_from_source
from pathlib import Path
from time import perf_counter
from typing import Final

_IMPORT: Final = "import sys; sys.path.insert(0, sys.argv[1]); import gitcache.cli.run"
"""What a plain ``run`` has imported before it looks at anything."""

_PACKAGE: Final = str(Path(__file__).parents[2])


def python_start(environ: Mapping[str, str]) -> float | None:
    """Return the seconds that an interpreter takes to start and end; None where none starts."""
    return _seconds(environ, "-c", "pass")


def own_start(environ: Mapping[str, str]) -> float | None:
    """Return the same for an interpreter that imports what a hit needs."""
    return _seconds(environ, "-c", _IMPORT, _PACKAGE)


def is_compiled() -> bool:
    """Return whether the byte code of this package is kept."""
    try:
        return os.path.exists(cache_from_source(__file__))
    except NotImplementedError:  # this python keeps none, wherever it may be
        return False


def _seconds(environ: Mapping[str, str], *words: str) -> float | None:
    """Return how long our interpreter runs with *words*; None where it ends in error.

    Nothing of the current folder is imported (``-P``).
    """
    if not sys.executable:
        return None
    silent = [(os.POSIX_SPAWN_OPEN, each, os.devnull, os.O_RDWR, 0) for each in range(3)]
    start = perf_counter()
    try:
        argv = [sys.executable, "-P", *words]
        pid = os.posix_spawn(sys.executable, argv, environ, file_actions=silent)
        _, status = os.waitpid(pid, 0)
    except OSError:
        return None
    return perf_counter() - start if status == 0 else None
