"""How our streams show an answer, as far as it depends on what they are open on."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def wants_colour(descriptor: int, environ: Mapping[str, str]) -> bool:
    """Return whether *descriptor* is a terminal with colours; ``NO_COLOR`` is no-color.org's."""
    is_dumb = environ.get("TERM") == "dumb"
    return is_terminal(descriptor) and not is_dumb and not environ.get("NO_COLOR")


def is_terminal(descriptor: int) -> bool:
    """Return whether *descriptor* is open on a terminal."""
    return os.isatty(descriptor)
