"""Notes what a run found on the commit that it ran on, for people who read ``git log``.

A note is told of a commit's whole content alone: with any change, left-out file or blind spot the
tool saw something else. Notes are a courtesy: one that can't be written is a warning, and neither
the result nor its entry hangs on it.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

from gitcache.core.content import Snapshot
from gitcache.core.entry import Entry
from gitcache.core.key import CommitId
from gitcache.core.note import NoteLine
from gitcache.core.tool import AD_HOC
from gitcache.engine.context import Context
from gitcache.engine.front import Hit, Question
from gitcache.engine.running import folder_of
from gitcache.errors import StoreError
from gitcache.git.notes import add_to_note
from gitcache.git.repository import Repository
from gitcache.host.key_lock import SHORTEST_PAUSE, LockedFile, lock_file
from gitcache.shared_folder import make_shared_folder

_PATIENCE: Final = 2.0
"""Seconds to wait for other writers; without the lock a writer only tries more often."""


class Warned(Protocol):
    """Who hears of a note that can't be written."""

    def warning(self, text: str) -> None:
        """Hear it."""


def noted_commit(question: Question) -> CommitId | None:
    """Return the commit that a verdict on *question* is told of; None where it is of none.

    Nor are a caller's own commands and extra words: a note on ``test`` means the whole tool.
    """
    plan = question.plan
    if plan.tool.name == AD_HOC or plan.extra or question.habits.left_out:
        return None
    return _whole_commit(question.snapshot)


def note(repository: Repository, commit: CommitId, entry: Entry, reporter: Warned) -> None:
    """Write what *entry* tells into the note on *commit*; one warning where that can't be."""
    try:
        with one_writer(repository):
            add_to_note(repository, commit, NoteLine.of_entry(entry))
    except StoreError as error:
        reporter.warning(error.message)


def note_run(question: Question, entry: Entry, reporter: Warned) -> None:
    """Note what a run on *question* has stored, where that is told of a commit."""
    commit = noted_commit(question)
    if commit is not None:
        note(question.repository, commit, entry, reporter)


def note_hit(hit: Hit, context: Context, reporter: Warned) -> None:
    """Note what is stored on the commit whose content it is of, where it is of one."""
    if context.use == "on":
        note_run(hit.question, hit.entry, reporter)


def _whole_commit(snapshot: Snapshot) -> CommitId | None:
    is_whole = snapshot.tree == snapshot.head_tree and not snapshot.changes
    return snapshot.head if is_whole and not snapshot.blind_spots else None


@contextmanager
def one_writer(repository: Repository, patience: float = _PATIENCE) -> Iterator[None]:
    """Be the only writer of notes in *repository*, as far as there are locks here.

    Args:
        repository: whose notes.
        patience: seconds after which another writer is waited for no longer.
    """
    locked = _lock(folder_of(repository) / "locks", patience)
    try:
        yield
    finally:
        if locked is not None:
            locked.remove()


def _lock(locks: Path, patience: float) -> LockedFile | None:
    until = time.monotonic() + patience
    try:
        make_shared_folder(locks)
        others = stat.S_IMODE(os.stat(locks).st_mode) & (stat.S_IWGRP | stat.S_IWOTH)
        mode = 0o600 | others | others << 1  # who may write in the folder may lock in it
        while (locked := lock_file(locks / "notes", mode)) is None:
            if time.monotonic() > until:
                return None
            time.sleep(SHORTEST_PAUSE)
        return locked
    except OSError:
        return None
