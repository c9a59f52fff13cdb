"""The runner in a command: found behind launchers, and how its argv is put together again.

Launchers are followed as :mod:`gitcache.core.launchers` knows them. Where each stands before the
runner's words as they are (``nice``, ``uv run``, ``npx``), the argv is the words before and the
runner's own. A package's script has two ways: words appended behind the manager's, or the script's
command started by the manager in its place. Behind all else (a makefile, a text with more than one
command) a runner is recognised so that its output can be read, and its argv is left alone.
"""

from __future__ import annotations

import os
import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from gitcache.core.launchers import PackageScript, Recipes, Script, Text, started_by
from gitcache.core.runners.found import ByScript, Direct, EachPackage, Found
from gitcache.core.runners.program import exact_place, folder_of, program_place, unassigned
from gitcache.core.runners.runner import Line, Project, Runner
from gitcache.core.runners.scripts import (
    MANAGERS,
    called,
    is_alone_in,
    means_packages,
    script_of_each,
    scripts_in,
)
from gitcache.core.runners.words import Argv
from gitcache.core.shell_text import commands_of

_DEEPEST: Final = 8
"""Launchers within one another that are looked through: more than anybody writes."""

_MOST_COMMANDS: Final = 256
"""Commands that are looked at in all: a script that calls itself twice has no end."""

_QUOTED: Final = re.compile(r"""'[^']*'|"[^"$`\\]*\"""")
_SHELL_MARKS: Final = re.compile(r"[$`\[\]{}~&|;<>()#!\n\\]")
"""Characters for which a shell does more with a text than to split it into words and files."""

_MANIFEST: Final = "package.json"


def find(argv: Argv, project: Project, directory: str, table: tuple[Runner, ...]) -> Found | None:
    """Return the runner that *argv* starts; None where there is none, or more than one kind.

    Args:
        argv: what is started.
        project: the worktree, in whose files scripts and recipes are looked up.
        directory: where it is started, relative to the worktree's top.
        table: the runners that are known.
    """
    return _Search(project, table).find(argv, directory, _DEEPEST)


class _Search:
    """Looks for a runner through launchers."""

    def __init__(self, project: Project, table: tuple[Runner, ...]) -> None:
        self._project = project
        self._table = table
        self._left = _MOST_COMMANDS

    def find(self, argv: Argv, directory: str, depth: int) -> Found | None:
        """Return the runner that *argv* leads to by at most *depth* launchers; None where none."""
        before = len(argv) - len(unassigned(argv))
        words = argv[before:]
        self._left -= 1
        if not words or depth == 0 or self._left < 0:
            return None
        if found := self._here(words, directory):
            return _behind(argv[:before], directory, found)
        if os.path.basename(words[0]) in MANAGERS:
            managed = self._managed(words, directory, depth)
            return managed and _behind(argv[:before], directory, managed)
        steps = started_by(words)
        if len(steps) == 1 and isinstance(steps[0], Text) and steps[0].bins:
            return self._by_text(steps[0], directory, depth)
        if len(steps) == 1 and (place := exact_place(words, steps[0])) is not None:
            folder = folder_of(words[:place], steps[0])
            started = posixpath.normpath(posixpath.join(directory, folder))
            inner = self.find(words[place:], started, depth - 1)
            return inner and _behind(argv[: before + place], directory, inner)
        return self._behind_text(words, directory, depth)

    def _here(self, words: Argv, directory: str) -> Found | None:
        """Return the runner where *words* begin with it, or with ``python -m`` and it."""
        for runner in self._table:
            if (place := program_place(words, runner)) is None:
                continue
            behind = runner.behind(words[place + 1 :])
            if behind is None:
                continue
            head = place + 1 + behind
            told = runner.grammar.read(words[head:])
            line = None if told is None else Line(words[:head], told, words[head:])
            return Found(runner, directory, directory, line)
        return None

    def _managed(self, words: Argv, directory: str, depth: int) -> Found | None:
        """Return the runner that npm or its like starts: by a script, or as a program."""
        if means_packages(words):
            return self._in_each(words, directory, depth)
        for step in started_by(words):
            if isinstance(step, Text):
                return self._by_text(step, directory, depth)
            if isinstance(step, PackageScript):
                found = self._by_script(words, step, directory, depth)
                if found is not None:
                    return found
            elif (place := exact_place(words, step)) is not None:
                folder = folder_of(words[:place], step)
                started = posixpath.normpath(posixpath.join(directory, folder))
                inner = self.find(words[place:], started, depth - 1)
                if inner is not None:
                    return _behind(words[:place], directory, inner)
        return None

    def _in_each(self, words: Argv, directory: str, depth: int) -> Found | None:
        """Return the runner that a script of every package starts, if it is the same in all."""
        each = script_of_each(words)
        if each is None:
            return None
        below = "" if directory == "." else f"{directory}/"
        found: dict[str, Found] = {}
        for path in self._project.tracked:
            if path.startswith(below) and posixpath.basename(path) == _MANIFEST:
                text = scripts_in(self._project.read(path) or "").get(each.script, "")
                inner = self._of_text(text, posixpath.dirname(path) or ".", depth)
                if inner is not None and "/" in path[len(below) :]:
                    found.setdefault(inner.runner.name, inner)
        if len(found) != 1:
            return None
        (only,) = found.values()
        return Found(only.runner, directory, directory, None, each)

    def _by_script(
        self, words: Argv, step: PackageScript, directory: str, depth: int
    ) -> Found | None:
        """Return the runner of the package's script that *words* call by its name."""
        names = (step.name, "t") if step.name == "test" else (step.name,)
        place = next((at for at, word in enumerate(words) if at and word in names), None)
        told = posixpath.join(directory, step.folder, folder_of(words[:place], step))
        package = self._package_of(posixpath.normpath(told))
        if package is None or place is None:
            return None
        folder, scripts = package
        inner = self._of_text(scripts.get(step.name, ""), folder, depth)
        if inner is None:
            return None
        told_of = called(words, place, inner, folder, is_alone=is_alone_in(step.name, scripts))
        return replace(told_of, started_in=directory)

    def _by_text(self, step: Text, directory: str, depth: int) -> Found | None:
        """Return the runner of a text for which npm finds programs: ``npm exec -c TEXT``."""
        found = self._of_text(step.text, directory, depth)
        if found is None or not isinstance(found.launch, Direct) or found.line is None:
            return found and replace(found, line=None, launch=Direct(()))
        return replace(found, launch=ByScript("npm", (), (), found.launch.before, is_alone=True))

    def _package_of(self, folder: str) -> tuple[str, Mapping[str, str]] | None:
        """Return the nearest package at or above *folder*, and its scripts: name → text."""
        while True:
            text = self._project.read(posixpath.normpath(posixpath.join(folder, _MANIFEST)))
            if text is not None:
                return folder, scripts_in(text)
            if folder in (".", ""):
                return None
            folder = posixpath.dirname(folder) or "."

    def _of_text(self, text: str, directory: str, depth: int) -> Found | None:
        """Return the runner of a text for the shell; its line, where it is one plain command."""
        if _is_one_command(text):
            try:
                words = tuple(shlex.split(text))
            except ValueError:
                return None
            found = self.find(words, directory, depth - 1)
            return found if _globs_select(text, found) else found and replace(found, line=None)
        every = [
            found
            for each in commands_of(text)
            if (found := self.find(each.argv, _joined(directory, each.folder), depth - 1))
        ]
        kinds = {(each.runner.name, each.directory) for each in every}
        return replace(every[0], line=None, started_in=directory) if len(kinds) == 1 else None

    def _behind_text(self, words: Argv, directory: str, depth: int) -> Found | None:
        """Return the runner behind a shell, make or just, without its line."""
        for text, folder in self._texts(words, directory):
            found = self._of_text(text, folder, depth)
            if found is not None and not _is_plain(words, text):
                return replace(found, line=None, started_in=directory, launch=Direct(()))
            if found is not None:
                return found
        return None

    def _texts(self, words: Argv, directory: str) -> Iterator[tuple[str, str]]:
        """Yield the texts that a shell would read for *words*, and where."""
        for step in started_by(words):
            match step:
                case Text(text=text):
                    yield text, directory
                case Script(word):
                    yield self._project.read(_joined(directory, word)) or "", directory
                case Recipes(files, lines, folder, run_beside):
                    base = _joined(directory, folder)
                    for file in files:
                        path = _joined(base, file)
                        if (found := self._project.read(path)) is not None:
                            where = posixpath.dirname(path) or "." if run_beside else base
                            yield "\n".join(lines(found, {})), where
                            break


def _is_plain(words: Argv, text: str) -> bool:
    """Return whether *words* are ``sh -c TEXT``, and the text is one command of plain words."""
    return words[1:] == ("-c", text) and _is_one_command(text)


def _is_one_command(text: str) -> bool:
    return _SHELL_MARKS.search(_QUOTED.sub("", text)) is None


def _globs_select(text: str, found: Found | None) -> bool:
    """Return whether all that the shell would expand in *text* are the runner's selectors.

    Those are replaced by files; a glob elsewhere would be quoted in an argv, and so mean itself.
    """
    bare = _QUOTED.sub("", text)
    if found is None or found.line is None or not {"*", "?"}.intersection(bare):
        return True
    count = sum(any(mark in word for mark in "*?") for word in bare.split())
    return count == sum(any(mark in word for mark in "*?") for word in found.line.words.selectors)


def _behind(before: Argv, directory: str, found: Found) -> Found:
    """Return *found* as it is told of an argv that has *before* in front of it."""
    if not before:
        return found
    match found.launch:
        case Direct(inner):
            return replace(found, started_in=directory, launch=Direct((*before, *inner)))
        case ByScript(call=call):
            launch = replace(found.launch, call=(*before, *call), is_alone=False)
            return replace(found, started_in=directory, launch=launch)
        case EachPackage():
            return replace(found, started_in=directory, launch=Direct(()))


def _joined(*folders: str) -> str:
    return posixpath.normpath(posixpath.join(*folders))
