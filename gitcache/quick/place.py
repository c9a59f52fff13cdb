"""Where the caller stands: a worktree and its git folders, found without git.

Only the plain case is found: a folder ``.git``, or a file of that name as git writes it for a
linked worktree or a submodule. What is found here is a guess until git has agreed with it, which it
did where a memo lies there.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_LONGEST: Final = 1 << 14
"""Bytes of a file that names a folder: a path has at most 4096."""


class Place:
    """A worktree."""

    __slots__ = ("common_dir", "git_dir", "top")

    def __init__(self, top: str, git_dir: str, common_dir: str) -> None:
        self.top = top
        self.git_dir = git_dir
        """This worktree's own git folder."""

        self.common_dir = common_dir
        """The git folder that all worktrees share."""


def find_place(cwd: str) -> Place | None:
    """Return the worktree around the absolute folder *cwd*; None where none is found."""
    folder = cwd
    while True:
        link = os.path.join(folder, ".git")
        try:
            mode = os.lstat(link).st_mode
        except OSError:
            mode = 0
        if stat.S_ISDIR(mode):
            return Place(folder, link, link)
        if stat.S_ISREG(mode):
            return _linked(folder, link)
        if mode or folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)


def _linked(top: str, link: str) -> Place | None:
    """Return the worktree *top*, whose file *link* names its git folder.

    https://git-scm.com/docs/gitrepository-layout
    """
    named = _line_in(link)
    if not named.startswith("gitdir: "):
        return None
    git_dir = os.path.normpath(os.path.join(top, named[8:]))
    common = _line_in(os.path.join(git_dir, "commondir"))
    return Place(top, git_dir, os.path.normpath(os.path.join(git_dir, common)))


def _line_in(path: str) -> str:
    """Return the line in the file *path*; nothing where there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.fsdecode(os.read(descriptor, _LONGEST)).rstrip("\n")
    except OSError:
        return ""
    finally:
        os.close(descriptor)
