"""A runner's argv that runs some files alone.

What selects within files stays (``-k``, ``-m``, ``--deselect``, ``-t``). Files, folders and globs
are replaced by those of the failing files that they select; a selector of a part of a file stays
where its file failed. What would measure or demand something of a whole run (coverage and its
thresholds) is dropped. Whatever can't be built for certain is not built: each line is read again,
and counts only where its selectors are just the files.

A JUnit report is still written, so that the names in it are those of this run. A threshold of which
only a configuration file tells fails the run without naming a test file, and so decides nothing.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Final

from gitcache.core.ecosystems.documents import json_object
from gitcache.core.runners.found import ByScript, Direct, EachPackage, Found
from gitcache.core.runners.runner import Line, Project, Runner
from gitcache.core.runners.words import Argv, Words
from gitcache.core.shell_text import assigned


@dataclass(frozen=True, slots=True)
class FocusedCommand:
    """One command of a focused run."""

    argv: Argv
    directory: str
    """Where it is started, relative to the worktree's top."""

    files: tuple[str, ...]
    """What it runs, relative to the top."""


_UNSAFE: Final = "\0\n"
"""Characters in a name for which no argv is built."""


def focused(
    found: Found, files: tuple[str, ...], project: Project
) -> tuple[FocusedCommand, ...] | None:
    """Return the commands that run *files* alone, to be run one after another.

    Args:
        found: the runner in the full command.
        files: files that failed, relative to the worktree's top.
        project: the worktree, whose tracked files tell which package owns a file.

    Returns:
        None where there are none: none of *files* is selected by the full command, or a command
        that is sure to run a part of it can't be built.
    """
    line, runner = found.line, found.runner
    if line is None or line.words.has(runner.forbidding):
        return None
    told = [each for each in files if _is_selected(each, found, line)]
    if not told or any(mark in each for each in told for mark in _UNSAFE):
        return None
    commands: list[FocusedCommand] = []
    for folder, group in _groups(found, line, told, project):
        built = _built(found, line, folder, tuple(group))
        if built is None and folder != found.directory:
            built = _built(found, line, found.directory, tuple(group))
        if built is None:
            return None
        commands += built
    return tuple(commands)


def _is_selected(file: str, found: Found, line: Line) -> bool:
    """Return whether the full command runs *file*, as far as its words tell."""
    runner, selectors = found.runner, line.words.selectors
    path = posixpath.relpath(file, found.directory)
    if not selectors or runner.selects_names:
        return runner.knows_no_files or not path.startswith("../")
    return any(_selects(each, path, runner) for each in selectors)


def _selects(selector: str, path: str, runner: Runner) -> bool:
    narrow = runner.narrow(selector)
    return runner.covers(selector, path) if narrow is None else _same(narrow, path)


def _same(one: str, other: str) -> bool:
    return posixpath.normpath(one) == posixpath.normpath(other)


def _groups(
    found: Found, line: Line, files: list[str], project: Project
) -> Iterator[tuple[str, list[str]]]:
    """Yield the folders in which the runner is to run, each with its files."""
    owners = _owning_folders(found.runner, project) if _can_move(found, line) else frozenset()
    groups: dict[str, list[str]] = {}
    for file in files:
        folder = _nearest(posixpath.dirname(file) or ".", owners)
        if folder is None or not _is_below(folder, found.directory):
            folder = found.directory
        groups.setdefault(folder, []).append(file)
    yield from groups.items()


def _can_move(found: Found, line: Line) -> bool:
    """Return whether the runner does the same in another folder, but for where it looks."""
    before = () if isinstance(found.launch, EachPackage) else found.launch.before
    is_fixed = line.words.has(found.runner.rooted)
    paths = [each for each in (*before, *_option_words(line)) if "/" in each]
    is_free = all(each[:1] != "-" and not assigned(each) for each in paths)
    starts_there = isinstance(found.launch, ByScript) or found.started_in == found.directory
    is_whole = found.runner.selects_names or not line.words.selectors
    return is_free and starts_there and is_whole and not is_fixed


def _option_words(line: Line) -> Iterator[str]:
    return (word for each in line.words.options for word in each.words)


def _owning_folders(runner: Runner, project: Project) -> frozenset[str]:
    """Return the folders with a file that makes them packages of *runner*'s."""
    return frozenset(
        posixpath.dirname(each) or "."
        for each in project.tracked
        if _is_owner(posixpath.basename(each), each, runner, project)
    )


def _is_owner(name: str, path: str, runner: Runner, project: Project) -> bool:
    if name == "package.json" and runner.owner_key:
        return runner.owner_key in json_object(project.read(path))
    return any(fnmatchcase(name, pattern) for pattern in runner.owners)


def _nearest(folder: str, folders: frozenset[str]) -> str | None:
    """Return the nearest of *folders* at or above *folder*."""
    while folder not in folders:
        if folder == ".":
            return None
        folder = posixpath.dirname(folder) or "."
    return folder


def _is_below(folder: str, top: str) -> bool:
    return top == "." or f"{folder}/".startswith(f"{top}/")


def _built(
    found: Found, line: Line, folder: str, files: tuple[str, ...]
) -> list[FocusedCommand] | None:
    """Return the commands that run *files* in *folder*; None where there are none for certain."""
    selectors = tuple(
        word for file in files for word in _words_for(file, found, line.words.selectors, folder)
    )
    bare = Line(line.head, line.words.without(found.runner.dropped))
    build = found.runner.build or _as_selectors
    lines = build(bare, selectors)
    if lines is None:
        return None
    argvs = [_argv(found, line, each, folder) for each in lines]
    return [FocusedCommand(*each, files) for each in argvs if each] if all(argvs) else None


def _words_for(file: str, found: Found, selectors: Argv, folder: str) -> Argv:
    """Return what selects *file*: itself, or the parts of it that alone were selected."""
    path, narrow = posixpath.relpath(file, found.directory), found.runner.narrow
    parts = tuple(each for each in selectors if (part := narrow(each)) and _same(part, path))
    wholes = [each for each in selectors if narrow(each) is None]
    if parts and not any(found.runner.covers(each, path) for each in wholes):
        return parts
    relative = posixpath.relpath(file, folder)
    return (relative if relative.startswith("../") else f"./{relative}",)


def _as_selectors(line: Line, selectors: Argv) -> tuple[Line, ...]:
    return (Line(line.head, replace(line.words, selectors=selectors)),)


def _argv(found: Found, full: Line, line: Line, folder: str) -> tuple[Argv, str] | None:
    """Return the argv that starts *line* in *folder* in place of the *full* one, and where."""
    runner = found.runner
    if not _reads_back(runner, line.words, _ordered(runner, line.words)):
        return None
    words = (*line.head, *_ordered(runner, line.words))
    match found.launch:
        case Direct(before) if folder == found.directory:
            return (*before, *words), found.started_in
        case Direct(before):
            return _moved((*before, *words), len(before) + len(line.head), found, folder), folder
        case ByScript() as script:
            appended = _appended(script, runner, full, line.words)
            if appended is not None and folder == found.directory:
                return appended, found.started_in
            words = _moved(
                (*script.before, *words), len(script.before) + len(line.head), found, folder
            )
            by_manager = _by_manager(script, words)
            return None if by_manager is None else (by_manager, folder)
        case EachPackage():
            return None


def _ordered(runner: Runner, words: Words) -> Argv:
    options = tuple(word for each in words.options for word in each.words)
    selectors = words.selectors
    return (
        (*options, *selectors, *words.rest)
        if runner.files_last
        else (
            *selectors,
            *options,
            *words.rest,
        )
    )


def _reads_back(runner: Runner, meant: Words, written: Argv) -> bool:
    """Return whether the runner will take *written* for what is *meant*."""
    read = runner.grammar.read(written)
    return read is not None and (read.selectors, read.rest) == (meant.selectors, meant.rest)


def _moved(words: Argv, count: int, found: Found, folder: str) -> Argv:
    """Return *words* as they are written in *folder*: the paths among the first *count* change."""
    if folder == found.directory:
        return words
    paths = (
        posixpath.relpath(posixpath.join(found.directory, each), folder)
        if "/" in each and not each.startswith(("/", "-", "@"))
        else each
        for each in words[:count]
    )
    return (*paths, *words[count:])


def _appended(script: ByScript, runner: Runner, full: Line, wanted: Words) -> Argv | None:
    """Return the call of *script* with words behind it that make *full* what is *wanted*.

    None where they can't: it selects files itself, or has an option that is to go.
    """
    count, had = len(full.words.options), full.words
    if (
        not script.call
        or had.selectors
        or had.rest
        or wanted.options[:count] != had.options
        or wanted.rest
    ):
        return None
    added = tuple(word for each in wanted.options[count:] for word in each.words)
    behind = (*added, *wanted.selectors)
    if not _reads_back(runner, wanted, (*full.written, *behind)):
        return None
    mark = ("--",) if script.manager == "npm" else ()
    return (*script.call, *mark, *script.extra, *behind)


def _by_manager(script: ByScript, words: Argv) -> Argv | None:
    """Return how the package's manager starts *words* as it would start the script with them.

    Scripts that run before and after it would not run then, so there must be none.
    """
    if not script.is_alone:
        return None
    if script.manager == "npm":
        return ("npm", "exec", "-c", " ".join(map(_quoted, words)))
    if script.manager == "pnpm":
        return ("pnpm", "exec", *(("env",) if assigned(words[0]) else ()), *words)
    return None


def _quoted(word: str) -> str:
    """Return *word* as a shell reads it; ``NAME=VALUE`` stays an assignment."""
    variable = assigned(word)
    return shlex.quote(word) if variable is None else f"{variable[0]}={shlex.quote(variable[1])}"
