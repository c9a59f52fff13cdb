"""What differs between two trees that are among the repository's objects."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gitcache.core.content import Change
from gitcache.errors import RepositoryError
from gitcache.git.repository import Repository

_QUESTION: Final = (
    *("diff-tree", "-r", "-z", "--no-abbrev", "--no-renames", "--no-relative"),
    "--ignore-submodules=none",
)
"""The user's settings for diffs don't count, so that every path is told, whole."""


def tree_diff(repository: Repository, before: str, after: str) -> dict[str, tuple[Change, Change]]:
    """Return path → what it is in the tree *before* and in the tree *after*, where they differ.

    A path that one of them lacks has the change of a removal there.

    Raises:
        RepositoryError: one of the trees is not there, or not whole.
    """
    if before == after:
        return {}
    # A partial clone must not go to the network for a look (git 2.44 and newer knows the variable).
    git = replace(repository.git, environ={**repository.git.environ, "GIT_NO_LAZY_FETCH": "1"})
    answer = git.run(*_QUESTION, before, after)
    return {old.path: (old, new) for old, new in _parse(answer)}


def _parse(answer: bytes) -> Iterator[tuple[Change, Change]]:
    """Yield both sides of each row ``:MODE MODE OID OID STATUS NUL PATH NUL``.

    https://git-scm.com/docs/git-diff-tree#_raw_output_format
    """
    fields = answer.split(b"\0")[:-1]
    for facts, name in zip(fields[::2], fields[1::2], strict=True):
        match facts.decode("ascii").removeprefix(":").split(" "):
            case [old_mode, new_mode, old_oid, new_oid, _]:
                path = os.fsdecode(name)
                yield Change(path, old_mode, old_oid), Change(path, new_mode, new_oid)
            case _:
                raise RepositoryError("git diff-tree: the answer is not understood")
