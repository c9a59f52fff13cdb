"""The commands in a text for the shell, as far as they can be told without running it.

Only words that stand there count, and variables that are set to such words: what a substitution
would give is left out, and so is all that a shell decides itself. So the answer is what may be
started, not what will be.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

_TOKEN: Final = re.compile(
    r"""(?P<operator>[;&|()\n]+)
    |(?P<redirection>[<>]+&?)
    |(?P<comment>\#[^\n]*)
    |(?P<word>(?:\$'(?:[^'\\]|\\.)*'|[^\s;&|()<>'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)
    |[ \t\r\f\v]+""",
    re.VERBOSE | re.DOTALL,
)
_PIECE: Final = re.compile(
    r"""\$'(?P<c>(?:[^'\\]|\\.)*)'|\\(?P<escaped>.)|'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<plain>[^'"\\$]+|\$)""",
    re.DOTALL,
)
_SUBSTITUTION: Final = re.compile(r"\$\((?P<text>[^()]+)\)|`(?P<old>[^`]+)`")
_ESCAPED_IN_QUOTES: Final = re.compile(r'\\([$`"\\])')

_HERE_DOCUMENT: Final = re.compile(
    r"(?<![0-9<(])<<-?[ \t]*\\?(?P<quote>['\"]?)(?P<end>[A-Za-z_][\w.-]*)(?P=quote)"
)
"""How a document begins that stands in the text for a command to read; ``$((1<<2))`` is none."""

_VARIABLE: Final = re.compile(
    r"\$(?:\{(?P<braced>\w+)(?::?[-=](?P<default>[^}$`]*))?\}|(?P<name>\w+))"
)
_OWN_FOLDER: Final = re.compile(
    r"\$\(\s*dirname\s+(?:--\s+)?\$(?:0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(?:\[0\])?\})\s*\)|\$\{0%/\*\}"
)
"""How a script asks for the folder in which it lies."""

_HERE: Final = re.compile(r"\$\(\s*pwd\s*\)|`pwd`|\$(?:PWD|\{PWD\}|CURDIR|\(CURDIR\))")

_ACTIVATE: Final = "/bin/activate"
"""The end of the file by which a virtual environment is put on the PATH."""

_KEYWORDS: Final = frozenset(
    (
        *("if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!", "{", "}"),
        *("exec", "command", "time", "export", "readonly", "local", "declare", "typeset"),
    )
)
"""Words behind which a command stands."""

_WITH_OPTIONS: Final = ("exec", "command", "time")
"""Those of them that take options."""


@dataclass(frozen=True, slots=True)
class Started:
    """A command that something starts."""

    argv: tuple[str, ...]
    """Never empty."""

    variables: tuple[tuple[str, str], ...] = ()
    """What is set for it."""

    folder: str = "."
    """Where it is started, relative to where its starter runs."""

    bins: tuple[str, ...] = ()
    """Folders that are looked into before ``PATH``, in the starter's folder and those above."""


def commands_of(
    text: str,
    bins: tuple[str, ...] = (),
    own_folder: str = ".",
    environ: Mapping[str, str] = MappingProxyType({}),
    read: Callable[[str], str] = lambda _: "",
) -> Iterator[Started]:
    """Yield the commands of *text*, in their order; from where it can't be read on, none.

    Args:
        text: what the shell would read.
        bins: see :class:`Started`.
        own_folder: where the text itself lies, relative to where it is run.
        environ: the variables that the shell has.
        read: returns the text of a file, named relative to where the text is run, that the shell
            is told to read in its place; empty where there is none.
    """
    yield from _Reading(bins, own_folder, environ, read).all_of(text)


_DEEPEST: Final = 8
"""Texts that are read within a text: one that reads itself has no end."""


class _Reading:
    """What the commands so far have done to those that follow."""

    def __init__(
        self,
        bins: tuple[str, ...],
        own_folder: str,
        environ: Mapping[str, str],
        read: Callable[[str], str],
    ) -> None:
        self._folder = self._before = "."
        self._bins = bins
        self._own_folder = own_folder
        self._environ = environ
        self._read = read
        self._known: dict[str, str | None] = {}
        """Variables that were set, to a text or to what only the shell knows (None)."""

        self._exported: dict[str, str] = {}
        self._outside: list[tuple[str, tuple[str, ...]]] = []
        """Where the shells around this subshell are, and what is on their path."""

    def all_of(self, text: str, depth: int = _DEEPEST) -> Iterator[Started]:
        """Yield the commands of *text*, read in this shell."""
        for words in _simple_commands(text):
            if words == _OPEN:
                self._outside.append((self._folder, self._bins))
            elif words == _CLOSE:
                if self._outside:
                    self._folder, self._bins = self._outside.pop()
            else:
                yield from self._take(list(words), depth)

    def _take(self, words: list[str], depth: int) -> Iterator[Started]:
        """Yield the command that *words* are, unless it only changes what follows."""
        before: dict[str, str] = {}
        is_exported = False
        while words and (words[0] in _KEYWORDS or assigned(words[0])):
            word = words.pop(0)
            is_exported = is_exported or word == "export"
            while word in _WITH_OPTIONS and words and words[0].startswith("-"):
                words.pop(0)
            before.update(filter(None, [assigned(word)]))
        told = {name: self._expanded(value) for name, value in before.items()}
        argv = tuple(map(self._expanded, words))
        if not argv:
            self._set(told, is_exported)
        elif argv[0] in (".", "source", "eval", "trap"):
            yield from self._read_on(argv, depth)
        elif not self._is_obeyed(argv) and not _is_open(argv[0]):
            known = {name: value for name, value in told.items() if not _is_open(value)}
            variables = tuple({**self._exported, **known}.items())
            yield Started(argv, variables, self._folder, self._bins)

    def _is_obeyed(self, argv: tuple[str, ...]) -> bool:
        """Do what *argv* does to the commands that follow; return whether it is no program."""
        match argv:
            case ("cd" | "pushd", "-", *_) | ("popd", *_):
                self._folder, self._before = self._before, self._folder
            case ("cd" | "pushd", folder, *_):
                self._change_folder(folder)
            case ("for" | "read", *names):
                self._known.update(dict.fromkeys(names[:1]))
            case _:
                return False
        return True

    def _read_on(self, argv: tuple[str, ...], depth: int) -> Iterator[Started]:
        """Yield the commands of the text or the file that *argv* lets this shell read."""
        match argv:
            case (_, text, *_) if depth == 0 or _is_open(text):
                return
            case ("." | "source", file, *_) if file.endswith(_ACTIVATE):
                self._put_on_path(posixpath.dirname(file))
            case ("." | "source", file, *_):
                yield from self.all_of(self._read(posixpath.join(self._folder, file)), depth - 1)
            case ("eval" | "trap", text, *_):
                yield from self.all_of(text, depth - 1)

    def _change_folder(self, folder: str) -> None:
        if not _is_open(folder):
            self._before, self._folder = self._folder, posixpath.join(self._folder, folder)

    def _set(self, variables: Mapping[str, str], is_exported: bool) -> None:
        for name, value in variables.items():
            self._known[name] = None if _is_open(value) else value
            if name == "PATH":
                for folder in reversed(value.split(":")):
                    self._put_on_path(folder)
            elif is_exported and not _is_open(value):
                self._exported[name] = value

    def _put_on_path(self, folder: str) -> None:
        if folder and not _is_open(folder):
            self._bins = (posixpath.join(self._folder, folder), *self._bins)

    def _expanded(self, word: str) -> str:
        """Return *word* with what is known, or has a default, in the places of variables."""
        if word.startswith("~/") or word == "~":
            word = self._environ.get("HOME", "~") + word[1:]
        if not _is_open(word):
            return word

        def value(match: re.Match[str]) -> str:
            name = match["braced"] or match["name"]
            known = self._known.get(name, self._environ.get(name, ""))
            if known or match["default"]:
                return known or match["default"]
            is_unset = name not in self._known and name.endswith("PATH")
            return "" if is_unset else match[0]

        word = _OWN_FOLDER.sub(lambda _: self._own_folder, _HERE.sub(".", word))
        return _VARIABLE.sub(value, word)


def assigned(word: str) -> tuple[str, str] | None:
    """Return name and value where *word* is ``NAME=VALUE``, else None."""
    name, equals, value = word.partition("=")
    return (name, value) if equals and name.isidentifier() else None


def _is_open(word: str) -> bool:
    """Return whether only the shell knows what *word* is."""
    return "$" in word or "`" in word


_OPEN: Final = ["("]
_CLOSE: Final = [")"]
"""What stands for the bounds of a subshell among the commands; no command is so called."""


def _simple_commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each simple command, redirections left out, and a subshell's bounds."""
    words: list[str] = []
    is_target = False
    for kind, token in _tokens(text):
        if kind == "word":
            if not is_target:
                words.append(token)
            is_target = False
        elif kind == "substitution":
            yield from (_OPEN, *_simple_commands(token), _CLOSE)
        elif kind == "redirection":
            is_target = True
            words = words[:-1] if words[-1:] and words[-1].isdecimal() else words
        else:
            yield words
            words = []
            yield from ([each] for each in token if each in "()")
    yield words


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the meaning of each token of *text*, up to an open quote."""
    text = "\n".join(_without_documents(text.replace("\\\n", " ").split("\n")))
    position = 0
    while found := _TOKEN.match(text, position):
        position = found.end()
        match found.lastgroup:
            case "word":
                word = _unquoted(found[0])
                for inner in _SUBSTITUTION.finditer(_OWN_FOLDER.sub("", _HERE.sub("", word))):
                    yield "substitution", inner["text"] or inner["old"]
                yield "word", word
            case "operator" | "redirection" as kind:
                yield kind, found[0]


def _without_documents(lines: Iterable[str]) -> Iterator[str]:
    """Yield *lines* without the documents among them; one without an end goes to the last line."""
    end: str | None = None
    for line in lines:
        if end is not None:
            end = None if line.strip(" \t") == end else end
        elif document := _HERE_DOCUMENT.search(line):
            end = document["end"]
            yield line[: document.start()] + line[document.end() :]
        else:
            yield line


def _unquoted(word: str) -> str:
    """Return what *word* says once the shell has taken its quotes away."""
    if not {"'", '"', "\\"}.intersection(word):
        return word
    pieces = []
    for piece in _PIECE.finditer(word):
        if piece.lastgroup == "c":
            pieces.append(re.sub(r"\\(.)", r"\1", piece["c"]))
        elif piece.lastgroup == "double":
            pieces.append(_ESCAPED_IN_QUOTES.sub(r"\1", piece["double"]))
        else:
            pieces.append(piece[piece.lastgroup or 0])
    return "".join(pieces)
