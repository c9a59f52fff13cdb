"""A tool's words: where extra ones go, and which names a tool can have."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.tool import ShellText, ToolName, Words, default_options, expand, parse_name

AWKWARD = ("a b", "", "'", '"', "two\nlines", "$HOME", "`id`", "*", "\\", "-n", "é", ";", "#")


def ran(argv: tuple[str, ...], folder: Path) -> list[str]:
    """Run *argv* in *folder* and return what it printed, split at NULs."""
    done = subprocess.run(argv, cwd=folder, capture_output=True, check=True)
    assert done.stderr == b""
    return done.stdout.decode().split("\0")[:-1]


def test_extra_words_stand_at_the_end() -> None:
    assert expand(Words(("pytest", "-q"))) == ("pytest", "-q")
    assert expand(Words(("pytest", "-q")), ("-k", "a b")) == ("pytest", "-q", "-k", "a b")


def test_shell_text_is_one_word_of_the_shell() -> None:
    assert expand(ShellText("a | b; c")) == ("/bin/sh", "-c", "a | b; c")


def test_extra_words_are_the_shells_parameters() -> None:
    assert expand(ShellText("pytest -q"), ("-k", "a b")) == (
        *("/bin/sh", "-c", 'pytest -q "$@"'),
        *("sh", "-k", "a b"),
    )


def test_different_extra_words_are_different_argvs() -> None:
    extras = [(), ("a", "b"), ("a b",), ("a", "b", "")]
    assert len({expand(ShellText("x"), extra) for extra in extras}) == 4
    assert len({expand(Words(("x",)), extra) for extra in extras}) == 4


def test_shell_without_extra_words_runs_the_text(tmp_path: Path) -> None:
    text = "a='x y'; printf '%s\\0' \"$a\" | cat; printf '%s\\0' $#"
    assert ran(expand(ShellText(text)), tmp_path) == ["x y", "0"]


def test_extra_words_reach_a_shell_command_unchanged(tmp_path: Path) -> None:
    argv = expand(ShellText("true && printf '%s\\0' first"), AWKWARD)
    assert ran(argv, tmp_path) == ["first", *AWKWARD]


def test_extra_words_reach_a_command_without_a_shell_unchanged(tmp_path: Path) -> None:
    argv = expand(Words(("printf", "%s\\0", "first")), AWKWARD)
    assert ran(argv, tmp_path) == ["first", *AWKWARD]


@pytest.mark.parametrize("end", ["\n", "\n\n", "  \n", " ", "\t", "\r\n"])
def test_extra_words_reach_the_last_line_of_a_shell_text(end: str, tmp_path: Path) -> None:
    text = f"cd .\nprintf '%s\\0' first{end}"
    assert ran(expand(ShellText(text), ("a", "b c")), tmp_path) == ["first", "a", "b c"]


@pytest.mark.parametrize("text", ["a", "0", "test", "type-check", "e2e_tests", "Z9", "a" * 64])
def test_letters_digits_hyphens_and_underscores_are_a_name(text: str) -> None:
    assert parse_name(text) == ToolName(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "-",
            "_",
            "-a",
            "_a",
            "a" * 65,
            "a b",
            " a",
            "a ",
            "a\n",
            "\na",
            "a\0",
            "a.b",
            "a.lock",
        ),
        *(
            "..",
            ".",
            "a/b",
            "/a",
            "refs/heads/a",
            "a:b",
            "a*",
            "a~1",
            "a^",
            "é",
            "٣",
            "\uff41",
            "\udcff",
        ),
    ],
)
def test_anything_else_is_no_name(text: str) -> None:
    assert parse_name(text) is None


@given(st.text(max_size=70))
def test_a_name_is_kept_as_it_is_or_refused(text: str) -> None:
    letters = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    is_name = 1 <= len(text) <= 64 and text[0] in letters and set(text) <= letters | {"-", "_"}
    assert parse_name(text) == (text if is_name else None)


@pytest.mark.parametrize(
    ("name", "timeout"),
    [
        *(("test", 1800.0), ("build", 1800.0)),
        *(("lint", 300.0), ("typecheck", 300.0), ("audit", 300.0), ("security-scan", 300.0)),
        *(("e2e", None), ("tests", None), ("command", None)),
    ],
)
def test_a_tool_has_the_timeout_of_its_name(name: str, timeout: float | None) -> None:
    assert default_options(ToolName(name)).timeout == timeout
