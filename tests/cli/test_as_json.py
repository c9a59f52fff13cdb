"""The JSON document of a run: every name of the design, and the same output on run and hit."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gitcache.cli.as_json import answer_to_json, answers_to_json, document, moment
from gitcache.core.entry import RanIn
from gitcache.core.key import Key, TreeId
from gitcache.core.outcome import (
    Failed,
    Interrupted,
    Killed,
    NotStarted,
    NoVerdict,
    Outcome,
    Passed,
    TimedOut,
    Unstable,
    WrapperFailed,
)
from gitcache.core.output import Chunk, Output
from gitcache.core.tool import ToolName
from gitcache.engine.events import Answer
from tests.support.calls import FIRST, NOW, declare
from tests.support.repository import Repo

ANSWER = Answer(
    tool=ToolName("test"),
    outcome=Passed(),
    source="hit",
    output=Output((Chunk("stdout", b"a\xc3\xa9"), Chunk("stderr", b"\xff")), cut_bytes=7),
    started_at=NOW,
    duration=2.5,
    ran_in=RanIn("/w", "c" * 40, "host", "user"),
    asked_in=Path("/w"),
    key=Key("d" * 64),
    tree=TreeId("e" * 40),
    stored=True,
)

NAMES = {
    *("tool", "key", "tree", "source", "outcome", "exit_status", "signal", "stored", "flaky"),
    *("failing_files", "duration_s", "saved_s", "reasons", "scope", "leaked", "output"),
    *("focused_on", "contradicted"),
    *("truncated_bytes", "ran_at", "ran_in", "changed", "changed_by_others", "changed_again"),
    *("gitignore", "cause", "leaked_processes", "coloured", "streams_merged"),
}


def test_an_answer_has_every_name() -> None:
    assert answer_to_json(ANSWER) == {
        "tool": "test",
        "key": "d" * 64,
        "tree": "e" * 40,
        "source": "hit",
        "outcome": "passed",
        "exit_status": 0,
        "signal": None,
        "cause": None,
        "stored": True,
        "flaky": [],
        "failing_files": [],
        "duration_s": 2.5,
        "saved_s": 2.5,
        "reasons": [],
        "changed": [],
        "changed_by_others": [],
        "changed_again": [],
        "gitignore": [],
        "scope": "full",
        "focused_on": [],
        "contradicted": False,
        "leaked": False,
        "leaked_processes": [],
        "coloured": False,
        "streams_merged": False,
        "output": [{"stream": "stdout", "text": "aé"}, {"stream": "stderr", "base64": "/w=="}],
        "truncated_bytes": 7,
        "ran_at": "2027-01-15T08:00:00Z",
        "ran_in": {"worktree": "/w", "head": "c" * 40, "host": "host", "user": "user"},
    }


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (Failed(3), ("failed", 3, None)),
        (Killed(9, 137), ("killed", 137, 9)),
        (TimedOut(1.0), ("timed_out", 124, None)),
        (Interrupted(15), ("interrupted", 143, 15)),
        (Unstable(4, ("a",)), ("unstable", 4, None)),
        (NoVerdict(0, "ran no test"), ("no_verdict", 0, None)),
        (Killed(None, 1, "Killed"), ("killed", 1, None)),
        (WrapperFailed("no bus"), ("no_verdict", 125, None)),
    ],
)
def test_outcome_status_and_signal_go_together(outcome: Outcome, told: tuple[Any, ...]) -> None:
    value = answer_to_json(replace(ANSWER, outcome=outcome))
    assert (value["outcome"], value["exit_status"], value["signal"]) == told


@pytest.mark.parametrize(
    ("outcome", "cause"),
    [
        (Killed(9, 137), None),
        (
            Killed(6, 134, "LLVM ERROR: out of memory"),
            "LLVM ERROR: out of memory",
        ),
        (NotStarted(127, "nosuch: command not found"), "nosuch: command not found"),
        (NoVerdict(0, "ran no test"), "ran no test"),
        (WrapperFailed("no bus"), "no bus"),
        (Failed(1), None),
    ],
)
def test_why_there_is_no_verdict_is_told(outcome: Outcome, cause: str | None) -> None:
    assert answer_to_json(replace(ANSWER, outcome=outcome))["cause"] == cause


def test_a_document_is_one_line_of_ascii() -> None:
    assert document({"a": "é\n\udcff"}) == b'{"a": "\\u00e9\\n\\udcff"}\n'


def test_one_tool_gives_an_object_and_several_give_an_array_however_many_answered() -> None:
    one = answer_to_json(ANSWER)
    assert answers_to_json([ANSWER], asked=1) == one
    assert answers_to_json([ANSWER], asked=2) == [one]
    assert answers_to_json([ANSWER, ANSWER], asked=2) == [one, one]


def test_unstable_answer_names_what_changed() -> None:
    moved = Unstable(4, ("a", "b/c", "d"), ("a",), ("b/c",), ("/d",))
    value = answer_to_json(replace(ANSWER, outcome=moved))
    assert value["changed"] == ["a", "b/c", "d"]
    assert value["changed_by_others"] == ["a"]
    assert value["changed_again"] == ["b/c"]
    assert value["gitignore"] == ["/d"]


def test_a_moment_is_in_utc() -> None:
    assert moment(0.9) == "1970-01-01T00:00:00Z"


def test_run_and_hit_differ_only_in_what_happened(repo: Repo) -> None:
    script = "printf 'out\\377'; echo err >&2; exit 3"
    first, again = (repo.toolcache("run", "--json", "--", "sh", "-c", script) for _ in range(2))
    assert first.status == again.status == 3
    run, hit = first.json, again.json
    assert set(run) == set(hit) == NAMES
    assert sorted(run["output"], key=str) == [
        {"stream": "stderr", "text": "err\n"},
        {"stream": "stdout", "base64": "b3V0/w=="},
    ]
    assert (run["source"], hit["source"]) == ("run", "hit")
    assert (run["reasons"], hit["reasons"]) == (["no entry"], [])
    assert (run["saved_s"], hit["saved_s"]) == (0.0, run["duration_s"])
    own = {"source", "reasons", "saved_s"}
    assert {name: run[name] for name in NAMES - own} == {name: hit[name] for name in NAMES - own}
    assert run["tree"] == repo.git("rev-parse", "HEAD^{tree}")
    assert repo.keys() == [run["key"]]
    assert run["ran_in"]["worktree"] == str(repo.path)
    assert run["ran_in"]["head"] == repo.git("rev-parse", "HEAD")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", run["ran_at"])


def test_standard_output_holds_the_document_and_nothing_else(repo: Repo) -> None:
    declare(repo, {"test": "echo seen", "lint": "echo red >&2; exit 1", "build": "true"})
    ran = repo.toolcache("run", "--json", "--keep-going", "test", "lint", "build")
    assert [each["tool"] for each in ran.json] == ["test", "lint", "build"]
    assert [each["outcome"] for each in ran.json] == ["passed", "failed", "passed"]
    assert ran.stderr.startswith(FIRST + b"toolcache: test passed after ")
    assert b"red" not in ran.stderr


def test_output_beyond_the_limit_is_counted(repo: Repo) -> None:
    made = 3_000_000
    for source in ("run", "hit"):
        value = repo.toolcache("run", "--json", "--", "head", "-c", str(made), "/dev/zero").json
        kept = sum(len(each["text"]) for each in value["output"])
        assert value["source"] == source
        assert kept == 1 << 20
        assert value["truncated_bytes"] == made - kept
