"""Finds the repository: its worktree, its common dir, its objects.

Found once for a call and passed on as a value. Git itself is asked, so whatever it honours
(``GIT_DIR``, ``core.worktree``, ``safe.directory``) is honoured here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from gitcache.errors import RepositoryError
from gitcache.git.plumbing import Git, GitCall, GitError

ObjectFormat = Literal["sha1", "sha256"]

EMPTY_TREE: Final[dict[ObjectFormat, str]] = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""The id of the tree without entries (``git hash-object -t tree /dev/null``)."""

_ALTERNATES: Final = "GIT_ALTERNATE_OBJECT_DIRECTORIES"

_ASIDE: Final = (
    "core.hooksPath=/dev/null",
    "core.splitIndex=false",
    "core.fsmonitor=false",
)
"""Settings under which an index that is thrown away leaves no trace elsewhere."""

_SEPARATOR: Final = "--toolcache-next"
"""A word that ``git rev-parse`` repeats as it is; it parts answers that may hold newlines."""

QUESTION: Final = (
    *("rev-parse", "--path-format=absolute", "--show-toplevel", _SEPARATOR),
    *("--git-dir", _SEPARATOR, "--git-common-dir", _SEPARATOR),
    *(
        "--git-path",
        "objects",
        _SEPARATOR,
        "--git-path",
        "index",
        _SEPARATOR,
        "--show-object-format",
        _SEPARATOR,
        "--show-prefix",
    ),
)
"""The words behind ``git``."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository with a working tree."""

    top: Path
    """The worktree's top folder."""

    git_dir: Path
    """This worktree's own git folder; in a linked worktree ``…/.git/worktrees/<name>``."""

    common_dir: Path
    """The git folder that all worktrees share."""

    objects: Path
    """Where new objects go; a quarantine folder within a receiving hook."""

    index: Path
    """The file of the index that git uses here; need not exist."""

    object_format: ObjectFormat
    prefix: str
    """The caller's folder relative to the top, without a slash at its end; empty at the top."""

    git: Git
    """Git, as seen from the top."""

    @property
    def object_folders(self) -> list[str]:
        """Where git looks for objects, the variables of a receiving hook included."""
        others = self.git.environ.get(_ALTERNATES, "")
        return [str(self.objects), *filter(None, others.split(os.pathsep))]

    @contextmanager
    def listing(self) -> Iterator[Git]:
        """Yield git as it is here, but such that listing the index leaves no trace.

        Git writes trees where it unfolds a sparse index, even one that it only lists.
        """
        if not os.path.lexists(self.git_dir / "info" / "sparse-checkout"):
            yield self.git
            return
        import tempfile  # its import costs, and few worktrees are sparse

        with tempfile.TemporaryDirectory(prefix="git-toolcache-") as folder:
            yield self.writing_aside(folder)

    def writing_aside(self, objects: str, index: str | None = None) -> Git:
        """Return git as it is here, but with new objects in the folder *objects*.

        With an *index* of its own, too, where one is given.
        """
        aside = {
            "GIT_OBJECT_DIRECTORY": objects,
            _ALTERNATES: os.pathsep.join(map(quoted, self.object_folders)),
            **({} if index is None else {"GIT_INDEX_FILE": index}),
        }
        return replace(self.git, environ={**self.git.environ, **aside}, config=_ASIDE)

    @property
    def empty_tree(self) -> str:
        """The id of the tree without entries."""
        return EMPTY_TREE[self.object_format]


def quoted(path: str) -> str:
    """Return *path* quoted as C, so that git's lists of paths may hold any byte (git(1))."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def start_looking(git: Git) -> GitCall:
    """Start asking git where the repository of ``git.cwd`` is."""
    return git.start(*QUESTION)


def found(git: Git, call: GitCall) -> Repository:
    """Return the repository that *call*, started by :func:`start_looking`, tells of.

    Raises:
        RepositoryError: there is none, it has no working tree here, or git refuses to look at it.
    """
    try:
        answer = call.finish()
    except GitError as error:
        raise _refusal(error) from error
    separator = f"\n{_SEPARATOR}\n".encode()
    answers = [os.fsdecode(each) for each in answer.removesuffix(b"\n").split(separator)]
    top, git_dir, common_dir, objects, index, object_format, prefix = answers
    environ = _with_absolute_objects(git, objects)
    return Repository(
        top=Path(top),
        git_dir=Path(git_dir),
        common_dir=Path(common_dir),
        objects=Path(objects),
        index=Path(index),
        object_format="sha256" if object_format == "sha256" else "sha1",
        prefix=prefix.removesuffix("/") or _prefix_of_alias(top, git.environ),
        git=Git(Path(top), _leading_back(environ, git_dir, top), listener=git.listener),
    )


def find_repository(cwd: Path, environ: Mapping[str, str]) -> Repository:
    """Return the repository around *cwd*.

    Raises:
        RepositoryError: as :func:`found`.
    """
    git = Git(cwd, environ)
    with start_looking(git) as call:
        return found(git, call)


def _with_absolute_objects(git: Git, objects: str) -> Mapping[str, str]:
    """Return *git*'s variables with folders of objects that mean the same from anywhere."""
    environ = dict(git.environ)
    if "GIT_OBJECT_DIRECTORY" in environ:
        environ["GIT_OBJECT_DIRECTORY"] = objects
    if _ALTERNATES in environ:
        folders = filter(None, environ[_ALTERNATES].split(os.pathsep))
        environ[_ALTERNATES] = os.pathsep.join(os.path.join(git.cwd, each) for each in folders)
    return environ


def _leading_back(environ: Mapping[str, str], git_dir: str, top: str) -> Mapping[str, str]:
    """Return *environ*, with which git finds the same repository from its top.

    A relative ``GIT_DIR`` means another place there, and nothing there may lead back to the
    repository whose ``core.worktree`` names it.
    """
    link = os.path.join(top, ".git")
    if "GIT_DIR" not in environ and (git_dir == link or os.path.isfile(link)):
        return environ
    return {**environ, "GIT_DIR": git_dir, "GIT_WORK_TREE": top}


def _prefix_of_alias(top: str, environ: Mapping[str, str]) -> str:
    """Return the caller's folder below *top* where a ``!alias`` has put us there.

    Git tells the folder by ``GIT_PREFIX``, which a process in another repository may inherit; so
    only what is a folder here counts.
    """
    prefix = environ.get("GIT_PREFIX", "").removesuffix("/")
    is_inside = not prefix.startswith("/") and ".." not in prefix.split("/")
    return prefix if is_inside and os.path.isdir(os.path.join(top, prefix)) else ""


def _refusal(error: GitError) -> RepositoryError:
    """Return git's refusal in one sentence of ours, with git's own advice as the hint."""
    if "must be run in a work tree" in error.stderr:
        return RepositoryError("this is a bare repository or a git folder, without a working tree")
    if "not a git repository" in error.stderr:
        return RepositoryError("not a git repository")
    advice = re.search(r"^\s*(git config .*)$", error.stderr, re.MULTILINE)
    return RepositoryError(error.reason, hint=advice[1] if advice else "")
