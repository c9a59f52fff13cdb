"""Which words the tracked files of a worktree mention, and where."""

from __future__ import annotations

import os
from collections.abc import Sequence

from gitcache.git.plumbing import GitError
from gitcache.git.repository import Repository


def first_mentions(repository: Repository, words: Sequence[str]) -> dict[str, str]:
    """Return those of *words* that a tracked file mentions as a whole word, with the first file.

    Binary files are not looked into. Empty where git can't search.
    """
    if not words:
        return {}
    asked = [option for each in words for option in ("-e", each)]
    options = ("-I", "-o", "-w", "-z", "--fixed-strings", "--no-color", "--full-name")
    try:
        answer = repository.git.run("grep", *options, *asked)
    except GitError:  # also where nothing is found
        return {}
    found: dict[str, str] = {}
    for line in answer.splitlines():
        path, _, word = line.partition(b"\0")
        found.setdefault(os.fsdecode(word), os.fsdecode(path))
    return {word: found[word] for word in words if word in found}
