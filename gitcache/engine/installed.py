"""The installed half of the environment: interpreters, runners and packages, as parts of the key.

Which of them count follows from the command and from the files of the repository; what they hold is
told by :mod:`gitcache.engine.installed_digests`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitcache.core.content import Snapshot
from gitcache.engine.context import Context
from gitcache.engine.installed_digests import InstalledDigests
from gitcache.engine.resolve import Plan
from gitcache.git.repository import Repository
from gitcache.git.tracked_names import tracked_named
from gitcache.host.dirs import cache_folder
from gitcache.host.ecosystem_programs import (
    MARKERS,
    NODE,
    PYTHON,
    ecosystem_programs,
    ecosystems_of,
    ecosystems_started,
)
from gitcache.host.folder import DiskFolder
from gitcache.host.installed import Installed, Place, Unaccountable
from gitcache.host.node_folders import node_folders
from gitcache.host.program import Chain, program_digest
from gitcache.host.python_folders import declared_folder, python_folders
from gitcache.host.version_managers import chosen_versions

_IGNORED: Final = {
    "ruby": ("vendor", "vendor/bundle"),
    "php": ("vendor",),
    "go": ("vendor",),
    "elixir": ("deps",),
}
"""Ecosystem → folders at the worktree's top into which its packages are installed.

They count where the snapshot does not tell them.
"""


@dataclass(frozen=True, slots=True)
class Found:
    """What is installed for a plan, and where."""

    place: Place
    programs: Mapping[str, Path]
    """The interpreters and runners of the ecosystems, by their names in the key."""

    packages: tuple[Installed, ...]


@dataclass(frozen=True, slots=True)
class InstalledParts:
    """What is installed, as parts of the key."""

    parts: Mapping[str, str]
    """Name → digest."""

    places: tuple[Path, ...]
    """The folders and files of packages that count with their content."""


def find_installed(
    plan: Plan, chain: Chain, repository: Repository, snapshot: Snapshot, context: Context
) -> Found | Unaccountable:
    """Return what counts of all that is installed for *plan*.

    Args:
        plan: what would be started.
        chain: what its argv leads to.
        repository: the worktree.
        snapshot: its content.
        context: the surroundings of the call.

    Raises:
        OSError: something that counts can't be read.
        RepositoryError: git can't list the tracked files.
    """
    place = Place(
        worktree=plan.top,
        cwd=plan.cwd,
        environ=plan.environment.passed,
        executions=chain.executions,
        cache=cache_folder(context.environ),
    )
    patterns = [each for patterns in MARKERS.values() for each in patterns]
    untracked = [each.path for each in snapshot.changes if _is_marker(each.path)]
    markers = (*tracked_named(repository, patterns), *untracked)
    ecosystems = _ecosystems(place, markers)
    programs = {
        f"program:{name}": path for name, path in ecosystem_programs(place, ecosystems).items()
    }
    packages = _packages(plan, place, ecosystems, markers)
    return packages if isinstance(packages, Unaccountable) else Found(place, programs, packages)


def installed_parts(
    plan: Plan, chain: Chain, repository: Repository, snapshot: Snapshot, context: Context
) -> InstalledParts | Unaccountable:
    """Return the digest of each part of what is installed, by the part's name.

    Arguments and errors are those of :func:`find_installed`; :class:`RepositoryError` also where a
    folder that counts can't be read whole, or the index of it not be written.
    """
    found = find_installed(plan, chain, repository, snapshot, context)
    if isinstance(found, Unaccountable):
        return found
    place, now = found.place, context.now()
    programs = {
        name: program_digest(path, place.cache, now, place.worktree)
        for name, path in found.programs.items()
    }
    started = (each.program for each in chain.executions)
    versions = chosen_versions(place, (*found.programs.values(), *started))
    by_lists = plan.tool.options.dependency_check == "lockfile"
    digests = InstalledDigests(place, repository, now, by_lists)
    packages = digests.parts(found.packages)
    if isinstance(packages, Unaccountable):
        return packages
    return InstalledParts({**programs, **versions, **packages}, digests.places)


def _ecosystems(place: Place, markers: Iterable[str]) -> tuple[str, ...]:
    """Return the ecosystems of the tracked *markers*, of what lies here, and of what is started."""
    names = {os.path.basename(each) for each in markers}
    marked = ecosystems_of(names | DiskFolder(place.worktree).names | DiskFolder(place.cwd).names)
    return tuple(dict.fromkeys((*marked, *sorted(ecosystems_started(place.executions)))))


def _packages(
    plan: Plan, place: Place, ecosystems: Collection[str], markers: Iterable[str]
) -> tuple[Installed, ...] | Unaccountable:
    """Return what counts: what the tool declares, else all that is detected."""
    if plan.tool.options.dependencies is not None:
        declared = plan.tool.options.dependencies
        return tuple(declared_folder(f"dependencies:{name}", plan.top / name) for name in declared)
    projects = {os.path.dirname(each): None for each in markers if _is_of_python(each)}
    python = python_folders(place, projects) if PYTHON in ecosystems else ()
    if isinstance(python, Unaccountable):
        return python
    packages = [os.path.dirname(each) for each in markers if each.endswith("package.json")]
    node = node_folders(place, packages) if NODE in ecosystems else ()
    names = dict.fromkeys(name for each in ecosystems for name in _IGNORED.get(each, ()))
    others = [Installed(name, leads=(plan.top / name,)) for name in names]
    return (*python, *node, *(each for each in others if os.path.isdir(each.leads[0])))


def _is_marker(path: str) -> bool:
    return bool(ecosystems_of((os.path.basename(path),)))


def _is_of_python(path: str) -> bool:
    return PYTHON in ecosystems_of((os.path.basename(path),))
