"""Folders below the common dir: whoever may write in the repository may write in them.

In a group's repository (``core.sharedRepository``) git gives what it makes there the group's
permissions, whatever the umask is. So does this, for every layer.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

_SHARED: Final = stat.S_ISGID | stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO
"""What a folder takes from the one that it is in, in a group's repository."""


def make_shared_folder(path: Path) -> None:
    """Make the folder *path* and those that it is in, as far as they are missing.

    Cost: four system calls where it is there.

    Raises:
        OSError: it can't be made.
    """
    try:
        os.mkdir(path)
    except FileExistsError:
        pass
    except FileNotFoundError:
        make_shared_folder(path.parent)
        with suppress(FileExistsError):
            os.mkdir(path)
    wanted = os.stat(path.parent).st_mode & _SHARED
    facts = os.lstat(path)  # what a link leads to is not the group's
    lacks = stat.S_ISDIR(facts.st_mode) and wanted & stat.S_IWGRP and wanted & ~facts.st_mode
    if lacks and facts.st_uid == os.geteuid():
        os.chmod(path, stat.S_IMODE(facts.st_mode) | wanted)
