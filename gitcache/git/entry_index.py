"""The look-up index: every entry in short, in one file beside the repository's refs.

It is made from the refs and the blobs that they name, and holds nothing else: lost, torn, foreign
or of another version it is made anew. A ref that names another blob than the index says is read
again, and only such; so what it answers is what the store holds now. Whoever comes last wins where
two write it, which costs the next one the difference.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from gitcache import __version__
from gitcache.core.entry import decode
from gitcache.core.indexed_entry import IndexedEntry
from gitcache.core.key import Key, parse_key
from gitcache.git.entry_store import PREFIX
from gitcache.git.memo import MemoFolder
from gitcache.git.plumbing import ObjectReader
from gitcache.git.repository import Repository

NAME: Final = "index"
"""The file in this program's folder of the common git folder."""

_FORMAT: Final = f"1 {__version__}"
"""The form of a row, and the rules by which a blob is an entry."""

_Known = dict[Key, tuple[str, IndexedEntry | None]]
"""Key → the blob's id, and what it holds; None: no entry of this key."""


def indexed_entries(repository: Repository, objects: ObjectReader) -> dict[Key, IndexedEntry]:
    """Return every entry of *repository*, and bring the index up to date.

    Cost: a process of git where nothing is new; more of ``objects`` for each new blob.

    Raises:
        RepositoryError: git can't tell the refs.
    """
    folder = MemoFolder(repository.common_dir / "toolcache")
    oids = _oids(repository)
    before = _read(folder)
    known = {key: each for key, each in before.items() if oids.get(key) == each[0]}
    for key, oid in oids.items():
        found = objects.read(oid) if key not in known else None
        if found is not None:
            known[key] = oid, _entry_in(key, found.data)
    if known != before:
        folder.write(NAME, _to_json(known))
    return {key: entry for key, (_, entry) in known.items() if entry is not None}


def _oids(repository: Repository) -> dict[Key, str]:
    """Return key → what its ref names."""
    answer = repository.git.run("for-each-ref", "--format=%(objectname) %(refname)", PREFIX)
    lines = (line.split(" ", 1) for line in os.fsdecode(answer).splitlines())
    keys = ((parse_key(ref.removeprefix(PREFIX)), oid) for oid, ref in lines)
    return {key: oid for key, oid in keys if key is not None}


def _entry_in(key: Key, blob: bytes) -> IndexedEntry | None:
    try:
        entry = decode(blob)
    except ValueError:
        return None
    return IndexedEntry.of_entry(entry) if entry.key == key else None


def _read(folder: MemoFolder) -> _Known:
    """Return what the file says; nothing where any of it is not as we write it."""
    value = folder.read(NAME)
    if value.get("format") != _FORMAT or not isinstance(value.get("entries"), dict):
        return {}
    try:
        return {Key(key): _known(Key(key), told) for key, told in value["entries"].items()}
    except ValueError:
        return {}


def _known(key: Key, told: object) -> tuple[str, IndexedEntry | None]:
    match told:
        case [str(oid), None]:
            return oid, None
        case [str(oid), row]:
            return oid, IndexedEntry.from_row(key, row)
    raise ValueError("no id and row")


def _to_json(known: Mapping[Key, tuple[str, IndexedEntry | None]]) -> dict[str, Any]:
    entries = {key: [oid, entry and entry.to_row()] for key, (oid, entry) in known.items()}
    return {"format": _FORMAT, "entries": entries}
