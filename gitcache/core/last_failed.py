"""Which test files failed last: what the next run of the tool begins with, on other content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from gitcache.core.key import TreeId, is_oid


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
        if not isinstance(value, dict):
            raise ValueError("it is no object")
        tree, argv, files = (value.get(name) for name in ("tree", "argv", "files"))
        if not isinstance(tree, str) or not is_oid(tree):
            raise ValueError("its tree is no object id")
        return cls(TreeId(tree), _texts(argv), _texts(files))


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError("no list of texts")
    return tuple(value)
