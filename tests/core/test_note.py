"""The note on a commit: a sorted line a tool, and nothing of anybody else's is lost."""

from __future__ import annotations

from dataclasses import replace

from gitcache.core.entry import PastAttempt
from gitcache.core.key import Key
from gitcache.core.note import NoteLine, with_line
from gitcache.core.outcome import Passed
from gitcache.core.tool import ToolName
from tests.core.test_entry import ENTRY

KEY = Key("0123456789ab" + "c" * 52)
NEW_YEAR = 1767225600.0
PASS = b"test passed 12.3s 2026-01-01T00:00:00Z 0123456789ab\n"


def line(tool: str = "test", when: float = NEW_YEAR) -> NoteLine:
    return NoteLine(ToolName(tool), "passed", 12.34, when, KEY)


def test_line_tells_tool_outcome_duration_moment_and_key() -> None:
    assert with_line(b"", line()) == PASS


def test_line_of_a_failure_is_that_of_its_entry() -> None:
    told = NoteLine.of_entry(replace(ENTRY, flaky=())).encode()
    assert told == b"test failed 2.2s 2026-01-01T00:00:00Z b848e47e9cb5"


def test_entry_that_passed_on_a_retry_or_contradicts_itself_is_flaky() -> None:
    attempts = (PastAttempt("failed", 1, 1.0, 1.0), PastAttempt("passed", 0, 2.0, 1.0))
    contradicting = replace(ENTRY, flaky=(), verdict=Passed(), attempts=attempts)
    assert NoteLine.of_entry(contradicting).outcome == "flaky"
    assert NoteLine.of_entry(replace(contradicting, attempts=attempts[1:])).outcome == "passed"
    assert NoteLine.of_entry(ENTRY).outcome == "flaky"


def test_lines_of_several_tools_are_sorted() -> None:
    note = with_line(with_line(b"", line("test")), line("lint"))
    assert note == PASS.replace(b"test", b"lint") + PASS


def test_newer_line_takes_the_place_of_those_of_its_tool() -> None:
    merged = PASS + PASS.replace(b"passed", b"failed")
    assert with_line(merged, line(when=NEW_YEAR + 60)) == PASS.replace(b"00:00Z", b"01:00Z")


def test_older_line_changes_nothing() -> None:
    assert with_line(PASS, line(when=NEW_YEAR - 60)) == PASS


def test_words_of_people_stay_as_they_are() -> None:
    theirs = b"reviewed\r\n\ntest passed, I think\n\xff no newline at its end"
    assert with_line(theirs, line()) == theirs + b"\n" + PASS
    assert with_line(theirs + b"\n" + PASS, line()) == theirs + b"\n" + PASS
