"""Programs that start another one, and how their argv tells which.

``nice -n 5 pytest`` is decided by pytest, so what a launcher starts counts as well. The tables are
the documentation: a row says which options take a word of their own, so that the next word is found
behind them. What a program chooses by itself is not told. What is named here and is not there
counts for nothing, so a guess too many costs nothing.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from gitcache.core.justfile import JUSTFILES
from gitcache.core.justfile import recipes_of as justfile_recipes
from gitcache.core.makefile import MAKEFILES
from gitcache.core.makefile import recipes_of as makefile_recipes
from gitcache.core.shell_text import Started, assigned, commands_of

Argv = tuple[str, ...]


class Read(NamedTuple):
    """A file that an interpreter reads."""

    word: str


class Script(NamedTuple):
    """A file of commands that a shell reads."""

    word: str


class Text(NamedTuple):
    """Commands that a shell reads from a word."""

    text: str
    bins: tuple[str, ...] = ()
    """As in :class:`Started`."""


class Recipes(NamedTuple):
    """The recipes of a makefile or a justfile."""

    files: tuple[str, ...]
    """Where they stand: the first of these that is there."""

    lines: Callable[[str, Mapping[str, str]], tuple[str, ...]]
    """The file's text and the launcher's variables → what may run, each a text for the shell."""

    folder: str = "."
    """Where the files are and the lines run, relative to where the launcher runs."""

    run_beside: bool = False
    """Whether the lines run where the file is that was found."""


class PackageScript(NamedTuple):
    """A script of the nearest ``package.json``, with those that run before and after it."""

    name: str
    folder: str = "."
    """Where that is looked for, relative to where the launcher runs."""

    in_workspaces: bool = False
    """Whether the packages of the workspace there are meant."""


Next = Started | Read | Script | Text | Recipes | PackageScript
Rule = Callable[[Argv], Iterator[Next]]
"""Argv of a launcher → what it starts."""

NODE_BINS: Final = ("node_modules/.bin",)
_PYTHON_BINS: Final = (".venv/bin", "venv/bin")

_MOST_STARTED: Final = 64
"""Commands of one argv that are named: a shell text has a few, and one that leads on has no end."""


def started_by(argv: Argv) -> tuple[Next, ...]:
    """Return what the program *argv* starts, as far as its words tell; mostly nothing."""
    rule = _RULES.get(os.path.basename(argv[0]).rstrip("0123456789."))
    return () if rule is None else tuple(rule(argv))


def program_names(argv: Argv) -> frozenset[str]:
    """Return the base names of the program of *argv* and of those that its words start."""
    names, waiting = set[str](), [argv]
    for _ in range(_MOST_STARTED):
        if not waiting:
            break
        words = waiting.pop()
        names.add(os.path.basename(words[0]))
        for each in started_by(words):
            waiting += _argvs_in(each)
    return frozenset(names)


def _argvs_in(started: Next) -> list[Argv]:
    """Return the commands of *started* that can be read off its words alone."""
    match started:
        case Started(argv=argv):
            return [argv]
        case Text(text=text):
            return [each.argv for each in commands_of(text)]
    return []


def _behind(words: Argv, valued: frozenset[str], operands: int = 0) -> Argv:
    """Return *words* without the options at their start, and without *operands* words more."""
    position = 0
    while position < len(words) and words[position].startswith("-"):
        if words[position] == "--":
            position += 1
            break
        position += 2 if words[position] in valued else 1
    return words[position + operands :]


def _wrapper(valued: str = "", operands: int = 0, bins: tuple[str, ...] = ()) -> Rule:
    """Return the rule of a program that starts the words behind its options and *operands*.

    Args:
        valued: the options that take a word of their own, separated by spaces.
        operands: how many words stand between options and command.
        bins: see :class:`Started`.
    """
    options = frozenset(valued.split())

    def rule(argv: Argv) -> Iterator[Next]:
        if behind := _behind(argv[1:], options, operands):
            yield Started(behind, bins=bins)

    return rule


def _subcommands(rules: Mapping[str, Rule], valued: str = "", other: Rule | None = None) -> Rule:
    """Return the rule of a program whose first word behind its options chooses one of *rules*."""
    options = frozenset(valued.split())

    def rule(argv: Argv) -> Iterator[Next]:
        behind = _behind(argv[1:], options)
        chosen = rules.get(behind[0], other) if behind else None
        if chosen is not None:
            yield from chosen(behind)

    return rule


def _shell(argv: Argv) -> Iterator[Next]:
    """``sh [OPTION]… -c TEXT`` or ``sh [OPTION]… FILE``; ``-euo pipefail`` takes one word."""
    position, is_text = 1, False
    while position < len(argv) and argv[position][:1] in ("-", "+") and argv[position] != "--":
        word = argv[position]
        flags = "" if word.startswith("--") else word[1:]
        is_text = is_text or "c" in flags
        valued = flags[-1:] in ("o", "O") or word in ("--rcfile", "--init-file")
        position += 2 if valued else 1
    behind = argv[position:][argv[position : position + 1] == ("--",) :]
    if behind:
        yield Text(behind[0]) if is_text else Script(behind[0])


def _make(argv: Argv) -> Iterator[Next]:
    """``make [OPTION]… [NAME=VALUE]… [GOAL]…`` (make(1))."""
    options, operands = _split(argv[1:], _MAKE_OPTIONS)
    folders = [value for name, value in options if name in ("-C", "--directory")]
    files = [value for name, value in options if name in ("-f", "--file", "--makefile")]
    goals = [each for each in operands if "=" not in each]
    told = dict(each.split("=", 1) for each in operands if "=" in each)
    told = {name.rstrip(":?+"): value for name, value in told.items()}
    yield Recipes(
        tuple(files[-1:]) or MAKEFILES,
        lambda text, environ: makefile_recipes(text, goals, environ, told),
        posixpath.join(".", *folders),
    )


_MAKE_OPTIONS: Final = frozenset(
    (
        *("-C", "--directory", "-f", "--file", "--makefile", "-I", "--include-dir"),
        *("-o", "--old-file", "-W", "--what-if"),
    )
)


def _split(words: Argv, valued: frozenset[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the options among *words*, each with its value, and the other words.

    Args:
        words: what stands behind a program's name.
        valued: the options that take a value: the next word, or what is attached to them.
    """
    options: list[tuple[str, str]] = []
    operands: list[str] = []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if not word.startswith("-"):
            operands.append(word)
        elif word.startswith("--"):
            options.append((name, value if equals or name not in valued else next(rest, "")))
        else:
            flags = f"{word[1:]} "
            last = next((each for each in flags if f"-{each}" in valued), " ")
            value = flags.partition(last)[2].strip()
            options.append((f"-{last}", value or (next(rest, "") if last != " " else "")))
    return options, operands


def _just(argv: Argv) -> Iterator[Next]:
    """``just [OPTION]… [RECIPE]…``: all recipes of the file in the folder or above it."""
    options, _ = _split(argv[1:], _JUST_OPTIONS)
    files = [value for name, value in options if name in ("-f", "--justfile")]
    folders = [value for name, value in options if name in ("-d", "--working-directory")]
    above = (posixpath.join(*[".."] * depth, name) for depth in range(1, 8) for name in JUSTFILES)
    found = tuple(files[-1:]) or (*JUSTFILES, *above)
    lines = lambda text, _: justfile_recipes(text)  # noqa: E731 (a name makes the call readable)
    yield Recipes(found, lines, posixpath.join(".", *folders[-1:]), run_beside=not folders)


_JUST_OPTIONS: Final = frozenset(
    ("-f", "--justfile", "-d", "--working-directory", "--dotenv-path", "--shell", "--set")
)


def _interpreter(valued: str, text: str) -> Rule:
    """Return the rule of an interpreter: the first word behind its options is a file.

    Args:
        valued: as for :func:`_wrapper`.
        text: the options behind which the program itself stands, or a module's name.
    """
    options, ends = frozenset(valued.split()), frozenset(text.split())

    def rule(argv: Argv) -> Iterator[Next]:
        behind = _behind(argv[1:], options)
        before = argv[1 : len(argv) - len(behind)]
        for name, value in _split(before, options)[0]:
            if name in _PRELOADS:
                yield Read(value)
        if behind and not ends.intersection(before):
            yield Read(behind[0])

    return rule


_PRELOADS: Final = ("-r", "--require", "--import", "--loader")
"""Node's options for files that are read before the program."""


def _env(argv: Argv) -> Iterator[Next]:
    """``env [OPTION]… [NAME=VALUE]… COMMAND``; ``-S`` holds several words in one (env(1))."""
    words, folder = argv[1:], "."
    while words and words[0].startswith("-"):
        word, words = words[0], words[1:]
        if split := re.match(r"(?:-[iv0]*S|--split-string(?:=|$))(.*)", word, re.DOTALL):
            text, words = (split[1], words) if split[1] else (words[0] if words else "", words[1:])
            words = (*text.split(), *words)
        elif word in ("-u", "--unset"):
            words = words[1:]
        elif word in ("-C", "--chdir"):
            folder, words = words[0] if words else ".", words[1:]
        elif word.startswith("--chdir="):
            folder = word.removeprefix("--chdir=")
        elif word == "--":
            break
    yield from (replace(each, folder=folder) for each in _assigned(words))


def _assigned(words: Argv) -> Iterator[Started]:
    """Yield the command behind the ``NAME=VALUE`` words that *words* begin with."""
    variables: list[tuple[str, str]] = []
    while words and (variable := assigned(words[0])):
        variables.append(variable)
        words = words[1:]
    if words:
        yield Started(words, tuple(variables))


def _found(argv: Argv) -> Iterator[Next]:
    """``find … -exec COMMAND ;``, or ``+`` in place of the semicolon."""
    for position, word in enumerate(argv):
        if word in ("-exec", "-execdir", "-ok"):
            command = argv[position + 1 :]
            ends = (each for each, word in enumerate(command) if word in (";", "+"))
            if behind := command[: next(ends, len(command))]:
                yield Started(behind)


def _script(argv: Argv) -> Iterator[Next]:
    """``run NAME``, or the name itself as the first word."""
    behind = argv
    if argv[0] in ("run", "run-script"):
        behind = _behind(argv[1:], frozenset())
    if behind:
        yield PackageScript(behind[0])


def _script_or_program(argv: Argv) -> Iterator[Next]:
    """A script of the package, or else an installed program: both count where they are there."""
    yield from _script(argv)
    if behind := _behind(argv[1:], frozenset()) if argv[0] == "run" else argv:
        yield Started(behind, bins=NODE_BINS)


def _execute(argv: Argv) -> Iterator[Next]:
    """``npx [OPTION]… PROGRAM`` and its likes; ``-c`` takes a shell text."""
    behind = _behind(argv[1:], frozenset(("-p", "--package", "-w", "--workspace")))
    options = argv[1 : len(argv) - len(behind)]
    if behind and {"-c", "--call"}.intersection(options):
        yield Text(behind[0], NODE_BINS)
    elif behind:
        name = re.sub(r"(?<=.)@[^/]*$", "", behind[0])
        yield Started((name, *behind[1:]), bins=NODE_BINS)


def _cargo(argv: Argv) -> Iterator[Next]:
    """``cargo [+TOOLCHAIN] NAME`` starts ``cargo-NAME`` where that is not built in, and rustc."""
    words = [word for word in argv[1:] if not word.startswith(("-", "+"))]
    names = ("rustc", *(f"cargo-{name}" for name in words[:1]))
    yield from (Started((name,)) for name in (*names, *_CARGO.get("".join(words[:1]), ())))


_CARGO: Final[Mapping[str, tuple[str, ...]]] = {
    "clippy": ("clippy-driver",),
    "fmt": ("rustfmt",),
    "doc": ("rustdoc",),
    "test": ("rustdoc",),
}


def _go(argv: Argv) -> Iterator[Next]:
    """``go fmt`` starts gofmt, and what compiles is a part of go itself."""
    if "fmt" in argv[1:2]:
        yield Started(("gofmt",))


def _npm(argv: Argv) -> Iterator[Next]:
    """``npm [OPTION]… run NAME``, in this package, in another folder's, or in the workspace's."""
    options, operands = _split(argv[1:], _NPM_OPTIONS)
    folders = [value for name, value in options if name in ("--prefix", "-C")]
    is_elsewhere = any(name in ("-w", "--workspace", "--workspaces", "-ws") for name, _ in options)
    match operands:
        case ["exec" | "x", *_]:
            yield from _execute(argv[argv.index(operands[0]) :])
        case ["run" | "run-script", name, *_] | [
            ("test" | "start" | "stop" | "restart") as name,
            *_,
        ]:
            yield PackageScript(name, posixpath.join(".", *folders), is_elsewhere)
        case ["t", *_]:
            yield PackageScript("test", posixpath.join(".", *folders), is_elsewhere)


_NPM_OPTIONS: Final = frozenset(("-w", "--workspace", "--prefix", "-C", "--loglevel"))
_MANAGER_OPTIONS: Final = "-C --dir -F --filter --cwd --prefix"
_MANAGER: Final = _subcommands(
    {"exec": _execute, "dlx": _execute, "x": _execute}, _MANAGER_OPTIONS, _script_or_program
)
_UV_RUN: Final = (
    "--with --with-editable --with-requirements --python -p --extra --group --only-group"
    " --project --directory --env-file --package --index --default-index --refresh-package"
)

_RULES: Final[Mapping[str, Rule]] = {
    **dict.fromkeys(("sh", "bash", "dash", "zsh", "ksh", "ash"), _shell),
    **dict.fromkeys(("python", "pypy"), _interpreter("-W -X --check-hash-based-pycs", "-m -c")),
    **dict.fromkeys(
        ("node", "nodejs"),
        _interpreter(
            "-r --require --import --loader -C --conditions --env-file --test-name-pattern", "-e -p"
        ),
    ),
    **dict.fromkeys(("make", "gmake"), _make),
    "just": _just,
    "ruby": _interpreter("-I -r -C", "-e"),
    "perl": _interpreter("-I", "-e -E"),
    "php": _interpreter("-d -c", "-r"),
    "env": _env,
    "cross-env": lambda argv: _assigned(argv[1:]),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c --class -n --classdata"),
    "chrt": _wrapper("-T -P -D", operands=1),
    "taskset": _wrapper(operands=1),
    "timeout": _wrapper("-k --kill-after -s --signal", operands=1),
    "stdbuf": _wrapper("-i --input -o --output -e --error"),
    "time": _wrapper("-f --format -o --output"),
    "flock": _wrapper("-w --timeout -E --conflict-exit-code", operands=1),
    "xvfb-run": _wrapper("-n --server-num -s --server-args -e --error-file -f --auth-file -w -p"),
    "sudo": _wrapper("-u --user -g --group -h --host -C -D -T"),
    **dict.fromkeys(("nohup", "setsid", "unbuffer", "chronic", "catchsegv"), _wrapper()),
    "xargs": _wrapper("-n -I -P -L -d -a -E -s --max-args --max-procs --replace --delimiter"),
    "find": lambda argv: _found(argv),
    "dotenv": _subcommands({"run": _wrapper()}, "-e -f --file -v", lambda argv: _assigned(argv)),
    "direnv": _subcommands({"exec": _wrapper(operands=1)}),
    "uv": _subcommands(
        {"run": _wrapper(_UV_RUN, bins=_PYTHON_BINS)}, "--directory --project --python"
    ),
    **dict.fromkeys(
        ("poetry", "pipenv", "pdm", "hatch", "rye"),
        _subcommands({"run": _wrapper("-e --env -p", bins=_PYTHON_BINS)}, "-C -P -e --env"),
    ),
    **dict.fromkeys(("pyenv", "rbenv", "nodenv", "asdf"), _subcommands({"exec": _wrapper()})),
    "mise": _subcommands({"exec": _wrapper("-j"), "x": _wrapper("-j")}, "-C -E"),
    "conda": _subcommands({"run": _wrapper("-n --name -p --prefix --cwd")}),
    "bundle": _subcommands({"exec": _wrapper("--gemfile")}),
    "npm": _npm,
    "pnpm": _MANAGER,
    "yarn": _MANAGER,
    "bun": _MANAGER,
    **dict.fromkeys(("npx", "pnpx", "bunx"), _execute),
    "cargo": _cargo,
    "go": _go,
}
"""Name of a launcher, without the digits of a version → its rule."""
