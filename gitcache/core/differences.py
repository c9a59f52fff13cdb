"""How the inputs of a key differ from those of a stored entry, in words for people.

Differences come in the order of :data:`~gitcache.core.key.NAMES`, a mapping's part by part. Of the
environment and of blind spots only digests are known, so that they changed is all that can be said,
unless somebody has kept the versions that a digest stood for.
Which files differ between two contents follows from the trees that they lie over and their changes;
reading trees is the business of :mod:`gitcache.git.tree_diff`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from gitcache.core.content import Change
from gitcache.core.entry import Entry
from gitcache.core.key import NAMES, KeyInputs
from gitcache.core.tool import AD_HOC


@dataclass(frozen=True, slots=True)
class Difference:
    """One key input, or one part of one, that is not what an entry has."""

    name: str
    """The key input: one of :data:`~gitcache.core.key.NAMES`."""

    text: str
    """What differs, as a clause: ``argv changed``, ``variable CI is now set``."""

    part: str = ""
    """Which part, such as ``variable:CI``; empty where the input has none."""

    before: str | None = None
    """The entry's value; None where only digests are known, or there was none."""

    after: str | None = None
    """The value that was asked for; None as for :attr:`before`."""

    paths: tuple[str, ...] = ()
    """Which files, for the tree; empty where they can't be told."""


@dataclass(frozen=True, slots=True)
class Content:
    """A content as far as differences need it: a tree, and what lies over it."""

    base: str
    """A tree's object id."""

    changes: tuple[Change, ...] = ()
    """Every path in which the content differs from :attr:`base`, at most one for a path."""


Versions = Mapping[str, str]
"""Name of a program or package → its version."""

_VERSIONS_TOLD: Final = 2
"""How many packages of one part are named before the rest is counted: they stand in one line."""

TreeDiff = Mapping[str, tuple[Change, Change]]
"""Path → what it is in one tree and in another, of each path in which the two differ."""


def changed_paths(before: Content, after: Content, between: TreeDiff) -> tuple[str, ...]:
    """Return the paths in which two contents differ, sorted.

    Args:
        before: one content.
        after: the other.
        between: what differs from the base of *before* to that of *after*.
    """
    then = {path: old for path, (old, _) in between.items()}
    now = {path: new for path, (_, new) in between.items()}
    then.update((each.path, each) for each in before.changes)
    now.update((each.path, each) for each in after.changes)
    paths = sorted(then.keys() | now.keys())
    return tuple(path for path in paths if then.get(path) != now.get(path))


def differences(
    inputs: KeyInputs,
    entry: Entry,
    paths: tuple[str, ...] = (),
    versions: Mapping[str, tuple[Versions, Versions]] = MappingProxyType({}),
) -> tuple[Difference, ...]:
    """Return how *inputs* differ from those of *entry*, in the order of the key inputs' names.

    Args:
        inputs: what was asked for.
        entry: what is compared with.
        paths: the files in which the contents differ; empty where they can't be told.
        versions: part of the environment → what it stood for in the entry, and for what now.
    """
    return tuple(
        _in_versions(_told(name, part, entry.inputs, inputs, paths), versions.get(part))
        for name, part in _differing(entry.inputs, inputs)
    )


def _in_versions(difference: Difference, versions: tuple[Versions, Versions] | None) -> Difference:
    """Return *difference* told by the *versions* before and after, where these differ."""
    changes = _version_changes(*versions) if versions else []
    if not changes:
        return difference
    rest = len(changes) - _VERSIONS_TOLD
    told = changes[:_VERSIONS_TOLD] + (
        [f"{rest} more package{'s' * (rest > 1)}"] if rest > 0 else []
    )
    return replace(difference, text=", ".join(told))


def _version_changes(before: Versions, after: Versions) -> list[str]:
    names = sorted(before.keys() | after.keys())
    changes = []
    for name in names:
        match before.get(name), after.get(name):
            case None, new:
                changes.append(f"{name} {new} is new")
            case old, None:
                changes.append(f"{name} {old} is gone")
            case old, new if old != new:
                changes.append(f"{name} {old} → {new}")
    return changes


def nearest(inputs: KeyInputs, entries: Iterable[Entry]) -> Entry | None:
    """Return the entry of the same tool that differs least from *inputs*; of equals the newest.

    Commands of the caller's own are one tool only by name, so there the argv must be equal too.
    """
    candidates = (
        entry
        for entry in entries
        if entry.inputs.tool == inputs.tool
        and (inputs.tool != AD_HOC or entry.inputs.argv == inputs.argv)
    )
    return min(
        candidates,
        key=lambda entry: (len(_differing(entry.inputs, inputs)), -entry.started_at),
        default=None,
    )


def _differing(before: KeyInputs, after: KeyInputs) -> list[tuple[str, str]]:
    """Return the name of each input that differs, and of its part where it has parts."""
    found: list[tuple[str, str]] = []
    for name in NAMES:
        old, new = getattr(before, name), getattr(after, name)
        if isinstance(old, Mapping):
            parts = {part for part, _ in old.items() ^ new.items()}
            found += [(name, part) for part in sorted(parts)]
        elif old != new:
            found.append((name, ""))
    return found


def _told(
    name: str, part: str, before: KeyInputs, after: KeyInputs, paths: tuple[str, ...]
) -> Difference:
    """Return one difference in words."""
    old, new = getattr(before, name), getattr(after, name)
    match name:
        case "argv":
            return Difference(name, "argv changed", "", shlex.join(old), shlex.join(new))
        case "tree":
            return Difference(name, _files_words(paths), "", old, new, paths)
        case "environment" | "blind_spots":
            text = f"{_subject(part)} {_verb(part, old, new)}"
            return Difference(name, text, part)
        case "limits" | "terminal":
            subject = f"limit {part}" if name == "limits" else _subject(part)
            text = f"{subject} {_verb(part, old, new)}"
            return Difference(name, text, part, old.get(part), new.get(part))
    return Difference(name, f"{name} changed", "", str(old), str(new))


def _files_words(paths: tuple[str, ...]) -> str:
    match len(paths):
        case 0:
            return "content changed"
        case 1:
            return "1 file changed"
        case count:
            return f"{count} files changed"


_SPELLED: Final = {
    "stdin": "standard input",
    "rules": "passing of variables",
    "leak": "setting leak",
    "colour": "flag for colours",
    "pty": "pseudo-terminal",
}
"""Parts whose name is no word for people."""


def _subject(part: str) -> str:
    """Return what the name of a *part* says: ``variable:CI`` → ``variable CI``."""
    return _SPELLED.get(part, part.replace(":", " ", 1))


def _verb(part: str, old: Mapping[str, str], new: Mapping[str, str]) -> str:
    if part in old and part in new:
        return "changed"
    if part.startswith("variable:"):
        return "is now set" if part in new else "is no longer set"
    return "is new" if part in new else "is gone"
