"""Where the user's own files of this program lie (XDG Base Directory Specification)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

_NAME: Final = "git-toolcache"


def cache_folder(environ: Mapping[str, str]) -> Path | None:
    """Return the folder for what can be made again; None where the user has no home."""
    return _folder(environ, "XDG_CACHE_HOME", ".cache")


def _folder(environ: Mapping[str, str], variable: str, default: str) -> Path | None:
    """Return our folder below *variable*'s value, which must be absolute, or below the home."""
    base = environ.get(variable, "")
    if base.startswith("/"):
        return Path(base, _NAME)
    home = environ.get("HOME", "")
    return Path(home, default, _NAME) if home else None
