"""Justfiles, read without running just: the lines of their recipes.

The grammar is https://github.com/casey/just/blob/master/GRAMMAR.md. Imported files and modules are
not seen; of variables, those that the file itself sets to one plain text are put in their places.
"""

from __future__ import annotations

import re
from typing import Final

JUSTFILES: Final = ("justfile", "Justfile", "JUSTFILE", ".justfile")
"""https://just.systems/man/en/quick-start.html"""

_SET: Final = re.compile(
    r"(?:export[ \t]+)?(?P<name>[\w-]+)[ \t]*:=[ \t]*(['\"])(?P<value>.*)\2\s*$"
)
_REFERENCE: Final = re.compile(r"\{\{\s*(?P<name>[\w-]+)\s*\}\}")


def recipes_of(text: str) -> tuple[str, ...]:
    """Return the lines of all recipes in the justfile *text*, each a text for the shell."""
    lines = text.replace("\\\n", " ").split("\n")
    known = {match["name"]: match["value"] for line in lines if (match := _SET.match(line))}
    indented = (line.lstrip(" \t@-") for line in lines if line[:1] in (" ", "\t"))
    return tuple(
        _REFERENCE.sub(lambda match: known.get(match["name"], match[0]), line)
        for line in indented
        if line
    )
