"""Entries that no run made, brought into a repository's store."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import Any

from gitcache.core.entry import Entry, PastAttempt, RanIn, encode
from gitcache.core.key import KeyInputs, TreeId
from gitcache.core.outcome import Failed, Passed
from gitcache.core.output import Output
from gitcache.core.tool import ToolName
from gitcache.git.entry_store import EntryStore
from gitcache.git.repository import find_repository
from tests.support.repository import Repo


def entry_on(tree: str, tool: str = "test", *, status: int = 0, at: float = 1.0) -> Entry:
    """Return an entry of a clean run of *tool* on a commit's *tree*, started *at* that second."""
    verdict = Failed(status) if status else Passed()
    return Entry(
        inputs=KeyInputs(ToolName(tool), (tool,), ".", TreeId(tree), {"started": str(at)}),
        verdict=verdict,
        output=Output(),
        started_at=at,
        duration=1.0,
        ran_in=RanIn("/srv/worktree", None, "host", "user"),
        head_tree=tree,
    ).following(())


def with_inputs(entry: Entry, **inputs: Any) -> Entry:
    """Return *entry* with other key inputs."""
    return replace(entry, inputs=replace(entry.inputs, **inputs))


def contradicting(entry: Entry) -> Entry:
    """Return *entry* behind an attempt that ended the other way."""
    other = "failed" if isinstance(entry.verdict, Passed) else "passed"
    return replace(entry, attempts=(PastAttempt(other, 1, 0.0, 1.0), *entry.attempts))


def lay(repo: Repo, *entries: Entry) -> None:
    """Store *entries* in *repo*."""
    store = EntryStore(find_repository(repo.path, os.environ))
    for entry in entries:
        store.write(entry.key, partial(_replaced, encode(entry)))


def tree_of(repo: Repo, revision: str = "HEAD") -> str:
    """Return the id of a commit's tree."""
    return repo.git("rev-parse", f"{revision}^{{tree}}")


def _replaced(blob: bytes, _: bytes | None) -> bytes:
    return blob
