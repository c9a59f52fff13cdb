"""Which runs are told in a note on their commit, and what becomes of the run where none can be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitcache.engine.cached_run import run
from gitcache.engine.commit_notes import one_writer
from gitcache.engine.context import Use
from gitcache.engine.events import Answer
from gitcache.engine.resolve import Request
from gitcache.git.repository import find_repository
from gitcache.host.key_lock import lock_file
from tests.support.calls import Recorder, context_in, declare
from tests.support.repository import Repo

REF = "refs/notes/toolcache"


@pytest.fixture
def tools(repo: Repo) -> Repo:
    declare(repo, {"lint": "exit 3", "test": "true"})
    repo.commit("tools")
    return repo


def ran(repo: Repo, *words: str, use: Use = "on", force: bool = False) -> tuple[Answer, list[str]]:
    """Run the tool and extra words *words* in this process; return the answer and the warnings."""
    recorder = Recorder()
    request = Request(words[0], words[1:], force=force)
    return run(request, context_in(repo.path, use=use), recorder), recorder.warnings


def notes(repo: Repo) -> dict[str, list[str]]:
    """Return commit → the lines of its note, without durations."""
    lines = repo.git("notes", "--ref=toolcache", "list").splitlines()
    blobs = {line.split()[1]: line.split()[0] for line in lines}
    return {name: repo.git("cat-file", "blob", blob).splitlines() for name, blob in blobs.items()}


def told(repo: Repo) -> dict[str, list[list[str]]]:
    """Return commit → tool and outcome of each line."""
    return {name: [line.split()[:2] for line in lines] for name, lines in notes(repo).items()}


def test_runs_on_a_commit_are_told_on_it(tools: Repo) -> None:
    answer, warnings = ran(tools, "test")
    ran(tools, "lint")

    head = tools.git("rev-parse", "HEAD")
    assert told(tools) == {head: [["lint", "failed"], ["test", "passed"]]}
    words = notes(tools)[head][1].split()
    assert words[2].endswith("s")
    assert words[3:] == ["2027-01-15T08:00:00Z", str(answer.key)[:12]]
    assert warnings == []


def test_hit_writes_nothing(tools: Repo) -> None:
    ran(tools, "test")
    tools.git("update-ref", "-d", REF)
    before = tools.traces()

    answer, _ = ran(tools, "test")

    assert answer.source == "hit"
    assert tools.traces() == before


def test_forced_run_takes_the_place_of_its_line(tools: Repo) -> None:
    for _ in range(2):
        ran(tools, "test", force=True)
    assert [len(lines) for lines in notes(tools).values()] == [1]


def test_detached_head_is_a_commit_too(tools: Repo) -> None:
    tools.git("checkout", "--quiet", "--detach")
    ran(tools, "test")
    assert told(tools) == {tools.git("rev-parse", "HEAD"): [["test", "passed"]]}


def test_inputs_of_the_tool_do_not_matter(repo: Repo) -> None:
    declare(repo, {"test": "true"}, 'inputs = ["a.txt"]')
    commit = repo.commit("inputs")
    ran(repo, "test")
    assert told(repo) == {commit: [["test", "passed"]]}


@pytest.mark.parametrize("what", ["changed", "untracked", "hidden", "extra", "read", "own"])
def test_what_is_no_verdict_on_a_commit_is_not_told(tools: Repo, what: str) -> None:
    words = ["test"]
    match what:
        case "changed":
            tools.write("a.txt", "changed\n")
        case "untracked":
            tools.write("new.txt", "new\n")
        case "hidden":
            tools.git("update-index", "--assume-unchanged", "a.txt")
            tools.write("a.txt", "changed\n")
        case "extra":
            words.append("more")
    if what == "own":
        answer = run(Request(None, ("true",)), context_in(tools.path), Recorder())
    else:
        answer, _ = ran(tools, *words, use="read" if what == "read" else "on")
    assert answer.stored == (what != "read")
    assert notes(tools) == {}


def test_before_the_first_commit_there_is_nothing_to_tell_on(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "unborn")
    declare(repo, {"test": "true"})
    answer, warnings = ran(repo, "test")
    assert (answer.stored, warnings, notes(repo)) == (True, [], {})


def test_what_a_run_left_out_is_not_the_commits_content(repo: Repo) -> None:
    declare(repo, {"test": "date +%N >.coverage"})
    repo.commit("tools")
    for _ in range(2):
        ran(repo, "test", force=True)
    repo.git("update-ref", "-d", REF)

    answer, _ = ran(repo, "test", force=True)

    assert answer.stored
    assert notes(repo) == {}


def test_note_that_is_refused_costs_one_warning(tools: Repo) -> None:
    hook = tools.write(
        ".git/hooks/reference-transaction",
        '#!/bin/sh\n[ "$1" = prepared ] && grep -q refs/notes/ && exit 1\nexit 0\n',
    )
    hook.chmod(0o755)

    answer, warnings = ran(tools, "test")

    assert answer.stored
    assert [text.split(":")[0] for text in warnings] == ["the note on the commit can't be written"]


def test_lock_that_stays_held_is_done_without(tools: Repo) -> None:
    locks = tools.path / ".git/toolcache/locks"
    locks.mkdir(parents=True)
    held = lock_file(locks / "notes", 0o600)
    assert held is not None
    with one_writer(find_repository(tools.path, os.environ), patience=0.0):
        assert held.is_in_place()
    assert held.is_in_place()
    held.remove()


def test_lock_leaves_nothing_behind(tools: Repo) -> None:
    ran(tools, "test")
    assert list((tools.path / ".git/toolcache/locks").iterdir()) == []


def test_lookup_notes_on_demand_what_was_found_before_the_commit(tools: Repo) -> None:
    tools.write("a.txt", "changed\n")
    assert tools.toolcache("run", "test").status == 0
    commit = tools.commit("changed")
    words = ("lookup", "--quiet", "--rev", commit, "test")
    assert tools.toolcache(*words).status == 0
    assert notes(tools) == {}

    done = tools.toolcache(*words, "--note")

    assert (done.status, done.stderr) == (0, b"")
    assert told(tools) == {commit: [["test", "passed"]]}
