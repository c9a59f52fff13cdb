"""Keeps stored output from commanding a terminal.

An entry may come from anybody. Of its escape sequences (ECMA-48) only those that set colours and
weights (SGR) are shown; cursor movements, titles, the clipboard and the like are left out.
"""

from __future__ import annotations

import re
from typing import Final

_SEQUENCE: Final = re.compile(
    rb"\x1b\[(?P<sgr>[0-9;:]*m)"  # select graphic rendition
    rb"|\x1b\[[0-?]*[ -/]*[@-~]"  # another control sequence
    rb"|\x1b[PX\]^_].*?(?:\x07|\x1b\\|\Z)"  # a control string: title, clipboard, device commands
    rb"|\x1b[ -/]*[0-~]?"  # a short escape
    rb"|\xc2(?![\xa0-\xbf])[\x80-\x9f]?"  # the same controls as single characters, in UTF-8
    rb"|[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]",  # other controls but bell to carriage return
    re.DOTALL,
)


def printable(text: str) -> str:
    """Return *text* with its control characters and undecodable bytes spelled out."""
    return "".join(mark if mark.isprintable() else ascii(mark)[1:-1] for mark in text)


def only_colours(data: bytes) -> bytes:
    """Return *data* with no escape sequence but colours and weights."""
    return _SEQUENCE.sub(lambda found: found[0] if found["sgr"] else b"", data)
