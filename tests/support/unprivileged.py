"""A user to whom the permissions of files apply, even where the tests run as root."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534
"""The user id that owns nothing, on every usual system."""


@contextmanager
def unprivileged() -> Iterator[Path]:
    """Be a user without privileges for the block, and yield a new home that is this user's.

    The test's own folders may be closed to that user, so the home lies elsewhere; git's settings
    come along.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        shutil.copy(os.environ["GIT_CONFIG_GLOBAL"], home / ".gitconfig")
        if os.geteuid() != 0:
            yield home
            return
        for path in (home, home / ".gitconfig"):
            os.chown(path, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        try:
            yield home
        finally:
            os.seteuid(0)
