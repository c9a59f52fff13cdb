"""What was written beside the tree while a tool ran: files that count and that no snapshot names.

Those are ignored files that are read, other tools' outputs, installed packages, and the files of
submodules. Asked after a run alone, since it looks at each of them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from stat import S_ISDIR

from gitcache.core.habits import Stat
from gitcache.engine.front import Question
from gitcache.git.disk import files_below
from gitcache.git.ignored_files import ignored_paths, output_paths
from gitcache.git.installed_writes import installed_writes
from gitcache.git.memo import MemoFolder, stat_of
from gitcache.git.nested_files import nested_files
from gitcache.git.repository import Repository
from gitcache.git.written import written_since


def written_beside(question: Question, asked_ns: int) -> dict[str, Stat]:
    """Return the files beside the tree that were written since *asked_ns*, with their stat.

    A path within the worktree is relative to its top.

    Args:
        question: what is asked of today's content.
        asked_ns: nanoseconds since the epoch.

    Raises:
        OSError, RepositoryError: they can't be listed.
    """
    repository = question.repository
    top = f"{repository.top}/"
    installed = installed_writes(question.places, asked_ns)
    ignored = _with_ends(repository, _ignored(question))
    return {
        **{path.removeprefix(top): stat for path, stat in installed.items()},
        **written_since(repository, asked_ns, (path.removeprefix(top) for path in ignored)),
    }


def written_in_nested(
    repository: Repository, asked_ns: int, paths: Collection[str]
) -> dict[str, Stat]:
    """Return the files that were written in those of *paths* that are repositories of their own.

    Arguments and errors are those of :func:`written_beside`.
    """
    top = str(repository.top)
    folders = [path for path in paths if _is_folder(f"{top}/{path}")]
    files = (file for path in folders for file in nested_files(repository, path))
    return written_since(repository, asked_ns, files)


def _ignored(question: Question) -> Iterator[str]:
    repository, plan = question.repository, question.plan
    memos = MemoFolder.of_index(repository.common_dir, repository.index)
    declared = plan.tool.options.ignored_inputs
    yield from ignored_paths(repository, question.snapshot, declared, memos, time.time_ns())
    for paths in plan.others_outputs.values():
        yield from output_paths(repository, paths)


def _with_ends(repository: Repository, paths: Iterable[str]) -> Iterator[str]:
    """Yield each of *paths*, and of a link what it leads to."""
    for path in paths:
        yield path
        place = repository.top / path
        if place.is_symlink():
            end = Path(os.path.realpath(place))
            yield from map(str, files_below(end) if end.is_dir() else [end])


def _is_folder(place: str) -> bool:
    facts = stat_of(place)
    return facts is not None and S_ISDIR(facts[4])
