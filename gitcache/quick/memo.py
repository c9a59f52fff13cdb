"""A memo on a question: every answer on which the key depends, and what to do where all still hold.

It is a file of its own below the common git folder, replaced in one step. One that is lost, torn or
foreign is none; and since it says what to start and what to show, so is one that anybody but its
reader could have written.
"""

from __future__ import annotations

import os

from gitcache.quick.calls import Call
from gitcache.quick.digest import digest
from gitcache.quick.packing import pack, pack_texts, unpack, unpack_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

_KEPT: Final = 64
"""Memos that are kept of a repository: a few tools in a few worktrees, shown in a few ways."""


class Memo:
    """What is known of a question."""

    __slots__ = (
        *("acts", "calls", "disk", "patterns", "since", "status", "until", "use", "variables"),
    )

    def __init__(
        self,
        disk: Mapping[str, tuple[Sequence[str], Sequence[str]]],
        calls: Sequence[Call],
        patterns: Sequence[str],
        variables: bytes,
        since: float,
        until: float,
        acts: Sequence[list[bytes]],
        status: int,
        use: bytes,
    ) -> None:
        self.disk = disk
        """Kind of question → the paths that it was asked of, and the answers."""

        self.calls = calls
        """The calls of git."""

        self.patterns = patterns
        """Names of variables, as the tool's settings declare them."""

        self.variables = variables
        """The digest of the variables with these names."""

        self.since = since
        self.until = until
        """Between which moments the entry answers, in seconds since the epoch."""

        self.acts = acts
        """What is written, as a tape has it."""

        self.status = status
        """The status to exit with."""

        self.use = use
        """The journal's line of a use, of any moment."""

    def to_bytes(self, question: bytes) -> bytes:
        """Return the memo, which is on *question*, as bytes."""
        disk = [
            pack([kind.encode("ascii"), pack_texts(paths), pack_texts(answers)])
            for kind, (paths, answers) in self.disk.items()
        ]
        pieces = [
            pack_texts(self.patterns),
            self.variables,
            f"{self.since!r} {self.until!r} {self.status}".encode("ascii"),
            pack(disk),
            pack([each.to_bytes() for each in self.calls]),
            pack([pack(each) for each in self.acts]),
            self.use,
        ]
        body = pack(pieces)
        return pack([question, digest(body), body])

    @classmethod
    def from_bytes(cls, data: bytes, question: bytes) -> Memo | None:
        """Return the memo on *question* in *data*; None where it is on another one, or damaged.

        Raises:
            ValueError: it is no memo.
        """
        asked, checksum, packed = unpack(data)
        if asked != question or checksum != digest(packed):
            return None
        patterns, variables, numbers, disk, calls, acts, use = unpack(packed)
        since, until, status = numbers.split()
        return cls(
            disk=dict(map(_disk_from_bytes, unpack(disk))),
            calls=[Call.from_bytes(each) for each in unpack(calls)],
            patterns=unpack_texts(patterns),
            variables=variables,
            since=float(since),
            until=float(until),
            acts=[unpack(each) for each in unpack(acts)],
            status=int(status),
            use=use,
        )


def _disk_from_bytes(data: bytes) -> tuple[str, tuple[list[str], list[str]]]:
    kind, paths, answers = unpack(data)
    return kind.decode("ascii"), (unpack_texts(paths), unpack_texts(answers))


def read_memo(common_dir: str, question: bytes) -> Memo | None:
    """Return the memo on *question*; None where there is none that can be read."""
    try:
        descriptor = os.open(
            _path(common_dir, question), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
        )
    except OSError:
        return None
    try:
        with open(descriptor, "rb", buffering=0) as file:
            if not _is_ours(os.fstat(descriptor)):
                return None
            return Memo.from_bytes(file.read(), question)
    except (OSError, ValueError, TypeError):
        return None


def _is_ours(facts: os.stat_result) -> bool:
    """Return whether nobody but the caller can have written the file with *facts*."""
    return facts.st_uid == os.geteuid() and not facts.st_mode & 0o022


def write_memo(common_dir: str, question: bytes, memo: Memo) -> None:
    """Keep *memo*, which is on *question*; where that fails, there is none."""
    from pathlib import Path

    from gitcache.shared_folder import make_shared_folder  # a quick answer writes nothing

    path = _path(common_dir, question)
    beside = f"{path}.{os.getpid()}"
    try:
        make_shared_folder(Path(path).parent)
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(descriptor, "wb") as file:
            file.write(memo.to_bytes(question))
        os.replace(beside, path)
        _keep_newest(os.path.dirname(path))
    except OSError:
        forget(beside)


def forget(path: str) -> None:
    """Remove the file *path*, where there is one and we may."""
    try:
        os.unlink(path)
    except OSError:
        return


def _keep_newest(folder: str) -> None:
    """Remove the oldest memos where there are more than :data:`_KEPT`."""
    with os.scandir(folder) as entries:
        written = sorted((each.stat().st_mtime_ns, each.path) for each in entries)
    for _, path in written[:-_KEPT]:
        forget(path)


def _path(common_dir: str, question: bytes) -> str:
    return os.path.join(common_dir, "toolcache", "quick", question.decode("ascii"))
