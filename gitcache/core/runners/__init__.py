"""Test runners: recognised in an argv, their failing files read, an argv built that runs these.

One module a runner, and one table: :data:`RUNNERS`. Callers need the functions of this module.
Nothing here reads a file: what exists, what is tracked and what files say comes in as a
:class:`~gitcache.core.runners.runner.Project`. Every doubt ends in "nothing": no runner, no file,
no focused run; then the full command decides alone.
"""

from __future__ import annotations

import posixpath
from typing import Final

from gitcache.core.output import Output
from gitcache.core.runners import focus, junit, launch
from gitcache.core.runners.cargo import CARGO
from gitcache.core.runners.ctest import CTEST
from gitcache.core.runners.focus import FocusedCommand
from gitcache.core.runners.found import Direct, EachPackage, Found
from gitcache.core.runners.go import GO
from gitcache.core.runners.jest import JEST
from gitcache.core.runners.mocha import MOCHA
from gitcache.core.runners.nextest import NEXTEST
from gitcache.core.runners.node import NODE
from gitcache.core.runners.phpunit import PHPUNIT
from gitcache.core.runners.pytest import PYTEST
from gitcache.core.runners.resolve import resolved
from gitcache.core.runners.rspec import RSPEC
from gitcache.core.runners.runner import Printed, Project
from gitcache.core.runners.scripts import scripts_in
from gitcache.core.runners.text import sections, text_of
from gitcache.core.runners.unittest import UNITTEST
from gitcache.core.runners.vitest import VITEST
from gitcache.core.runners.words import Argv

RUNNERS: Final = (
    *(PYTEST, UNITTEST, VITEST, JEST, NODE, MOCHA),
    *(GO, CARGO, NEXTEST, RSPEC, PHPUNIT, CTEST),
)
"""The runners that are known, by the names that the settings take."""

NONE: Final = "none"
"""What the settings say where no runner is to be recognised."""


def recognise(
    argv: Argv, project: Project, directory: str = ".", named: str | None = None
) -> Found | None:
    """Return the runner that *argv* starts; None where there is none that is known.

    Args:
        argv: the full command.
        project: the worktree.
        directory: where *argv* is started, relative to the worktree's top.
        named: what the settings say that it is: a name of :data:`RUNNERS`, or :data:`NONE`. A
            runner that is named and not seen in *argv* has its output read, and is not focused.
    """
    if named == NONE:
        return None
    if named is None:
        return launch.find(argv, project, directory, RUNNERS)
    runner = next(each for each in RUNNERS if each.name == named)
    found = launch.find(argv, project, directory, (runner,))
    return found or Found(runner, directory, directory, None, Direct(()))


def failing_files(
    found: Found, output: Output, project: Project, report: bytes | None = None
) -> tuple[str, ...]:
    """Return the files that failed, relative to the worktree's top, each once.

    Args:
        found: the runner.
        output: what the command printed.
        project: the worktree.
        report: the JUnit report that this very run wrote (see :func:`report_path`). Its names
            count, and the output's where it has none.

    Returns:
        Existing files of the worktree, at most :data:`~gitcache.core.runners.resolve.MOST_FILES`;
        none where nothing is named, or more files are.
    """
    if report is not None:
        files = resolved(junit.failing(report), project, found.directory)
        if files:
            return files
    printed = (
        Printed(each.ways, each.folder or section.folder)
        for section in sections(text_of(output))
        for each in found.runner.failing(section.text)
    )
    return resolved(printed, project, found.directory)


def focused(
    found: Found, files: tuple[str, ...], project: Project
) -> tuple[FocusedCommand, ...] | None:
    """Return the commands that run *files* alone; None where none can be built for certain.

    They are to be run one after another, in the full command's environment. Each is a part of the
    full command: what it fails, that fails too, but for a test that fails in isolation only.
    """
    if not isinstance(found.launch, EachPackage):
        return focus.focused(found, files, project)
    commands: list[FocusedCommand] = []
    for package, group in _by_package(found.launch, files, found.directory, project).items():
        manager, script = found.launch.manager, found.launch.script
        inner = launch.find((manager, "run", script), project, package, (found.runner,))
        built = None if inner is None else focus.focused(inner, tuple(group), project)
        if built is None:
            return None
        commands += built
    return tuple(commands) or None


def _by_package(
    each: EachPackage, files: tuple[str, ...], directory: str, project: Project
) -> dict[str, list[str]]:
    """Return the files by the nearest package that has the script."""
    groups: dict[str, list[str]] = {}
    for file in files:
        folder = posixpath.dirname(file)
        while folder and folder != directory:
            text = project.read(f"{folder}/package.json")
            if text is not None and each.script in scripts_in(text):
                groups.setdefault(folder, []).append(file)
                break
            folder = posixpath.dirname(folder)
    return groups


def ran_nothing(found: Found, output: Output) -> bool:
    """Return whether *output* says that there was no test to run: it decides nothing then."""
    return found.runner.ran_nothing(text_of(output))


def report_path(found: Found, declared: str | None, directory: str = ".") -> str | None:
    """Return where the JUnit report is written, relative to the worktree's top; None: nowhere.

    Args:
        found: the runner.
        declared: what the settings say, relative to the tool's *directory*; it comes first.
        directory: the tool's, relative to the worktree's top.
    """
    if declared is not None:
        return posixpath.normpath(posixpath.join(directory, declared))
    asked = None if found.line is None else found.runner.report(found.line.words)
    if asked is None or asked.startswith("/"):
        return None
    path = posixpath.normpath(posixpath.join(found.directory, asked))
    return None if path.startswith("../") else path
