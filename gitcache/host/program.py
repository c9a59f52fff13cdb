"""The program that a tool's first word names, and those that it starts: what they hold.

A program counts by its content, not by its path or its time, so that two machines with the same
binary agree and an upgrade in place is seen. The digest of a big interpreter is remembered in the
user's cache folder, under the file's stat, so that a hit costs a stat and not a read. A script
counts with its interpreter, and a launcher with what its argv says that it starts.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, assert_never

from gitcache.core.launchers import (
    NODE_BINS,
    Next,
    PackageScript,
    Read,
    Recipes,
    Script,
    Text,
    started_by,
)
from gitcache.core.own_path import content_digest
from gitcache.core.shebang import interpreters_of
from gitcache.core.shell_text import Started, commands_of
from gitcache.host.json_file import read_object

_SETTLED: Final = 2.0
"""Seconds for which a file must have been left alone before its stat is trusted to tell a change.

Two writes within one tick of the file system's clock look alike; the coarsest common tick is FAT's
two seconds.
"""

_DEEPEST: Final = 60
"""Steps from launcher to launcher that are followed; a script that reads itself has no end."""

_MOST: Final = 20_000
"""Commands that are followed: the largest makefiles have some thousands."""

_HEAD: Final = 1 << 12
"""Bytes of a script that hold its interpreter's name: Linux reads 255, installers write more."""

_SCRIPT: Final = 1 << 16
"""Bytes up to which a program in the worktree may be a script that names its worktree."""

_MANIFEST: Final = "package.json"

_TEXT: Final = 1 << 17
"""Bytes of a script or makefile that are looked through for commands: all of those that people
write; reading on would be felt at every hit."""

_READ_AT_ONCE: Final = 1 << 20
"""Bytes read in one go: large enough to be fast, small enough to keep memory low."""


def find_program(word: str, cwd: Path, environ: Mapping[str, str]) -> Path | None:
    """Return the file that a process with *environ* in *cwd* would execute for *word*.

    A word with a slash is a path; any other is looked for along ``PATH`` as ``execvp(3)`` does.
    None where there is no executable file of that name.
    """
    if "/" in word:
        candidates = [cwd / word]
    else:
        candidates = [cwd / folder / word for folder in os.get_exec_path(environ)]
    for candidate in candidates:
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    return None


@dataclass(frozen=True, slots=True)
class Execution:
    """One program that a tool's argv leads to, as it is executed."""

    program: Path
    argv: tuple[str, ...]
    """Its words; the first is what names it."""

    folder: Path
    """The absolute folder in which it runs."""

    environ: Mapping[str, str]
    """Every variable that it sees, by name, as far as that is known."""


@dataclass(frozen=True, slots=True)
class Chain:
    """What a tool's argv leads to."""

    executions: tuple[Execution, ...]
    """The programs in the order of their turn: that of the first word, then the interpreter of a
    script and what a launcher starts, as deep as that goes. What is named and is not there is left
    out."""

    files: tuple[Path, ...]
    """The programs, and the scripts that they read, each once."""


def chain_of(argv: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> Chain:
    """Return what a process with *environ* in *cwd* executes and reads for *argv*."""
    walk = _Walk()
    walk.follow(Started(tuple(argv)), cwd, environ)
    return Chain(tuple(walk.executions), tuple(walk.files))


def is_script(program: Path) -> bool:
    """Return whether the file *program* is read by another program; OSError as it is raised."""
    with open(program, "rb") as file:
        return file.read(2) == b"#!"


def program_digest(
    program: Path, cache: Path | None, now: float, worktree: Path | None = None
) -> str:
    """Return the digest of the content of *program*, symbolic links followed.

    Args:
        program: an existing file.
        cache: the user's cache folder; None: nothing is remembered.
        now: the time in seconds since the epoch.
        worktree: the worktree's top; a small file in it may name it, which counts as a placeholder.

    Raises:
        OSError: the file can't be read.
    """
    facts = os.stat(program)
    if worktree is not None and facts.st_size <= _SCRIPT:
        real = Path(os.path.realpath(program))
        if real.is_relative_to(worktree):
            return content_digest(real.read_bytes(), str(worktree))
    stat = f"{facts.st_size} {facts.st_mtime_ns} {facts.st_ctime_ns} {facts.st_ino} {facts.st_dev}"
    memo = None if cache is None else cache / "programs" / _name_of(program)
    remembered = _recall(memo, stat)
    if remembered is not None:
        return remembered
    content = _content_digest(program)
    if memo is not None and now - max(facts.st_mtime, facts.st_ctime) > _SETTLED:
        _remember(memo, f"{stat}\n{content}\n")
    return content


class _Walk:
    """Goes from a command to what it starts, and keeps the programs in the order of their turn."""

    def __init__(self) -> None:
        self.executions: list[Execution] = []
        self.files: dict[Path, None] = {}
        self._seen: set[tuple[object, ...]] = set()
        self._known: dict[tuple[str, Path, str], Path | None] = {}

    def follow(
        self, command: Started, cwd: Path, environ: Mapping[str, str], depth: int = _DEEPEST
    ) -> None:
        """Find the program of *command* and all that it leads to, *depth* steps far."""
        folder = Path(os.path.normpath(cwd / command.folder))
        bins = [str(each / name) for each in (cwd, *cwd.parents) for name in command.bins]
        variables = {**environ, **dict(command.variables)}
        path = dict.fromkeys((*bins, *os.get_exec_path(variables)))
        variables["PATH"] = os.pathsep.join(path)
        turn = (command.argv, folder, variables["PATH"], command.variables)
        program = None if turn in self._seen else self._find(command.argv[0], folder, variables)
        if program is None or depth == 0:
            return
        if len(self._seen) > _MOST:
            raise OSError(errno.ELOOP, f"{command.argv[0]} leads to more than can be followed")
        self._seen.add(turn)
        self.executions.append(Execution(program, command.argv, folder, variables))
        self.files.setdefault(program)
        for argv in _interpreters(program, command.argv[1:]):
            self.follow(Started(argv), folder, variables, depth - 1)
        for step in started_by(command.argv):
            self._take(step, folder, variables, depth - 1)

    def _find(self, word: str, folder: Path, environ: Mapping[str, str]) -> Path | None:
        """Return the program for *word*; a recipe of many lines asks for the same few."""
        place = (word, folder, environ["PATH"])
        if place not in self._known:
            self._known[place] = find_program(word, folder, environ)
        return self._known[place]

    def _take(self, step: Next, folder: Path, environ: Mapping[str, str], depth: int) -> None:
        match step:
            case Started():
                self.follow(step, folder, environ, depth)
            case Read(word):
                self._read(folder / word)
            case Script(word):
                text, own = self._read(folder / word), os.path.dirname(word) or "."
                self._follow_text(text, folder, environ, depth, own=own)
            case Text(text, bins):
                self._follow_text(text, folder, environ, depth, bins)
            case Recipes():
                self._take_recipes(step, folder, environ, depth)
            case PackageScript(name, below, in_workspaces):
                for package in _packages(folder / below, in_workspaces):
                    for text in _scripts_of(package, name):
                        self._follow_text(text, package, environ, depth, NODE_BINS)
            case _:
                assert_never(step)

    def _take_recipes(
        self, step: Recipes, folder: Path, environ: Mapping[str, str], depth: int
    ) -> None:
        files = (folder / step.folder / each for each in step.files)
        found = next(filter(os.path.isfile, files), None)
        if found is not None:
            place = found.parent if step.run_beside else folder / step.folder
            for text in step.lines(self._read(found), environ):
                self._follow_text(text, place, environ, depth)

    def _follow_text(
        self,
        text: str,
        folder: Path,
        environ: Mapping[str, str],
        depth: int,
        bins: tuple[str, ...] = (),
        own: str = ".",
    ) -> None:
        def read(name: str) -> str:
            return self._read(folder / name)

        for each in commands_of(text, bins, own, environ, read):
            self.follow(each, folder, environ, depth)

    def _read(self, file: Path) -> str:
        """Keep *file* and return its text, as far as a script is long; empty where it is none."""
        if not os.path.isfile(file):
            return ""
        self.files.setdefault(file)
        try:
            with open(file, "rb") as opened:
                return os.fsdecode(opened.read(_TEXT))
        except OSError:
            return ""  # told where its content counts


def _interpreters(program: Path, rest: Sequence[str]) -> list[tuple[str, ...]]:
    """Return what reads *program*, where it is a script that can be read."""
    try:
        with open(program, "rb") as file:
            return list(interpreters_of(file.read(_HEAD), str(program), rest))
    except OSError:
        return []  # its content can't be read either, which is told where that counts


def _packages(folder: Path, in_workspaces: bool) -> Iterator[Path]:
    """Yield the folder of the package around *folder*, or those of the workspace's packages there.

    https://docs.npmjs.com/cli/using-npm/workspaces
    """
    own = next((each for each in (folder, *folder.parents) if _has_manifest(each)), None)
    if own is not None and not in_workspaces:
        yield own
    elif own is not None:
        told = read_object(own / _MANIFEST).get("workspaces")
        patterns = told.get("packages") if isinstance(told, dict) else told
        for pattern in patterns if isinstance(patterns, list) else ():
            if isinstance(pattern, str) and pattern.strip("./"):
                found = sorted(own.glob(pattern.removeprefix("./").strip("/")))
                yield from filter(_has_manifest, found)


def _has_manifest(folder: Path) -> bool:
    return os.path.isfile(folder / _MANIFEST)


def _scripts_of(package: Path, name: str) -> list[str]:
    """Return the texts of the script *name* of *package*, with those before and after it."""
    scripts = read_object(package / _MANIFEST).get("scripts")
    named = scripts if isinstance(scripts, dict) else {}
    texts = [named.get(f"{when}{name}") for when in ("pre", "", "post")]
    return [text for text in texts if isinstance(text, str)]


def _name_of(program: Path) -> str:
    return hashlib.sha256(os.fsencode(os.path.realpath(program))).hexdigest()


def _content_digest(program: Path) -> str:
    content = hashlib.sha256()
    with open(program, "rb") as file:
        while data := file.read(_READ_AT_ONCE):
            content.update(data)
    return content.hexdigest()


def _recall(memo: Path | None, stat: str) -> str | None:
    """Return the digest that *memo* holds for *stat*, or None."""
    try:
        lines = memo.read_text("ascii").splitlines() if memo else []
    except (OSError, ValueError):
        return None
    if len(lines) == 2 and lines[0] == stat and len(lines[1]) == hashlib.sha256().digest_size * 2:
        return lines[1]
    return None


def _remember(memo: Path, text: str) -> None:
    """Write *text* to *memo* in one step; a memo that can't be written is only slower."""
    beside = memo.with_name(f"{memo.name}.{os.getpid()}")
    try:
        memo.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, "ascii")
        beside.replace(memo)
    except OSError:
        with suppress(OSError):
            beside.unlink()
