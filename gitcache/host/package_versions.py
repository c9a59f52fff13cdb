"""What is installed in words: names and versions, for people; no key depends on them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gitcache.host.installed import Place
from gitcache.host.json_file import read_object
from gitcache.host.program import is_script

_SITES: Final = ("", "lib*/python*/site-packages/")
"""Where Python's packages lie in an installed folder: in it, or below a virtual environment's."""

_INFO: Final = re.compile(r"(?P<name>.+?)-(?P<version>\d[^-]*)(?:-.*)?\.(?:dist|egg)-info")
"""https://packaging.python.org/en/latest/specifications/recording-installed-packages/"""

_PNPM: Final = re.compile(r"(?P<name>.[^@]*)@(?P<version>\d[^_(]*)")
_MODULES: Final = "node_modules/"

_ASKED: Final = {
    **dict.fromkeys(("python", "pypy", "node", "ruby", "php", "deno", "bun"), "--version"),
    **dict.fromkeys(("cargo", "rustc", "ruff", "uv", "make", "just"), "--version"),
    "go": "version",
    "java": "-version",
}
"""Program, without the digits of a version → the word by which it says its version at once."""

_LONGEST: Final = 5.0
"""Seconds that a program may take to say its version; these take less than a tenth of one."""

_VERSION: Final = re.compile(rb"\d+\.\d+[\w.+-]*")


def package_versions(folder: Path) -> dict[str, str]:
    """Return package name → version of what lies in the installed *folder*, where it says so."""
    found = dict(_of_python(folder))
    if folder.name == _MODULES.rstrip("/"):
        found.update(_of_npm(folder) or _of_pnpm(folder) or _of_manifests(folder))
    return found


def _of_python(folder: Path) -> Iterator[tuple[str, str]]:
    for site in _SITES:
        for path in folder.glob(f"{site}*-info"):
            if match := _INFO.fullmatch(path.name):
                yield match["name"].lower().replace("_", "-"), match["version"]


def _of_npm(folder: Path) -> dict[str, str]:
    """Return what npm has noted of its installation."""
    packages = read_object(folder / ".package-lock.json").get("packages")
    listed = packages.items() if isinstance(packages, dict) else ()
    return {
        str(path).removeprefix(_MODULES): str(each["version"])
        for path, each in listed
        if isinstance(each, dict) and "version" in each
    }


def _of_pnpm(folder: Path) -> dict[str, str]:
    """Return what the names of the folders in pnpm's store of a project tell."""
    names = (path.name.replace("+", "/") for path in folder.glob(".pnpm/*@*"))
    return {match["name"]: match["version"] for name in names if (match := _PNPM.match(name))}


def _of_manifests(folder: Path) -> dict[str, str]:
    manifests = [*folder.glob("[!.@]*/package.json"), *folder.glob("@*/*/package.json")]
    versions = {each.parent: read_object(each).get("version") for each in manifests}
    return {str(path.relative_to(folder)): str(value) for path, value in versions.items() if value}


def program_version(program: Path, place: Place) -> str | None:
    """Return the version that *program* says it has; None for one that is not asked.

    Asked are known programs outside of the worktree that are no scripts: what a stand-in would say
    depends on more than itself.
    """
    real = Path(os.path.realpath(program))
    name = re.sub(r"[\d.]+[dmt]*$", "", real.name)
    if name not in _ASKED or real.is_relative_to(place.worktree) or is_script(real):
        return None
    from gitcache.host.call import Call, Ended
    from gitcache.host.process import run_process  # a hit is spared it

    said: list[bytes] = []
    call = Call((str(real), _ASKED[name]), Path(os.sep), place.environ, timeout=_LONGEST)
    ended = run_process(call, lambda _, data: said.append(data))
    found = _VERSION.search(b"".join(said))
    return found[0].decode("ascii", "replace") if found and isinstance(ended, Ended) else None
