"""Choosing among the programs that a project may use for a tool, by what the project shows of them.

A program counts where its own settings file lies in the top folder or where the project depends on
its package. How it is started belongs to the ecosystem.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from gitcache.core.ecosystems.ecosystem import Found, Project, first_match, found


@dataclass(frozen=True, slots=True)
class Program:
    """One program and the evidence that a project uses it."""

    command: str
    """Words separated by spaces."""

    files: tuple[str, ...]
    """Names of its settings files; ``*`` stands for any text."""

    packages: tuple[str, ...]
    """Names of packages that bring it."""


def choose(
    programs: Iterable[Program], project: Project, manifest: str, dependencies: Collection[str]
) -> Found | None:
    """Return the command of the first of *programs* that *project* shows, or None.

    Args:
        programs: candidates, best first.
        project: where settings files are looked for.
        manifest: the file that lists the dependencies.
        dependencies: the names of the packages that the project depends on.
    """
    for program in programs:
        if origin := first_match(project, *program.files):
            return found(program.command, origin)
        if not set(program.packages).isdisjoint(dependencies):
            return found(program.command, manifest)
    return None
