"""What installers wrote down of an installed folder, for those who prefer speed to certainty.

These lists name each package with its version or each file with its digest, as they were installed.
A file that was patched since, or put there by hand, is in none of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from gitcache.core.key import digest

_LISTS: Final = (
    ".package-lock.json",  # npm: docs.npmjs.com/cli/configuring-npm/package-lock-json
    ".yarn-state.yml",  # yarn 2 and later, with its node-modules linker
    ".pnpm/lock.yaml",  # pnpm
    "*.dist-info/RECORD",  # pip and uv: packaging.python.org, "Recording installed projects"
    "lib/python*/site-packages/*.dist-info/RECORD",  # the same in a whole virtual environment
)
"""Where the lists lie, as patterns relative to an installed folder."""


def records_digest(folder: Path) -> str | None:
    """Return the digest of the installers' lists in *folder*; None where there are none.

    Raises:
        OSError: a list can't be read.
    """
    lists = sorted(path for pattern in _LISTS for path in folder.glob(pattern))
    if not lists:
        return None
    parts = (part for path in lists for part in (str(path.relative_to(folder)), path.read_bytes()))
    return digest("installers' lists", *parts)
