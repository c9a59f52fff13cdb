"""Notes on commits under ``refs/notes/toolcache``, for ``git log --notes=toolcache``.

The ref is one commit without parents, so that ``git log --all`` shows one commit of ours and not
one for each run. Every write is a compare-and-swap on the ref, so writers lose nothing of each
other. Whatever else is in the notes' tree, of people and of merges, is kept as it is. Git reads
notes at any fan-out (``ab/cd…``); a note stays where it is, and a new one goes as deep as folders
are there already.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Final

from gitcache.core.key import CommitId
from gitcache.core.note import NoteLine, with_line
from gitcache.errors import RepositoryError, StoreError, ToolcacheError
from gitcache.git.config import QUESTION, read_config
from gitcache.git.new_objects import NewObject, write_with_ref
from gitcache.git.plumbing import Git, GitError, ObjectReader
from gitcache.git.repository import Repository

REF: Final = "refs/notes/toolcache"

SWITCH: Final = "toolcache.notes"
"""The setting of git that turns notes off."""

_FLAT_AT_MOST: Final = 256
"""Entries of the top folder from which new notes get folders: as many as these can be."""

_FOLDER: Final = b"40000"
_FILE: Final = b"100644"

_MESSAGE: Final = b"Notes by git toolcache\n"

_NOBODY: Final = {
    "GIT_AUTHOR_NAME": "git toolcache",
    "GIT_AUTHOR_EMAIL": "toolcache@localhost",
    "GIT_COMMITTER_NAME": "git toolcache",
    "GIT_COMMITTER_EMAIL": "toolcache@localhost",
}
"""Who writes where git knows of nobody."""

_PASSING: Final = ("cannot lock ref", "nonexistent object")
"""What git says where another writer or a collector of objects came first."""

_TRIES: Final = 5
"""How often a write over the same tip is tried; another writer's success starts anew."""


def add_to_note(repository: Repository, commit: CommitId, line: NoteLine) -> None:
    """Write *line* into the note on *commit*, unless the user's settings want no notes.

    Raises:
        StoreError: it can't be written; the message says why.
    """
    try:
        with ExitStack() as calls:
            config = calls.enter_context(repository.git.start(*QUESTION))
            objects = calls.enter_context(repository.git.objects())
            signature = _start_signing(repository.git, calls)
            if read_config(config).is_on(SWITCH, default=True):
                _add(repository, objects, signature, commit, line)
    except ToolcacheError as error:
        raise StoreError(f"the note on the commit can't be written: {error.message}") from error


def _add(
    repository: Repository,
    objects: ObjectReader,
    signature: Callable[[], _Signature],
    commit: CommitId,
    line: NoteLine,
) -> None:
    """Write until it succeeds; another writer's success starts the count of tries anew."""
    tries, tip = 0, None
    signed: _Signature | None = None
    while True:
        before, tip = tip, _tip(repository)
        tries = tries + 1 if tip == before else 1
        notes = _Notes(repository, objects)
        tree = None if tip is None else notes.tree_of(tip)
        present = b"" if tree is None else b"".join(notes.on(tree, commit))
        note = with_line(present, line)
        if note == present:
            return
        notes.put(tree, commit, notes.add(NewObject("blob", note)))
        signed = signed or signature()
        notes.add(signed.commit(notes.last))
        try:
            write_with_ref(repository, notes.new, REF, tip)
        except GitError as error:
            if tries == _TRIES or not any(words in error.stderr for words in _PASSING):
                raise
        else:
            return


def _tip(repository: Repository) -> str | None:
    """Return what the ref names; None where there is none."""
    answer = repository.git.run("for-each-ref", "--format=%(refname) %(objectname)", REF)
    names = dict(line.rsplit(" ", 1) for line in os.fsdecode(answer).splitlines())
    return names.get(REF)


@dataclass(frozen=True, slots=True)
class _Entry:
    """What a tree says of one name."""

    mode: bytes
    oid: bytes
    """In binary."""


@dataclass(slots=True)
class _Notes:
    """The notes as they are at one moment, and the objects for those to come."""

    repository: Repository
    objects: ObjectReader
    new: list[NewObject] = field(default_factory=list)
    last: str = ""
    """The id of the object that was added last."""

    def add(self, made: NewObject) -> str:
        """Take *made* among the new objects and return its id."""
        self.new.append(made)
        self.last = made.oid(self.repository.object_format)
        return self.last

    def tree_of(self, tip: str) -> str:
        """Return the id of the tree of the commit *tip*."""
        found = self.objects.read(f"{tip}^{{tree}}")
        if found is None:
            raise RepositoryError(f"{REF} names what can't be read")
        return found.oid

    def on(self, tree: str, name: str) -> Iterator[bytes]:
        """Yield what *tree* has under *name* at any fan-out, each with a newline at its end."""
        entries = self._entries(tree)
        note, folder = entries.get(name.encode()), entries.get(name[:2].encode())
        if note is not None:
            yield self._read(note.oid.hex()).removesuffix(b"\n") + b"\n"
        if folder is not None and folder.mode == _FOLDER:
            yield from self.on(folder.oid.hex(), name[2:])

    def put(self, tree: str | None, name: str, blob: str) -> str:
        """Return the id of *tree*, or an empty one, with *blob* under *name* and nowhere else."""
        entries = {} if tree is None else self._entries(tree)
        entries.pop(name.encode(), None)
        is_top = len(name) == len(blob)
        folder = entries.get(name[:2].encode())
        if folder is not None and folder.mode == _FOLDER:
            below = self.put(folder.oid.hex(), name[2:], blob)
        elif folder is None and is_top and len(entries) >= _FLAT_AT_MOST:
            below = self.put(None, name[2:], blob)
        else:
            entries[name.encode()] = _Entry(_FILE, bytes.fromhex(blob))
            return self.add(NewObject("tree", _encoded(entries)))
        entries[name[:2].encode()] = _Entry(_FOLDER, bytes.fromhex(below))
        return self.add(NewObject("tree", _encoded(entries)))

    def _entries(self, tree: str) -> dict[bytes, _Entry]:
        data, width = self._read(tree), len(tree) // 2
        entries, position = {}, 0
        while position < len(data):
            end = data.index(b"\0", position)
            mode, name = data[position:end].split(b" ", 1)
            position = end + 1 + width
            entries[name] = _Entry(mode, data[end + 1 : position])
        return entries

    def _read(self, oid: str) -> bytes:
        found = self.objects.read(oid)
        if found is None:
            raise RepositoryError(f"{oid}, a part of {REF}, can't be read")
        return found.data


def _encoded(entries: dict[bytes, _Entry]) -> bytes:
    """Return a raw tree; git sorts a folder as if its name ended with a slash."""
    in_order = sorted(
        entries.items(), key=lambda each: each[0] + (b"/" if each[1].mode == _FOLDER else b"")
    )
    return b"".join(b"%s %s\0%s" % (each.mode, name, each.oid) for name, each in in_order)


@dataclass(frozen=True, slots=True)
class _Signature:
    """Author and committer, as git has them for this repository and these variables."""

    author: bytes
    committer: bytes

    def commit(self, tree: str) -> NewObject:
        """Return a commit of *tree* without parents."""
        names = (b"author " + self.author, b"committer " + self.committer)
        return NewObject("commit", b"\n".join((b"tree " + tree.encode(), *names, b"", _MESSAGE)))


def _start_signing(git: Git, calls: ExitStack) -> Callable[[], _Signature]:
    """Start asking *git* who writes; the result waits for the answer."""
    words = [("var", f"GIT_{who}_IDENT") for who in ("AUTHOR", "COMMITTER")]
    asked = [calls.enter_context(git.start(*each)) for each in words]

    def answer() -> _Signature:
        try:
            names = [call.finish() for call in asked]
        except GitError:
            nobody = replace(git, environ={**git.environ, **_NOBODY})
            names = [nobody.run(*each) for each in words]
        return _Signature(*(each.strip() for each in names))

    return answer
