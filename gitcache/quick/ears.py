"""Hears what the disk is asked while a key is computed: by ``os``, ``open`` and ``pathlib``.

All code asks through these, so nothing that is added elsewhere can be overlooked. A question that
is asked as a whole (is it a file?) is noted as a whole, and not what it consists of. This module
belongs to the ordinary path alone.
"""

from __future__ import annotations

import builtins
import glob
import inspect
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self

from gitcache.quick import disk

_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT

_PREDICATES: Final = (
    (os.path, "isfile", "is a file"),
    (os.path, "isdir", "is a folder"),
    (os.path, "islink", "is a link"),
    (os.path, "exists", "exists"),
    (os.path, "lexists", "is there"),
    (Path, "is_file", "is a file"),
    (Path, "is_dir", "is a folder"),
    (Path, "is_symlink", "is a link"),
    (Path, "exists", "exists"),
)
"""Where a question lies, its name there, and its kind."""


class Notes(Protocol):
    """What takes down what is heard."""

    def note(self, kind: str, path: str, answer: str) -> None:
        """Note the *answer* to the question of *kind* about *path*."""

    def spoil(self, reason: str) -> None:
        """Give up: not all can be noted."""


class Ears:
    """Stands between the questions and the disk.

    Args:
        notes: what takes down what is heard.
    """

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self.is_asking = False
        """Whether what is asked just now is a part of a question that is noted as a whole."""

    @contextmanager
    def open(self) -> Iterator[None]:
        """Hear all questions until the block ends."""
        stand_ins = self._stand_ins()
        replaced = [(owner, name, vars(owner).get(name)) for owner, name, _ in stand_ins]
        for owner, name, stand_in in stand_ins:
            setattr(owner, name, stand_in)
        try:
            yield
        finally:
            for owner, name, original in replaced:
                if original is None:  # it is inherited
                    delattr(owner, name)
                else:
                    setattr(owner, name, original)

    def _stand_ins(self) -> list[tuple[Any, str, Any]]:
        """Return where a question lies, its name there, and what stands in for it."""
        predicates = [
            (owner, name, self._whole(kind, getattr(owner, name), disk.truth))
            for owner, name, kind in _PREDICATES
        ]
        return [
            *predicates,
            (os, "access", self._access(os.access)),
            (os, "stat", self._stat(os.stat, disk.STAT)),
            (os, "lstat", self._stat(os.lstat, disk.LINK_STAT)),
            (os, "readlink", self._whole("target", os.readlink, os.fsdecode)),
            (os, "listdir", self._whole("names", os.listdir, disk.names)),
            (os, "scandir", self._scandir(os.scandir)),
            (os.path, "realpath", self._whole("real path", os.path.realpath, os.fsdecode)),
            (Path, "resolve", self._whole("real path", Path.resolve, str)),
            (os, "open", self._open(os.open)),
            (io, "open", self._open(io.open)),
            (builtins, "open", self._open(builtins.open)),
            *self._stand_ins_of_glob(),
        ]

    def _stand_ins_of_glob(self) -> Iterator[tuple[Any, str, Any]]:
        """Yield what stands in for questions of which :mod:`glob` has copies, since Python 3.13."""
        asking = {
            os.scandir: self._scandir(os.scandir),
            os.lstat: self._stat(os.lstat, disk.LINK_STAT),
            os.path.lexists: self._whole("is there", os.path.lexists, disk.truth),
        }
        for each in filter(inspect.isclass, vars(glob).values()):
            for name, value in vars(each).items():
                copied = value.__func__ if isinstance(value, staticmethod) else None
                if copied in asking:
                    yield each, name, staticmethod(asking[copied])

    def _note(self, kind: str, path: Any, answer: str) -> None:
        """Note a question about *path*, which an open file's number is not."""
        if not isinstance(path, int):
            self._notes.note(kind, os.fsdecode(path), answer)

    @contextmanager
    def _as_a_whole(self) -> Iterator[None]:
        before, self.is_asking = self.is_asking, True
        try:
            yield
        finally:
            self.is_asking = before

    def _whole(self, kind: str, asks: Any, spelled: Callable[[Any], str]) -> Any:
        """Return what stands in for *asks*, which takes a path."""

        def stand_in(path: Any = ".", *rest: Any, **options: Any) -> Any:
            if self.is_asking:
                return asks(path, *rest, **options)
            if isinstance(path, int) or rest or options:
                self._notes.spoil("something was asked for that has no question")
                return asks(path, *rest, **options)
            with self._as_a_whole():
                try:
                    value = asks(path)
                except OSError as error:
                    self._note(kind, path, disk.failure(error))
                    raise
            self._note(kind, path, spelled(value))
            return value

        return stand_in

    def _access(self, asks: Any) -> Any:
        def stand_in(path: Any, mode: int, **options: Any) -> bool:
            value = bool(asks(path, mode, **options))
            if mode == os.X_OK and not options:
                self._note("may be executed", path, disk.truth(value))
            else:
                self._notes.spoil("something was asked for that has no question")
            return value

        return stand_in

    def _stat(self, asks: Any, kind: str) -> Any:
        def stand_in(path: Any, *, dir_fd: int | None = None, follow_symlinks: bool = True) -> Any:
            options = {} if follow_symlinks else {"follow_symlinks": False}
            if dir_fd is not None:
                self._notes.spoil("a path was asked for by a descriptor")
                return asks(path, dir_fd=dir_fd, **options)
            told = kind if follow_symlinks else disk.LINK_STAT
            try:
                facts = asks(path, **options)
            except OSError as error:
                if not self.is_asking:
                    self._note(told, path, disk.failure(error))
                raise
            if not self.is_asking:
                self._note(told, path, disk.signature(facts))
            return facts

        return stand_in

    def _scandir(self, asks: Any) -> Any:
        def stand_in(path: Any = ".") -> Any:
            if isinstance(path, int):
                self._notes.spoil("a folder was listed by a descriptor")
                return asks(path)
            with self._as_a_whole():
                try:
                    with asks(path) as found:
                        entries = list(found)
                except OSError as error:
                    self._note(disk.ENTRIES, path, disk.failure(error))
                    raise
            self._note(disk.ENTRIES, path, disk.listing(entries))
            return _Entries(entries)

        return stand_in

    def _open(self, opens: Any) -> Any:
        """Return what stands in for *opens*: a content is told by the stat before it is read."""
        stat = os.stat

        def stand_in(path: Any, mode: Any = "r", *rest: Any, **options: Any) -> Any:
            writes = mode & _WRITING if isinstance(mode, int) else set(mode) & set("wax+")
            if isinstance(path, int) or path == os.devnull:
                pass  # nothing is learnt from it
            elif options.get("dir_fd") is not None:
                self._notes.spoil("a file was opened by a descriptor")
            elif writes:
                self._notes.spoil(f"{os.fsdecode(path)} was written anew")
            else:
                try:
                    answer = disk.signature(stat(path))
                except OSError as error:
                    answer = disk.failure(error)
                self._note(disk.STAT, path, answer)
            with self._as_a_whole():
                return opens(path, mode, *rest, **options)

        return stand_in


class _Entry:
    """An entry of a folder, of which more than its kind is a question of its own."""

    def __init__(self, entry: os.DirEntry[str]) -> None:
        self._entry = entry
        self.name, self.path = entry.name, entry.path

    def __fspath__(self) -> str:
        return self.path

    def is_symlink(self) -> bool:
        return self._entry.is_symlink()

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        if follow_symlinks and self.is_symlink():
            return os.path.isdir(self.path)
        return self._entry.is_dir(follow_symlinks=False)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        if follow_symlinks and self.is_symlink():
            return os.path.isfile(self.path)
        return self._entry.is_file(follow_symlinks=False)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return os.stat(self.path, follow_symlinks=follow_symlinks)


class _Entries:
    """The entries of a folder, as :func:`os.scandir` gives them."""

    def __init__(self, entries: list[os.DirEntry[str]]) -> None:
        self._entries = iter([_Entry(each) for each in entries])

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> _Entry:
        return next(self._entries)

    def close(self) -> None:
        self._entries = iter(())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
