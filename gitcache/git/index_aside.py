"""An index, an object folder and an empty worktree of git's own, thrown away after use.

They live in a repository beside the user's that only reads the user's objects. So no hook of the
user has a part in what is done there, nothing that is missing is fetched from anywhere, and nothing
enters or touches the user's repository. Entries may name objects that are stored nowhere.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitcache.core.content import Change
from gitcache.core.key import TreeId
from gitcache.core.variables import without_git_local
from gitcache.errors import RepositoryError
from gitcache.git.plumbing import Git, GitError
from gitcache.git.repository import Repository, quoted

_CONFIG: Final = """\
[core]
\trepositoryformatversion = 1
\tbare = false
[extensions]
\tobjectFormat = {}
"""

_ALTERNATES: Final = "objects/info/alternates"
"""The file in which a repository names further folders of objects (gitrepository-layout(5))."""

_SETTINGS: Final = (
    # Names that another system could not check out are content all the same.
    *("core.protectNTFS=false", "core.protectHFS=false"),
    # What the user sets for all repositories must not decide what is selected here.
    *("core.attributesFile=/dev/null", "core.ignoreCase=false"),
    *("core.splitIndex=false", "core.fsmonitor=false", "core.sparseCheckout=false"),
)

_VARIABLES: Final = {"GIT_ATTR_NOSYSTEM": "1"}


@dataclass(frozen=True, slots=True)
class IndexAside:
    """An index that holds the content of a tree with changes."""

    folder: Path
    git: Git

    @property
    def top(self) -> Path:
        """The worktree's top: an empty folder, in which git looks for attribute files."""
        return self.folder / "top"

    def entries(self) -> bytes:
        """Return all entries, each ``mode oid stage TAB path NUL``."""
        return self.git.run("ls-files", "-s", "-z")


@contextmanager
def index_aside(
    repository: Repository, base: TreeId, changes: Sequence[Change]
) -> Iterator[IndexAside]:
    """Open an index that holds *base* with *changes* applied.

    Raises:
        RepositoryError: git can't fill it, or can't do what the block asks of it.
    """
    lines = b"".join(
        f"{each.mode} {each.oid}\t".encode("ascii") + os.fsencode(each.path) + b"\0"
        for each in removals_first(changes)
    )
    with tempfile.TemporaryDirectory(prefix="git-toolcache-") as folder:
        aside = _repository_aside(repository, Path(folder))
        try:
            aside.git.run("read-tree", base)
            if changes:
                aside.git.run("update-index", "--replace", "-z", "--index-info", stdin=lines)
                _check_taken(changes, aside.entries())
            yield aside
        except GitError as error:
            raise RepositoryError(f"git can't make the tree: {error.stderr}") from error


def _repository_aside(repository: Repository, folder: Path) -> IndexAside:
    """Return a new, empty repository in *folder* that sees the objects of *repository*."""
    for name in ("objects", "refs", "top"):
        (folder / name).mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text(_CONFIG.format(repository.object_format))
    alternates = "".join(f"{quoted(each)}\n" for each in repository.object_folders)
    (folder / _ALTERNATES).parent.mkdir()
    (folder / _ALTERNATES).write_bytes(os.fsencode(alternates))
    top = folder / "top"
    places = {"GIT_DIR": str(folder), "GIT_WORK_TREE": str(top)}
    environ = {**without_git_local(repository.git.environ), **_VARIABLES, **places}
    environ.pop("GIT_ATTR_SOURCE", None)
    return IndexAside(folder, Git(top, environ, _SETTINGS))


def _check_taken(changes: Sequence[Change], listed: bytes) -> None:
    """Refuse an index from which a change is missing: git passes over a name with a warning."""
    taken = {os.fsdecode(line) for line in listed.split(b"\0")}
    for each in changes:
        if not each.is_removal and f"{each.mode} {each.oid} 0\t{each.path}" not in taken:
            raise RepositoryError(f"git can't add {each.path}")


def removals_first(changes: Sequence[Change]) -> list[Change]:
    """Return *changes* so that no removal hits what has come in its place."""
    return sorted(changes, key=lambda each: not each.is_removal)
