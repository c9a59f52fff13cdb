"""How snapshots are taken here: which part git has, which libgit2, and why.

It tells what :mod:`gitcache.git.snapshot` does in this worktree, and decides nothing.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from typing import Final, Literal

from gitcache.git.config import Config
from gitcache.git.conversion import conversion_rules
from gitcache.git.index_scan import scan_index
from gitcache.git.look import Look
from gitcache.git.memo import MemoFolder
from gitcache.git.plumbing import Git, GitError
from gitcache.git.private_index import why_no_copy
from gitcache.git.repository import Repository
from gitcache.git.status import Status, Untracked
from gitcache.git.tree_maker import library_versions, why_by_git
from gitcache.git.version import QUESTION, read_version, why_too_old

_SWITCHES: Final = {
    "core.sparsecheckout": "sparse checkout",
    "core.untrackedcache": "untracked cache",
}
"""Settings that change how git looks at a worktree → their name for people."""

_OFF: Final = ("false", "no", "off", "0", "keep")


@dataclass(frozen=True, slots=True)
class Programs:
    """The git and the libraries that are used."""

    git: str
    """The version."""

    git_path: str | None
    """Where the program lies; None where the ``PATH`` does not tell."""

    fault: str
    """Why this git can't be used; empty where it can."""

    pygit2: str
    libgit2: str


@dataclass(frozen=True, slots=True)
class SnapshotEngine:
    """Who does what for a snapshot of this worktree; git's status is the eye of all."""

    hand: Literal["pygit2", "git"]
    """What makes the tree of a changed worktree; that of a clean one is HEAD's."""

    why: str
    """Why it is this hand."""

    converts: bool
    """Whether git converts changed files, through a copy of the index."""

    why_no_private_index: str
    """Why big worktrees' copy of the index is not used; empty where it is."""

    features: tuple[str, ...]
    """What of git's own speeds up or changes its look: sparse checkout, split index, …"""


def programs_of(git: Git) -> Programs:
    """Return the versions that are there; RepositoryError where there is no git at all."""
    with git.start(*QUESTION) as call:
        answer = read_version(call)
    path = shutil.which("git", path=git.environ.get("PATH"))
    version = answer.removeprefix("git version ")
    return Programs(version, path, why_too_old(answer), *library_versions())


def snapshot_engine(look: Look, status: Status) -> SnapshotEngine:
    """Return how the snapshot of the worktree that *look* is at is taken.

    Args:
        look: the worktree.
        status: what git says of it.

    Raises:
        RepositoryError: git can't tell it.
    """
    repository, config = look.repository, look.settings()
    memos = MemoFolder.of_index(repository.common_dir, repository.index)
    untracked = [each.path for each in status.records if isinstance(each, Untracked)]
    with repository.listing() as git:
        aside = replace(repository, git=git)
        scan = scan_index(aside, memos)
        rules = conversion_rules(aside, config, scan, untracked, look.objects)
    by_git = why_by_git(repository)
    return SnapshotEngine(
        hand="git" if by_git else "pygit2",
        why=by_git or "libgit2 opens the repository",
        converts=rules is not None,
        why_no_private_index=why_no_copy(repository),
        features=_features(repository, config),
    )


def _features(repository: Repository, config: Config) -> tuple[str, ...]:
    found = [words for name, words in _SWITCHES.items() if _is_wanted(config, name)]
    monitor = config.get("core.fsmonitor", "false")
    if monitor.lower() not in _OFF and monitor:
        found.append("fsmonitor")
    try:
        is_split = bool(repository.git.run("rev-parse", "--shared-index-path").strip())
    except GitError:  # an index that git can't read is told by the look at the content
        is_split = False
    return (*found, *(["split index"] if is_split else []))


def _is_wanted(config: Config, name: str) -> bool:
    return config.get(name, "false").lower() not in _OFF
