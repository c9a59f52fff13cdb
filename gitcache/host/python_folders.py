"""Where Python's packages lie for a tool, told from the disk without starting Python.

Covered: ``python3`` and ``python`` on the tool's PATH, every interpreter that its argv leads to
(:mod:`gitcache.host.program`), the one behind the ``#!`` of Python's usual runners there,
``VIRTUAL_ENV``, and ``.venv`` and ``venv`` at the worktree's top, in the folders in which the tool
and what it starts run, and beside each project file. A virtual environment counts whole, scripts
included; of any other installation the folders ``site-packages`` and ``dist-packages``, the user's
own included. The interpreter counts by its program and shared library, and so does the standard
library, which comes with it and is not looked into. Folders in ``PYTHONPATH``, ``.pth`` files and
editable installs are followed; what code computes at run time (``sys.path.insert``) is not.

https://docs.python.org/3/library/site.html
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from gitcache.host.installed import Installed, Place, Unaccountable, existing
from gitcache.host.interpreter import ask_interpreter
from gitcache.host.program import Execution, chain_of, is_script
from gitcache.host.python_leads import leads_of

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

KEPT_ELSEWHERE: Final = "keeps its packages is not known"
"""What the reason says where such a program runs the tool."""

UNREADABLE: Final = "Python's packages can't be told"
"""How the reason begins where a list of packages can't be read."""

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


def python_folders(
    place: Place, projects: Iterable[str] = ()
) -> tuple[Installed, ...] | Unaccountable:
    """Return what each Python installation consists of that a tool in *place* may use.

    Each is named after the ways that lead to it, such as ``python:python3 .venv``.

    Args:
        place: where the tool runs.
        projects: the folders with a project file, relative to the worktree's top.
    """
    roles: dict[_Environment, dict[str, None]] = {}
    try:
        for role, program, where in _interpreters(place, projects):
            environment = _environment_of(program, where)
            if environment is not None:
                roles.setdefault(environment, {})[role] = None
        manager = _unknown_manager(place, {name for each in roles.values() for name in each})
        if manager is not None:
            return Unaccountable(f"where {manager} {KEPT_ELSEWHERE}; a .venv in the worktree is")
        found = [_installed(each, " ".join(names)) for each, names in roles.items()]
    except (OSError, ValueError) as error:
        return Unaccountable(f"{UNREADABLE}: {error}")
    path = place.folders_in("PYTHONPATH")
    return (*found, *([Installed("python:PYTHONPATH", leads=path)] if path else []))


def declared_folder(name: str, folder: Path) -> Installed:
    """Return *folder*, whatever it holds, with what its lists lead to, if it has Python's."""
    sites = existing((folder, *folder.glob("lib*/python*/site-packages")))
    return Installed(
        name, (folder,), leads=tuple(lead for site in sites for lead in leads_of(site))
    )


def _unknown_manager(place: Place, roles: Set[str]) -> str | None:
    """Return the program that may have installed into an environment that is none of *roles*."""
    names = (each.program.name for each in place.executions)
    ways = ((name, _MANAGERS[name]) for name in names if name in _MANAGERS)
    return next((name for name, known in ways if roles.isdisjoint(known)), None)


def _installed(environment: _Environment, names: str) -> Installed:
    leads = tuple(lead for site in environment.sites for lead in leads_of(site))
    return Installed(f"python:{names}", environment.folders, environment.files, leads)


def _interpreters(place: Place, projects: Iterable[str]) -> Iterator[tuple[str, Path, Place]]:
    """Yield each way that leads to an interpreter, the interpreter, and where it runs."""
    for name in ("python3", "python"):
        if program := place.find(name):
            yield name, program, place
    for number, each in enumerate(_executed(place)):
        role = f"program {number + 1}" if number else "program"
        yield role, each.program, replace(place, cwd=each.folder, environ=each.environ)
    for name in RUNNERS:
        if program := _behind_runner(name, place):
            yield name, program, place
    if own := place.environ.get("VIRTUAL_ENV"):
        yield "VIRTUAL_ENV", place.cwd / own / "bin" / "python", place
    for root in _own_environments(place, projects):
        yield os.path.relpath(root, place.worktree), root / "bin" / "python", place


def _behind_runner(name: str, place: Place) -> Path | None:
    """Return the interpreter that reads the program *name*, if it is Python's."""
    found = chain_of((name,), place.cwd, place.environ).executions
    return next((each.program for each in found if _PYTHON.fullmatch(each.program.name)), None)


def _own_environments(place: Place, projects: Iterable[str]) -> Iterator[Path]:
    """Yield the virtual environments that lie in the worktree where tools make them."""
    chosen = place.environ.get("UV_PROJECT_ENVIRONMENT")
    if chosen and os.path.isfile(place.worktree / chosen / _CONFIG):
        yield place.worktree / chosen
    folders = (place.worktree, *place.folders, *(place.worktree / each for each in projects))
    for folder in dict.fromkeys(folders):
        for name in _PROJECT_OWN:
            if os.path.isfile(folder / name / _CONFIG):
                yield folder / name


def _executed(place: Place) -> list[Execution]:
    """Return the interpreters that the tool's argv leads to, each once."""
    found: dict[Path, Execution] = {}
    for each in place.executions:
        if _PYTHON.fullmatch(each.program.name):
            found.setdefault(Path(os.path.normpath(each.program)), each)
    return [*found.values()]


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
    if program.is_relative_to(root) and config.get("home"):
        program = Path(config["home"]) / program.name  # it is a copy
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
