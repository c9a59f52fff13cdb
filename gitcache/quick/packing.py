"""Lists of bytes as bytes: each piece behind its length and a colon, as in a netstring.

Unpacking takes anybody's file: what is no such list is a ``ValueError``, whatever it is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def pack(pieces: Iterable[bytes]) -> bytes:
    """Return *pieces* as one."""
    return b"".join([b"%d:%b" % (len(each), each) for each in pieces])


def unpack(data: bytes) -> list[bytes]:
    """Return the pieces of *data*; ValueError where it was not packed."""
    pieces = []
    position = 0
    while position < len(data):
        colon = data.index(b":", position, position + 20)
        end = colon + 1 + int(data[position:colon])
        if not colon < end <= len(data):
            raise ValueError("a piece of a wrong length")
        pieces.append(data[colon + 1 : end])
        position = end
    return pieces


def pack_texts(texts: Iterable[str]) -> bytes:
    """Return *texts*, of which none holds a NUL, as one; undecodable bytes stay what they are."""
    return "\0".join([*texts, ""]).encode("utf-8", "surrogateescape")


def unpack_texts(data: bytes) -> list[str]:
    """Return the texts that :func:`pack_texts` made *data* of."""
    return data.decode("utf-8", "surrogateescape").split("\0")[:-1]
