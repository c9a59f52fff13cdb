"""How a package is installed on this machine: a command to be told, never one to be run."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Final

_COMMANDS: Final = {
    "apt-get": "sudo apt-get install",
    "dnf": "sudo dnf install",
    "zypper": "sudo zypper install",
    "pacman": "sudo pacman -S",
    "apk": "sudo apk add",
    "brew": "brew install",
    "port": "sudo port install",
}
"""Package manager → the words before the package's name."""


def install_command(package: str, environ: Mapping[str, str]) -> str:
    """Return the command by which *package* is installed or brought up to date here."""
    path = environ.get("PATH")
    managers = (words for name, words in _COMMANDS.items() if shutil.which(name, path=path))
    return f"{next(managers, 'brew install')} {package}"
