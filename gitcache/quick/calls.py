"""Git, asked again: the same words in the same folder with the same variables.

Python's own way to start a process costs more than git does, so this one is bare. What git says on
its standard error is a part of its answer: one that counts says nothing there.
"""

from __future__ import annotations

import os

from gitcache.quick.packing import pack, pack_texts, unpack, unpack_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Final

AT_MOST: Final = 1 << 14
"""Bytes that a call is given to read: what a pipe takes at once where users have few of them."""

_TERMINATION: Final = 15
"""SIGTERM, on every system; the module that names it is not loaded for a number."""

_READ_AT_ONCE: Final = 1 << 16
"""Bytes: what a pipe holds."""


class Call:
    """A call of git and its answer."""

    __slots__ = ("answer", "argv", "changes", "cwd", "status", "stdin")

    def __init__(self, argv: Sequence[str], cwd: str, changes: Sequence[str], stdin: bytes) -> None:
        self.argv = tuple(argv)
        self.cwd = cwd
        self.changes = tuple(changes)
        """``NAME=VALUE`` for a variable that is set for it, ``NAME`` for one that is taken away."""

        self.stdin = stdin
        self.status = 0
        self.answer = b""

    @property
    def question(self) -> bytes:
        """All that tells this call from others."""
        texts = (pack_texts(each) for each in (self.argv, [self.cwd], self.changes))
        return pack([*texts, self.stdin])

    def to_bytes(self) -> bytes:
        """Return the call with its answer as bytes."""
        return pack([self.question, b"%d" % self.status, self.answer])

    @classmethod
    def from_bytes(cls, data: bytes) -> Call:
        """Return the call that :meth:`to_bytes` made *data* of; ValueError where it did not."""
        question, status, answer = unpack(data)
        argv, cwd, changes, stdin = unpack(question)
        [folder] = unpack_texts(cwd)
        call = cls(unpack_texts(argv), folder, unpack_texts(changes), stdin)
        call.status, call.answer = int(status), answer
        return call


def changes_of(environ: Mapping[str, str], own: Mapping[str, str]) -> list[str]:
    """Return what makes *environ* of our *own* variables, as in :attr:`Call.changes`."""
    given = [f"{name}={environ[name]}" for name in environ if own.get(name) != environ[name]]
    return sorted([*given, *(name for name in own if name not in environ)])


class Running:
    """Calls of git that run side by side."""

    def __init__(self, calls: Iterable[Call], cwd: str, environ: Mapping[str, str]) -> None:
        """Start *calls* from the folder *cwd* with the variables *environ*; OSError where not."""
        self._waiting: list[tuple[Call, int, int]] = []
        """Call, process, descriptor of its answer."""

        try:
            for call in calls:
                self._waiting.append((call, *_start(call, cwd, environ)))
        except OSError:
            self.end()
            raise

    def first_other(self) -> Call | None:
        """Wait for the answers and return the first call with another one than it had."""
        while self._waiting:
            call, pid, descriptor = self._waiting[0]
            answer = _read(descriptor, len(call.answer))
            if answer != call.answer:
                return call
            del self._waiting[0]
            os.close(descriptor)
            if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != call.status:
                return call
        return None

    def end(self) -> None:
        """End the calls for whose answers nobody has waited; git removes its locks then."""
        for _, pid, descriptor in self._waiting:
            os.close(descriptor)
            try:
                os.kill(pid, _TERMINATION)
                os.waitpid(pid, 0)
            except OSError:
                continue  # it is gone already
        self._waiting = []


def _start(call: Call, cwd: str, environ: Mapping[str, str]) -> tuple[int, int]:
    """Start *call* and return its process and the descriptor of its answer."""
    reading, writing = os.pipe()
    try:
        source = _source(call.stdin)
        actions = [
            (os.POSIX_SPAWN_DUP2, source, 0),
            (os.POSIX_SPAWN_DUP2, writing, 1),
            (os.POSIX_SPAWN_DUP2, writing, 2),
        ]
        elsewhere = () if call.cwd == cwd else ("-C", call.cwd)
        argv = (call.argv[0], *elsewhere, *call.argv[1:])
        try:
            pid = os.posix_spawnp(
                argv[0], argv, _changed(environ, call.changes), file_actions=actions, setsigmask=()
            )
        finally:
            os.close(source)
    except OSError:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    return pid, reading


def _source(data: bytes) -> int:
    """Return a descriptor from which *data*, at most :data:`AT_MOST` bytes, is read.

    Raises:
        OSError: there is no room for it.
    """
    if not data:
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("stdin")
        os.write(descriptor, data)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor
    reading, writing = os.pipe()
    os.set_blocking(writing, False)  # nobody reads yet, and a pipe may be small
    is_whole = os.write(writing, data) == len(data)
    os.close(writing)
    if not is_whole:
        os.close(reading)
        raise BlockingIOError("the pipe is too small")
    return reading


def _changed(environ: Mapping[str, str], changes: Iterable[str]) -> dict[str, str]:
    changed = dict(environ)
    for each in changes:
        name, equals, value = each.partition("=")
        if equals:
            changed[name] = value
        else:
            changed.pop(name, None)
    return changed


def _read(descriptor: int, expected: int) -> bytes:
    """Return all that can be read from *descriptor*, or more than *expected* bytes of it."""
    pieces = []
    size = 0
    while size <= expected and (piece := os.read(descriptor, _READ_AT_ONCE)):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)
