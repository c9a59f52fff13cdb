"""A text that names its own worktree: what it says when the worktree is somewhere else.

Installers write absolute paths of the worktree into scripts and lists. Two worktrees with the same
installation differ in nothing else, so the path is read as a placeholder there.
"""

from __future__ import annotations

import os
import re
from typing import Final

from gitcache.core.key import digest

_BEFORE: Final = rb"(?:(?<![^\s:;,=\"'`@!(\[{<|&])|(?<=file://))"
_AFTER: Final = rb"(?=[/\s:;,\"'`)\]}>|&\\]|\Z)"
"""What may stand around a whole path; ``/a/wt1`` is neither in ``/a/wt10`` nor in ``/b/a/wt1``."""


def pieces(data: bytes, worktree: str) -> list[bytes]:
    """Return the pieces of *data* around the path *worktree*; one where it does not name it."""
    path = re.escape(os.fsencode(worktree))
    return re.split(_BEFORE + path + _AFTER, data)


def content_digest(data: bytes, worktree: str) -> str:
    """Return the digest of *data*, which is the same in every worktree that it names as its own.

    The pieces are hashed one by one, so that no content can spell the placeholder.
    """
    return digest(*pieces(data, worktree))
