"""Commands in a text for the shell, told without running it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.shell_text import Started, assigned, commands_of


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("pytest -q", ["pytest -q"]),
        ("  ", []),
        ("a && b || c; d & e | f", ["a", "b", "c", "d", "e", "f"]),
        ("a 1\nb 2\n\n", ["a 1", "b 2"]),
        ("a \\\n  1", ["a 1"]),
        ("(a; b)", ["a", "b"]),
        ("{ a; b; }", ["a", "b"]),
        ("a > out 2>&1 < in && b", ["a 2", "b"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("while ! a; do b; done", ["a", "b"]),
        ("exec time a", ["a"]),
        ("'my tool' \"x y\"", ["my tool x y"]),
        ("$TOOL x; `which a`; a $B", ["a $B"]),
        ("a; 'open", ["a"]),
        ("a#b", ["a#b"]),
    ],
)
def test_first_words_of_simple_commands(text: str, commands: list[str]) -> None:
    assert [" ".join(each.argv) for each in commands_of(text)] == commands


def test_what_stands_before_a_command_is_set_for_it_alone() -> None:
    assert list(commands_of("A=1 B='2 3' a; C=$D b; E=5; c")) == [
        Started(("a",), (("A", "1"), ("B", "2 3"))),
        Started(("b",)),
        Started(("c",)),
    ]


def test_change_of_folder_counts_for_what_follows() -> None:
    assert list(commands_of("a; cd web && b; cd in; c; cd; d", ("bin",))) == [
        Started(("a",), folder=".", bins=("bin",)),
        Started(("b",), folder="./web", bins=("bin",)),
        Started(("c",), folder="./web/in", bins=("bin",)),
        Started(("cd",), folder="./web/in", bins=("bin",)),
        Started(("d",), folder="./web/in", bins=("bin",)),
    ]


@given(st.text("ab=$'\"\\ \n;&|()<>{}#`"))
def test_any_text_is_read_to_some_end(text: str) -> None:
    assert all(each.argv and each.argv[0] is not None for each in commands_of(text))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("A=1", ("A", "1")),
        ("_a1=", ("_a1", "")),
        ("A=b=c", ("A", "b=c")),
        ("A", None),
        ("=1", None),
        ("--a=1", None),
        ("1a=1", None),
    ],
)
def test_assignments(word: str, expected: tuple[str, str] | None) -> None:
    assert assigned(word) == expected
