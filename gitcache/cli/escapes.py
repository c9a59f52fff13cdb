"""Keeps stored output from commanding a terminal.

An entry may come from anybody. Of its escape sequences (ECMA-48) only those that set colours and
weights (SGR) are shown; cursor movements, titles, the clipboard and the like are left out, also
where they come in pieces, and their introducers as single characters: of UTF-8, and of eight bits.
"""

from __future__ import annotations

import re
from typing import Final

_SEQUENCE: Final = re.compile(
    rb"(?P<colour>\x1b\[[0-9;:]*m)"  # select graphic rendition
    rb"|\x1b\[[0-?]*[ -/]*[@-~]"  # another control sequence
    rb"|\x1b[PX\]^_][^\x07\x18\x1a\x1b]*(?:[\x07\x18\x1a]|\x1b\\|(?=\x1b)|\Z)"  # a control string:
    # title, clipboard, device commands; it is cancelled by CAN, SUB and another escape
    rb"|\x1b[ -/]*[0-~]?"  # a short escape
    rb"|\xc2(?![\xa0-\xbf])[\x80-\x9f]?"  # the same controls as single characters, in UTF-8
    rb"|(?P<character>[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf4][\x80-\xbf]{3})"  # any other character in UTF-8
    rb"|[\x80-\x9f]"  # the same controls in eight bits
    rb"|[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]",  # other controls but bell to carriage return
)

_BEGUN: Final = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*|[PX\]^_][^\x07\x18\x1a\x1b]*\x1b?|[ -/]*)\Z"
    rb"|[\xc2-\xf4]\Z|[\xe0-\xf4][\x80-\xbf]\Z|[\xf0-\xf4][\x80-\xbf]{2}\Z"
)
"""The beginning of a sequence or of a character whose end is still to come."""


def printable(text: str) -> str:
    """Return *text* with its control characters and undecodable bytes spelled out."""
    return "".join(mark if mark.isprintable() else ascii(mark)[1:-1] for mark in text)


class TerminalFilter:
    """Leaves out of one stream, piece by piece, whatever commands a terminal.

    What comes out does not depend on how the bytes were cut.
    """

    def __init__(self, with_colours: bool = True) -> None:
        self._with_colours = with_colours
        self._begun = b""

    def feed(self, data: bytes) -> bytes:
        """Return what may be shown after *data*, which has just come."""
        data = self._begun + data
        begun = _BEGUN.search(data)
        end = begun.start() if begun else len(data)
        self._begun = data[end:]
        return self._harmless(data[:end])

    def finish(self) -> bytes:
        """Return what may be shown of what was waiting for an end that never came."""
        rest, self._begun = self._begun, b""
        return self._harmless(rest)

    def _harmless(self, data: bytes) -> bytes:
        return _SEQUENCE.sub(self._shown, data)

    def _shown(self, found: re.Match[bytes]) -> bytes:
        is_shown = found["character"] or (self._with_colours and found["colour"])
        return found[0] if is_shown else b""
