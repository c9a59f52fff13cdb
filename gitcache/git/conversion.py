"""Where the bytes on the disk are not the bytes of the tree: line ends, filters, encodings.

Git stores a cleaned form of such files and calls the worktree clean, so two worktrees may have one
tree and different bytes: CRLF here and LF there, a large-file pointer here and its content there.
The bytes that differ from the tree's are what a tool sees, so their ids are a part of the content.

Where no attribute and no setting asks for a conversion this costs nothing. Where one does, the
files that git finds unchanged by their stat are remembered under the index's stat, and only those
that it doubts are read at each look.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from gitcache.core.key import digest
from gitcache.git.config import Config
from gitcache.git.disk import FILE, PROGRAM, DiskFile, raw_oids
from gitcache.git.index_scan import ATTRIBUTES, IndexEntry, IndexScan, is_plain, list_index
from gitcache.git.memo import MemoFolder, is_file, is_settled, read_plain, stat_of
from gitcache.git.plumbing import ObjectReader
from gitcache.git.repository import Repository

_ASKS: Final = re.compile(
    rb"(?<![-\w])(?:text|eol=|crlf|ident|filter=|working-tree-encoding=)", re.IGNORECASE
)
"""Attributes that convert (gitattributes(5)); ``-text`` and the like switch a conversion off."""

_SYSTEM_ATTRIBUTES: Final = "/etc/gitattributes"


def conversion_rules(
    repository: Repository,
    config: Config,
    scan: IndexScan,
    untracked: Iterable[str],
    objects: ObjectReader,
) -> str | None:
    """Return the digest of all that rules conversions here; None where nothing is converted.

    Args:
        repository: the worktree.
        config: the settings in force.
        scan: what the index holds beside plain entries.
        untracked: paths that are neither tracked nor ignored.
        objects: reads what the disk lacks.
    """
    texts = [
        *map(_read, _attribute_files(repository, config, untracked)),
        *(_tracked_attributes(repository, each, objects) for each in scan.attribute_files),
    ]
    asking = [text for text in texts if _ASKS.search(text)]
    autocrlf = config.get("core.autocrlf", "false").lower()
    if not asking and autocrlf in ("false", "no", "off", "0", ""):
        return None
    settings = [f"{name}={value}" for name, value in sorted(config.converting().items())]
    return digest(*settings, *texts)


def _attribute_files(
    repository: Repository, config: Config, untracked: Iterable[str]
) -> list[Path]:
    """Return every file that may hold attributes and is not tracked."""
    environ = repository.git.environ
    home = environ.get("HOME", "")
    xdg = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    own = config.get("core.attributesfile", os.path.join(xdg, "git", "attributes"))
    own = os.path.join(home, own[2:]) if own.startswith("~/") else os.path.expanduser(own)
    within = {ATTRIBUTES, *(each for each in untracked if os.path.basename(each) == ATTRIBUTES)}
    return [
        Path(_SYSTEM_ATTRIBUTES),
        repository.top / own,
        *(repository.top / path for path in sorted(within)),
        repository.common_dir / "info" / "attributes",
    ]


def _tracked_attributes(repository: Repository, entry: IndexEntry, objects: ObjectReader) -> bytes:
    """Return the attributes in *entry*.

    Where the disk has none, git takes them from the index, unless the file is gone from there too.
    """
    if entry.flag is None or os.path.lexists(repository.top / entry.path):
        return _read(repository.top / entry.path)
    blob = objects.read(entry.oid)
    return b"" if blob is None else blob.data


def _read(path: Path) -> bytes:
    try:
        return read_plain(path)
    except OSError:
        return b""


def unlike_the_tree(
    repository: Repository,
    rules: str | None,
    scan: IndexScan,
    changed: Mapping[str, DiskFile],
    memos: MemoFolder,
) -> dict[str, str]:
    """Return path → id of the bytes on the disk, for files whose bytes are not the tree's.

    Args:
        repository: the worktree.
        rules: what rules conversions here; None: nothing does today.
        scan: what the index holds beside plain entries.
        changed: the files that differ from the index, by path.
        memos: where the unchanged files are remembered.

    Raises:
        RepositoryError: a file can't be read.
    """
    if rules is None:
        found = _unlike(repository, scan.resized, memos) if scan.resized else {}
    else:
        found = _by_rules(repository, rules, changed, memos)
    for path, file in changed.items():
        found.pop(path, None)
        if file.raw != file.stored:
            found[path] = file.raw
    return found


def _by_rules(
    repository: Repository, rules: str, changed: Mapping[str, DiskFile], memos: MemoFolder
) -> dict[str, str]:
    """Return what :func:`unlike_the_tree` does, for files that are not among *changed*."""
    doubted = _doubted_by_stat(repository)
    settled = _among_settled(repository, rules, doubted, memos)
    found = {path: raw for path, raw in settled.items() if path not in doubted}
    doubtful = [path for path in doubted if path not in changed]
    raws = zip(doubtful, raw_oids(repository, doubtful), strict=True)
    found.update({path: raw for path, raw in raws if raw != doubted[path]})
    return found


def _doubted_by_stat(repository: Repository) -> dict[str, str]:
    """Return path → id in the index, of the files whose stat is not the index's."""
    fields = repository.git.run("diff-files", "--raw", "--no-abbrev", "-z").split(b"\0")[:-1]
    doubted = {}
    for facts, path in zip(fields[::2], fields[1::2], strict=True):
        old_mode, new_mode, old_oid, _, _ = facts.decode("ascii").removeprefix(":").split(" ")
        if old_mode in (FILE, PROGRAM) and new_mode in (FILE, PROGRAM):
            doubted[os.fsdecode(path)] = old_oid
    return doubted


def _among_settled(
    repository: Repository, rules: str, doubted: Iterable[str], memos: MemoFolder
) -> dict[str, str]:
    """Return path → id of the bytes, of files whose stat is the index's and bytes are not."""
    stat = stat_of(repository.index)
    memo = memos.read("conversion")
    if stat is not None and memo.get("index") == stat and memo.get("rules") == rules:
        with suppress(AttributeError, KeyError):  # a foreign memo is none
            return {str(path): str(raw) for path, raw in memo["unlike"].items()}
    skipped = set(doubted)
    entries = [
        each for each in list_index(repository) if is_plain(each) and each.path not in skipped
    ]
    unlike = _unlike(repository, entries, memos)
    if stat == stat_of(repository.index) and is_settled(stat, time.time_ns()):
        memos.write("conversion", {"index": stat, "rules": rules, "unlike": unlike})
    return unlike


def _unlike(
    repository: Repository, entries: Sequence[IndexEntry], memos: MemoFolder
) -> dict[str, str]:
    """Return path → id of the bytes, of those *entries* whose bytes are not their blob's."""
    present = [each for each in entries if is_file(stat_of(repository.top / each.path))]
    raws = _raw_by_stat(repository, present, memos)
    return {each.path: raws[each.path] for each in present if raws[each.path] != each.oid}


def _raw_by_stat(
    repository: Repository, entries: Iterable[IndexEntry], memos: MemoFolder
) -> dict[str, str]:
    """Return path → id of the bytes of *entries*, reading only files that are new by their stat."""
    memo = memos.read("raw")
    now = time.time_ns()
    stats = {each.path: stat_of(repository.top / each.path) for each in entries}
    raws: dict[str, str] = {}
    for path, stat in stats.items():
        match memo.get(path):
            case [str(raw), known] if known == stat:
                raws[path] = raw
    unread = [path for path in stats if path not in raws]
    raws.update(zip(unread, raw_oids(repository, unread), strict=True))
    if unread:
        settled = {path: [raw, stats[path]] for path, raw in raws.items() if stats[path]}
        memos.write("raw", {k: v for k, v in settled.items() if is_settled(stats[k], now)})
    return raws
