"""What the results of this repository were used for, what they saved, and what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from gitcache.core.entry import decode
from gitcache.core.stats import Figures, Flake, FlakeCount, figures, may_be_flaky
from gitcache.core.uses import parse_journal
from gitcache.engine.context import Context
from gitcache.engine.running import folder_of
from gitcache.git.entry_store import EntryStore
from gitcache.git.repository import Repository, find_repository
from gitcache.git.store_facts import StoreSize, store_size
from gitcache.host.journal import read


@dataclass(frozen=True, slots=True)
class Statistics:
    """All that is told of the past of a repository."""

    figures: Figures
    flakes: tuple[Flake, ...]
    """Of the entries that are stored now."""

    store: StoreSize
    folder: Path
    """The caller's, from which names of files go out."""

    now: float
    """When all this was so, in seconds since the epoch."""


def statistics(context: Context) -> Statistics:
    """Return the statistics of the caller's repository; days are those of the machine's zone.

    Raises:
        ToolcacheError: there is no repository, or git can't tell.
    """
    repository, now = find_repository(context.cwd, context.environ), context.now()
    journal = parse_journal(read(folder_of(repository)))
    return Statistics(
        figures=figures(journal, now, date.fromtimestamp),
        flakes=_flakes(EntryStore(repository)),
        store=store_size(repository),
        folder=_folder_of_caller(repository, context),
        now=now,
    )


def _folder_of_caller(repository: Repository, context: Context) -> Path:
    """Return where the caller stands; git runs an alias at the top."""
    top = repository.top
    return top / repository.prefix if context.cwd.is_relative_to(top) else context.cwd


def _flakes(store: EntryStore) -> tuple[Flake, ...]:
    """Return the flakes that the entries tell of; one that can't be used tells of none."""
    count = FlakeCount()
    for _, blob in store.newest_first():
        if may_be_flaky(blob):
            try:
                count.add(decode(blob))
            except ValueError:
                continue
    return count.flakes()
