"""Which stored blobs answer, and the reason of each that does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.entry import Entry, RanIn, encode
from gitcache.core.key import Key, KeyInputs, TreeId
from gitcache.core.outcome import Failed, Passed, Verdict
from gitcache.core.output import Chunk, Output
from gitcache.core.policy import Unusable, Usable, judge, why_unkeyed
from gitcache.core.tool import Bytes, Options, ToolName

TREE = TreeId("4b825dc642cb6eb9a060e54bf8d69288fbee4904")
BEGAN = 1767225600.0
ENTRY = Entry(
    inputs=KeyInputs(ToolName("test"), ("pytest",), ".", TREE),
    verdict=Passed(),
    output=Output(),
    started_at=BEGAN,
    duration=60.0,
    ran_in=RanIn("/srv/wt", None, "host", "user"),
    head_tree=TREE,
)
BLOB = encode(ENTRY)
KEY = ENTRY.key

TOO_OLD = Unusable("the entry is older than max_age")
AHEAD = Unusable("the entry's run began in the future, so max_age can't be told")
TOO_LONG = Unusable("the entry's run took longer than the timeout")


def judged(options: Options, age: float = 0.0) -> Usable | Unusable:
    return judge(BLOB, KEY, options, BEGAN + age)


@pytest.mark.parametrize("verdict", [Passed(), Failed(1), Failed(255)])
def test_a_verdict_answers_for_its_key(verdict: Verdict) -> None:
    entry = replace(ENTRY, verdict=verdict)
    assert judge(encode(entry), KEY, Options(), BEGAN) == Usable(entry)


def test_pass_without_a_test_is_no_answer() -> None:
    inputs = replace(ENTRY.inputs, argv=("python", "-m", "unittest"))
    nothing = Output((Chunk("stderr", b"\n--\nRan 0 tests in 0.000s\n\nOK\n"),))
    entry = replace(ENTRY, inputs=inputs, output=nothing)
    assert judge(encode(entry), entry.key, Options(), BEGAN) == Unusable(
        "the entry's run ran no test"
    )
    failed = replace(entry, verdict=Failed(5))
    assert judge(encode(failed), entry.key, Options(), BEGAN) == Usable(failed)


@pytest.mark.parametrize("age", [-1e9, 0.0, 1e9])
def test_without_max_age_an_entry_answers_for_ever(age: float) -> None:
    assert judged(Options(), age) == Usable(ENTRY)


@pytest.mark.parametrize(
    ("age", "answer"),
    [
        (0.0, Usable(ENTRY)),
        (3599.0, Usable(ENTRY)),
        (3600.0, Usable(ENTRY)),
        (3600.5, TOO_OLD),
        (1e9, TOO_OLD),
        (-0.5, AHEAD),
        (-1e9, AHEAD),
    ],
)
def test_max_age_counts_from_the_start_and_its_end_is_within(
    age: float, answer: Usable | Unusable
) -> None:
    assert judged(Options(max_age=3600.0), age) == answer


@pytest.mark.parametrize(
    ("timeout", "answer"),
    [
        (None, Usable(ENTRY)),
        (60.5, Usable(ENTRY)),
        (60.0, Usable(ENTRY)),
        (59.5, TOO_LONG),
        (0.001, TOO_LONG),
    ],
)
def test_a_run_longer_than_the_timeout_is_no_answer(
    timeout: float | None, answer: Usable | Unusable
) -> None:
    assert judged(Options(timeout=timeout)) == answer


OUT_OF_MEMORY = Output((Chunk("stderr", b"memory allocation of 9 bytes failed\n"),))
KILLED = replace(ENTRY, verdict=Failed(1), output=OUT_OF_MEMORY)


def test_a_stored_failure_whose_output_tells_of_a_kill_is_no_answer() -> None:
    answer = judge(encode(KILLED), KEY, Options(), BEGAN)
    assert answer == Unusable(
        "the entry's run was killed, as it tells: memory allocation of 9 bytes failed"
    )


def test_it_answers_where_marks_are_not_looked_at_and_so_does_a_pass() -> None:
    assert judge(encode(KILLED), KEY, Options(kill_marks=False), BEGAN) == Usable(KILLED)
    passed = replace(KILLED, verdict=Passed())
    assert judge(encode(passed), KEY, Options(), BEGAN) == Usable(passed)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (Options(memory=Bytes(1), workers=2, heap=1, kill_marks=False), None),
        (Options(isolated=True), "the setting isolated is not taken into account yet"),
        (Options(outputs=("dist",)), "the setting outputs is not taken into account yet"),
    ],
)
def test_limits_have_a_key_and_what_does_not_count_yet_has_none(
    options: Options, reason: str | None
) -> None:
    assert why_unkeyed(options) == reason


def test_age_is_told_before_the_timeout() -> None:
    assert judged(Options(max_age=1.0, timeout=1.0), 2.0) == TOO_OLD


def test_wish_that_is_not_met_is_no_damage() -> None:
    for options in (Options(max_age=1.0), Options(timeout=1.0)):
        answer = judged(options, 2.0)
        assert isinstance(answer, Unusable)
        assert not answer.is_damage


def test_an_entry_under_another_key_is_damage() -> None:
    assert judge(BLOB, Key("0" * 64), Options(), BEGAN) == Unusable(
        "the stored entry belongs to another key", is_damage=True
    )


@pytest.mark.parametrize(
    ("blob", "reason"),
    [
        (b"", "it is no JSON"),
        (b"garbage\xff\0", "it is no JSON"),
        (BLOB[:-2], "it is no JSON"),
        (b"null", "its schema is missing"),
        (b"{}", "its schema is missing"),
        (b'{"schema":2}', "it was written in another format"),
        (
            BLOB.replace(b'"exit_status":0', b'"exit_status":1'),
            "'passed' with status 1 is no verdict",
        ),
        (BLOB.replace(b'"passed"', b'"killed"'), "'killed' with status 0 is no verdict"),
        (BLOB.replace(b'"pytest"', b'"true"'), "its key is not the one that its inputs give"),
    ],
)
def test_damage_is_a_miss_with_its_reason(blob: bytes, reason: str) -> None:
    assert judge(blob, KEY, Options(), BEGAN) == Unusable(
        f"the stored entry can't be used: {reason}", is_damage=True
    )


@given(st.binary())
def test_no_garbage_ever_answers(blob: bytes) -> None:
    answer = judge(blob, KEY, Options(), BEGAN)
    assert isinstance(answer, Unusable)
    assert answer.is_damage
