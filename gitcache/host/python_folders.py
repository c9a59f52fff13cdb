"""Where Python's packages lie for a tool, told from the disk without starting Python.

Covered: ``python3`` and ``python`` on the tool's PATH, the interpreter behind the ``#!`` of its
program and of Python's usual runners there, ``VIRTUAL_ENV``, and ``.venv`` and ``venv`` at the
worktree's top and in the tool's folder. A virtual environment counts whole, scripts included; of
any other installation the folders ``site-packages`` and ``dist-packages``, the user's own included.
The interpreter counts by its program and shared library, and so does the standard library, which
comes with it and is not looked into. Folders in ``PYTHONPATH``, ``.pth`` files and editable
installs are followed; what code computes at run time (``sys.path.insert``) is not.

https://docs.python.org/3/library/site.html
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitcache.host.installed import Installed, Place, Unaccountable, existing
from gitcache.host.interpreter import ask_interpreter
from gitcache.host.python_leads import leads_of
from gitcache.host.script import interpreter_of, is_script

RUNNERS: Final = ("pytest", "mypy", "pyright", "ruff", "pip-audit", "tox", "nox", "coverage")
"""Programs on the PATH whose interpreter is looked at: what Python's tools are usually run by."""

_MANAGERS: Final = {
    "poetry": ("VIRTUAL_ENV", ".venv"),
    "pipenv": ("VIRTUAL_ENV", ".venv"),
    "pdm": ("VIRTUAL_ENV", ".venv"),
    "hatch": (),
    "pipx": (),
    "uvx": (),
}
"""Program that runs a tool in a virtual environment of its own → the ways that lead to it.

Where there is none of these, the environment may lie anywhere.
"""

_PYTHON: Final = re.compile(r"(?:python|pypy)(?P<version>3\.\d+)?[\d.]*[dmt]*")
"""The names of interpreters, such as ``python3.11``."""

_PROJECT_OWN: Final = (".venv", "venv")
_LIBRARIES: Final = ("lib", "lib64", "local/lib", "local/lib64")
_SITES: Final = ("site-packages", "dist-packages")
_CONFIG: Final = "pyvenv.cfg"


@dataclass(frozen=True, slots=True)
class _Environment:
    """One set of installed packages."""

    folders: tuple[Path, ...]
    sites: tuple[Path, ...]
    """The folders within :attr:`folders` that Python imports from."""

    files: tuple[Path, ...]


def python_folders(place: Place) -> tuple[Installed, ...] | Unaccountable:
    """Return what each Python installation consists of that a tool in *place* may use.

    Each is named after the ways that lead to it, such as ``python:python3 .venv``.
    """
    roles: dict[_Environment, dict[str, None]] = {}
    try:
        for role, program in _interpreters(place):
            environment = _environment_of(program, place)
            if environment is not None:
                roles.setdefault(environment, {})[role] = None
        if not _is_known(place, {name for each in roles.values() for name in each}):
            return Unaccountable(
                f"where {place.program} keeps its packages is not known; a .venv in the worktree is"
            )
        found = [_installed(each, " ".join(names)) for each, names in roles.items()]
    except (OSError, ValueError) as error:
        return Unaccountable(f"Python's packages can't be told: {error}")
    path = tuple(place.folders_in("PYTHONPATH"))
    return (*found, *([Installed("python:PYTHONPATH", leads=path)] if path else []))


def _is_known(place: Place, roles: Collection[str]) -> bool:
    """Return whether *roles* are all that the tool's program may install into."""
    ways = _MANAGERS.get(os.path.basename(place.program))
    return ways is None or any(way in roles for way in ways)


def _installed(environment: _Environment, names: str) -> Installed:
    leads = tuple(lead for site in environment.sites for lead in leads_of(site))
    return Installed(f"python:{names}", environment.folders, environment.files, leads)


def _interpreters(place: Place) -> Iterator[tuple[str, Path]]:
    """Yield each way that leads to an interpreter, and the interpreter."""
    for name in ("python3", "python"):
        if program := place.find(name):
            yield name, program
    for role, word in (("program", place.program), *zip(RUNNERS, RUNNERS, strict=True)):
        program = place.find(word)
        if program is not None and is_script(program):
            program = interpreter_of(program, place.find)
        if program is not None and _PYTHON.fullmatch(program.name):
            yield role, program
    if root := place.environ.get("VIRTUAL_ENV"):
        yield "VIRTUAL_ENV", place.cwd / root / "bin" / "python"
    for folder in dict.fromkeys((place.worktree, place.cwd)):
        for name in _PROJECT_OWN:
            if os.path.isfile(folder / name / _CONFIG):
                role = os.path.relpath(folder / name, place.worktree)
                yield role, folder / name / "bin" / "python"


def _environment_of(program: Path, place: Place) -> _Environment | None:
    """Return the packages of the interpreter *program*; None where it is none that works."""
    for hop in _hops(program):
        if os.path.isfile(hop.parent.parent / _CONFIG):
            return _virtual(hop.parent.parent, place)
    real = Path(os.path.realpath(program))
    if not os.path.isfile(real):
        return None
    if not _PYTHON.fullmatch(real.name) or is_script(real):
        asked = ask_interpreter(program, place)  # a version manager's stand-in, such as pyenv's
        if asked is None:
            return None
        if not os.path.isfile(asked) or is_script(asked):
            raise ValueError(f"{program} names {asked} as its interpreter")
        virtual = asked.parent.parent
        if os.path.isfile(virtual / _CONFIG):
            return _virtual(virtual, place)
        real = Path(os.path.realpath(asked))
    return _base(real, _version_in(real.name), place)


def _hops(program: Path) -> Iterator[Path]:
    """Yield *program* and each symbolic link's target on the way to the file."""
    for _ in range(40):  # as many as Linux follows (path_resolution(7))
        yield program
        if not program.is_symlink():
            return
        program = Path(os.path.normpath(program.parent / os.readlink(program)))


def _version_in(name: str) -> str | None:
    """Return the version, such as ``3.11``, in the *name* of an interpreter."""
    match = _PYTHON.fullmatch(name)
    return match["version"] if match else None


def _virtual(root: Path, place: Place) -> _Environment:
    """Return the virtual environment in *root*, with the one below it where it shows through.

    https://docs.python.org/3/library/venv.html
    """
    config = _read_config(root / _CONFIG)
    sites = existing(root.glob("lib*/python*/site-packages"))
    program = Path(os.path.realpath(root / "bin" / "python"))
    below = _base(program, _version_in(program.name) or _version_of(config), place)
    if config.get("include-system-site-packages", "").lower() != "true":
        return _Environment((root,), sites, below.files)
    return _Environment((root, *below.folders), (*sites, *below.sites), below.files)


def _read_config(path: Path) -> dict[str, str]:
    lines = path.read_text("utf-8", "replace").splitlines()
    pairs = [line.partition("=") for line in lines if "=" in line]
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _version_of(config: dict[str, str]) -> str | None:
    version = re.match(r"3\.\d+", config.get("version") or config.get("version_info", ""))
    return version[0] if version else None


def _base(program: Path, version: str | None, place: Place) -> _Environment:
    """Return the installation whose interpreter is the file *program*.

    Of a *version* that its name does not tell, the packages of all versions there count.
    """
    prefix = program.parent.parent
    if home := place.environ.get("PYTHONHOME"):
        prefix = place.cwd / home.split(os.pathsep)[0]
    sites = existing((*_site_folders(prefix, version), *_user_sites(version, place)))
    libraries = prefix.glob(f"lib*/libpython{version or 3}*.*")
    programs = [each for each in (program, *sorted(libraries)) if os.path.isfile(each)]
    return _Environment(sites, sites, tuple(programs))


def _site_folders(prefix: Path, version: str | None) -> Iterator[Path]:
    for library in _LIBRARIES:
        for site in _SITES:
            yield from sorted((prefix / library).glob(f"python{version or '3.*'}/{site}"))
            yield prefix / library / "python3" / site  # Debian's, for all versions


def _user_sites(version: str | None, place: Place) -> Iterator[Path]:
    """Yield the user's own folders of packages (PEP 370)."""
    name = version or "3.*"
    if base := place.environ.get("PYTHONUSERBASE"):
        yield from sorted((place.cwd / base).glob(f"lib/python{name}/site-packages"))
    elif place.home:
        yield from sorted(place.home.glob(f".local/lib/python{name}/site-packages"))
        yield from sorted(place.home.glob(f"Library/Python/{name}/lib/python/site-packages"))
