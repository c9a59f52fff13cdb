"""A digest whose import is cheap: :mod:`hashlib` loads all of OpenSSL, for some milliseconds.

CPython's own module is taken, as the standard library's ``random`` takes it; another Python gets
hashlib's.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        if sys.version_info >= (3, 12):
            from _sha2 import sha256
        else:
            from _sha256 import sha256
    except ImportError:
        from hashlib import sha256


def digest(data: bytes) -> bytes:
    """Return the SHA-256 of *data* in hex."""
    return sha256(data).hexdigest().encode("ascii")
