"""The first line of a script, which names the program that reads it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

_FOR_LONG_PATHS: Final = b"'''exec' "
"""How the second line begins where the interpreter's path is too long for ``#!``.

https://github.com/pypa/distlib/blob/master/distlib/scripts.py
"""


def interpreters_of(head: bytes, program: str, rest: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the argv of each interpreter that the script *program* names; none for a binary.

    Args:
        head: the first bytes of the file.
        program: its path.
        rest: the words behind it.

    Behind the interpreter's path stands one word at most, white space in it included (execve(2)).
    """
    first, *others = head.split(b"\n", 2)
    if not first.startswith(b"#!"):
        return
    if words := os.fsdecode(first[2:]).strip(" \t").split(None, 1):
        yield (*words, program, *rest)
    if others and others[0].startswith(_FOR_LONG_PATHS):
        line = os.fsdecode(others[0].removeprefix(_FOR_LONG_PATHS))
        path = line[1:].partition('"')[0] if line.startswith('"') else line.partition(" ")[0]
        yield (path, program, *rest)
