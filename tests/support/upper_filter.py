"""A filter driver that speaks git's process protocol: the tree holds capitals.

The protocol is that of gitattributes(5), "Long Running Filter Process": packets with their length
in four hex digits, ``0000`` between lists.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

_LARGEST = 65_516
"""Bytes of content that one packet holds."""


def main() -> None:
    """Agree on the protocol, then filter until git goes."""
    list(_packets())
    _send(b"git-filter-server\n", b"version=2\n")
    list(_packets())
    _send(b"capability=clean\n", b"capability=smudge\n")
    while facts := list(_packets()):
        content = b"".join(_packets())
        text = content.upper() if b"command=clean\n" in facts else content.lower()
        _send(b"status=success\n")
        _send(*(text[start : start + _LARGEST] for start in range(0, len(text), _LARGEST)))
        _send()


def _packets() -> Iterator[bytes]:
    """Yield the packets of one list; none where git has gone."""
    while True:
        length = int(sys.stdin.buffer.read(4) or b"0", 16)
        if length == 0:
            return
        yield sys.stdin.buffer.read(length - 4)


def _send(*packets: bytes) -> None:
    """Send one list."""
    for each in packets:
        sys.stdout.buffer.write(b"%04x%s" % (len(each) + 4, each))
    sys.stdout.buffer.write(b"0000")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
