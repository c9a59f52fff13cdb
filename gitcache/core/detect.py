"""Tools without settings: the command that a project has for a tool, by the files it shows.

What a project itself defines (a script, a task, a target) beats what is usual for its kind, and
among equals the order of the table decides. Only names and texts of the top folder count, and of a
Python project's folder of tests in it, so the answer is a function of the content. What each kind
of project calls its tools is in :mod:`gitcache.core.ecosystems`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gitcache.core.ecosystems.deno import DENO
from gitcache.core.ecosystems.ecosystem import (
    AUDIT,
    BUILD,
    LINT,
    TEST,
    TYPECHECK,
    Ecosystem,
    Found,
    Missing,
    Project,
)
from gitcache.core.ecosystems.elixir import ELIXIR
from gitcache.core.ecosystems.fixed import BUN, DOTNET, GO, RUBY, RUST
from gitcache.core.ecosystems.java import JAVA
from gitcache.core.ecosystems.just import JUST
from gitcache.core.ecosystems.make import MAKE
from gitcache.core.ecosystems.node import NODE
from gitcache.core.ecosystems.php import PHP
from gitcache.core.ecosystems.python import PYTHON
from gitcache.core.tool import Tool, ToolName, Words, default_options

__all__ = ["DETECTED", "NotApplicable", "Project", "detect"]

DETECTED: tuple[ToolName, ...] = (TEST, BUILD, LINT, TYPECHECK, AUDIT)
"""The tools that are looked for, in the order in which people are shown them."""

_ECOSYSTEMS: tuple[Ecosystem, ...] = (
    NODE,
    PYTHON,
    RUST,
    GO,
    RUBY,
    JAVA,
    DOTNET,
    ELIXIR,
    PHP,
    DENO,
    BUN,
    MAKE,
    JUST,
)
"""Best first: a project of several kinds has the tools of the first that has one."""

_SOUGHT: Mapping[ToolName, str] = {
    TEST: "a test",
    BUILD: "a build",
    LINT: "a linter",
    TYPECHECK: "a type checker",
    AUDIT: "an audit",
}


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """A tool for which the project has no command."""

    tool: ToolName

    reason: str
    """Clauses that follow ``because``."""

    def __str__(self) -> str:
        return f"{self.tool} is not applicable, because {self.reason}"


def detect(project: Project, name: ToolName) -> Tool | NotApplicable:
    """Return the tool *name* of a project that has no settings for it.

    Args:
        project: the top folder of the content.
        name: one of :data:`DETECTED`; any other name is not applicable.
    """
    if name not in DETECTED:
        return NotApplicable(name, f"only {', '.join(DETECTED)} are detected")
    reasons = []
    for answer in _answers(project, name):
        match answer:
            case Found(argv, origin):
                return Tool(name, Words(argv), origin, default_options(name))
            case Missing(reason):
                reasons.append(reason)
    return NotApplicable(name, " and ".join(reasons) or _nothing(name))


def _answers(project: Project, name: ToolName) -> Iterator[Found | Missing]:
    """Yield what the project's ecosystems say, best first: all definitions, then all guesses."""
    present = [
        (ecosystem, marker)
        for ecosystem in _ECOSYSTEMS
        if (marker := ecosystem.marker(project)) is not None
    ]
    for ecosystem, marker in present:
        if definition := ecosystem.define(project, marker, name):
            yield definition
    for ecosystem, marker in present:
        yield ecosystem.guess(project, marker, name)


def _nothing(name: ToolName) -> str:
    return f"no project file that names {_SOUGHT[name]} was found at the top of the repository"
