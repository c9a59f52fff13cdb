"""A runner's words told apart: options with their values, selectors, and what stands behind ``--``.

Each runner says in a :class:`Grammar` which of its options take a word of their own. What that does
not settle is never guessed: where an option that nobody knows stands before a word, the word may be
its value or a file, and then the whole is not told (None).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase

Argv = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Option:
    """An option as it stands in an argv."""

    name: str
    """As its grammar spells it: ``-k``, ``--cov-report``."""

    value: str | None
    """None: it has none."""

    words: Argv
    """The words that it takes up."""


@dataclass(frozen=True, slots=True)
class Words:
    """What stands behind a runner's name, told apart; the order within each part is kept."""

    options: tuple[Option, ...]
    selectors: Argv
    """Files, folders, patterns: all words that are no option and no option's value."""

    rest: Argv
    """What ends the options, and all behind it; empty where nothing does."""

    def values(self, *names: str) -> Argv:
        """Return the values of the options that are called so, in order."""
        return tuple(each.value or "" for each in self.options if each.name in names)

    def has(self, patterns: tuple[str, ...]) -> bool:
        """Return whether an option's name, or name and value, matches one of *patterns*."""
        return any(matches(each, patterns) for each in self.options)

    def without(self, patterns: tuple[str, ...]) -> Words:
        """Return the same without the options that match one of *patterns*."""
        kept = tuple(each for each in self.options if not matches(each, patterns))
        return Words(kept, self.selectors, self.rest)


def matches(option: Option, patterns: tuple[str, ...]) -> bool:
    """Return whether *option* is meant by one of *patterns*: ``--cov*``, ``-p=no:terminal``."""
    spelled = (option.name, f"{option.name}={option.value}")
    return any(fnmatchcase(each, pattern) for each in spelled for pattern in patterns)


def as_written(name: str) -> str:
    """Return *name*: most runners know one spelling of an option."""
    return name


def in_kebab_case(name: str) -> str:
    """Return ``--test-path-pattern`` for ``--testPathPattern``: yargs and cac take both."""
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda each: f"-{each[0].lower()}", name)


def with_one_dash(name: str) -> str:
    """Return ``-run`` for ``--run``: Go's flag package takes both."""
    return f"-{name.lstrip('-')}"


@dataclass(frozen=True, slots=True)
class Grammar:
    """How a program reads its words."""

    valued: frozenset[str] = frozenset()
    """Options that take the next word where no value is attached."""

    optional: frozenset[str] = frozenset()
    """Options that take the next word where that is no option."""

    greedy: frozenset[str] = frozenset()
    """Options that take all words up to the next option."""

    flags: frozenset[str] = frozenset()
    """Options that take no word."""

    clusters: bool = True
    """Whether ``-xvs`` is ``-x -v -s``, and ``-n4`` is ``-n 4``."""

    spelling: Callable[[str], str] = as_written
    ends: Argv = ("--",)
    """Words behind which nothing is an option or a selector of the program's own."""

    @classmethod
    def of(
        cls,
        valued: str = "",
        flags: str = "",
        optional: str = "",
        greedy: str = "",
        *,
        clusters: bool = True,
        spelling: Callable[[str], str] = as_written,
        ends: Argv = ("--",),
    ) -> Grammar:
        """Return the grammar whose options are given as words in strings."""
        return cls(
            valued=frozenset(valued.split()),
            optional=frozenset(optional.split()),
            greedy=frozenset(greedy.split()),
            flags=frozenset(flags.split()),
            clusters=clusters,
            spelling=spelling,
            ends=ends,
        )

    def read(self, words: Argv) -> Words | None:
        """Return *words* told apart; None where they can't be."""
        options: list[Option] = []
        selectors: list[str] = []
        position = 0
        while position < len(words):
            word = words[position]
            if word in self.ends:
                return Words(tuple(options), tuple(selectors), words[position:])
            if not word.startswith("-") or word == "-":
                selectors.append(word)
                position += 1
                continue
            option = self._option(word, words[position + 1 :])
            if option is None:
                return None
            options.append(option)
            position += len(option.words)
        return Words(tuple(options), tuple(selectors), ())

    def _option(self, word: str, behind: Argv) -> Option | None:
        """Return the option that begins with *word*; None where it can't be told what it takes."""
        written, equals, value = word.partition("=")
        name = self.spelling(written)
        if equals and (word.startswith("--") or not self.clusters):
            return Option(name, value, (word,))
        if self.clusters and not word.startswith("--") and len(word) > 2:
            return self._cluster(word, behind)
        return self._spaced(name, word, behind)

    def _spaced(self, name: str, word: str, behind: Argv) -> Option | None:
        next_is_word = bool(behind) and (not behind[0].startswith("-") or behind[0] == "-")
        if name in self.flags:
            return Option(name, None, (word,))
        if name in self.valued:
            return Option(name, behind[0] if behind else None, (word, *behind[:1]))
        if name in self.greedy:
            count = next((at for at, each in enumerate(behind) if each[:1] == "-"), len(behind))
            return Option(name, " ".join(behind[:count]), (word, *behind[:count]))
        if name in self.optional:
            taken = behind[: int(next_is_word)]
            return Option(name, "".join(taken) if taken else None, (word, *taken))
        is_told = not next_is_word or name.startswith("--no-")
        return Option(name, None, (word,)) if is_told else None

    def _cluster(self, word: str, behind: Argv) -> Option | None:
        """Return the option of ``-xvs``, ``-n4`` or ``-xk EXPRESSION``: the last one's name."""
        for position, letter in enumerate(word[1:], start=1):
            name, attached = f"-{letter}", word[position + 1 :]
            if name in self.valued | self.optional and attached:
                return Option(name, attached.removeprefix("="), (word,))
            if not attached:
                option = self._spaced(name, word, behind)
                return option if option is None else Option(name, option.value, option.words)
            if name not in self.flags:
                break
        return self._spaced(word, word, behind)
