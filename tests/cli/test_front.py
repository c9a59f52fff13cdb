"""The small front reads the words of a run as typer does, or leaves them to typer."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from gitcache.cli.app import app
from gitcache.cli.display import Nothing, OnlyFailed, Tail
from gitcache.cli.front import RunOptions, parse_timeout, read, split

READ = [
    ("run", RunOptions()),
    ("run test", RunOptions(tools=("test",))),
    ("run test lint", RunOptions(tools=("test", "lint"))),
    ("run test --", RunOptions(tools=("test",), behind=())),
    ("run --", RunOptions(behind=())),
    ("run -- make test", RunOptions(behind=("make", "test"))),
    ("run -- a -- b", RunOptions(behind=("a", "--", "b"))),
    ("run -- --json -h", RunOptions(behind=("--json", "-h"))),
    ("run test -- -k x", RunOptions(tools=("test",), behind=("-k", "x"))),
    ("run --force test", RunOptions(tools=("test",), force=True)),
    ("run test --force", RunOptions(tools=("test",), force=True)),
    ("run a --force b", RunOptions(tools=("a", "b"), force=True)),
    ("run --force --force a", RunOptions(tools=("a",), force=True)),
    ("run --json test", RunOptions(tools=("test",), as_json=True)),
    ("run -q test", RunOptions(tools=("test",), quiet=True)),
    ("run --quiet test", RunOptions(tools=("test",), quiet=True)),
    ("run --keep-going a b", RunOptions(tools=("a", "b"), keep_going=True)),
    ("run --stdin test", RunOptions(tools=("test",), pass_stdin=True)),
    ("run -v test", RunOptions(tools=("test",), verbose=True)),
    ("run --verbose test", RunOptions(tools=("test",), verbose=True)),
    ("run --loose test", RunOptions(tools=("test",), loose=True)),
    ("run --output failed test", RunOptions(tools=("test",), show=OnlyFailed())),
    ("run --output=none test", RunOptions(tools=("test",), show=Nothing())),
    ("run test --output tail:5", RunOptions(tools=("test",), show=Tail(5))),
    ("run --output none --output tail:5 a", RunOptions(tools=("a",), show=Tail(5))),
    ("run --timeout 90 test", RunOptions(tools=("test",), timeout=90.0)),
    ("run --timeout none test", RunOptions(tools=("test",), timeout=inf)),
    ("run --timeout 0 test", RunOptions(tools=("test",), timeout=inf)),
    ("run --timeout=1.5 test", RunOptions(tools=("test",), timeout=1.5)),
    ("run --timeout=1h30m test", RunOptions(tools=("test",), timeout=5400.0)),
]

LEFT = [
    "",
    "-h",
    "--version",
    "help run",
    "lookup test",
    "status",
    "runs test",
    "run -h",
    "run --help",
    "run test -h",
    "run --nosuch test",
    "run -x test",
    "run -qh test",
    "run --force=yes test",
    "run --output test",
    "run --output",
    "run --output= test",
    "run --output all test",
    "run --timeout",
    "run --timeout= test",
    "run --timeout test",
    "run --timeout -5 test",
    "run --timeout off test",
    "run --timeout=1x test",
    "run - test",
]


def by_typer(words: Sequence[str]) -> RunOptions:
    """Return what typer reads, without acting on it."""
    before, behind = split(words)
    command = typer.main.get_group(app).commands[before[0]]
    read = command.make_context("run", list(before[1:]), obj=behind).params
    return RunOptions(
        tools=tuple(read["tools"] or ()),
        behind=behind,
        force=read["force"],
        as_json=read["json"],
        quiet=read["quiet"],
        show=read["output"],
        timeout=read["timeout"],
        keep_going=read["keep_going"],
        pass_stdin=read["stdin"],
        loose=read["loose"],
        verbose=read["verbose"],
    )


@pytest.mark.parametrize(("words", "options"), READ, ids=[words for words, _ in READ])
def test_front_and_typer_read_the_same(words: str, options: RunOptions) -> None:
    assert read(words.split()) == options
    assert by_typer(words.split()) == options


def test_words_are_not_looked_into() -> None:
    options = RunOptions(tools=("", "a b", "\udcff"), behind=("", "\n", "--output"))
    words = ["run", "", "a b", "\udcff", "--", "", "\n", "--output"]
    assert read(words) == by_typer(words) == options


@pytest.mark.parametrize("words", LEFT)
def test_what_the_front_does_not_know_is_left_to_typer(words: str) -> None:
    assert read(words.split()) is None


WORDS = st.sampled_from(
    [
        *("test", "--force", "--json", "-q", "--keep-going", "--stdin", "--loose", "-v"),
        *("--output=tail:3", "--", "-h"),
    ]
)


@given(st.lists(WORDS, max_size=6))
def test_whatever_the_front_reads_typer_reads_alike(words: list[str]) -> None:
    options = read(["run", *words])
    if options is None:
        assert "-h" in split(words)[0]
    else:
        assert by_typer(["run", *words]) == options


def test_words_are_split_at_the_first_double_dash() -> None:
    assert split(["a", "b"]) == (("a", "b"), None)
    assert split(["a", "--"]) == (("a",), ())
    assert split(["a", "--", "b", "--", "c"]) == (("a",), ("b", "--", "c"))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("5", 5.0), ("0.5", 0.5), ("5.", 5.0), ("90s", 90.0), ("1h30m", 5400.0)),
        *(("none", inf), ("0", inf), ("0.0", inf)),
    ],
)
def test_a_timeout_is_seconds_or_a_duration(text: str, seconds: float) -> None:
    assert parse_timeout(text) == seconds


@pytest.mark.parametrize("text", ["", ".", "0s", "-0", "-1", "nan", "inf", "1e5", "5 s", "1.2.3"])
def test_nothing_else_is_a_timeout(text: str) -> None:
    with pytest.raises(ValueError, match="a duration above zero"):
        parse_timeout(text)
