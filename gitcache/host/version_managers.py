"""What version managers choose by: their stand-in is one file, whichever version it starts.

So where a program is a stand-in, the files count by which its manager decides: its own settings,
the files that name a version from the tool's folder upwards, and which versions are installed.
Which variables decide is the business of :mod:`gitcache.core.variables`. Managers that only change
the PATH (nvm, fnm, conda, SDKMAN) have no stand-ins, and need no row.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitcache.core.key import digest
from gitcache.host.installed import Place


@dataclass(frozen=True, slots=True)
class _Manager:
    """One version manager."""

    name: str
    stand_ins: tuple[str, str, str]
    """The folder of the stand-ins: a variable, what it defaults to in the home, a folder below."""

    names: tuple[str, ...] = ()
    """Files that name a version, in the tool's folder, each one above it, and the home."""

    state: tuple[str, str] | None = None
    """The manager's own folder, as variable and default; None: the one with the stand-ins in it."""

    files: tuple[str, ...] = ()
    """Patterns of files in that folder that decide by their content."""

    versions: tuple[str, ...] = ()
    """Patterns of folders in it that are installed versions; links count with their targets."""


def _env(tool: str, file: str) -> _Manager:
    """Return a manager of rbenv's family; https://github.com/rbenv/rbenv#understanding-shims."""
    stand_ins = (f"{tool.upper()}_ROOT", f".{tool}", "shims")
    return _Manager(tool, stand_ins, (file,), files=("version",), versions=("versions/*",))


_MANAGERS: Final = (
    # https://rust-lang.github.io/rustup/overrides.html
    _Manager(
        "rustup",
        ("CARGO_HOME", ".cargo", "bin"),
        names=("rust-toolchain", "rust-toolchain.toml"),
        state=("RUSTUP_HOME", ".rustup"),
        files=("settings.toml", "update-hashes/*"),
        versions=("toolchains/*",),
    ),
    # https://asdf-vm.com/manage/configuration.html
    _Manager(
        "asdf",
        ("ASDF_DATA_DIR", ".asdf", "shims"),
        names=(".tool-versions", ".asdfrc", ".node-version", ".nvmrc", ".ruby-version"),
        versions=("installs/*/*",),
    ),
    # https://mise.jdx.dev/configuration.html
    _Manager(
        "mise",
        ("MISE_DATA_DIR", ".local/share/mise", "shims"),
        names=(
            *("mise.toml", ".mise.toml", "mise.local.toml", ".tool-versions"),
            *(".config/mise/config.toml", ".node-version", ".nvmrc", ".ruby-version"),
        ),
        versions=("installs/*/*",),
    ),
    # https://docs.volta.sh/advanced/workspaces
    _Manager(
        "volta",
        ("VOLTA_HOME", ".volta", "bin"),
        names=("package.json",),
        files=("tools/user/platform.json", "tools/user/bins/*.json"),
    ),
    _env("pyenv", ".python-version"),
    _env("rbenv", ".ruby-version"),
    _env("nodenv", ".node-version"),
    _env("goenv", ".go-version"),
    _env("jenv", ".java-version"),
)


def chosen_versions(place: Place, programs: Iterable[Path]) -> dict[str, str]:
    """Return the digest of what each version manager with a stand-in among *programs* decides by.

    The part's name is ``versions:`` and the manager's.

    Args:
        place: where the tool runs.
        programs: the programs that count, by the paths by which they are found.

    Raises:
        OSError: a file that decides can't be read.
    """
    folders = {os.path.normpath(each.parent) for each in programs}
    parts = {}
    for manager in _MANAGERS:
        variable, default, below = manager.stand_ins
        root = _root(place, variable, default)
        if root is not None and os.path.normpath(root / below) in folders:
            own = _root(place, *manager.state) if manager.state else root
            parts[f"versions:{manager.name}"] = digest(*_decisions(manager, own or root, place))
    return parts


def _root(place: Place, variable: str, default: str) -> Path | None:
    if value := place.environ.get(variable):
        return place.cwd / value
    return place.home / default if place.home else None


def _decisions(manager: _Manager, own: Path, place: Place) -> Iterator[str | bytes]:
    """Yield the names and contents of what *manager* decides by, the nearest first."""
    folders = dict.fromkeys((place.cwd, *place.cwd.parents, *([place.home] if place.home else [])))
    named = (folder / name for folder in folders for name in manager.names)
    settings = (path for pattern in manager.files for path in sorted(own.glob(pattern)))
    for path in (*named, *settings):
        if os.path.isfile(path):
            yield from (path.name, path.read_bytes())
    for pattern in manager.versions:
        for path in sorted(own.glob(pattern)):
            yield from (path.name, os.readlink(path) if path.is_symlink() else "")
