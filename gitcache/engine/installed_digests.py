"""The digests of installed packages: each folder is hashed once, and what leads out is followed.

The host says where packages lie, git hashes what lies there; here the two meet.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from gitcache.core.key import digest
from gitcache.git.installed_folder import FolderLook, look_into
from gitcache.git.repository import Repository
from gitcache.git.tracked_names import ignored_among
from gitcache.host.installed import Installed, Place, Unaccountable
from gitcache.host.installer_records import records_digest
from gitcache.host.node_folders import folders_above, named_places
from gitcache.host.program import program_digest

LEADS_TOO_FAR: Final = "an installed package leads to"
"""How the reason begins where a lead can't count with all that lies there."""


class InstalledDigests:
    """Hashes installed folders, each once, and follows where they lead."""

    def __init__(self, place: Place, repository: Repository, now: float, by_lists: bool) -> None:
        """Begin with nothing counted.

        Args:
            place: where the tool runs.
            repository: the worktree.
            now: seconds since the epoch.
            by_lists: whether the installers' own lists are taken for what is installed.
        """
        self._place = place
        self._repository = repository
        self._now = now
        self._by_lists = by_lists
        self._looks: dict[Path, FolderLook] = {}
        self._counted: set[Path] = set()
        """The folders and files that are in one part or another."""

        self._listed: set[Path] = set()
        """Those of these folders of which the installers' lists are taken."""

    def parts(self, found: Sequence[Installed]) -> dict[str, str] | Unaccountable:
        """Return the digest of each of *found*, by its name.

        Absent is one of which the snapshot tells all.

        Raises:
            OSError: something that counts can't be read.
            RepositoryError: a part of a folder that counts can't be read, or its index not written.
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

    @property
    def places(self) -> tuple[Path, ...]:
        """The folders that count whole and the files that count, as far as parts were asked for."""
        return tuple(sorted(self._counted - self._listed))

    def _look_into(self, folders: Iterable[Path]) -> None:
        new = [each for each in dict.fromkeys(folders) if each not in self._looks]
        listed = {each: records_digest(each) for each in new} if self._by_lists else {}
        self._looks.update({each: FolderLook(told, ()) for each, told in listed.items() if told})
        self._listed.update(each for each, told in listed.items() if told)
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
            return Unaccountable(f"{LEADS_TOO_FAR} {place}, of which not everything can count")
        return self._not_in_snapshot(places)

    def _counts(self, place: Path) -> bool:
        return not self._counted.isdisjoint((place, *place.parents))

    def _not_in_snapshot(self, places: Sequence[Path]) -> list[Path]:
        """Return those of *places* whose content the snapshot does not tell.

        Of a package of the worktree, it does not tell the ignored places that its manifest names;
        a package elsewhere loads others through the folders above it, too.
        """
        top = self._place.worktree
        own = [each for each in places if each.is_relative_to(top)]
        named = [_real(built) for each in own for built in named_places(each)]
        outside = [each for each in places if each not in own]
        named += [_real(found) for each in outside for found in folders_above(each)]
        places = [*places, *(each for each in named if not self._counts(each))]
        inside = {str(each.relative_to(top)): each for each in places if top in each.parents}
        ignored = ignored_among(self._repository, list(inside))
        told = {path for name, path in inside.items() if name not in ignored} | {top}
        return [each for each in places if each not in told]

    def _file(self, path: Path) -> str:
        return f"file {program_digest(path, self._place.cache, self._now)}"


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
