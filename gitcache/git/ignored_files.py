"""Files that git ignores and a tool reads: ``.env`` files, and what the settings declare.

Three sorts count. By default ``.env`` and ``.env.*`` in every folder of the snapshot; those that
the snapshot holds are in its tree already and count there. What ``ignored_inputs`` name: ignored
files that a pathspec matches, and plainly named paths, which count even where they are missing. And
the ``outputs`` of other tools. A content leaves this module as a digest, never as text.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final

from gitcache.core.content import Snapshot
from gitcache.core.key import digest
from gitcache.core.tool import ToolName
from gitcache.errors import SettingsError
from gitcache.git.disk import files_below
from gitcache.git.env_files import ignored_env_files
from gitcache.git.file_digests import file_digests
from gitcache.git.memo import MemoFolder
from gitcache.git.pathspec import Pathspec, list_matching
from gitcache.git.repository import Repository

_SETTING: Final = "ignored_inputs"

_APART_AT_MOST: Final = 100
"""Files that get a part of their own each; more would swell every entry for no reader."""

_IGNORED: Final = ("--others", "--ignored", "--exclude-standard")


def ignored_parts(
    repository: Repository,
    snapshot: Snapshot,
    declared: Sequence[str],
    memos: MemoFolder,
    now_ns: int | None = None,
) -> dict[str, str]:
    """Return part name → digest of each ignored file that counts.

    Args:
        repository: the worktree.
        snapshot: its content.
        declared: the setting ``ignored_inputs``: git pathspecs relative to the top, and
            ``!PATTERN`` for what does not count unless it is plainly named. A pattern is a name,
            which then matches in every folder, or a path from the top; ``*`` stays within one part
            of it, ``**`` stands for any parts, and what lies below a match goes with it.
        memos: where the digests are remembered under the files' stats.
        now_ns: the time in nanoseconds since the epoch, which tells whose stat can be trusted;
            None: the clock's.

    Raises:
        SettingsError: the setting says something that it can't say.
        RepositoryError: a file that counts can't be read.
    """
    now = time.time_ns() if now_ns is None else now_ns
    counted = ignored_paths(repository, snapshot, declared, memos, now)
    memo_name = f"ignored-{digest(*declared)}"
    return _parts(file_digests(repository.top, counted, memos, memo_name, now))


def ignored_paths(
    repository: Repository,
    snapshot: Snapshot,
    declared: Sequence[str],
    memos: MemoFolder,
    now_ns: int,
) -> list[str]:
    """Return the path of each ignored file that counts, sorted, as :func:`ignored_parts` does."""
    exclusions = [_parsed_exclusion(each) for each in declared if each.startswith("!")]
    pathspecs = [each for each in declared if not each.startswith("!")]
    named = set(_named(pathspecs))
    found = {*ignored_env_files(repository, snapshot, memos, now_ns)}
    found.update(_matching(repository, pathspecs, _SETTING))
    return sorted({path for path in found if not _is_excluded(path, exclusions)} | named)


def output_parts(
    repository: Repository,
    outputs: Mapping[ToolName, Sequence[str]],
    memos: MemoFolder,
    now_ns: int | None = None,
) -> dict[str, str]:
    """Return part name → digest of what each of *outputs*, tool → paths, has made that git ignores.

    What it has made and git does not ignore is in the snapshot. Arguments and errors are those of
    :func:`ignored_parts`.
    """
    now = time.time_ns() if now_ns is None else now_ns
    parts = {}
    for tool, paths in outputs.items():
        found = output_paths(repository, paths)
        name = f"outputs-{digest(*paths)}"
        contents = file_digests(repository.top, found, memos, name, now)
        parts[f"outputs:{tool}"] = digest(*(word for each in contents.items() for word in each))
    return parts


def output_paths(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Return *paths*, the outputs of one tool, and the ignored files there, sorted."""
    return sorted({*paths, *_matching(repository, paths, "outputs")})


def _parts(contents: Mapping[str, str]) -> dict[str, str]:
    """Return the parts of an environment: one for each file, or one for all where they are many."""
    if len(contents) <= _APART_AT_MOST:
        return {f"ignored:{path}": value for path, value in contents.items()}
    return {"ignored": digest(*(part for each in contents.items() for part in each))}


def _parsed_exclusion(text: str) -> list[str]:
    """Return the parts of the path that *text*, ``!PATTERN``, matches from the top on."""
    pattern = text[1:].rstrip("/")
    if not pattern:
        raise SettingsError(f"{_SETTING}: {text!r} names nothing")
    if "/" not in pattern:
        return ["**", pattern]
    return pattern.removeprefix("/").split("/")


def _is_excluded(path: str, exclusions: Sequence[Sequence[str]]) -> bool:
    return any(_begins(path.split("/"), pattern) for pattern in exclusions)


def _begins(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return whether *pattern* matches *parts* or a folder above."""
    if not pattern:
        return True
    if pattern[0] == "**":
        return any(_begins(parts[skipped:], pattern[1:]) for skipped in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], pattern[0]) and _begins(parts[1:], pattern[1:])


def _named(pathspecs: Sequence[str]) -> Iterator[str]:
    """Yield the path of each of *pathspecs* that names one path."""
    parsed = [(text, Pathspec.parse(text)) for text in pathspecs]
    if parsed and all("exclude" in pathspec.magic for _, pathspec in parsed):
        raise SettingsError(
            f"{_SETTING}: {parsed[0][0]!r} leaves out of nothing",
            hint='write "!PATTERN" for .env files that do not count',
        )
    for text, pathspec in parsed:
        if pathspec.is_plain:
            if pathspec.path.startswith(("/", "../")) or pathspec.path == "..":
                raise SettingsError(f"{_SETTING}: {text!r} leads out of the worktree")
            yield pathspec.path


def _matching(repository: Repository, pathspecs: Sequence[str], setting: str) -> Iterator[str]:
    """Yield the ignored files that *pathspecs* match; a name of a single file is no question."""
    asked = [text for text in pathspecs if _may_match_many(repository, Pathspec.parse(text))]
    if all("exclude" in Pathspec.parse(text).magic for text in asked):
        return
    with repository.listing() as git:
        listing = list_matching(git, setting, _IGNORED, asked)
    for line in listing.split(b"\0")[:-1]:
        path = os.fsdecode(line)
        if path.endswith("/"):
            yield from _files_of_nested(repository, path.removesuffix("/"))
        else:
            yield path


def _may_match_many(repository: Repository, pathspec: Pathspec) -> bool:
    return not pathspec.is_plain or os.path.isdir(repository.top / pathspec.path)


def _files_of_nested(repository: Repository, path: str) -> Iterator[str]:
    """Yield the files of the repository at *path*, into which git does not look."""
    for file in files_below(repository.top / path):
        below = file.relative_to(repository.top)
        if ".git" not in below.parts:
            yield str(below)
