"""An entry: a verdict with all that makes it an answer, and its JSON form.

An entry is foreign data when it is read: anybody may push a ref. So :meth:`Entry.from_json` checks
every name and type, and that the key is the one that its own inputs give. Times are seconds since
the epoch in UTC, durations are seconds; bytes of output are text where they are UTF-8 and base64
where they are not. Whether an entry may answer is decided in :mod:`gitcache.core.policy`.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from gitcache.core.content import CHANGES_KEPT, Change
from gitcache.core.foreign_json import take, take_count, take_number, take_oid, texts
from gitcache.core.key import SCHEMA, Key, KeyInputs, derive_key, is_oid
from gitcache.core.leak import Leak
from gitcache.core.outcome import (
    Exited,
    Failed,
    Passed,
    Verdict,
    classify,
    exit_status,
    name_of,
)
from gitcache.core.output import Chunk, Output

ATTEMPTS_KEPT: Final = 10
"""How many attempts under one key are kept: enough to see a flake, few enough to read."""


@dataclass(frozen=True, slots=True)
class RanIn:
    """Where a run happened; never part of a key."""

    worktree: str
    head: str | None
    """The commit that HEAD named; None before the first commit."""

    host: str
    user: str

    def to_json(self) -> dict[str, Any]:
        """Return the place as JSON values."""
        return {
            "worktree": self.worktree,
            "head": self.head,
            "host": self.host,
            "user": self.user,
        }

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Return the place that *value* tells; ValueError where it tells none."""
        head = None if take(value, "head", object) is None else take_oid(value, "head")
        worktree = take(value, "worktree", str)
        if not worktree:
            raise ValueError("its worktree is empty")
        return cls(
            worktree,
            head,
            take(value, "host", str),
            take(value, "user", str),
        )


@dataclass(frozen=True, slots=True)
class PastAttempt:
    """One start of the tool's process under an entry's key."""

    outcome: str
    exit_status: int
    started_at: float
    duration: float

    def to_json(self) -> dict[str, Any]:
        """Return the attempt as JSON values."""
        return {
            "outcome": self.outcome,
            "exit_status": self.exit_status,
            "started_at": self.started_at,
            "duration_s": self.duration,
        }

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Return the attempt that *value* tells; ValueError where it tells none."""
        return cls(
            take(value, "outcome", str),
            take_count(value, "exit_status", 255),
            take_number(value, "started_at"),
            take_number(value, "duration_s"),
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """What is stored under a key."""

    inputs: KeyInputs
    verdict: Verdict
    output: Output
    started_at: float
    duration: float
    ran_in: RanIn
    head_tree: str
    """HEAD's tree where the tool ran, so that differences can be named later."""

    changes: tuple[Change, ...] = ()
    """What the snapshot had over HEAD's tree, at most :data:`CHANGES_KEPT`."""

    changes_total: int = 0
    failing_files: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    """Files that failed in the run's first attempt and passed in its second."""

    flaky_tail: str = ""
    """The last lines of that first attempt."""

    leak: Leak | None = None
    """What outlived the tool."""

    attempts: tuple[PastAttempt, ...] = ()
    """The last attempts under this key, oldest first, this run's own at the end."""

    limited_to: Mapping[str, str] = field(default_factory=dict)
    """What the limits that were asked for came to where the tool ran, by name."""

    extra: tuple[str, ...] = ()
    """The caller's words behind the tool's own, which mostly make it do another thing."""

    version: str = ""
    """The version that wrote the entry."""

    @property
    def key(self) -> Key:
        """The key under which the entry belongs."""
        return derive_key(self.inputs)

    @property
    def is_contradicted(self) -> bool:
        """Whether an earlier attempt on the same content gave another verdict."""
        return any(each.outcome != name_of(self.verdict) for each in self.attempts)

    @property
    def is_flaky(self) -> bool:
        """Whether it passed only on a retry, or attempts under its key contradict each other."""
        return bool(self.flaky) or self.is_contradicted

    def following(self, earlier: tuple[PastAttempt, ...]) -> Entry:
        """Return this entry with its own attempt behind *earlier* ones."""
        own = PastAttempt(
            name_of(self.verdict), exit_status(self.verdict), self.started_at, self.duration
        )
        return replace(self, attempts=(*earlier, own)[-ATTEMPTS_KEPT:])

    def to_json(self) -> dict[str, Any]:
        """Return the entry as JSON values."""
        return {
            "schema": SCHEMA,
            "key": self.key,
            "inputs": self.inputs.to_json(),
            "outcome": name_of(self.verdict),
            "exit_status": exit_status(self.verdict),
            "output": output_to_json(self.output),
            "started_at": self.started_at,
            "duration_s": self.duration,
            "ran_in": self.ran_in.to_json(),
            "head_tree": self.head_tree,
            "changes": [[each.path, each.mode, each.oid] for each in self.changes[:CHANGES_KEPT]],
            "changes_total": self.changes_total,
            "failing_files": list(self.failing_files),
            "flaky": list(self.flaky),
            **({"flaky_tail": self.flaky_tail} if self.flaky_tail else {}),
            "leaked": self.leak is not None,
            "leaked_processes": self.leak.to_json() if self.leak else [],
            "attempts": [each.to_json() for each in self.attempts],
            **({"limited_to": dict(self.limited_to)} if self.limited_to else {}),
            **({"extra": list(self.extra)} if self.extra else {}),
            "version": self.version,
        }

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Return the entry that *value* tells.

        Raises:
            ValueError: it is none: the message says why, for a person.
        """
        if take(value, "schema", int) != SCHEMA:
            raise ValueError("it was written in another format")
        entry = cls(
            inputs=KeyInputs.from_json(take(value, "inputs", dict)),
            verdict=_verdict_from_json(value),
            output=_output_from_json(take(value, "output", dict)),
            started_at=take_number(value, "started_at"),
            duration=take_number(value, "duration_s"),
            ran_in=RanIn.from_json(take(value, "ran_in", dict)),
            head_tree=take_oid(value, "head_tree"),
            changes=tuple(_change_from_json(each) for each in take(value, "changes", list)),
            changes_total=take_count(value, "changes_total"),
            failing_files=texts(take(value, "failing_files", list)),
            flaky=texts(take(value, "flaky", list)),
            flaky_tail=_flaky_tail(value),
            leak=_leak_from_json(value),
            attempts=tuple(PastAttempt.from_json(each) for each in take(value, "attempts", list)),
            limited_to=_limited_to(value),
            extra=_extra(value),
            version=take(value, "version", str),
        )
        if entry.key != take(value, "key", str):
            raise ValueError("its key is not the one that its inputs give")
        return entry


def encode(entry: Entry) -> bytes:
    """Return the blob that is stored for *entry*: JSON in ASCII, sorted names, a newline."""
    text = json.dumps(entry.to_json(), sort_keys=True, separators=(",", ":"))
    return text.encode("ascii") + b"\n"


def decode(blob: bytes) -> Entry:
    """Return the entry that *blob* holds.

    Raises:
        ValueError: it holds none: the message says why, for a person.
    """
    try:
        value = json.loads(blob)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is no JSON") from error
    return Entry.from_json(value)


def chunk_to_json(chunk: Chunk) -> dict[str, str]:
    """Return *chunk* as ``{"stream", "text"}``, or with ``"base64"`` where it is no UTF-8."""
    try:
        return {"stream": chunk.stream, "text": chunk.data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"stream": chunk.stream, "base64": b64encode(chunk.data).decode("ascii")}


def output_to_json(output: Output) -> dict[str, Any]:
    """Return *output* with what was kept before and after the cut."""
    return {
        "head": [chunk_to_json(each) for each in output.head],
        "tail": [chunk_to_json(each) for each in output.tail],
        "cut_bytes": output.cut_bytes,
    }


def _output_from_json(value: object) -> Output:
    return Output(
        tuple(_chunk_from_json(each) for each in take(value, "head", list)),
        tuple(_chunk_from_json(each) for each in take(value, "tail", list)),
        take_count(value, "cut_bytes"),
    )


def _chunk_from_json(value: object) -> Chunk:
    stream = take(value, "stream", str)
    if stream not in ("stdout", "stderr"):
        raise ValueError(f"{stream!r} is no stream")
    if isinstance(value, dict) and "base64" in value:
        data = b64decode(take(value, "base64", str), validate=True)
    else:
        data = take(value, "text", str).encode("utf-8")
    return Chunk("stdout" if stream == "stdout" else "stderr", data)


def _verdict_from_json(value: object) -> Verdict:
    """Return the verdict of *value*, which must be what a run with its status would mean."""
    name, status = take(value, "outcome", str), take_count(value, "exit_status", 255)
    outcome = classify(Exited(status))
    if isinstance(outcome, Passed | Failed) and name_of(outcome) == name:
        return outcome
    raise ValueError(f"{name!r} with status {status} is no verdict")


def _change_from_json(value: object) -> Change:
    path, mode, oid = texts(value) if isinstance(value, list) and len(value) == 3 else ("", "", "")
    if not path or not mode.isdecimal() or not is_oid(oid):
        raise ValueError("a change is no path, mode and object id")
    return Change(path, mode, oid)


def _leak_from_json(value: object) -> Leak | None:
    """Return the leak of *value*; an entry that says nothing of leaks has none."""
    if not isinstance(value, dict) or "leaked" not in value:
        return None
    leak = Leak.from_json(take(value, "leaked_processes", list))
    return leak if take(value, "leaked", bool) else None


def _flaky_tail(value: object) -> str:
    """Return the tail of a flaky run; an entry of any other says nothing of it."""
    if not isinstance(value, dict) or "flaky_tail" not in value:
        return ""
    return take(value, "flaky_tail", str)


def _limited_to(value: object) -> dict[str, str]:
    """Return what limits came to; an entry of a run without any says nothing of them."""
    if not isinstance(value, dict) or "limited_to" not in value:
        return {}
    told = take(value, "limited_to", dict)
    return dict(zip(texts([*told]), texts([*told.values()]), strict=True))


def _extra(value: object) -> tuple[str, ...]:
    """Return the extra words; an entry of a run without any says nothing of them."""
    is_told = isinstance(value, dict) and "extra" in value
    return texts(take(value, "extra", list)) if is_told else ()
