"""Rewrites the bytes of an index file, for states that only chance or another git would bring.

The format is git's ``gitformat-index(5)``, version 2 with SHA-1: a header of 12 bytes, entries of
62 bytes and a name, padded with NUL to a multiple of 8, extensions, and a checksum of 20 bytes.
"""

from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path

_HEADER = 12
_FIXED = 62
_CHECKSUM = 20
_NAME_LENGTH = 0xFFF


def record_stat(index: Path, file: Path, name: str, *, ctime: int | None = None) -> None:
    """Make the entry *name* say that *file*, as it is now, is what was added.

    Args:
        index: the index file; it keeps its time.
        file: the file whose ``lstat`` is recorded.
        name: the entry's path.
        ctime: recorded in place of the file's own, in seconds.
    """
    data = bytearray(index.read_bytes())
    start = _entry(data, name.encode())
    found = file.lstat()
    seconds, nanoseconds = divmod(found.st_ctime_ns, 10**9)
    if ctime is not None:
        seconds, nanoseconds = ctime, 0
    times = (seconds, nanoseconds, *divmod(found.st_mtime_ns, 10**9))
    struct.pack_into(">4I", data, start, *times)
    struct.pack_into(">2I", data, start + 16, found.st_dev & 0xFFFFFFFF, found.st_ino & 0xFFFFFFFF)
    struct.pack_into(">3I", data, start + 28, found.st_uid, found.st_gid, found.st_size)
    data[-_CHECKSUM:] = hashlib.sha1(data[:-_CHECKSUM], usedforsecurity=False).digest()
    _replace(index, bytes(data))


def set_checksum(index: Path, checksum: bytes) -> None:
    """Put *checksum* in the place of the index file's own."""
    assert len(checksum) == _CHECKSUM
    _replace(index, index.read_bytes()[:-_CHECKSUM] + checksum)


def _entry(data: bytearray, name: bytes) -> int:
    """Return where the entry *name* starts."""
    signature, version, count = struct.unpack_from(">4s2I", data)
    assert (signature, version) == (b"DIRC", 2)
    start = _HEADER
    for _ in range(count):
        (flags,) = struct.unpack_from(">H", data, start + 60)
        length = flags & _NAME_LENGTH
        if data[start + _FIXED : start + _FIXED + length] == name:
            return start
        start += (_FIXED + length + 8) // 8 * 8
    raise AssertionError(f"{name!r} is not in the index")


def _replace(index: Path, data: bytes) -> None:
    before = index.stat()
    index.write_bytes(data)
    os.utime(index, ns=(before.st_atime_ns, before.st_mtime_ns))
