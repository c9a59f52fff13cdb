"""The program that a tool's first word names: where it is and what it holds.

A program counts by its content, not by its path or its time, so that two machines with the same
binary agree and an upgrade in place is seen. The digest of a big interpreter is remembered in the
user's cache folder, under the file's stat, so that a hit costs a stat and not a read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

_SETTLED: Final = 2.0
"""Seconds for which a file must have been left alone before its stat is trusted to tell a change.

Two writes within one tick of the file system's clock look alike; the coarsest common tick is FAT's
two seconds.
"""

_READ_AT_ONCE: Final = 1 << 20
"""Bytes read in one go: large enough to be fast, small enough to keep memory low."""


def find_program(word: str, cwd: Path, environ: Mapping[str, str]) -> Path | None:
    """Return the file that a process with *environ* in *cwd* would execute for *word*.

    A word with a slash is a path; any other is looked for along ``PATH`` as ``execvp(3)`` does.
    None where there is no executable file of that name.
    """
    if "/" in word:
        candidates = [cwd / word]
    else:
        candidates = [cwd / folder / word for folder in os.get_exec_path(environ)]
    for candidate in candidates:
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    return None


def program_digest(program: Path, cache: Path | None, now: float) -> str:
    """Return the SHA-256 of the content of *program*, symbolic links followed.

    Args:
        program: an existing file.
        cache: the user's cache folder; None: nothing is remembered.
        now: the time in seconds since the epoch.

    Raises:
        OSError: the file can't be read.
    """
    facts = os.stat(program)
    stat = f"{facts.st_size} {facts.st_mtime_ns} {facts.st_ctime_ns} {facts.st_ino} {facts.st_dev}"
    memo = None if cache is None else cache / "programs" / _name_of(program)
    remembered = _recall(memo, stat)
    if remembered is not None:
        return remembered
    content = _content_digest(program)
    if memo is not None and now - max(facts.st_mtime, facts.st_ctime) > _SETTLED:
        _remember(memo, f"{stat}\n{content}\n")
    return content


def _name_of(program: Path) -> str:
    return hashlib.sha256(os.fsencode(os.path.realpath(program))).hexdigest()


def _content_digest(program: Path) -> str:
    content = hashlib.sha256()
    with open(program, "rb") as file:
        while data := file.read(_READ_AT_ONCE):
            content.update(data)
    return content.hexdigest()


def _recall(memo: Path | None, stat: str) -> str | None:
    """Return the digest that *memo* holds for *stat*, or None."""
    try:
        lines = memo.read_text("ascii").splitlines() if memo else []
    except (OSError, ValueError):
        return None
    if len(lines) == 2 and lines[0] == stat and len(lines[1]) == hashlib.sha256().digest_size * 2:
        return lines[1]
    return None


def _remember(memo: Path, text: str) -> None:
    """Write *text* to *memo* in one step; a memo that can't be written is only slower."""
    beside = memo.with_name(f"{memo.name}.{os.getpid()}")
    try:
        memo.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, "ascii")
        beside.replace(memo)
    except OSError:
        with suppress(OSError):
            beside.unlink()
