"""A run's output as runners' lines are looked for in it.

Colours and other escape sequences are gone, lines end with ``\\n``, and what ``pnpm -r`` puts
before the lines of each package is taken off and told as their folder.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from gitcache.core.colours import without_colours
from gitcache.core.output import Output

_ESCAPE: Final = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\-_])"
)
"""Control sequences, titles and links of a terminal (ECMA-48, 5.3 and 5.4; xterm's OSC)."""

_LINE_END: Final = re.compile(rb"\r+\n?")

_BEGINS: Final = re.compile(r"(?P<folder>\S+) (?P<script>[^\s$]+)\$ ")
"""What pnpm prints before it runs a script in several packages: ``packages/a test$ vitest run``
(https://pnpm.io/cli/recursive)."""

_HEADING: Final = re.compile(r"> \S+ \S+ (?P<folder>/.*)")
"""What it prints where it runs the script of one package: ``> a@1.0.0 test /top/packages/a``."""

_LONGEST: Final = 1 << 12
"""Characters of a line beyond which it names no file: paths have at most 4096 bytes on Linux."""


class Section(NamedTuple):
    """What ran in one folder printed."""

    folder: str
    """Relative to where the whole ran, or absolute; empty: nobody said."""

    text: str


def text_of(output: Output) -> str:
    """Return what was printed on both streams, one behind the other, so that no line is torn.

    Bytes that are no UTF-8 are told as :func:`os.fsdecode` does, so that names of files are kept.
    """
    chunks = without_colours(output.chunks)
    streams = (
        b"".join(chunk.data for chunk in chunks if chunk.stream == stream)
        for stream in ("stdout", "stderr")
    )
    plain = b"\n".join(_LINE_END.sub(b"\n", _ESCAPE.sub(b"", each)) for each in streams)
    text = plain.decode(errors="surrogateescape")
    return "\n".join(line for line in text.split("\n") if len(line) <= _LONGEST)


def sections(text: str) -> tuple[Section, ...]:
    """Return *text* by the packages in which its lines were printed, in order."""
    lines: dict[str, list[str]] = {}
    prefixes: dict[str, str] = {}
    heading = ""
    for line in text.split("\n"):
        if begun := _BEGINS.match(line):
            prefixes[f"{begun['folder']} {begun['script']}:"] = begun["folder"]
            continue
        if found := _HEADING.fullmatch(line):
            heading = found["folder"]
        prefix = line[: line.find(":") + 1]
        if prefix in prefixes:
            bare = line[len(prefix) :].removeprefix(" ")
            lines.setdefault(prefixes[prefix], []).append(bare)
        else:
            lines.setdefault(heading, []).append(line)
    return tuple(Section(folder, "\n".join(each)) for folder, each in lines.items())
