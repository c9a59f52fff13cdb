"""The list of the test files that failed last, one for each tool in each worktree.

A list is a hint: one that is lost, damaged or can't be written costs time and nothing else. Git
itself keeps what lies under ``refs/worktree`` apart for each worktree, and removes it with that.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from gitcache.core.last_failed import LastFailed
from gitcache.core.tool import ToolName
from gitcache.errors import StoreError
from gitcache.git.plumbing import GitError
from gitcache.git.ref_blob import PATIENCE, write_ref
from gitcache.git.repository import Repository


@dataclass(frozen=True, slots=True)
class LastFailedList:
    """Where the list of *tool* lies."""

    repository: Repository
    tool: ToolName

    @property
    def ref(self) -> str:
        """The ref that names its blob."""
        return f"refs/worktree/toolcache/last-failed/{self.tool}"

    def read(self) -> LastFailed | None:
        """Return the list; None where there is none that can be read."""
        try:
            with self.repository.git.objects() as objects:
                found = objects.read(self.ref)
            return None if found is None else LastFailed.from_json(json.loads(found.data))
        except (GitError, ValueError, RecursionError):
            return None

    def write(self, last: LastFailed) -> bool:
        """Replace the list; return whether that worked."""
        try:
            blob = json.dumps(last.to_json(), sort_keys=True).encode("ascii") + b"\n"
            write_ref(self.repository, self.ref, self._oid(), blob)
        except (GitError, StoreError):
            return False
        return True

    def clear(self) -> bool:
        """Remove the list; return whether none is there now."""
        try:
            if self._oid() is not None:
                words = ("update-ref", "--no-deref", "-d", self.ref)
                self.repository.git.run(*words, config=PATIENCE)
        except GitError:
            return False
        return True

    def _oid(self) -> str | None:
        with self.repository.git.objects() as objects:
            found = objects.read(self.ref)
        return None if found is None else found.oid
