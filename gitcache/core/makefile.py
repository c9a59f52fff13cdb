"""Makefiles, read without running make: their targets, and the recipes that a call reaches.

What counts as a rule is https://www.gnu.org/software/make/manual/html_node/Rule-Syntax.html.
Included files are not seen, nor targets whose names are computed; of variables, those that the file
itself sets to plain text are put in their places.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, MutableMapping, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

MAKEFILES: Final = ("GNUmakefile", "makefile", "Makefile")
"""The names in the order in which make looks for them.

https://www.gnu.org/software/make/manual/html_node/Makefile-Names.html
"""

_REFERENCE = re.compile(r"\$(?:\([^(){}$]*\)|\{[^(){}$]*\})")
_REFERENCE_DEPTH: Final = 8
"""How deep references such as ``$(a:$(b)=c)`` are taken out; makefiles nest less than that."""

_ASSIGNMENT = re.compile(r"\s*(?:(?:export|override|private)\s+)*[^\s:;|#=]+\s*(?::{1,3}|[+?!])?=")
"""What follows the colon where a line sets a variable for one target: ``test: FLAGS += -g``."""

_VARIABLE = re.compile(
    r"\s*(?:(?:export|override|unexport)\s+)*(?P<name>[\w.-]+)\s*(?P<how>::?:?|[+?])?=(?P<value>.*)"
)
_BUILT_IN: Final = {
    **{"MAKE": "make", "CURDIR": ".", "AR": "ar", "AS": "as", "CC": "cc", "CXX": "g++"},
    **{"CPP": "cc -E", "FC": "f77", "LD": "ld", "LEX": "lex", "YACC": "yacc", "RM": "rm -f"},
    **{"COMPILE.c": "cc", "LINK.c": "cc", "COMPILE.cc": "g++", "LINK.cc": "g++"},
}
"""Variables that make sets itself.

https://www.gnu.org/software/make/manual/html_node/Implicit-Variables.html
"""

_IMPLICIT: Final = {".c": "cc", ".cc": "g++", ".cpp": "g++", ".s": "as", ".l": "lex", ".y": "yacc"}
"""End of a prerequisite → the program by which make's own rules make something of it."""

_LONGEST: Final = 1 << 16
"""Characters of a line beyond which no variable is put in: such lines only double."""

_SHELL_CALL: Final = re.compile(r"\$\(shell\s+([^()]*)\)")


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule with the lines of its recipe."""

    targets: tuple[str, ...]
    prerequisites: tuple[str, ...]
    recipe: tuple[str, ...]


def targets_of(text: str) -> frozenset[str]:
    """Return the explicit targets in the makefile *text*."""
    lines = (line for line in _logical_lines(text) if not line.startswith("\t"))
    return frozenset(target for line in lines for target in _line_targets(line))


def recipes_of(
    text: str,
    goals: Collection[str] = (),
    environ: Mapping[str, str] = MappingProxyType({}),
    told: Mapping[str, str] = MappingProxyType({}),
) -> tuple[str, ...]:
    """Return what making *goals* may run: texts for the shell, each a recipe's line.

    What the file makes itself is no program that it runs, so such lines are left out.

    Args:
        text: the makefile.
        goals: the targets that are asked for; none: the file's first. Where it has no rule for one,
            all its recipes may run.
        environ: the variables of the call.
        told: those that its words set, which win over the file's.
    """
    variables: dict[str, str] = {**_BUILT_IN, **environ}
    exported: dict[str, None] = {}
    rules = list(_rules(text, variables, exported))
    variables.update(told)
    asked = goals or [each for rule in rules for each in rule.targets if each[:1] not in ".%"][:1]
    reached = _reached(rules, asked)
    used = rules if reached is None else reached
    before = "".join(_export(name, variables) for name in exported)
    lines = (
        _with_values(each.lstrip("\t @+-"), variables) for rule in used for each in rule.recipe
    )
    made = frozenset(target for rule in rules for target in rule.targets)
    own = tuple(before + each for each in lines if not _is_made(each, made))
    ends = (posixpath.splitext(each)[1] for rule in used for each in rule.prerequisites)
    implicit = dict.fromkeys(_IMPLICIT[each] for each in ends if each in _IMPLICIT)
    return (*own, *implicit, *(match[1] for match in _SHELL_CALL.finditer(text)))


def _export(name: str, variables: Mapping[str, str]) -> str:
    """Return a line for the shell by which the variable *name* is set as the file exports it."""
    value = _with_values(variables[name], variables).replace('"', "")
    return f'export {name}="{value}"\n'


def _is_made(line: str, made: Set[str]) -> bool:
    """Return whether the recipe's *line* runs one of the files that are *made* here."""
    program = (line.split(None, 1) or [""])[0]
    return "/" in program and not made.isdisjoint((program, program.removeprefix("./")))


def _reached(rules: list[_Rule], goals: Collection[str]) -> list[_Rule] | None:
    """Return the rules that *goals* lead to; None where the file does not tell."""
    names = {target for rule in rules for target in rule.targets}
    if not goals or not names.issuperset(goals):
        return None
    needs: dict[str, list[str]] = {}
    for rule in rules:
        for target in rule.targets:
            needs.setdefault(target, []).extend(rule.prerequisites)
    waiting, wanted = [*goals], set(goals)
    while waiting:
        new = set(needs.get(waiting.pop(), ())) - wanted
        waiting += new
        wanted |= new
    return [rule for rule in rules if any(each in wanted or "%" in each for each in rule.targets)]


def _rules(text: str, variables: dict[str, str], exported: dict[str, None]) -> Iterator[_Rule]:
    """Yield the rules of *text* in their order; add what it sets, and which of that it exports."""
    head: str | None = None
    recipe: list[str] = []
    for line in (*_logical_lines(text), ":"):
        if line.startswith("\t"):
            recipe.append(line)
        elif targets := _line_targets(line) or line == ":":
            if head is not None:
                yield _rule(head, recipe, variables)
            head, recipe = line if targets else None, []
        elif found := _VARIABLE.match(line):
            _assign(found, variables)
            if line.lstrip().startswith("export"):
                exported[found["name"]] = None


def _assign(found: re.Match[str], variables: MutableMapping[str, str]) -> None:
    """Set a variable as the line says in which it was *found*."""
    name, how, value = found["name"], found["how"] or "", found["value"].strip()
    if how == "+":
        variables[name] = f"{variables.get(name, '')} {value}"
    elif how != "?" or name not in variables:
        variables[name] = _with_values(value, variables) if ":" in how else value


def _rule(head: str, recipe: list[str], variables: Mapping[str, str]) -> _Rule:
    line, _, first = _with_values(head, variables).partition(";")
    targets, _, rest = line.partition(":")
    words = (each for each in rest.lstrip(":").split() if each != "|")
    return _Rule(
        tuple(targets.removesuffix("&").split()),
        tuple(words),
        (*([first] if first else []), *recipe),
    )


def _with_values(line: str, variables: Mapping[str, str]) -> str:
    """Return *line* with the variables that the file sets in their places, as far as it can be."""
    for _ in range(_REFERENCE_DEPTH):
        line, count = _REFERENCE.subn(lambda match: variables.get(match[0][2:-1], match[0]), line)
        if not count or len(line) > _LONGEST:
            break
    return line.replace("$$", "$")


def _logical_lines(text: str) -> Iterator[str]:
    """Yield the lines of a makefile that are in no ``define``, continuations joined."""
    inside_define = False
    for line in text.replace("\\\n", " ").split("\n"):
        first = line.split(maxsplit=1)[:1]
        if first == ["define"]:
            inside_define = True
        elif first == ["endef"]:
            inside_define = False
        elif not inside_define:
            yield line if line.startswith("\t") else line.partition("#")[0]


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
