"""The content of a working tree as a value: a tree id, and how it differs from HEAD's.

How a snapshot is made is the business of :mod:`gitcache.git.snapshot`; this is what it says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from gitcache.core.key import CommitId, TreeId

CHANGES_KEPT: Final = 1000
"""How many changes over HEAD an entry names; of more, only their number is kept."""


@dataclass(frozen=True, slots=True)
class Change:
    """One path in which a snapshot differs from HEAD's tree."""

    path: str
    """Relative to the worktree's top; bytes that are no UTF-8 as lone surrogates."""

    mode: str
    """Git's octal mode, such as ``100644``; ``000000`` where the path is gone."""

    oid: str
    """The object id in hex; all zeros where the path is gone."""

    @property
    def is_removal(self) -> bool:
        """Whether the path is in HEAD's tree and not in the snapshot."""
        return self.mode == "000000"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The content of a working tree, taken at one moment."""

    tree: TreeId
    head: CommitId | None
    """The commit that HEAD names; None before the first commit."""

    head_tree: TreeId
    """HEAD's tree; the empty tree before the first commit."""

    changes: tuple[Change, ...] = ()
    """What differs from HEAD's tree, sorted by path; at most one for a path."""

    blind_spots: Mapping[str, str] = field(default_factory=dict)
    """Kind and path → digest, of what a tool sees and the tree does not tell.

    Empty in a clean, full checkout.
    """
