"""The commands in a text for the shell, as far as they can be told without running it.

Only words that stand there count, and variables that are set to such words: what a substitution
would give is left out, and so is all that a shell decides itself. So the answer is what may be
started, not what will be.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

_TOKEN: Final = re.compile(
    r"""(?P<operator>[;&|()\n]+)
    |(?P<redirection>[<>]+&?)
    |(?P<comment>\#[^\n]*)
    |(?P<word>(?:[^\s;&|()<>'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)
    |[ \t\r\f\v]+""",
    re.VERBOSE | re.DOTALL,
)
_PIECE: Final = re.compile(
    r"""\\(?P<escaped>.)|'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<plain>[^'"\\]+)""",
    re.DOTALL,
)
_ESCAPED_IN_QUOTES: Final = re.compile(r'\\([$`"\\])')

_HERE_DOCUMENT: Final = re.compile(
    r"(?<![0-9<(])<<-?[ \t]*(?P<quote>['\"]?)(?P<end>[A-Za-z_]\w*)(?P=quote)"
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

    from_text: bool = field(default=False, compare=False)
    """Whether a shell reads it from a text, so that words behind that text are not its own."""


def commands_of(text: str, bins: tuple[str, ...] = (), own_folder: str = ".") -> Iterator[Started]:
    """Yield the commands of *text*, in their order; from where it can't be read on, none.

    Args:
        text: what the shell would read.
        bins: see :class:`Started`.
        own_folder: where the text itself lies, relative to where it is run.
    """
    reading = _Reading(bins, own_folder)
    for words in _simple_commands(text):
        yield from reading.take(words)


class _Reading:
    """What the commands so far have done to those that follow."""

    def __init__(self, bins: tuple[str, ...], own_folder: str) -> None:
        self._folder = "."
        self._bins = bins
        self._own_folder = own_folder
        self._known: dict[str, str] = {}
        self._exported: dict[str, str] = {}

    def take(self, words: list[str]) -> Iterator[Started]:
        """Yield the command that *words* are, unless it only changes what follows."""
        before: dict[str, str] = {}
        is_exported = False
        while words and (words[0] in _KEYWORDS or assigned(words[0])):
            word = words.pop(0)
            is_exported = is_exported or word == "export"
            before.update(filter(None, [assigned(word)]))
        told = {name: self._expanded(value) for name, value in before.items()}
        argv = tuple(map(self._expanded, words[:2])) + tuple(words[2:])
        match argv:
            case ():
                self._set(told, is_exported)
            case ("cd", folder, *_):
                if not _is_open(folder):
                    self._folder = posixpath.join(self._folder, folder)
            case ("." | "source", file, *_) if file.endswith(_ACTIVATE):
                self._put_on_path(posixpath.dirname(file))
            case ("." | "source", file, *_):
                yield Started(("sh", file), (), self._folder, self._bins, from_text=True)
            case (program, *_) if not _is_open(program):
                known = {name: value for name, value in told.items() if not _is_open(value)}
                variables = tuple({**self._exported, **known}.items())
                yield Started(argv, variables, self._folder, self._bins, from_text=True)

    def _set(self, variables: Mapping[str, str], is_exported: bool) -> None:
        for name, value in variables.items():
            if name == "PATH":
                for folder in value.split(":"):
                    self._put_on_path(folder)
            elif not _is_open(value):
                self._known[name] = value
                if is_exported:
                    self._exported[name] = value

    def _put_on_path(self, folder: str) -> None:
        if not _is_open(folder):
            self._bins = (posixpath.join(self._folder, folder), *self._bins)

    def _expanded(self, word: str) -> str:
        """Return *word* with what is known, or has a default, in the places of variables."""
        if not _is_open(word):
            return word

        def value(match: re.Match[str]) -> str:
            name = match["braced"] or match["name"]
            return self._known.get(name) or match["default"] or match[0]

        word = _OWN_FOLDER.sub(lambda _: self._own_folder, _HERE.sub(".", word))
        return _VARIABLE.sub(value, word)


def assigned(word: str) -> tuple[str, str] | None:
    """Return name and value where *word* is ``NAME=VALUE``, else None."""
    name, equals, value = word.partition("=")
    return (name, value) if equals and name.isidentifier() else None


def _is_open(word: str) -> bool:
    """Return whether only the shell knows what *word* is."""
    return "$" in word or "`" in word


def _simple_commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each simple command, redirections left out."""
    words: list[str] = []
    is_target = False
    for kind, token in _tokens(text):
        if kind == "word":
            if not is_target:
                words.append(token)
            is_target = False
        elif kind == "redirection":
            is_target = True
        else:
            yield words
            words = []
    yield words


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the meaning of each token of *text*, up to an open quote."""
    text = "\n".join(_without_documents(text.replace("\\\n", " ").split("\n")))
    position = 0
    while found := _TOKEN.match(text, position):
        position = found.end()
        match found.lastgroup:
            case "word":
                yield "word", _unquoted(found[0])
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
        if piece.lastgroup == "double":
            pieces.append(_ESCAPED_IN_QUOTES.sub(r"\1", piece["double"]))
        else:
            pieces.append(piece[piece.lastgroup or 0])
    return "".join(pieces)
