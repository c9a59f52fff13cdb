"""An entry: what is stored comes back whole, and anything else is refused with a reason."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.content import Change
from gitcache.core.entry import Entry, PastAttempt, RanIn, chunk_to_json, decode, encode
from gitcache.core.key import KeyInputs, TreeId
from gitcache.core.leak import Leak, LeftProcess
from gitcache.core.outcome import Failed, Passed
from gitcache.core.output import Chunk, Output
from gitcache.core.tool import Options, ToolName
from gitcache.core.variables import tool_environment, variable_digest

TREE = TreeId("4b825dc642cb6eb9a060e54bf8d69288fbee4904")
ENTRY = Entry(
    inputs=KeyInputs(ToolName("test"), ("pytest", "-q"), ".", TREE, {"platform": "11"}),
    verdict=Failed(1),
    output=Output((Chunk("stdout", b"a\n"),), (Chunk("stderr", b"\xff\x00"),), 12),
    started_at=1767225600.5,
    duration=2.25,
    ran_in=RanIn("/srv/wt", "a" * 40, "host", "user"),
    head_tree=TREE,
    changes=(Change("a b.txt", "100644", "b" * 40),),
    changes_total=1,
    failing_files=("tests/test_a.py",),
    flaky=("tests/test_b.py",),
    leak=Leak((LeftProcess(12, "node"),)),
    attempts=(PastAttempt("failed", 1, 1767225600.5, 2.25),),
    version="1.0",
)
KEY = "b848e47e9cb5e3d2f3720160be8a1cfbbc18a964eeaeb5f748dbdb6dca1955d4"

BLOB = (
    b'{"attempts":[{"duration_s":2.25,"exit_status":1,"outcome":"failed","started_at":1767225600.5}'
    b'],"changes":[["a b.txt","100644","bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]],'
    b'"changes_total":1,"duration_s":2.25,"exit_status":1,"failing_files":["tests/test_a.py"],'
    b'"flaky":["tests/test_b.py"],"head_tree":"4b825dc642cb6eb9a060e54bf8d69288fbee4904",'
    b'"inputs":{"argv":["pytest","-q"],"directory":".","environment":{"platform":"11"},'
    b'"isolation":"in-place","schema":1,"tool":"test",'
    b'"tree":"4b825dc642cb6eb9a060e54bf8d69288fbee4904"},'
    b'"key":"b848e47e9cb5e3d2f3720160be8a1cfbbc18a964eeaeb5f748dbdb6dca1955d4",'
    b'"leaked":true,"leaked_processes":[{"name":"node","pid":12}],'
    b'"outcome":"failed","output":{"cut_bytes":12,"head":[{"stream":"stdout","text":"a\\n"}],'
    b'"tail":[{"base64":"/wA=","stream":"stderr"}]},"ran_in":{"head":"'
    + b"a"
    * 40
    + b'","host":"host","user":"user","worktree":"/srv/wt"},"schema":1,"started_at":1767225600.5,'
    b'"version":"1.0"}\n'
)


def json_of(entry: Entry) -> Any:
    return json.loads(encode(entry))


def refusal(value: object) -> str:
    """Return why *value* is no entry; any error but ValueError fails the test."""
    with pytest.raises(ValueError, match=r".") as caught:
        decode(json.dumps(value).encode())
    return str(caught.value)


def changed(path: str, value: object) -> Any:
    """Return the JSON of the entry with *value* at *path*, whose parts are split at dots."""
    whole = place = json_of(ENTRY)
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in parents:
        place = place[part]
    place[last] = value
    return whole


def test_blob_is_written_down() -> None:
    assert encode(ENTRY) == BLOB
    assert decode(BLOB) == ENTRY
    assert ENTRY.key == KEY


@pytest.mark.parametrize("leak", [None, Leak(), ENTRY.leak])
def test_leak_is_what_it_was(leak: Leak | None) -> None:
    entry = replace(ENTRY, leak=leak)
    assert decode(encode(entry)) == entry


def test_entry_that_says_nothing_of_leaks_has_none() -> None:
    whole = json_of(ENTRY)
    del whole["leaked"], whole["leaked_processes"]
    assert decode(json.dumps(whole).encode()) == replace(ENTRY, leak=None)


def test_unchanged_json_is_an_entry() -> None:
    assert decode(json.dumps(changed("version", "1.0")).encode()) == ENTRY


paths = st.binary(min_size=1, max_size=8).map(os.fsdecode)
seconds = st.floats(0, 253402300799, allow_nan=False)
chunks = st.lists(
    st.builds(Chunk, st.sampled_from(["stdout", "stderr"]), st.binary(max_size=20)), max_size=4
).map(tuple)
attempts = st.builds(
    PastAttempt, st.sampled_from(["passed", "failed"]), st.integers(0, 255), seconds, seconds
)
entries = st.builds(
    Entry,
    inputs=st.builds(
        KeyInputs,
        tool=st.just(ToolName("test")),
        argv=st.lists(paths, min_size=1, max_size=3).map(tuple),
        directory=paths,
        tree=st.just(TREE),
        environment=st.dictionaries(paths, paths, max_size=2),
    ),
    verdict=st.just(Passed()) | st.sampled_from([1, 2, 125, 128, 134, 139, 255]).map(Failed),
    output=st.builds(Output, chunks, chunks, st.integers(0, 2**63 - 1)),
    started_at=seconds,
    duration=seconds,
    ran_in=st.builds(RanIn, paths, st.none() | st.just("a" * 40), paths, paths),
    head_tree=st.just(TREE),
    changes=st.lists(
        st.builds(Change, paths, st.sampled_from(["100644", "000000"]), st.just("b" * 40)),
        max_size=3,
    ).map(tuple),
    changes_total=st.integers(0, 10**6),
    failing_files=st.lists(paths, max_size=3).map(tuple),
    flaky=st.lists(paths, max_size=3).map(tuple),
    attempts=st.lists(attempts, max_size=3).map(tuple),
    version=paths,
)


@given(entries)
def test_any_entry_comes_back_whole(entry: Entry) -> None:
    assert decode(encode(entry)) == entry


def test_every_byte_of_output_comes_back() -> None:
    each = [Chunk("stdout", bytes([byte])) for byte in range(256)]
    output = Output((Chunk("stderr", bytes(range(256))), *each), (Chunk("stdout", b"\0" * 9),), 1)
    assert decode(encode(replace(ENTRY, output=output))).output == output


def test_output_is_text_where_it_is_utf_8() -> None:
    assert chunk_to_json(Chunk("stdout", "é\0".encode())) == {"stream": "stdout", "text": "é\0"}
    assert chunk_to_json(Chunk("stderr", b"\xe9")) == {"stream": "stderr", "base64": "6Q=="}


def test_own_attempt_comes_last_and_ten_are_kept() -> None:
    earlier = tuple(PastAttempt("passed", 0, float(number), 1.0) for number in range(12))
    assert ENTRY.following(()).attempts == (PastAttempt("failed", 1, 1767225600.5, 2.25),)
    assert ENTRY.following(earlier).attempts == (
        *[PastAttempt("passed", 0, float(number), 1.0) for number in (3, 4, 5, 6, 7, 8, 9, 10, 11)],
        PastAttempt("failed", 1, 1767225600.5, 2.25),
    )


def test_a_thousand_changes_are_kept_and_all_are_counted() -> None:
    changes = tuple(Change(f"f{number}", "100644", "b" * 40) for number in range(1001))
    kept = decode(encode(replace(ENTRY, changes=changes, changes_total=1001)))
    assert kept.changes == changes[:1000]
    assert kept.changes_total == 1001


def test_values_of_variables_are_not_in_the_blob() -> None:
    environ = {"DATABASE_URL": "postgres://hunter2@db", "CI": "xyzzy", "AWS_SECRET": "swordfish"}
    environment = tool_environment(Options(env=("DATABASE_URL",)), environ)
    digests = {
        f"variable:{name}": variable_digest(name, value, "/srv/wt")
        for name, value in environment.keyed.items()
    }
    blob = encode(replace(ENTRY, inputs=replace(ENTRY.inputs, environment=digests)))
    assert b"variable:DATABASE_URL" in blob
    assert b"variable:CI" in blob
    for secret in (b"hunter2", b"xyzzy", b"swordfish", b"AWS_SECRET"):
        assert secret not in blob


def test_what_limits_came_to_comes_back_and_is_not_in_the_key() -> None:
    limited = replace(ENTRY, limited_to={"memory": "4294967296", "by": "systemd-run"})
    assert decode(encode(limited)) == limited
    assert limited.key == ENTRY.key
    assert b"limited_to" not in BLOB


@pytest.mark.parametrize("value", [None, 1, [], {"memory": 1}])
def test_limits_that_are_no_texts_are_refused(value: object) -> None:
    assert refusal({**json_of(ENTRY), "limited_to": value})


def test_extra_words_come_back_and_are_told_only_where_there_are_any() -> None:
    focused = replace(ENTRY, extra=("-k", "one"))
    assert decode(encode(focused)) == focused
    assert b'"extra"' not in BLOB
    wrong: list[object] = ["-k", [1], {}]
    for value in wrong:
        assert refusal({**json_of(ENTRY), "extra": value})


def test_unknown_names_are_passed_over() -> None:
    assert decode(json.dumps({**json_of(ENTRY), "new": [1]}).encode()) == ENTRY


MEMBERS = [
    *("schema", "key", "inputs", "outcome", "exit_status", "output", "started_at", "duration_s"),
    *("ran_in", "head_tree", "changes", "changes_total", "failing_files", "flaky", "attempts"),
    "version",
]


OF_A_LEAK = ["leaked", "leaked_processes"]
"""Names that may be missing together."""


def test_members_are_those_of_the_json() -> None:
    assert sorted([*MEMBERS, *OF_A_LEAK]) == sorted(json_of(ENTRY))


@pytest.mark.parametrize("name", MEMBERS)
def test_a_missing_name_is_refused_by_name(name: str) -> None:
    value = json_of(ENTRY)
    del value[name]
    assert refusal(value) == f"its {name} is missing"


@pytest.mark.parametrize(
    ("place", "name"),
    [
        *[("ran_in", name) for name in ("worktree", "head", "host", "user")],
        *[("output", name) for name in ("head", "tail", "cut_bytes")],
        *[("output.head.0", name) for name in ("stream", "text")],
        *[("output.tail.0", "stream")],
        *[("attempts.0", each) for each in ("outcome", "exit_status", "started_at", "duration_s")],
    ],
)
def test_a_missing_name_further_in_is_refused_by_name(place: str, name: str) -> None:
    value = inner = json_of(ENTRY)
    for part in place.split("."):
        inner = inner[int(part) if part.isdigit() else part]
    del inner[name]
    assert refusal(value) == f"its {name} is missing"


OF_EACH_TYPE: list[object] = [None, True, 7, 1.5, "text", [], [None], {}, {"a": "b"}]


@pytest.mark.parametrize(
    "path", [*MEMBERS, *OF_A_LEAK, "ran_in.host", "output.head", "output.head.0.text"]
)
def test_a_value_of_a_wrong_type_is_refused(path: str) -> None:
    place: Any = json_of(ENTRY)
    for part in path.split("."):
        place = place[int(part) if part.isdigit() else part]
    wrong = [each for each in OF_EACH_TYPE if type(each) is not type(place)]
    if isinstance(place, float):
        wrong.remove(7)
    for value in wrong:
        refusal(changed(path, value))


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("schema", 2, "it was written in another format"),
        ("schema", 0, "it was written in another format"),
        ("key", "0" * 64, "its key is not the one that its inputs give"),
        ("key", KEY.upper(), "its key is not the one that its inputs give"),
        ("inputs.tree", "0" * 40, "its key is not the one that its inputs give"),
        ("inputs.argv.1", "-v", "its key is not the one that its inputs give"),
        ("inputs.environment.platform", "12", "its key is not the one that its inputs give"),
        ("inputs.limits", {"memory": "1"}, "its key is not the one that its inputs give"),
        ("inputs.schema", 2, "the key input schema has a wrong value"),
        ("inputs.tool", "../test", "the key input tool has a wrong value"),
        ("outcome", "killed", "'killed' with status 1 is no verdict"),
        ("outcome", "flaky", "'flaky' with status 1 is no verdict"),
        ("outcome", "passed", "'passed' with status 1 is no verdict"),
        ("exit_status", 0, "'failed' with status 0 is no verdict"),
        *[
            ("exit_status", status, f"'failed' with status {status} is no verdict")
            for status in (126, 127, 129, 130, 137, 143, 152, 153)
        ],
        ("exit_status", 256, "its exit_status is out of range"),
        ("exit_status", -1, "its exit_status is out of range"),
        ("attempts.0.exit_status", 256, "its exit_status is out of range"),
        ("attempts.0.started_at", 1e300, "its started_at is out of range"),
        ("started_at", float("nan"), "its started_at is out of range"),
        ("started_at", float("inf"), "its started_at is out of range"),
        ("started_at", 10**400, "its started_at is out of range"),
        ("started_at", 253402300800, "its started_at is out of range"),
        ("started_at", -1, "its started_at is out of range"),
        ("duration_s", float("nan"), "its duration_s is out of range"),
        ("duration_s", -0.5, "its duration_s is out of range"),
        ("changes_total", -1, "its changes_total is out of range"),
        ("changes_total", 2**63, "its changes_total is out of range"),
        ("output.cut_bytes", -1, "its cut_bytes is out of range"),
        ("output.cut_bytes", 10**400, "its cut_bytes is out of range"),
        ("output.head.0.stream", "stdin", "'stdin' is no stream"),
        ("output.tail.0.base64", 1, "its base64 is of a wrong type"),
        ("ran_in.head", 1, "its head is of a wrong type"),
        ("ran_in.worktree", "", "its worktree is empty"),
        ("changes.0", ["a", "100644"], "a change is no path, mode and object id"),
        ("changes.0", ["", "100644", "b"], "a change is no path, mode and object id"),
        ("changes.0", "abc", "a change is no path, mode and object id"),
        ("changes.0", ["a", "100644", 1], "a list of texts holds something else"),
        ("failing_files", ["a", None], "a list of texts holds something else"),
        ("flaky", [["a"]], "a list of texts holds something else"),
    ],
)
def test_a_wrong_value_is_refused_with_its_reason(path: str, value: object, words: str) -> None:
    assert refusal(changed(path, value)) == words


@pytest.mark.parametrize("text", ["?", "a", "/w=", "/wA=\n", "é", "=", "/wA=/wA="])
def test_bytes_that_are_no_base64_are_refused(text: str) -> None:
    refusal(changed("output.tail.0.base64", text))


def test_text_that_is_no_unicode_is_refused() -> None:
    refusal(changed("output.head.0.text", "\ud800"))


def test_a_blob_cut_anywhere_is_refused() -> None:
    for length in range(len(BLOB) - 1):
        with pytest.raises(ValueError, match="it is no JSON"):
            decode(BLOB[:length])


@pytest.mark.parametrize(
    "blob",
    [
        b"garbage",
        b"\0" * 9,
        b"\xff\xfe{}",
        b"{" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"schema":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        BLOB + BLOB,
        b"1" * 5000,
        b'{"schema":' + b"1" * 5000 + b"}",
    ],
)
def test_a_blob_that_is_no_json_is_refused(blob: bytes) -> None:
    with pytest.raises(ValueError, match="it is no JSON"):
        decode(blob)


@pytest.mark.parametrize(
    "blob", [b"null", b"[]", b"{}", b'""', b"0", b"true", b"NaN", b'["schema"]']
)
def test_json_that_is_no_entry_is_refused(blob: bytes) -> None:
    with pytest.raises(ValueError, match="its schema is missing"):
        decode(blob)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
places = [
    *MEMBERS,
    "inputs.argv",
    "inputs.environment",
    "ran_in.head",
    "output.head.0",
    "changes.0",
]


@given(st.sampled_from(places), json_values)
def test_any_value_in_any_place_is_an_entry_or_a_value_error(path: str, value: object) -> None:
    with suppress(ValueError):
        decode(json.dumps(changed(path, value)).encode())


@given(st.integers(0, len(BLOB) - 1), st.binary(max_size=3))
def test_any_damage_to_the_bytes_is_an_entry_or_a_value_error(place: int, data: bytes) -> None:
    with suppress(ValueError):
        decode(BLOB[:place] + data + BLOB[place + 1 :])
