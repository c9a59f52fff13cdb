"""What the index holds that git's status does not tell.

Flags, gitlinks, attribute files, and files that have another size on the disk than in the tree:
whatever a setting of today may say, those were converted when they were written. Listing a big
index costs as much as a status, so what was found is remembered under the index file's stat; git
replaces that file by a new one whenever it writes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal

from gitcache.git.disk import FILE, PROGRAM
from gitcache.git.memo import MemoFolder, is_file, is_settled, stat_of, texts
from gitcache.git.repository import Repository
from gitcache.git.status import GITLINK

Flag = Literal["assume-unchanged", "skip-worktree"]

ATTRIBUTES: Final = ".gitattributes"

_FLAGS: Final[dict[str, Flag | None]] = {
    "": None,
    "assume-unchanged": "assume-unchanged",
    "skip-worktree": "skip-worktree",
}


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One path of the index, without conflict."""

    path: str
    mode: str
    oid: str
    flag: Flag | None = None
    """What makes git take the path's state on trust."""


@dataclass(frozen=True, slots=True)
class IndexScan:
    """The entries of the index that need a look of their own."""

    flagged: tuple[IndexEntry, ...] = ()
    gitlinks: tuple[IndexEntry, ...] = ()
    attribute_files: tuple[IndexEntry, ...] = ()
    resized: tuple[IndexEntry, ...] = ()
    """Files whose size on the disk was not the blob's when the index was scanned."""


def scan_index(repository: Repository, memos: MemoFolder) -> IndexScan:
    """Return what the index of *repository* holds beside plain entries."""
    stat = stat_of(repository.index)
    memo = memos.read("index")
    if stat is not None and memo.get("stat") == stat:
        with suppress(KeyError, TypeError, ValueError):  # a foreign memo is none
            return _from_memo(memo)
    entries = list(list_index(repository))
    scan = IndexScan(
        flagged=tuple(each for each in entries if each.flag),
        gitlinks=tuple(each for each in entries if each.mode == GITLINK),
        attribute_files=tuple(
            each for each in entries if os.path.basename(each.path) == ATTRIBUTES
        ),
        resized=tuple(_resized(repository, [each for each in entries if is_plain(each)])),
    )
    if stat == stat_of(repository.index) and is_settled(stat, time.time_ns()):
        memos.write("index", {"stat": stat, **_to_memo(scan)})
    return scan


def list_index(repository: Repository) -> Iterator[IndexEntry]:
    """Yield every entry of the index that is in no conflict."""
    for line in repository.git.run("ls-files", "-v", "-s", "-z").split(b"\0")[:-1]:
        facts, path = os.fsdecode(line).split("\t", 1)
        tag, mode, oid, stage = facts.split(" ")
        if stage == "0":
            yield IndexEntry(path, mode, oid, _flag(tag))


def is_plain(entry: IndexEntry) -> bool:
    """Return whether *entry* is a file that git does not take on trust."""
    return entry.flag is None and entry.mode in (FILE, PROGRAM)


def _resized(repository: Repository, entries: Sequence[IndexEntry]) -> Iterator[IndexEntry]:
    """Yield the files among *entries* that have another size on the disk than their blob."""
    if any(repository.objects.glob("pack/*.promisor")):
        yield from entries  # to tell the size of a blob that it lacks, git would fetch it
        return
    stats = [(each, stat_of(repository.top / each.path)) for each in entries]
    present = [(each, stat[0]) for each, stat in stats if stat and is_file(stat)]
    names = "".join(f"{each.oid}\n" for each, _ in present).encode("ascii")
    answer = repository.git.run("cat-file", "--batch-check=%(objectsize)", stdin=names)
    for (entry, size), blob_size in zip(present, answer.splitlines(), strict=True):
        if blob_size != b"%d" % size:
            yield entry


def _flag(tag: str) -> Flag | None:
    """Return what the tag of ``git ls-files -v`` says; lower case stands for assume-unchanged."""
    if tag in "Ss":
        return "skip-worktree"
    return "assume-unchanged" if tag.islower() else None


def _to_memo(scan: IndexScan) -> dict[str, Any]:
    return {
        "flagged": _entries_to_memo(scan.flagged),
        "gitlinks": _entries_to_memo(scan.gitlinks),
        "attribute_files": _entries_to_memo(scan.attribute_files),
        "resized": _entries_to_memo(scan.resized),
    }


def _entries_to_memo(entries: Sequence[IndexEntry]) -> list[list[str]]:
    return [[each.path, each.mode, each.oid, each.flag or ""] for each in entries]


def _from_memo(memo: dict[str, Any]) -> IndexScan:
    return IndexScan(
        flagged=_entries_from_memo(memo["flagged"]),
        gitlinks=_entries_from_memo(memo["gitlinks"]),
        attribute_files=_entries_from_memo(memo["attribute_files"]),
        resized=_entries_from_memo(memo["resized"]),
    )


def _entries_from_memo(values: list[list[str]]) -> tuple[IndexEntry, ...]:
    return tuple(
        IndexEntry(path, mode, oid, _FLAGS[flag])
        for path, mode, oid, flag in (texts(each, 4) for each in values)
    )
