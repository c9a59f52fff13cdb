"""What the index of an installed folder says, as one digest that worktrees share.

Files that name their own worktree count by what they say around its path
(:mod:`gitcache.core.own_path`). Looked for are these, up to :data:`_LARGEST` bytes: scripts in
folders called ``bin``, ``.bin`` and ``Scripts``, ``pyvenv.cfg``, ``direct_url.json``, ``*.pth``,
``*.egg-link``, ``__editable__*`` and symbolic links. A line of a ``RECORD`` that repeats the digest
of such a file does not count. Any other file with the path in it counts as it is: worktrees then do
not share, and no answer is wrong.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitcache.core.key import digest
from gitcache.core.own_path import content_digest, pieces
from gitcache.git.disk import LINK

_LARGEST: Final = 1 << 20
"""Bytes of a file in which the worktree's path is looked for: scripts and lists are smaller."""

_MAY_NAME_ITS_WORKTREE: Final = re.compile(
    rb"(?:^|/)(?:bin|\.bin|Scripts)/[^/]+$"
    rb"|\.(?:pth|egg-link)$"
    rb"|(?:^|/)(?:pyvenv\.cfg|direct_url\.json|__editable__[^/]*)$"
)

_RECORD: Final = b".dist-info/RECORD"
"""The list of an installed package's files, each with its digest and size.

https://packaging.python.org/en/latest/specifications/recording-installed-packages/
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One file or link of the folder, as ``git ls-files -s -z`` tells it."""

    mode: bytes
    oid: bytes
    path: bytes


def parse_lines(answer: bytes) -> list[Line]:
    """Return the lines of *answer*, the output of ``git ls-files -s -z``."""
    lines = []
    for line in answer.split(b"\0")[:-1]:
        facts, path = line.split(b"\t", 1)
        mode, oid, _ = facts.split(b" ")
        lines.append(Line(mode, oid, path))
    return lines


def digest_of(lines: Sequence[Line], folder: Path, worktree: str) -> str:
    """Return the digest of *lines*, in which the path *worktree* counts as a placeholder."""
    own = dict(_naming_their_worktree(lines, folder, worktree))
    own.update(_records(lines, folder, worktree, own))
    total = hashlib.sha256()
    for line in lines:
        content = own.get(line.path)
        oid = line.oid if content is None else b"around " + content.encode("ascii")
        total.update(b"%s %s %d:%s" % (line.mode, oid, len(line.path), line.path))
    return total.hexdigest()


def _naming_their_worktree(
    lines: Sequence[Line], folder: Path, worktree: str
) -> Iterator[tuple[bytes, str]]:
    """Yield the path of each file that names *worktree*, and the digest of the rest of it."""
    is_link = LINK.encode("ascii")
    for line in lines:
        if line.mode == is_link or _MAY_NAME_ITS_WORKTREE.search(line.path):
            data = _read(folder, line)
            if data is not None and len(pieces(data, worktree)) > 1:
                yield line.path, content_digest(data, worktree)


def _read(folder: Path, line: Line) -> bytes | None:
    """Return what git has hashed as *line*; None where it is too big or not that any more."""
    path = os.path.join(os.fsencode(folder), line.path)
    try:
        if line.mode == LINK.encode("ascii"):
            data = os.readlink(path)
        else:
            with open(path, "rb") as file:
                data = file.read(_LARGEST + 1)
    except OSError:
        return None
    oid = hashlib.sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()
    return data if oid.encode("ascii") == line.oid else None


def _records(
    lines: Sequence[Line], folder: Path, worktree: str, own: Mapping[bytes, str]
) -> Iterator[tuple[bytes, str]]:
    """Yield the path of each RECORD that repeats digests of *own*, and the digest of the rest."""
    if not own:
        return
    for line in lines:
        data = _read(folder, line) if line.path.endswith(_RECORD) else None
        if data is not None:
            site = posixpath.dirname(posixpath.dirname(line.path))
            kept = [each for each in data.splitlines() if _recorded(each, site) not in own]
            if len(kept) != len(data.splitlines()):
                yield line.path, digest(*kept)


def _recorded(line: bytes, site: bytes) -> bytes:
    """Return the path that *line* of the RECORD of a package in *site* is about."""
    name = line.rsplit(b",", 2)[0].strip(b'"')
    return posixpath.normpath(posixpath.join(site, name))
