"""What a state of the corpus is: a repository, how to look at it, and what an edit must do.

A state is made by a function of a fresh repository with one commit (``a.txt`` and ``sub/b.txt``).
All that it adds lies in the folder around that repository, and nothing in it depends on where that
is, so two repositories in the same state have the same content.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gitcache.core.content import Snapshot
from gitcache.git.private_index import LEAST
from tests.support.referee import Referee
from tests.support.repository import Repo

Act = Callable[[], object]

LONG_AGO = 1_767_225_600
"""A time that no file of a test has by itself, in seconds: 2026-01-01."""


@dataclass(frozen=True, kw_only=True)
class State:
    """A repository in which git says what the tree is."""

    here: Repo
    """The worktree to look at."""

    edit: Act
    """One more edit; the tree must move by it."""

    env: Mapping[str, str] = field(default_factory=dict)
    """Variables that the caller has set."""

    folder: str = ""
    """Where the caller stands, relative to the worktree's top."""

    referee: Referee = field(default_factory=Referee)

    is_whole: bool = True
    """Whether the tree says all, so that nothing is hidden behind it."""

    def look(self, least: int = LEAST) -> Snapshot:
        """Return what the code under test says."""
        return self.here.snapshot(self.env, self.folder, least)

    def tree_by_git(self) -> str:
        """Return what git says."""
        return self.referee.tree(self.here.path / self.folder, self.env)


@dataclass(frozen=True, kw_only=True)
class BlindState(State):
    """A repository in which something is hidden behind the tree that git sees."""

    overlooked: Act
    """An edit that git does not see; the blind spots must differ by it, and the tree must not."""

    is_whole: bool = False


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A repository whose tree can't be told for certain."""

    here: Repo
    names: str
    """What the message must name: the path or the reason."""

    cure: Act
    """After it the tree can be told."""

    env: Mapping[str, str] = field(default_factory=dict)

    def look(self) -> Snapshot:
        """Return what the code under test says, where it does."""
        return self.here.snapshot(self.env)

    def tree_by_git(self) -> str:
        """Return what git says."""
        return Referee().tree(self.here.path, self.env)


def writing(repo: Repo, name: str, text: str | bytes) -> Act:
    """Return the edit that writes *text* into the file *name*."""
    return lambda: repo.write(name, text)


def link(repo: Repo, name: str, target: str) -> None:
    """Put a symbolic link to *target* in the place of whatever file is there."""
    path = repo.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def beside(repo: Repo, name: str) -> Path:
    """Return a place beside the repository, outside of its working tree."""
    return repo.path.parent / name


def program(path: Path, script: str) -> Path:
    """Write a shell script that can be started."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def settle(repo: Repo) -> None:
    """Give the tracked files an old time and let git note it, so that none counts as just written.

    Without it git compares the content of a file that is as young as the index.
    """
    for name in filter(None, repo.git("ls-files", "-z").split("\0")):
        path = repo.path / name
        if path.is_file():
            os.utime(path, (LONG_AGO, LONG_AGO), follow_symlinks=False)
    repo.git("update-index", "-q", "--refresh")


def set_config(repo: Repo, settings: Mapping[str, str]) -> None:
    """Set the repository's own configuration."""
    for name, value in settings.items():
        repo.git("config", name, value)


def changed(repo: Repo) -> State:
    """Change some files, staged and not, and return the state that this makes."""
    repo.write("many/0.txt", "edited\n")
    repo.write("many/new.txt", "new\n")
    repo.write("new.txt", "new\n")
    repo.git("add", "new.txt")
    repo.write("a.txt", "edited\n")
    return State(here=repo, edit=writing(repo, "many/new.txt", "edited\n"))


def write_all(repo: Repo, *names: str) -> None:
    """Write files, each with its own name as content."""
    for name in names:
        repo.write(name, f"{name}\n")
