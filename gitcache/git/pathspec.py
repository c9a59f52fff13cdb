"""Git's pathspecs (gitglossary(7)), as far as they must be told apart before git matches them.

What a pathspec matches is for git to say, always; here it is only taken apart, and a refusal of
git's is told in the words of the settings.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from gitcache.errors import RepositoryError, SettingsError
from gitcache.git.plumbing import Git, GitError

_SHORT: Final = {"/": "top", "!": "exclude", "^": "exclude"}
_GLOB: Final = re.compile(r"[*?\[\\]")

_CLOSED: Final = b"warning: could not open directory"
"""What git says of a folder that it may not list, before it goes on without that."""

_RULES: Final = frozenset(
    f"GIT_{rule}_PATHSPECS" for rule in ("LITERAL", "GLOB", "NOGLOB", "ICASE")
)
"""Variables of the caller that would give each pathspec another meaning (git(1))."""


@dataclass(frozen=True, slots=True)
class Pathspec:
    """One pathspec, taken apart."""

    magic: frozenset[str]
    """Its magic words in their long form; of ``attr:…`` only ``attr``."""

    pattern: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Take *text* apart; what git would refuse comes out as something."""
        if text.startswith(":("):
            words, _, pattern = text[2:].partition(")")
            return cls(frozenset(word.partition(":")[0] for word in words.split(",")), pattern)
        if not text.startswith(":"):
            return cls(frozenset(), text)
        end = 1
        while text[end : end + 1] in {*_SHORT}:
            end += 1
        magic = frozenset(_SHORT[letter] for letter in text[1:end])
        return cls(magic, text[end:].removeprefix(":"))

    @property
    def path(self) -> str:
        """The pattern as a path relative to the worktree's top, without ``.`` and ``//``."""
        return posixpath.normpath(self.pattern)

    @property
    def is_plain(self) -> bool:
        """Whether it names one path and all that lies below, and no other."""
        is_literal = "literal" in self.magic or not _GLOB.search(self.pattern)
        return is_literal and bool(self.pattern) and self.magic <= {"top", "literal"}


def list_matching(git: Git, setting: str, words: Sequence[str], pathspecs: Sequence[str]) -> bytes:
    """Return what ``git ls-files WORDS -z`` lists of the paths that *pathspecs* match.

    Raises:
        SettingsError: git refuses one of them; the message names it and *setting*.
        RepositoryError: git can't list at all, or not what is in some folder.
    """
    environ = {name: value for name, value in git.environ.items() if name not in _RULES}
    git = replace(git, environ=environ)
    for each in pathspecs:
        if "\0" in each:
            raise SettingsError(f"{setting}: {each!r} is no pathspec")
    try:
        with git.start("ls-files", *words, "-z", "--", *pathspecs) as call:
            listing = call.finish()
    except GitError:
        for each in pathspecs:
            _refuse_alone(git, setting, each)
        raise
    if _CLOSED in call.stderr:
        warning = call.stderr.decode("utf-8", "replace").partition("warning: ")[2]
        raise RepositoryError(f"{setting}: {warning.splitlines()[0]}")
    return listing


def _refuse_alone(git: Git, setting: str, pathspec: str) -> None:
    """Raise SettingsError where git refuses *pathspec* by itself."""
    try:
        git.run("ls-files", "-z", "--", pathspec)
    except GitError as error:
        why = re.sub(r" at '.*'$", "", error.reason)  # the folder in which git was asked
        raise SettingsError(f"{setting}: git refuses {pathspec!r}: {why}") from error


def listed_paths(listing: bytes) -> list[bytes]:
    """Return the paths of *listing*, whose lines may have facts before a tab."""
    return [line.split(b"\t", 1)[-1] for line in listing.split(b"\0")[:-1]]
