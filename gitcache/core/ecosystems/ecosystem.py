"""What an ecosystem is: the file that shows it, what its project defines, what is usual in it.

An ecosystem answers for one tool at a time and knows nothing of the other ecosystems; the order
among them is :mod:`gitcache.core.detect`'s. Whatever a project's files contain, no answer raises.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Protocol

from gitcache.core.tool import ToolName

TEST = ToolName("test")
BUILD = ToolName("build")
LINT = ToolName("lint")
TYPECHECK = ToolName("typecheck")
AUDIT = ToolName("audit")

_SPELLINGS: Mapping[ToolName, tuple[str, ...]] = {
    TYPECHECK: ("typecheck", "type-check", "check-types"),
}
"""Tool → the names under which projects define it, best first; else it has its own name only."""

_NOUNS: Mapping[ToolName, str] = {
    TEST: "test command",
    BUILD: "build step",
    LINT: "usual linter",
    TYPECHECK: "usual type checker",
    AUDIT: "usual audit",
}
"""Tool → what a project without it lacks, for people."""


class Project(Protocol):
    """What detection may look at: the top folder of the content and the folders in it."""

    @property
    def names(self) -> frozenset[str]:
        """The names of the entries in the top folder."""

    def names_in(self, folder: str) -> frozenset[str]:
        """Return the names of the entries in *folder* of the top folder; none where it is none."""

    def read(self, path: str, at_most: int | None = None) -> str | None:
        """Return the text of the file *path*, or None where there is none.

        Bytes that are no text are replaced.

        Args:
            path: relative to the top folder.
            at_most: how many bytes of its beginning are wanted; None: all.
        """


@dataclass(frozen=True, slots=True)
class Found:
    """The command that a project has for a tool."""

    argv: tuple[str, ...]

    origin: str
    """The file that the command comes from, relative to the top folder."""


@dataclass(frozen=True, slots=True)
class Missing:
    """The ecosystem is here and has no command for the tool."""

    reason: str
    """A clause that follows ``because``."""


Marker = Callable[[Project], str | None]
Define = Callable[[Project, str, ToolName], Found | None]
Guess = Callable[[Project, str, ToolName], Found | Missing]


def define_nothing(_project: Project, _marker: str, _name: ToolName) -> None:
    """Answer for an ecosystem in which a project can't name its own commands."""


@dataclass(frozen=True, slots=True)
class Ecosystem:
    """One kind of project."""

    marker: Marker
    """Project → the file that shows the ecosystem; None where the project is none of it."""

    guess: Guess
    """Project, marker and tool → the command that is usual in this ecosystem."""

    define: Define = define_nothing
    """Project, marker and tool → the command that the project itself defines."""


def matches(names: Collection[str], *patterns: str) -> Iterator[str]:
    """Yield those of *names* that *patterns* match, by pattern, then by name.

    Args:
        names: names or paths of files.
        patterns: the same, in which ``*`` stands for any text, best first.
    """
    for pattern in patterns:
        yield from sorted(name for name in names if fnmatchcase(name, pattern))


def first_match(project: Project, *patterns: str) -> str | None:
    """Return the first name in *project* that *patterns* match, or None."""
    return next(matches(project.names, *patterns), None)


def marked_by(*patterns: str) -> Marker:
    """Return the marker that is the first name to match one of *patterns*."""
    return lambda project: first_match(project, *patterns)


def found(command: str, origin: str) -> Found:
    """Return *command*, words separated by spaces, as an answer."""
    return Found(tuple(command.split()), origin)


def missing(kind: str, name: ToolName) -> Missing:
    """Return the answer of a *kind* of project, such as ``Gemfile``, in which *name* is unusual."""
    return Missing(f"a {kind} project has no {_NOUNS[name]}")


def usual(commands: Mapping[ToolName, str], kind: str = "") -> Guess:
    """Return the guess that is the same for every project.

    Args:
        commands: tool → words separated by spaces.
        kind: the kind of project, for people; empty: the marker's name.
    """

    def guess(_project: Project, marker: str, name: ToolName) -> Found | Missing:
        command = commands.get(name)
        return found(command, marker) if command else missing(kind or marker, name)

    return guess


def spelled(name: ToolName, defined: Collection[str]) -> str | None:
    """Return the best of the names in *defined* under which a project defines the tool *name*."""
    return next((word for word in _SPELLINGS.get(name, (name,)) if word in defined), None)
