"""Makefiles: the explicit targets, read without running make.

What counts as a rule is https://www.gnu.org/software/make/manual/html_node/Rule-Syntax.html; the
order of the file names is
https://www.gnu.org/software/make/manual/html_node/Makefile-Names.html; that ``check`` runs the
tests and ``all`` builds is
https://www.gnu.org/prep/standards/html_node/Standard-Targets.html. Included files and targets
whose names are computed are not seen.
"""

import re
from collections.abc import Iterator, Mapping

from gitcache.core.ecosystems.documents import plain
from gitcache.core.ecosystems.ecosystem import (
    BUILD,
    TEST,
    Ecosystem,
    Found,
    Missing,
    Project,
    found,
    marked_by,
    spelled,
)
from gitcache.core.tool import ToolName

_USUAL: Mapping[ToolName, str] = {TEST: "check", BUILD: "all"}
"""Tool → the target that GNU's coding standards have for it.

Projects also use these names for more than that, so they are no definition of the tool.
"""

_REFERENCE = re.compile(r"\$(?:\([^(){}$]*\)|\{[^(){}$]*\})")
_REFERENCE_DEPTH = 8
"""How deep references such as ``$(a:$(b)=c)`` are taken out; makefiles nest less than that."""

_ASSIGNMENT = re.compile(r"\s*(?:(?:export|override|private)\s+)*[^\s:;|#=]+\s*(?::{1,3}|[+?!])?=")
"""What follows the colon where a line sets a variable for one target: ``test: FLAGS += -g``."""


def _logical_lines(text: str) -> Iterator[str]:
    """Yield the lines of a makefile that are no recipe and no ``define``, continuations joined."""
    inside_define = False
    for line in text.replace("\\\n", " ").split("\n"):
        first = line.split(maxsplit=1)[:1]
        if first == ["define"]:
            inside_define = True
        elif first == ["endef"]:
            inside_define = False
        elif not inside_define and not line.startswith("\t"):
            yield line.partition("#")[0]


def _without_references(line: str) -> str:
    """Return *line* with each variable reference made a word that is no target of ours."""
    for _ in range(_REFERENCE_DEPTH):
        line, count = _REFERENCE.subn("%", line)
        if not count:
            break
    return line


def _line_targets(line: str) -> list[str]:
    head, colon, rest = _without_references(line).partition(":")
    rest = rest.lstrip(":")
    if not colon or "=" in head or rest.startswith("=") or _ASSIGNMENT.match(rest):
        return []
    return head.removesuffix("&").split()


def _targets(text: str) -> frozenset[str]:
    return frozenset(target for line in _logical_lines(text) for target in _line_targets(line))


def _define(project: Project, marker: str, name: ToolName) -> Found | None:
    target = spelled(name, _targets(plain(project.read(marker))))
    return found(f"make {target}", marker) if target else None


def _guess(project: Project, marker: str, name: ToolName) -> Found | Missing:
    target = _USUAL.get(name)
    if target in _targets(plain(project.read(marker))):
        return found(f"make {target}", marker)
    return Missing(f"{marker} has no {name} target")


MAKE = Ecosystem(marked_by("GNUmakefile", "makefile", "Makefile"), _guess, _define)
