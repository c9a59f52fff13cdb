"""When a pass of unittest is one without a test."""

from __future__ import annotations

import pytest

from gitcache.core.output import Chunk, Output, OutputBuffer
from gitcache.core.terminal import ON_PTY
from gitcache.core.tool import Tool, ToolName, Words
from gitcache.core.untested import hint_to_declare, ran_no_test

UNITTEST = ("python", "-m", "unittest")
RULE = b"-" * 70
NOTHING = b"\n" + RULE + b"\nRan 0 tests in 0.000s\n\nOK\n"
ONE = b".\n" + RULE + b"\nRan 1 test in 0.001s\n\nOK\n"
SKIPPED = b"\n" + RULE + b"\nRan 0 tests in 0.000s\n\nOK (skipped=1)\n"
"""What Python 3.11 prints where setUpModule skips; Python 3.12 passes there as well."""

BY_3_12 = b"\n" + RULE + b"\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n"


def on_stderr(*pieces: bytes) -> Output:
    return Output(tuple(Chunk("stderr", each) for each in pieces))


@pytest.mark.parametrize(
    "argv",
    [
        UNITTEST,
        (*UNITTEST, "discover", "-s", "tests"),
        ("python3.11", "-W", "error", "-m", "unittest", "-v"),
        ("uv", "run", ".venv/bin/python", "-m", "unittest"),
        ("coverage", "run", "-m", "unittest"),
    ],
)
def test_unittest_that_found_nothing_ran_no_test(argv: tuple[str, ...]) -> None:
    assert ran_no_test(argv, on_stderr(NOTHING))


@pytest.mark.parametrize(
    "argv",
    [("pytest",), ("python", "-m", "unittest2"), ("unittest", "-m"), ("sh", "-c", "-m unittest")],
)
def test_other_programs_are_taken_at_their_word(argv: tuple[str, ...]) -> None:
    assert not ran_no_test(argv, on_stderr(NOTHING))


@pytest.mark.parametrize(
    "printed", [b"", ONE, SKIPPED, BY_3_12, ONE.replace(b"1 test", b"10 tests")]
)
def test_unittest_that_ran_or_skipped_something_is_taken_at_its_word(printed: bytes) -> None:
    assert not ran_no_test(UNITTEST, on_stderr(printed))


def test_summary_counts_on_the_standard_error_alone() -> None:
    assert not ran_no_test(UNITTEST, Output((Chunk("stdout", NOTHING),)))
    between = (Chunk("stderr", NOTHING[:80]), Chunk("stdout", b"x"), Chunk("stderr", NOTHING[80:]))
    assert ran_no_test(UNITTEST, Output(between))


def test_last_of_several_summaries_is_unittests_own() -> None:
    assert not ran_no_test(UNITTEST, on_stderr(NOTHING, ONE))
    assert ran_no_test(UNITTEST, on_stderr(ONE, NOTHING, b"Exception ignored\n"))


def test_summary_behind_a_cut_is_seen() -> None:
    buffer = OutputBuffer(1 << 10)
    buffer.add("stderr", b"noise\n" * 1000)
    buffer.add("stderr", NOTHING)
    output = buffer.result()
    assert output.cut_bytes > 0
    assert ran_no_test(UNITTEST, output)


def test_hint_names_the_tools_table() -> None:
    tool = Tool(ToolName("unit"), Words(UNITTEST), "setup.py")
    assert hint_to_declare(tool) == (
        'say what runs the tests in toolcache.toml: [tools.unit] command = "…"'
    )


def test_on_a_pseudo_terminal_all_is_told_on_one_stream_and_in_colours() -> None:
    merged = Output((Chunk("stdout", NOTHING.replace(b"OK", b"\x1b[32mOK\x1b[0m")),))
    assert ran_no_test(UNITTEST, merged, ON_PTY)
    assert not ran_no_test(UNITTEST, merged)
