"""The installed half of the environment: interpreters, runners and packages, as parts of the key.

The host says where packages lie, git hashes what lies there; here the two meet, and what leads out
of an installed folder is followed until nothing new is found.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

from gitcache.core.key import digest
from gitcache.engine.context import Context
from gitcache.engine.resolve import Plan
from gitcache.git.installed_folder import FolderLook, look_into
from gitcache.git.repository import Repository
from gitcache.git.tracked_names import ignored_among, tracked_named
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
from gitcache.host.installer_records import records_digest
from gitcache.host.node_folders import named_places, node_folders
from gitcache.host.program import Chain, program_digest
from gitcache.host.python_folders import python_folders
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


def installed_parts(
    plan: Plan, chain: Chain, repository: Repository, context: Context
) -> dict[str, str] | Unaccountable:
    """Return the digest of each part of what is installed for *plan*, by the part's name.

    Args:
        plan: what would be started.
        chain: what its argv leads to.
        repository: the worktree.
        context: the surroundings of the call.

    Raises:
        OSError: something that counts can't be read.
        RepositoryError: a part of a folder that counts can't be read, or its index not written.
    """
    place = Place(
        worktree=plan.top,
        cwd=plan.cwd,
        environ=plan.environment.passed,
        executions=chain.executions,
        cache=cache_folder(context.environ),
    )
    patterns = [each for patterns in MARKERS.values() for each in patterns]
    markers = tracked_named(repository, patterns)
    ecosystems = _ecosystems(place, markers)
    paths = ecosystem_programs(place, ecosystems)
    programs = {
        f"program:{name}": program_digest(path, place.cache, context.now(), place.worktree)
        for name, path in paths.items()
    }
    started = (each.program for each in chain.executions)
    programs.update(chosen_versions(place, (*paths.values(), *started)))
    found = _installed(plan, place, ecosystems, markers)
    if isinstance(found, Unaccountable):
        return found
    by_lists = plan.tool.options.dependency_check == "lockfile"
    counted = _Counting(place, repository, context.now(), by_lists).parts(found)
    return counted if isinstance(counted, Unaccountable) else {**programs, **counted}


def _ecosystems(place: Place, markers: Iterable[str]) -> tuple[str, ...]:
    """Return the ecosystems of the tracked *markers*, of what lies here, and of what is started."""
    names = {os.path.basename(each) for each in markers}
    marked = ecosystems_of(names | DiskFolder(place.worktree).names | DiskFolder(place.cwd).names)
    return tuple(dict.fromkeys((*marked, *sorted(ecosystems_started(place.executions)))))


def _installed(
    plan: Plan, place: Place, ecosystems: Collection[str], markers: Iterable[str]
) -> tuple[Installed, ...] | Unaccountable:
    """Return what counts: what the tool declares, else all that is detected."""
    if plan.tool.options.dependencies is not None:
        declared = plan.tool.options.dependencies
        return tuple(Installed(f"dependencies:{name}", (plan.top / name,)) for name in declared)
    projects = {os.path.dirname(each): None for each in markers if _is_of_python(each)}
    python = python_folders(place, projects) if PYTHON in ecosystems else ()
    if isinstance(python, Unaccountable):
        return python
    packages = [os.path.dirname(each) for each in markers if each.endswith("package.json")]
    node = node_folders(place, packages) if NODE in ecosystems else ()
    names = dict.fromkeys(name for each in ecosystems for name in _IGNORED.get(each, ()))
    others = [Installed(name, leads=(plan.top / name,)) for name in names]
    return (*python, *node, *(each for each in others if os.path.isdir(each.leads[0])))


def _is_of_python(path: str) -> bool:
    return PYTHON in ecosystems_of((os.path.basename(path),))


class _Counting:
    """Hashes installed folders, each once, and follows where they lead."""

    def __init__(self, place: Place, repository: Repository, now: float, by_lists: bool) -> None:
        self._place = place
        self._repository = repository
        self._now = now
        self._by_lists = by_lists
        self._looks: dict[Path, FolderLook] = {}
        self._counted: set[Path] = set()
        """The folders and files that are in one part or another."""

    def parts(self, found: Sequence[Installed]) -> dict[str, str] | Unaccountable:
        """Return the digest of each of *found*, by its name.

        Absent is one of which the snapshot tells all.
        """
        self._look_into([_real(folder) for each in found for folder in each.folders])
        self._counted.update(_real(file) for each in found for file in each.files)
        parts = {}
        for each in found:
            digests = self._digests(each)
            if isinstance(digests, Unaccountable):
                return digests
            if digests:
                parts[each.name] = digest(*digests)
        return parts

    def _look_into(self, folders: Iterable[Path]) -> None:
        new = [each for each in dict.fromkeys(folders) if each not in self._looks]
        listed = {each: records_digest(each) for each in new} if self._by_lists else {}
        self._looks.update({each: FolderLook(told, ()) for each, told in listed.items() if told})
        whole = [each for each in new if each not in self._looks]
        self._looks.update(look_into(self._repository, whole, int(self._now * 1e9)))
        self._counted.update(new)

    def _digests(self, installed: Installed) -> list[str] | Unaccountable:
        """Return the digests of what *installed* names, then of what that leads to."""
        looks = [self._looks[_real(each)] for each in installed.folders]
        digests = [each.digest for each in looks] + [self._file(each) for each in installed.files]
        waiting = [*installed.leads, *(lead for each in looks for lead in each.leads)]
        while waiting:
            new = self._uncounted(waiting)
            if isinstance(new, Unaccountable):
                return new
            files = [each for each in new if os.path.isfile(each)]
            folders = [each for each in new if each not in files]
            self._look_into(folders)
            self._counted.update(files)
            looks = [self._looks[each] for each in folders]
            digests += [each.digest for each in looks] + [self._file(each) for each in files]
            waiting = [lead for each in looks for lead in each.leads]
        return digests

    def _uncounted(self, leads: Iterable[Path]) -> list[Path] | Unaccountable:
        """Return the places to which *leads* lead, without those that count already."""
        places = [each for each in dict.fromkeys(map(_real, leads)) if not self._counts(each)]
        home = self._place.home
        too_big = {*self._place.worktree.parents, *([home, *home.parents] if home else [])}
        if place := next((each for each in places if each in too_big), None):
            return Unaccountable(
                f"an installed package leads to {place}, of which not everything can count"
            )
        return self._not_in_snapshot(places)

    def _counts(self, place: Path) -> bool:
        return not self._counted.isdisjoint((place, *place.parents))

    def _not_in_snapshot(self, places: Sequence[Path]) -> list[Path]:
        """Return those of *places* whose content the snapshot does not tell.

        Of a package of the worktree, it does not tell the ignored places that its manifest names.
        """
        top = self._place.worktree
        own = [each for each in places if each.is_relative_to(top)]
        named = (_real(built) for each in own for built in named_places(each))
        places = [*places, *(each for each in named if not self._counts(each))]
        inside = {str(each.relative_to(top)): each for each in places if top in each.parents}
        ignored = ignored_among(self._repository, list(inside))
        told = {path for name, path in inside.items() if name not in ignored} | {top}
        return [each for each in places if each not in told]

    def _file(self, path: Path) -> str:
        return f"file {program_digest(path, self._place.cache, self._now)}"


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
