"""The commands in a text for the shell, as far as they can be told without running it.

Only words that stand there count: what a variable or a substitution would give is left out, and so
is all that a shell decides itself. So the answer is what may be started, not what will be.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_OPERATORS: Final = ";&|()\n"
_REDIRECTIONS: Final = "<>"

_KEYWORDS: Final = frozenset(
    ("if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!", "{", "}")
) | {"exec", "command", "time"}
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


def commands_of(text: str, bins: tuple[str, ...] = ()) -> Iterator[Started]:
    """Yield the commands of *text*, in their order; from where it can't be read on, none.

    Args:
        text: what the shell would read.
        bins: see :class:`Started`.
    """
    folder = "."
    for words in _simple_commands(text):
        variables: list[tuple[str, str]] = []
        while words and (words[0] in _KEYWORDS or assigned(words[0])):
            variables.extend(filter(None, [assigned(words.pop(0))]))
        known = tuple((name, value) for name, value in variables if not _is_expanded(value))
        if words and words[0] == "cd" and len(words) > 1:
            folder = posixpath.join(folder, words[1])
        elif words and not _is_expanded(words[0]):
            yield Started(tuple(words), known, folder, bins)


def assigned(word: str) -> tuple[str, str] | None:
    """Return name and value where *word* is ``NAME=VALUE``, else None."""
    name, equals, value = word.partition("=")
    return (name, value) if equals and name.isidentifier() else None


def _is_expanded(word: str) -> bool:
    return "$" in word or "`" in word


def _simple_commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each simple command, redirections left out."""
    words: list[str] = []
    is_target = False
    for token in _tokens(text):
        if not set(token) <= set(_OPERATORS + _REDIRECTIONS) or not token:
            if not is_target:
                words.append(token)
            is_target = False
        elif set(token) & set(_REDIRECTIONS):
            is_target = True
        else:
            yield words
            words = []
    yield words


def _tokens(text: str) -> Iterator[str]:
    lexer = shlex.shlex(
        text.replace("\\\n", " "), posix=True, punctuation_chars=_OPERATORS + _REDIRECTIONS
    )
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        yield from lexer
    except ValueError:  # an open quote
        return
