"""Which test files failed last: what the next run of the tool begins with, on other content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from gitcache.core.foreign_json import take, take_oid, texts
from gitcache.core.key import TreeId


@dataclass(frozen=True, slots=True)
class LastFailed:
    """The failing files of one run. It is foreign data when it is read."""

    tree: TreeId
    """The content that was run."""

    argv: tuple[str, ...]
    """The full command."""

    files: tuple[str, ...]
    """Relative to the worktree's top."""

    def to_json(self) -> dict[str, Any]:
        """Return the list as JSON values."""
        return {"tree": self.tree, "argv": list(self.argv), "files": list(self.files)}

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Return the list that *value* tells; ValueError where it tells none."""
        tree = TreeId(take_oid(value, "tree"))
        return cls(tree, texts(take(value, "argv", list)), texts(take(value, "files", list)))
