"""The id of the tree that a list of index entries makes, computed without storing a tree.

Git can do it only by writing each tree as a file of its own, which takes a second where there are
thousands of folders. The format is git's: ``mode SP name NUL oid`` for each entry, in an order that
is that of the index (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects).
"""

from __future__ import annotations

import hashlib
from binascii import unhexlify
from typing import Final

from gitcache.core.key import TreeId
from gitcache.git.repository import ObjectFormat

_FOLDER: Final = b"40000"

_OpenTrees = list[tuple[bytes, list[bytes]]]
"""Name and entries of each folder that may get more entries, the outermost first."""


def tree_of(entries: bytes, object_format: ObjectFormat) -> TreeId:
    """Return the id of the tree with *entries*.

    Args:
        entries: each ``mode oid stage TAB path NUL``, as ``git ls-files -s -z`` lists them.
        object_format: the hash by which objects are named.
    """
    trees: _OpenTrees = [(b"", [])]
    current = b""
    for line in entries.split(b"\0")[:-1]:
        facts, path = line.split(b"\t", 1)
        folder, _, name = path.rpartition(b"/")
        if folder != current:
            _enter(trees, folder, object_format)
            current = folder
        mode, oid, _ = facts.split(b" ")
        trees[-1][1].append(b"%s %s\0%s" % (mode, name, unhexlify(oid)))
    _close(trees, 1, object_format)
    return TreeId(_oid(trees[0][1], object_format))


def _enter(trees: _OpenTrees, folder: bytes, object_format: ObjectFormat) -> None:
    """Make *folder*, a path, the innermost of *trees*."""
    names = folder.split(b"/") if folder else []
    shared = 0
    while shared < min(len(names), len(trees) - 1) and trees[shared + 1][0] == names[shared]:
        shared += 1
    _close(trees, shared + 1, object_format)
    trees.extend((name, []) for name in names[shared:])


def _close(trees: _OpenTrees, count: int, object_format: ObjectFormat) -> None:
    """Close the innermost of *trees* until *count* are open."""
    while len(trees) > count:
        name, entries = trees.pop()
        oid = unhexlify(_oid(entries, object_format))
        trees[-1][1].append(b"%s %s\0%s" % (_FOLDER, name, oid))


def _oid(entries: list[bytes], object_format: ObjectFormat) -> str:
    data = b"".join(entries)
    return hashlib.new(object_format, b"tree %d\0%s" % (len(data), data)).hexdigest()
