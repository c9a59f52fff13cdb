"""The front of all: answers a call from its memo where every answer in it is still the same."""

from __future__ import annotations

import os
import time

from gitcache.core.journal_line import at_moment
from gitcache.quick.calls import Running
from gitcache.quick.disk import ask
from gitcache.quick.journal import note
from gitcache.quick.memo import read_memo
from gitcache.quick.place import find_place
from gitcache.quick.question import declared, is_usual, question_of
from gitcache.quick.streams import Streams
from gitcache.quick.trace import step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitcache.quick.memo import Memo
    from gitcache.quick.place import Place


def answer(words: Sequence[str]) -> int | None:
    """Return the status with which the call with *words* ends, its answer shown.

    None where the ordinary path must answer; nothing has been shown then.
    """
    try:
        proven = _proven(words, os.environ)
    except (OSError, ValueError, KeyError):
        return None
    if proven is None:
        return None
    memo, place = proven
    Streams().play(memo.acts, time.time())
    step("shown")
    note(place.common_dir, at_moment(memo.use, time.time()))
    return memo.status


def _proven(words: Sequence[str], environ: Mapping[str, str]) -> tuple[Memo, Place] | None:
    """Return the memo on a call with *words*, if all of it still holds, and where it lies."""
    if words[:1] != ["run"] or not is_usual(environ):
        return None
    for descriptor in range(3):
        os.fstat(descriptor)  # where one is closed, the next file that is opened would be it
    cwd = os.getcwd()
    place = find_place(cwd)
    if place is None:
        return None
    memo = read_memo(place.common_dir, question_of(words, cwd, place, environ))
    if memo is None:
        step("no quick answer: nothing is known of this call")
        return None
    step("the memo is read")
    other = first_other(memo, cwd, environ)
    if other:
        step(f"no quick answer: {other}")
        return None
    return memo, place


def first_other(memo: Memo, cwd: str, environ: Mapping[str, str]) -> str:
    """Return what is other than in *memo*; nothing where all is the same.

    Args:
        memo: what is known of the call.
        cwd: the folder of the call.
        environ: its variables.

    Raises:
        OSError: git can't be started.
    """
    if declared(memo.patterns, environ) != memo.variables:
        return "a declared variable is another"
    if not memo.since <= time.time() <= memo.until:
        return "the entry is too old, or the clock went back"
    running = Running(memo.calls, cwd, environ)
    try:
        step("git is started")
        if other := _other_on_disk(memo):
            return other
        step("the disk says the same")
        call = running.first_other()
    finally:
        running.end()
    if call is not None:
        return f"git answers otherwise: {' '.join(call.argv)}"
    step("git says the same")
    return ""


def _other_on_disk(memo: Memo) -> str:
    for kind, (paths, answers) in memo.disk.items():
        for path, known in zip(paths, answers, strict=True):
            if ask(kind, path) != known:
                return f"{path} is another ({kind})"
    return ""
