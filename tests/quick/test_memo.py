"""A memo is what was written, whole, or none."""

from __future__ import annotations

import pytest

from gitcache.quick.calls import Call
from gitcache.quick.memo import Memo

QUESTION = b"f" * 64


def memo() -> Memo:
    call = Call(("git", "status"), "/w", ("GIT_OPTIONAL_LOCKS=0",), b"in")
    call.answer, call.status = b"out", 1
    return Memo(
        disk={"stat": (["/a", "/b"], ["1 2 3", "error 2"])},
        calls=[call],
        patterns=["CI", "DJANGO_*"],
        variables=b"v",
        since=1.5,
        until=2.5,
        acts=[[b"stdout", b"text"], [b"say", b"summary"]],
        status=3,
        use=b"use1\t0.000\ttest\n",
    )


def test_memo_reads_back() -> None:
    again = Memo.from_bytes(memo().to_bytes(QUESTION), QUESTION)
    assert again is not None
    assert again.to_bytes(QUESTION) == memo().to_bytes(QUESTION)
    assert (again.status, again.acts, again.use) == (3, memo().acts, memo().use)


def test_memo_on_another_question_is_none() -> None:
    assert Memo.from_bytes(memo().to_bytes(QUESTION), b"e" * 64) is None


@pytest.mark.parametrize("damage", [lambda byte: byte ^ 1, lambda byte: 0], ids=["bit", "zero"])
def test_no_damaged_byte_is_overlooked(damage: object) -> None:
    data = memo().to_bytes(QUESTION)
    assert callable(damage)
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] = damage(data[place])
        if changed == data:
            continue
        try:
            assert Memo.from_bytes(bytes(changed), QUESTION) is None, place
        except ValueError:
            continue
