"""Which withheld variables a failing tool speaks of, and the hint that follows."""

from __future__ import annotations

import pytest

from gitcache.core.output import Chunk, Output
from gitcache.core.tool import AD_HOC, Options, Tool, ToolName, Words
from gitcache.core.variable_names import DISPLAY_ONLY
from gitcache.core.withheld import hint_to_pass, named_in

TEST = Tool(ToolName("test"), Words(("pytest",)), "toolcache.toml")


def said(text: bytes) -> Output:
    return Output((Chunk("stdout", text),))


@pytest.mark.parametrize(
    "text",
    [
        b"DATABASE_URL",
        b"KeyError: 'DATABASE_URL'\n",
        b"${DATABASE_URL}: unbound variable",
        b"\xff\x00DATABASE_URL=\xff",
        b"OLD_DATABASE_URL is not DATABASE_URL",
        b"x-DATABASE_URL-y",
    ],
)
def test_a_whole_word_names_a_variable(text: bytes) -> None:
    assert named_in(said(text), ["DATABASE_URL"]) == ("DATABASE_URL",)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"DATABASE_URLS",
        b"OLD_DATABASE_URL",
        b"database_url",
        b"DATABASE URL",
        b"1DATABASE_URL",
    ],
)
def test_a_part_of_a_word_names_none(text: bytes) -> None:
    assert named_in(said(text), ["DATABASE_URL"]) == ()


def test_both_streams_and_both_sides_of_a_cut_are_read() -> None:
    output = Output(
        (Chunk("stdout", b"ONE_1 "), Chunk("stderr", b"TWO_")),
        (Chunk("stdout", b"x"), Chunk("stderr", b"2 ")),
        cut_bytes=5,
    )
    assert named_in(output, ["ONE_1", "TWO_2"]) == ("ONE_1", "TWO_2")


@pytest.mark.parametrize("name", ["AB", "_x", "path", "abc", "A.B", "A B", "Ä_B", "1AB", ""])
def test_what_may_be_any_word_is_no_name(name: str) -> None:
    assert named_in(said(f" {name} ".encode()), [name]) == ()


@pytest.mark.parametrize("name", ["ABC", "a_b", "aBc", "_AB"])
def test_a_capital_or_an_underscore_makes_a_name(name: str) -> None:
    assert named_in(said(name.encode()), [name]) == (name,)


@pytest.mark.parametrize("name", ["PWD", "npm_config_x", "NO_COLOR", "MAKEFLAGS", "PYTEST_XDIST_A"])
def test_what_each_call_sets_anew_is_not_hinted_at(name: str) -> None:
    assert named_in(said(name.encode()), [name]) == ()
    assert "NO_COLOR" in DISPLAY_ONLY


def test_three_names_are_enough() -> None:
    names = ["AAA", "BBB", "CCC", "DDD"]
    assert named_in(said(b"DDD CCC BBB AAA"), names) == ("AAA", "BBB", "CCC")


def test_the_hint_is_the_line_to_add() -> None:
    assert hint_to_pass(("DATABASE_URL",), TEST) == (
        'DATABASE_URL is set but not passed; env = ["DATABASE_URL"] in [tools.test] passes it'
    )
    assert hint_to_pass(("AAA", "BBB", "CCC"), TEST) == (
        'AAA, BBB and CCC are set but not passed; env = ["AAA", "BBB", "CCC"] in [tools.test]'
        " passes them"
    )


def test_the_line_keeps_what_the_settings_pass_already() -> None:
    tool = Tool(ToolName("test"), Words(("x",)), "toolcache.toml", Options(env=("DJANGO_*",)))
    assert hint_to_pass(("AAA",), tool) == (
        'AAA is set but not passed; env = ["DJANGO_*", "AAA"] in [tools.test] passes it'
    )


def test_a_command_that_has_no_settings_is_told_another_way() -> None:
    assert hint_to_pass(("AAA", "BBB"), Tool(AD_HOC, Words(("x",)), "the command line")) == (
        "AAA and BBB are set but not passed; run --loose passes every variable once"
    )
