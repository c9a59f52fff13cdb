"""A worktree as the runners are told of it: its files as a mapping, none of them on a disk."""

from __future__ import annotations

from collections.abc import Mapping

from gitcache.core.output import Chunk, Output
from gitcache.core.runners.runner import Project


def project_of(*names: str, **texts: str) -> Project:
    """Return the worktree ``/top`` in which the files *names* are, and those of *texts*."""
    return project_with({**dict.fromkeys(names, ""), **texts})


def project_with(files: Mapping[str, str]) -> Project:
    """Return the worktree ``/top`` with *files*: path → text."""
    return Project(tuple(files), files.__contains__, files.get, ("/top",))


def printed(stdout: bytes = b"", stderr: bytes = b"") -> Output:
    """Return the output of a run that printed this."""
    pairs = (Chunk("stdout", stdout), Chunk("stderr", stderr))
    return Output(tuple(each for each in pairs if each.data))
