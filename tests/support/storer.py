"""A process of its own that stores entries, and what tests need to look at them.

As a program: ``storer.py REPOSITORY WRITER WHERE COUNT``. WHERE is ``shared``: all writers add a
line to one entry; or ``own``: each entry has a key of its own and holds :func:`own_blob`. A line on
the standard output follows each entry that is stored; an error of the store ends it with status 1.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

from gitcache.core.key import Key
from gitcache.errors import StoreError
from gitcache.git.entry_store import EntryStore, Stored
from gitcache.git.repository import find_repository

SHARED = "shared"


def key_of(text: str) -> Key:
    """Return a key that stands for *text*."""
    return Key(hashlib.sha256(text.encode()).hexdigest())


def ref_of(text: str) -> str:
    """Return the ref of :func:`key_of`."""
    return f"refs/toolcache/{key_of(text)}"


def own_blob(writer: str, number: int) -> bytes:
    """Return a blob of some blocks of the disk, so that half of one could be told."""
    return f"{writer} {number}\n".encode() * 2000


def open_store(path: Path) -> EntryStore:
    """Return the store of the repository at *path*."""
    return EntryStore(find_repository(path, os.environ))


def read(path: Path, key: Key) -> Stored | None:
    """Return what lies under *key* in the repository at *path*."""
    repository = find_repository(path, os.environ)
    with repository.git.objects() as objects:
        return EntryStore(repository).read(key, objects)


def storer(path: Path, writer: str, where: str, count: int) -> list[str]:
    """Return the argv of this module as a program."""
    return [sys.executable, __file__, str(path), writer, where, str(count)]


def start_storer(path: Path, writer: str, where: str, count: int) -> subprocess.Popen[bytes]:
    """Start this module as a program in a session of its own."""
    argv = storer(path, writer, where, count)
    return subprocess.Popen(argv, stdout=subprocess.PIPE, start_new_session=True)


def _append(line: bytes, present: bytes | None) -> bytes:
    return (present or b"") + line


def _replace(blob: bytes, _: bytes | None) -> bytes:
    return blob


def _main(path: str, writer: str, where: str, count: str) -> None:
    store = open_store(Path(path))
    for number in range(int(count)):
        line = f"{writer} {number}\n".encode()
        if where == SHARED:
            store.write(key_of(SHARED), partial(_append, line))
        else:
            store.write(key_of(f"{writer} {number}"), partial(_replace, own_blob(writer, number)))
        print(number, flush=True)


if __name__ == "__main__":
    try:
        _main(*sys.argv[1:])
    except StoreError as error:
        sys.exit(f"StoreError: {error.message}")
