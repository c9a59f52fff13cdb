"""Justfiles: which of their recipes and aliases are tools, read without running just.

The grammar is https://github.com/casey/just/blob/master/GRAMMAR.md. Imported files and modules are
not seen.
"""

import re

from gitcache.core.ecosystems.documents import plain
from gitcache.core.ecosystems.ecosystem import (
    Ecosystem,
    Found,
    Missing,
    Project,
    found,
    marked_by,
    spelled,
)
from gitcache.core.justfile import JUSTFILES
from gitcache.core.tool import ToolName

_NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
_ALIAS = re.compile(rf"alias[ \t]+({_NAME})[ \t]*:=")
_RECIPE = re.compile(rf"@?({_NAME})(?:[ \t][^:]*)?:(?!=)")


def _recipes(text: str) -> frozenset[str]:
    items = (_ALIAS.match(line) or _RECIPE.match(line) for line in text.split("\n"))
    return frozenset(item[1] for item in items if item)


def _define(project: Project, marker: str, name: ToolName) -> Found | None:
    recipe = spelled(name, _recipes(plain(project.read(marker))))
    return found(f"just {recipe}", marker) if recipe else None


def _guess(_project: Project, marker: str, name: ToolName) -> Missing:
    return Missing(f"{marker} has no {name} recipe")


JUST = Ecosystem(marked_by(*JUSTFILES), _guess, _define)
