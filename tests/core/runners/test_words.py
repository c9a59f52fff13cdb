"""A runner's words told apart."""

from __future__ import annotations

import pytest

from gitcache.core.runners.words import Grammar, Option, in_kebab_case, with_one_dash

GRAMMAR = Grammar.of(valued="-k -n --tb", flags="-x -v -q --lf", optional="--cov", greedy="--all")


def options(line: str, grammar: Grammar = GRAMMAR) -> list[tuple[str, str | None]] | None:
    read = grammar.read(tuple(line.split()))
    return None if read is None else [(each.name, each.value) for each in read.options]


def selectors(line: str, grammar: Grammar = GRAMMAR) -> list[str] | None:
    read = grammar.read(tuple(line.split()))
    return None if read is None else [*read.selectors]


@pytest.mark.parametrize(
    ("line", "found", "left"),
    [
        ("", [], []),
        ("a b", [], ["a", "b"]),
        ("-k x a", [("-k", "x")], ["a"]),
        ("-kx a", [("-k", "x")], ["a"]),
        ("-xvk x a", [("-k", "x")], ["a"]),
        ("-xv a", [("-v", None)], ["a"]),
        ("-n4 a", [("-n", "4")], ["a"]),
        ("--tb short a", [("--tb", "short")], ["a"]),
        ("--tb=short a", [("--tb", "short")], ["a"]),
        ("a --cov", [("--cov", None)], ["a"]),
        ("--cov src a", [("--cov", "src")], ["a"]),
        ("--cov -x a", [("--cov", None), ("-x", None)], ["a"]),
        ("--all a b -x c", [("--all", "a b"), ("-x", None)], ["c"]),
        ("--new=1 a", [("--new", "1")], ["a"]),
        ("a --new", [("--new", None)], ["a"]),
        ("--new -x a", [("--new", None), ("-x", None)], ["a"]),
        ("--no-new a", [("--no-new", None)], ["a"]),
        ("-k", [("-k", None)], []),
        ("- a", [], ["-", "a"]),
        ("a -- -x b", [], ["a"]),
    ],
)
def test_options_take_their_values_and_the_rest_selects(
    line: str, found: list[tuple[str, str | None]], left: list[str]
) -> None:
    assert options(line) == found
    assert selectors(line) == left


@pytest.mark.parametrize("line", ["--new a", "-z a", "-xz a", "--newer=1 --new a"])
def test_word_behind_an_unknown_option_is_not_told(line: str) -> None:
    assert GRAMMAR.read(tuple(line.split())) is None


def test_cluster_is_one_option_of_all_its_words() -> None:
    read = GRAMMAR.read(("-xk", "a or b", "c"))
    assert read is not None
    assert read.options == (Option("-k", "a or b", ("-xk", "a or b")),)


def test_what_ends_the_options_stays_with_all_behind_it() -> None:
    read = Grammar.of(ends=("-args", "--")).read(("a", "-args", "-x", "--", "b"))
    assert read is not None
    assert (read.selectors, read.rest) == (("a",), ("-args", "-x", "--", "b"))


def test_both_spellings_of_an_option_are_one() -> None:
    kebab = Grammar.of(valued="--test-name-pattern", spelling=in_kebab_case)
    assert options("--testNamePattern x", kebab) == [("--test-name-pattern", "x")]
    dash = Grammar.of(valued="-run", clusters=False, spelling=with_one_dash)
    assert options("--run x", dash) == [("-run", "x")]
    assert options("-run=x", dash) == [("-run", "x")]


def test_options_are_found_and_left_out_by_patterns() -> None:
    read = GRAMMAR.read(("--cov-report=xml", "-x", "--tb=no", "a"))
    assert read is not None
    assert read.has(("--cov-*",))
    assert read.has(("--tb=no",))
    assert not read.has(("--tb=short", "--co"))
    assert [each.name for each in read.without(("--cov*",)).options] == ["-x", "--tb"]
