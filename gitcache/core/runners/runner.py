"""What is known of one test runner, and what is found of it in a command.

A :class:`Runner` is data and small functions: how it is started, how it reads its words, which
options stand against a focused run, how its output names what failed. All decisions that are alike
for every runner are made elsewhere, once: finding it behind launchers in
:mod:`gitcache.core.runners.launch`, building the focused argv in
:mod:`gitcache.core.runners.focus`, names to files in :mod:`gitcache.core.runners.resolve`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection
from dataclasses import dataclass

from gitcache.core.runners.words import Argv, Grammar, Words


@dataclass(frozen=True, slots=True)
class Printed:
    """A failing file as a runner prints it."""

    ways: tuple[str, ...]
    """The paths that may be meant, the likeliest first: a module's name has several."""

    folder: str = ""
    """The folder to which the output itself says that they are relative; empty: it says nothing."""


@dataclass(frozen=True, slots=True)
class Project:
    """What is asked about the worktree; nothing here reads a file itself."""

    tracked: Collection[str]
    """The tracked files, relative to the worktree's top."""

    exists: Callable[[str], bool]
    """Whether a path relative to the top is a file that lies within the worktree now."""

    read: Callable[[str], str | None]
    """The text of a file, by its path relative to the top; None where there is none."""

    tops: tuple[str, ...] = ()
    """Absolute paths of the worktree's top, as programs may print it: as given, and resolved."""


@dataclass(frozen=True, slots=True)
class Line:
    """A runner's own part of an argv."""

    head: Argv
    """Its program's word and those behind it that say that tests are run: ``go test``."""

    words: Words

    written: Argv = ()
    """The words behind the head as they were written; empty for a line that was built."""


def no_selector_is_narrow(_: str) -> str | None:
    """Return None: each selector is a file, a folder or a pattern."""
    return None


def covers_path(selector: str, file: str) -> bool:
    """Return whether *selector* is *file*, a folder above it or a glob; both from one folder.

    A glob counts for all files: those that failed came out of it.
    """
    if any(mark in selector for mark in "*?{["):
        return True
    path = posixpath.normpath(selector)
    return path in (".", file) or file.startswith(f"{path}/")


@dataclass(frozen=True, slots=True)
class Runner:
    """One test runner."""

    name: str
    """What the settings call it."""

    programs: frozenset[str]
    """The base names of its program."""

    grammar: Grammar
    failing: Callable[[str], tuple[Printed, ...]]
    """Text of a run's output → what failed, in the order of the output; double names are fine."""

    ran_nothing: Callable[[str], bool]
    """Text of a run's output → whether it says that there was no test to run."""

    modules: frozenset[str] = frozenset()
    """The modules that ``python -m`` starts as this runner."""

    behind: Callable[[Argv], int | None] = lambda _: 0
    """The words behind the program → how many of them still say that tests are run; None: they
    say something else."""

    forbidding: Argv = ()
    """Patterns of options with which a run of fewer files is another thing, or can't be."""

    dropped: Argv = ()
    """Patterns of options that a run of fewer files is better without: coverage and its
    thresholds."""

    rooted: Argv = ()
    """Patterns of options whose values depend on the folder in which the runner runs."""

    owners: Argv = ()
    """Patterns of files that make their folder the one in which its tests are run; empty: it
    runs where it is told to."""

    owner_key: str = ""
    """The name in a ``package.json`` with which that file is such a one; empty: it never is."""

    covers: Callable[[str, str], bool] = covers_path
    """Whether a selector selects a file; the file is relative to where the runner runs."""

    narrow: Callable[[str], str | None] = no_selector_is_narrow
    """The file of a selector that selects a part of it alone; None: it selects more."""

    build: Callable[[Line, Argv], tuple[Line, ...] | None] | None = None
    """The line, and files relative to where it is run (or parts of files) → the lines that run
    just them; None (the value): it can't be done; None (the field): they are its selectors."""

    selects_names: bool = False
    """Whether its selectors are names of tests: they stay, and say nothing about files."""

    knows_no_files: bool = False
    """Whether its tests have no files of their own, so that these may lie anywhere."""

    files_last: bool = False
    """Whether selectors stand behind the options."""

    report: Callable[[Words], str | None] = lambda _: None
    """The JUnit report for which the words ask, relative to where the runner runs."""
