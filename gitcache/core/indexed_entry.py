"""What the look-up index knows of an entry: enough to mark a history, without its output.

A row of the index is anybody's file, so :meth:`IndexedEntry.from_row` checks every value. The blob
that it was made from had its key checked (:mod:`gitcache.core.entry`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from gitcache.core.entry import Entry
from gitcache.core.key import Key, TreeId, is_oid
from gitcache.core.outcome import Passed, exit_status
from gitcache.core.tool import AD_HOC, ToolName, parse_name

_KINDS: Final = (str, str, str, int, bool, float, bool)
"""The types of a row's values, in their order."""


@dataclass(frozen=True, slots=True)
class IndexedEntry:
    """An entry in short."""

    key: Key
    tool: ToolName
    tree: TreeId
    """The key input: the snapshot's tree, or what the tool's ``inputs`` select of it."""

    commit_tree: TreeId | None
    """HEAD's tree where the snapshot had no change over it, whatever the tool's ``inputs``."""

    exit_status: int
    is_flaky: bool
    started_at: float
    """Seconds since the epoch."""

    is_whole: bool
    """Whether it tells of a tool as it is declared and of what git sees: no command of the caller's
    own, no extra words, no blind spots."""

    @classmethod
    def of_entry(cls, entry: Entry) -> IndexedEntry:
        """Return *entry* in short."""
        inputs = entry.inputs
        return cls(
            entry.key,
            inputs.tool,
            inputs.tree,
            None if entry.changes_total else TreeId(entry.head_tree),
            exit_status(entry.verdict),
            entry.is_flaky,
            entry.started_at,
            inputs.tool != AD_HOC and not entry.extra and not inputs.blind_spots,
        )

    @property
    def outcome(self) -> Literal["passed", "failed"]:
        """The verdict's name."""
        return "passed" if self.exit_status == exit_status(Passed()) else "failed"

    def to_row(self) -> list[Any]:
        """Return the entry as JSON values, without its key."""
        return [
            self.tool,
            self.tree,
            self.commit_tree or "",
            self.exit_status,
            self.is_flaky,
            self.started_at,
            self.is_whole,
        ]

    @classmethod
    def from_row(cls, key: Key, row: object) -> IndexedEntry:
        """Return the entry of *key* that *row* tells; ValueError where it tells none."""
        if not isinstance(row, list) or tuple(map(type, row)) != _KINDS:
            raise ValueError("a row of other values")
        tool, tree, commit_tree, status, is_flaky, started_at, is_whole = row
        name = parse_name(tool)
        if name is None or not is_oid(tree) or not (is_oid(commit_tree) or commit_tree == ""):
            raise ValueError("a row without a tool or a tree")
        told = TreeId(commit_tree) if commit_tree else None
        return cls(key, name, TreeId(tree), told, status, is_flaky, started_at, is_whole)
