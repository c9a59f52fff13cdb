"""Git's settings that decide how files become content, and our own, as git itself reads them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gitcache.git.plumbing import Git, GitCall, GitError

QUESTION: Final = ("config", "-z", "--get-regexp", r"^(core|filter|toolcache)\.")
"""The words behind ``git``; they ask for what decides modes and conversions, and for ours."""

_CONVERTING: Final = ("core.autocrlf", "core.eol", "core.checkroundtripencoding", "filter.")


@dataclass(frozen=True, slots=True)
class Config:
    """Name → value; section and key in lower case, of several values the last, as git has it."""

    values: Mapping[str, str]

    def get(self, name: str, default: str) -> str:
        """Return the value of *name*."""
        return self.values.get(name, default)

    def is_on(self, name: str, default: bool) -> bool:
        """Return the truth value of *name* (git-config(1), "Values")."""
        value = self.values.get(name)
        return default if value is None else value.lower() in ("true", "yes", "on", "1", "")

    def converting(self) -> dict[str, str]:
        """Return the settings that rule conversions."""
        return {name: text for name, text in self.values.items() if name.startswith(_CONVERTING)}


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of git in force."""

    name: str
    """Section and key in lower case."""

    value: str
    scope: str
    """Where it is set: ``system``, ``global``, ``local``, ``worktree`` or ``command``."""


def settings_named(git: Git, pattern: str) -> tuple[Setting, ...]:
    """Return the settings whose names match *pattern*, of several values the last.

    Raises:
        GitError: git can't read its settings.
    """
    try:
        answer = git.run("config", "--show-scope", "-z", "--get-regexp", pattern)
    except GitError as error:
        if error.returned == 1:  # none of these names
            return ()
        raise
    fields = os.fsdecode(answer).split("\0")[:-1]
    found = {}
    for scope, text in zip(fields[::2], fields[1::2], strict=True):
        name, newline, value = text.partition("\n")
        found[name] = Setting(name, value if newline else "true", scope)
    return tuple(found.values())


def config_of(git: Git) -> Config:
    """Return the settings that *git* tells of by a process of its own; GitError where none."""
    with git.start(*QUESTION) as call:
        return read_config(call)


def read_config(call: GitCall) -> Config:
    """Return the settings that *call*, started with :data:`QUESTION`, tells of."""
    try:
        answer = call.finish()
    except GitError as error:
        if error.returned == 1:  # no setting of these names at all
            return Config({})
        raise
    values = {}
    for line in answer.split(b"\0")[:-1]:
        name, _, value = os.fsdecode(line).partition("\n")
        values[name] = value if "\n" in os.fsdecode(line) else "true"
    return Config(values)
