"""The snapshot: the working tree as a git tree, without a trace in the repository.

Git is the eye: its status says what differs from HEAD, and ``git hash-object`` gives the ids of
changed files with all conversions that git applies. The tree itself is made in memory
(:mod:`gitcache.git.tree_maker`), and only where something differs: a clean worktree's tree is
HEAD's. What git can't tell for certain is refused, never guessed.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, replace

from gitcache.core.content import Change, Snapshot
from gitcache.core.key import CommitId, TreeId
from gitcache.core.variables import without_git_local
from gitcache.errors import RepositoryError
from gitcache.git.plumbing import Git, GitError, ObjectReader
from gitcache.git.repository import Repository
from gitcache.git.status import GITLINK, GONE, QUESTION, Record, Status, Tracked, Unmerged, parse

_FILE = "100644"
_PROGRAM = "100755"
_LINK = "120000"


def take_snapshot(repository: Repository, status: Status, objects: ObjectReader) -> Snapshot:
    """Return the content of the working tree that *status* was asked of.

    Raises:
        RepositoryError: git can't tell the content for certain; the message names the path.
    """
    return _over_head(repository, status, objects, _changes(repository, status.records))


def take_index(repository: Repository, status: Status, objects: ObjectReader) -> Snapshot:
    """Return the content of the index.

    Raises:
        RepositoryError: it is in conflict and so has no tree.
    """
    if any(isinstance(each, Unmerged) for each in status.records):
        raise RepositoryError("the index is in conflict")
    staged = (each for each in status.records if isinstance(each, Tracked))
    changes = [
        Change(each.path, each.index_mode, each.index_oid)
        for each in staged
        if each.in_index != "."
    ]
    return _over_head(repository, status, objects, tuple(changes))


def take_commit(objects: ObjectReader, revision: str) -> Snapshot:
    """Return the content of the commit that *revision* names.

    Raises:
        RepositoryError: it names none.
    """
    commit = objects.read(f"{revision}^{{commit}}")
    tree = objects.read(f"{revision}^{{tree}}")
    if commit is None or tree is None:
        raise RepositoryError(f"{revision!r} names no commit")
    return Snapshot(TreeId(tree.oid), CommitId(commit.oid), TreeId(tree.oid))


def _over_head(
    repository: Repository, status: Status, objects: ObjectReader, changes: tuple[Change, ...]
) -> Snapshot:
    """Return HEAD's content with *changes* applied."""
    empty = TreeId(repository.empty_tree)
    head = (
        Snapshot(empty, None, empty) if status.head is None else take_commit(objects, status.head)
    )
    if not changes:
        return head
    from gitcache.git.tree_maker import make_tree  # imports pygit2, which a clean tree can spare

    return replace(head, tree=make_tree(repository, head.tree, changes), changes=changes)


@dataclass(frozen=True, slots=True)
class _OnDisk:
    """A path whose content must be read from the disk."""

    path: str
    mode: str


def _changes(repository: Repository, records: Iterable[Record]) -> tuple[Change, ...]:
    """Return how the working tree differs from HEAD's tree, sorted by path."""
    known: dict[str, Change] = {}
    on_disk: dict[str, _OnDisk] = {}
    in_head: dict[str, tuple[str, str]] = {}
    for record in records:
        if isinstance(record, Tracked):
            in_head[record.path] = (record.head_mode, record.head_oid)
        match _resolve(repository, record):
            case Change() as change:
                known[change.path] = change
            case _OnDisk() as file:
                on_disk[file.path] = file
    known.update((each.path, each) for each in _hashed(repository, on_disk.values()))
    return tuple(
        change
        for path, change in sorted(known.items())
        if in_head.get(path) != (change.mode, change.oid)
    )


def _resolve(repository: Repository, record: Record) -> Change | _OnDisk:
    """Return what *record* says of its path: the new state, or that the disk must be read."""
    gone = Change(record.path, GONE, "0" * len(repository.empty_tree))
    match record:
        case Tracked(on_disk=".", index_mode=mode, index_oid=oid):
            return gone if mode == GONE else Change(record.path, mode, oid)
        case Tracked(disk_mode=mode) | Unmerged(disk_mode=mode):
            return gone if mode == GONE else _OnDisk(record.path, mode)
    path = record.path.removesuffix("/")
    return _OnDisk(path, GITLINK if record.path.endswith("/") else _mode_on_disk(repository, path))


def _mode_on_disk(repository: Repository, path: str) -> str:
    """Return the mode that ``git add`` would give the untracked *path*."""
    mode = _lstat_mode(repository, path)
    if stat.S_ISLNK(mode):
        return _LINK
    if mode & stat.S_IXUSR and _counts_file_mode(repository.git):
        return _PROGRAM
    return _FILE


def _lstat_mode(repository: Repository, path: str) -> int:
    try:
        return os.lstat(repository.top / path).st_mode
    except OSError as error:
        raise RepositoryError(f"{path} can't be looked at: {error.strerror}") from error


def _counts_file_mode(git: Git) -> bool:
    """Return whether the file system's executable bits count (``core.fileMode``)."""
    answer = git.run("config", "--type=bool", "--default=true", "--get", "core.fileMode")
    return answer.strip() == b"true"


def _hashed(repository: Repository, files: Iterable[_OnDisk]) -> list[Change]:
    """Return *files* with the object ids of what lies on the disk."""
    plain = [each for each in files if each.mode in (_FILE, _PROGRAM)]
    changes = [
        Change(each.path, each.mode, oid)
        for each, oid in zip(plain, _file_oids(repository, plain), strict=True)
    ]
    for each in files:
        if each.mode == _LINK:
            changes.append(Change(each.path, _LINK, _link_oid(repository, each.path)))
        elif each.mode == GITLINK:
            changes.append(Change(each.path, GITLINK, _nested_head(repository, each.path)))
    return changes


def _file_oids(repository: Repository, files: list[_OnDisk]) -> list[str]:
    """Return the ids of *files* as git would store them, filters and line ends included."""
    if not files:
        return []
    for each in files:
        if not stat.S_ISREG(_lstat_mode(repository, each.path)):
            raise RepositoryError(f"{each.path} is neither a file nor a link")
    names = b"".join(_quoted(each.path) + b"\n" for each in files)
    try:
        answer = repository.git.run("hash-object", "--stdin-paths", stdin=names)
    except GitError as error:
        raise RepositoryError(f"a changed file can't be read: {error.message}") from error
    return answer.decode("ascii").split()


def _quoted(path: str) -> bytes:
    """Return *path* as a line for ``--stdin-paths``, quoted as C where a line can't hold it."""
    name = os.fsencode(path)
    if b"\n" not in name and not name.startswith(b'"'):
        return name
    special = {ord('"'): b'\\"', ord("\\"): b"\\\\", ord("\n"): b"\\n"}
    return b'"' + b"".join(special.get(byte, bytes([byte])) for byte in name) + b'"'


def _link_oid(repository: Repository, path: str) -> str:
    """Return the id of the blob that holds the symbolic link's target."""
    try:
        target = os.fsencode(os.readlink(repository.top / path))
    except OSError as error:
        raise RepositoryError(f"{path} can't be read: {error.strerror}") from error
    return hashlib.new(repository.object_format, b"blob %d\0%s" % (len(target), target)).hexdigest()


def _nested_head(repository: Repository, path: str) -> str:
    """Return the commit that the submodule or nested repository at *path* has checked out.

    Raises:
        RepositoryError: it holds changes, which its commit does not show, or it has no commit.
    """
    environ = without_git_local(repository.git.environ)
    nested = parse(Git(repository.top / path, environ).run(*QUESTION))
    if nested.records:
        raise RepositoryError(f"the nested repository {path} has uncommitted changes")
    if nested.head is None:
        raise RepositoryError(f"the nested repository {path} has no commit")
    return nested.head
