"""The main story: look up, replay or run, keep the verdict."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gitcache.core.entry import RanIn
from gitcache.core.outcome import (
    Failed,
    NotStarted,
    NoVerdict,
    Passed,
    TimedOut,
    exit_status,
)
from gitcache.engine.cached_run import run
from gitcache.engine.resolve import Request
from gitcache.errors import UnknownToolError
from tests.support.calls import NOW, Recorder, ask, context_in
from tests.support.repository import Repo

A_CASE = """\
import unittest


class Case(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(1 + 1, 2)
"""

NEVER_STORED = {126, 127, 129, 130, 137, 143, 152, 153}
STATUSES = [*range(4), 77, 100, *range(123, 132), *range(136, 145), *range(151, 155), 254, 255]


def test_a_run_is_heard_live_and_a_hit_in_its_answer(repo: Repo) -> None:
    script = "echo out; echo err >&2; exit 3"
    first, heard = ask(repo, "sh", "-c", script)
    assert (heard.text("stdout"), heard.text("stderr")) == (b"out\n", b"err\n")
    assert heard.answers == [first]
    assert (first.source, first.outcome, first.reasons) == ("run", Failed(3), ("no entry",))
    again, heard = ask(repo, "sh", "-c", script)
    assert (heard.heard, heard.warnings, heard.answers) == ([], [], [again])
    assert (again.source, again.outcome, again.reasons) == ("hit", Failed(3), ())
    assert again.output == first.output
    assert (again.key, again.tree, again.started_at) == (first.key, first.tree, NOW)
    assert (first.saved, again.saved) == (0.0, first.duration)
    assert first.ran_in == again.ran_in
    assert first.ran_in == RanIn(str(repo.path), repo.git("rev-parse", "HEAD"), "here", "me")


def test_every_status_passes_and_those_without_a_verdict_are_never_stored(repo: Repo) -> None:
    for source in ("run", "hit"):
        answers = [ask(repo, "sh", "-c", f"exit {status}")[0] for status in STATUSES]
        assert [exit_status(each.outcome) for each in answers] == STATUSES
        expected = ["run" if each in NEVER_STORED else source for each in STATUSES]
        assert [each.source for each in answers] == expected
        assert [each.stored for each in answers] == [each not in NEVER_STORED for each in STATUSES]


def test_a_forced_run_happens_in_spite_of_an_entry_and_replaces_it(
    repo: Repo, tmp_path: Path
) -> None:
    words = ("test", "-e", str(tmp_path / "fixed"))
    assert ask(repo, *words)[0].outcome == Failed(1)
    (tmp_path / "fixed").touch()
    assert ask(repo, *words)[0].outcome == Failed(1)
    forced, _ = ask(repo, *words, force=True)
    assert (forced.source, forced.outcome, forced.stored) == ("run", Passed(), True)
    assert forced.reasons == ("asked to run in spite of an entry",)
    assert ask(repo, *words)[0].outcome == Passed()


def test_a_forced_run_without_an_entry_says_that_there_was_none(repo: Repo) -> None:
    assert ask(repo, "true", force=True)[0].reasons == ("no entry",)


def test_a_store_that_is_only_read_answers_and_keeps_nothing(repo: Repo) -> None:
    reading = context_in(repo.path).reading_only()
    assert reading.use == "read"
    answer, heard = ask(repo, "true", context=reading)
    assert (answer.source, answer.stored, heard.warnings) == ("run", False, [])
    ask(repo, "true")
    assert ask(repo, "true", context=reading)[0].source == "hit"
    forced, _ = ask(repo, "true", context=reading, force=True)
    assert (forced.source, forced.stored) == ("run", False)


def test_a_store_that_is_off_is_not_even_looked_at(repo: Repo) -> None:
    off = context_in(repo.path, use="off")
    ask(repo, "true")
    answer, heard = ask(repo, "true", context=off)
    assert (answer.source, answer.stored, answer.key) == ("run", False, None)
    assert (answer.reasons, heard.warnings) == (("the store is off",), [])
    assert off.reading_only().use == "off"


def test_an_old_answer_counts_only_within_its_age(repo: Repo) -> None:
    repo.write("toolcache.toml", '[tools.audit]\ncommand = "true"\nmax_age = "24h"\n')

    def source(now: float) -> str:
        context = context_in(repo.path, now=now)
        answer = run(Request("audit"), context, Recorder())
        return f"{answer.source} {' '.join(answer.reasons)}".strip()

    day = 24 * 3600
    assert source(NOW) == "run no entry"
    assert source(NOW + day) == "hit"
    assert source(NOW + day + 1) == "run the entry is older than max_age"
    assert source(NOW + day + 2) == "hit"
    assert source(NOW) == "run the entry's run began in the future, so max_age can't be told"


def test_what_does_not_start_and_what_takes_too_long_is_no_verdict(repo: Repo) -> None:
    answer, _ = ask(repo, "nosuch")
    assert answer.outcome == NotStarted(127, "nosuch: command not found")
    assert (answer.stored, answer.duration) == (False, 0.0)
    request = Request(None, ("sleep", "300"), timeout=0.1)
    answer = run(request, context_in(repo.path), Recorder())
    assert answer.outcome == TimedOut(0.1)
    assert not answer.stored
    assert repo.keys() == []


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="unittest fails there by itself")
def test_unittest_without_a_test_passes_its_status_on_and_is_no_verdict(repo: Repo) -> None:
    repo.write("setup.py", "")
    repo.write(".gitignore", "__pycache__/\n")
    repo.write("tests/test_a.py", A_CASE)  # in a folder that unittest does not look into
    for _ in range(2):
        heard = Recorder()
        answer = run(Request("test"), context_in(repo.path), heard)
        assert (answer.source, answer.outcome) == ("run", NoVerdict(0, "ran no test"))
        assert (exit_status(answer.outcome), answer.stored, repo.keys()) == (0, False, [])
        assert heard.warnings == ["test ran no test: this counts as no pass"]
        assert heard.hints == [
            'say what runs the tests in toolcache.toml: [tools.test] command = "…"'
        ]
        assert b"Ran 0 tests" in heard.text("stderr")
    repo.write("tests/__init__.py", "")
    heard = Recorder()
    answer = run(Request("test"), context_in(repo.path), heard)
    assert (answer.outcome, answer.stored) == (Passed(), True)
    assert (heard.warnings, heard.hints) == ([], [])
    assert b"Ran 1 test" in heard.text("stderr")


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="unittest fails there by itself")
def test_unittest_without_a_test_is_no_verdict_as_a_command_or_without_the_store(
    repo: Repo,
) -> None:
    for use in ("on", "off"):
        answer, heard = ask(
            repo, "python", "-m", "unittest", context=context_in(repo.path, use=use)
        )
        assert (answer.outcome, answer.stored) == (NoVerdict(0, "ran no test"), False)
        assert heard.warnings == ["command ran no test: this counts as no pass"]
        assert heard.hints == []


def test_two_callers_in_two_places_share_what_is_the_same(repo: Repo, tmp_path: Path) -> None:
    ask(repo, "true")
    other = repo.add_worktree(tmp_path / "other")
    elsewhere = replace(context_in(other.path, host="there"), user="you")
    answer, _ = ask(other, "true", context=elsewhere)
    assert answer.source == "hit"
    assert (answer.ran_in.host, answer.ran_in.worktree) == ("here", str(repo.path))
    assert answer.asked_in == other.path
    assert ask(other, "true", context=context_in(other.path / "sub"))[0].source == "run"


def test_each_content_has_its_own_answer(repo: Repo) -> None:
    words = ("grep", "-q", "^a$", "a.txt")
    contents = {"a\n": (Passed(), "run"), "b\n": (Failed(1), "run")}
    for expected in (contents, {text: (each[0], "hit") for text, each in contents.items()}):
        for text, told in expected.items():
            repo.write("a.txt", text)
            answer, _ = ask(repo, *words)
            assert (answer.outcome, answer.source) == told
    repo.write("new.txt", "")
    assert ask(repo, *words)[0].source == "run"


def test_an_unknown_tool_is_an_error_and_nothing_is_answered(repo: Repo) -> None:
    heard = Recorder()
    for use in ("on", "off"):
        with pytest.raises(UnknownToolError):
            run(Request("deploy"), context_in(repo.path, use=use), heard)
    assert heard.answers == []


def test_damage_is_a_warning_and_the_reason(repo: Repo) -> None:
    key = ask(repo, "true")[0].key
    junk = repo.git("hash-object", "-w", "--stdin", stdin=b"junk")
    repo.git("update-ref", f"refs/toolcache/{key}", junk)
    answer, heard = ask(repo, "true")
    assert answer.source == "run"
    assert answer.reasons == ("the stored entry can't be used: it is no JSON",)
    assert heard.warnings == list(answer.reasons)
    assert answer.stored
