"""Which git is there: one that is too old answers other questions than those that are asked."""

from __future__ import annotations

import re
from typing import Final

from gitcache.errors import RepositoryError
from gitcache.git.plumbing import GitCall

QUESTION: Final = ("version",)
"""The words behind ``git``."""

OLDEST: Final = (2, 35)
"""The first git that understands all that is asked here, and to which the rules here were held."""


def check_version(call: GitCall) -> None:
    """Wait for *call*, started with :data:`QUESTION`.

    Raises:
        RepositoryError: this git is too old, or says no version.
    """
    fault = why_too_old(read_version(call))
    if fault:
        raise RepositoryError(fault)


def read_version(call: GitCall) -> str:
    """Return what *call*, started with :data:`QUESTION`, answers: ``git version 2.39.5``."""
    return call.finish().decode("utf-8", "replace").strip()


def why_too_old(answer: str) -> str:
    """Return why the git that gives this *answer* can't be used; empty where it can."""
    found = re.search(r"(\d+)\.(\d+)", answer)
    if found is not None and (int(found[1]), int(found[2])) >= OLDEST:
        return ""
    oldest = ".".join(map(str, OLDEST))
    return f"{answer or 'this git'} is too old: {oldest} or newer is needed"
