"""Which changed files count where a tool declares what it depends on."""

from __future__ import annotations

import pytest

from gitcache.core.entry import Entry, decode
from gitcache.engine.cached_run import run
from gitcache.engine.changed_files import ChangedFiles, changed_files
from gitcache.engine.front import Question, Unkeyed, find
from gitcache.engine.resolve import Request
from tests.support.calls import Recorder, context_in, declare
from tests.support.repository import Repo

TEST = Request("test")


@pytest.fixture
def entry(repo: Repo) -> Entry:
    """Return the entry of a tool that depends on what lies in ``sub``, its settings committed."""
    repo.write("sub/gone.txt", "gone\n")
    declare(repo, {"test": "exit 0"}, 'inputs = ["sub", ":!sub/*.md"]')
    repo.commit("tools")
    run(TEST, context_in(repo.path), Recorder())
    (key,) = repo.keys()
    return decode(repo.git("cat-file", "blob", f"refs/toolcache/{key}").encode())


def question_in(repo: Repo) -> Question:
    finding = find(TEST, context_in(repo.path))
    assert not isinstance(finding, Unkeyed)
    return finding.question


def test_selected_files_count_and_the_others_are_told_beside_them(repo: Repo, entry: Entry) -> None:
    repo.write("a.txt", "edited\n")
    (repo.path / "sub/gone.txt").unlink()
    repo.write("sub/new.txt", "new\n")
    repo.write("sub/new.md", "new\n")
    expected = ChangedFiles(("sub/gone.txt", "sub/new.txt"), ("a.txt", "sub/new.md"))
    assert changed_files(entry, question_in(repo)) == expected
    repo.commit()
    assert changed_files(entry, question_in(repo)) == expected


def test_files_that_no_input_selects_are_all_left_out(repo: Repo, entry: Entry) -> None:
    repo.write("new.txt", "new\n")
    (repo.path / "a.txt").unlink()
    found = changed_files(entry, question_in(repo))
    assert found == ChangedFiles((), ("a.txt", "new.txt"))


def test_on_the_same_content_no_file_is_told(repo: Repo, entry: Entry) -> None:
    assert changed_files(entry, question_in(repo)) == ChangedFiles()
