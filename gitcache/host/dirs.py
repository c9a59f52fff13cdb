"""Where the user's own files of this program lie (XDG Base Directory Specification)."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_NAME: Final = "git-toolcache"

_SHORT: Final = 50
"""Characters that leave room for a socket's name in the 108 that its path may have (unix(7))."""


def cache_folder(environ: Mapping[str, str]) -> Path | None:
    """Return the folder for what can be made again; None where the user has no home."""
    return _folder(environ, "XDG_CACHE_HOME", ".cache")


def state_folder(environ: Mapping[str, str]) -> Path | None:
    """Return the folder for what lives with this machine; None where the user has no home."""
    return _folder(environ, "XDG_STATE_HOME", ".local/state")


def runtime_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder for what lives no longer than its processes, of short path."""
    base = environ.get("XDG_RUNTIME_DIR", "")
    if base.startswith("/") and len(base) < _SHORT:
        return Path(base, _NAME)
    return Path(f"/tmp/{_NAME}-{os.getuid()}")  # noqa: S108  # used only where it is ours alone


def why_shared(folder: Path) -> str:
    """Return why *folder* is not its user's alone; empty where it is, or is not there yet."""
    try:
        facts = os.lstat(folder)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return error.strerror or str(error)
    if not stat.S_ISDIR(facts.st_mode):
        return "it is no folder"
    if facts.st_uid != os.geteuid():
        return "it is another user's"
    return "others may reach into it" if stat.S_IMODE(facts.st_mode) & 0o077 else ""


def _folder(environ: Mapping[str, str], variable: str, default: str) -> Path | None:
    """Return our folder below *variable*'s value, which must be absolute, or below the home."""
    base = environ.get(variable, "")
    if base.startswith("/"):
        return Path(base, _NAME)
    home = environ.get("HOME", "")
    return Path(home, default, _NAME) if home else None
