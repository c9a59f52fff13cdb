"""``git toolcache forget``: entries go, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Within
from tests.support.calls import declare
from tests.support.repository import Repo


@pytest.fixture
def stored(repo: Repo, within: Within) -> Repo:
    """Return a repository with two entries of ``test`` and one of ``lint``."""
    declare(repo, {"test": "true", "lint": "false"})
    repo.commit("tools")
    within(repo.path, "run", "test")
    repo.write("a.txt", "changed")
    within(repo.path, "run", "--keep-going", "test", "lint")
    return repo


def test_a_tool_is_forgotten_on_this_content_alone(stored: Repo, within: Within) -> None:
    done = within(stored.path, "forget", "test")
    assert (done.status, done.stdout) == (0, b"")
    assert done.stderr == b"toolcache: forgot 1 entry\n"
    assert within(stored.path, "lookup", "test").status == 2
    assert within(stored.path, "lookup", "lint").status == 1
    assert within(stored.path, "lookup", "test", "--rev=HEAD").status == 0


def test_a_key_is_forgotten_by_its_beginning(stored: Repo, within: Within) -> None:
    first, *others = stored.keys()
    done = within(stored.path, "forget", "--json", first[:20])
    assert done.json == {"forgotten": [first]}
    assert stored.keys() == others


def test_several_names_go_together_or_not_at_all(stored: Repo, within: Within) -> None:
    keys = stored.keys()
    done = within(stored.path, "forget", "test", "0123abcd")
    assert (done.status, done.stderr) == (2, b"fatal: no stored key begins with 0123abcd\n")
    assert stored.keys() == keys
    assert within(stored.path, "forget", "test", "lint").stderr == b"toolcache: forgot 2 entries\n"
    assert len(stored.keys()) == 1


def test_all_of_a_tool_and_all_of_all_tools(stored: Repo, within: Within) -> None:
    done = within(stored.path, "forget", "--all", "test")
    assert done.stderr == b"toolcache: forgot 2 entries\n"
    assert within(stored.path, "lookup", "lint").status == 1
    assert within(stored.path, "forget", "--all").stderr == b"toolcache: forgot 1 entry\n"
    assert stored.keys() == []
    assert within(stored.path, "forget", "--all").stderr == b"toolcache: forgot 0 entries\n"


def test_what_is_damaged_can_be_forgotten(repo: Repo, within: Within) -> None:
    key = "ab" * 32
    repo.git("update-ref", f"refs/toolcache/{key}", repo.git("rev-parse", "HEAD"))
    assert within(repo.path, "forget", "abab").status == 0
    assert repo.keys() == []


def test_what_is_not_stored_is_status_2(stored: Repo, within: Within) -> None:
    within(stored.path, "forget", "test")
    done = within(stored.path, "forget", "test")
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr == b"fatal: nothing is stored for test on this content\n"


def test_branches_index_and_working_tree_stay(stored: Repo, within: Within) -> None:
    refs = stored.git("for-each-ref", "refs/heads")
    index = (stored.path / ".git" / "index").read_bytes()
    within(stored.path, "forget", "--all")
    assert stored.git("for-each-ref", "refs/heads") == refs
    assert (stored.path / ".git" / "index").read_bytes() == index
    assert stored.git("status", "--short") == " M a.txt"


def test_outside_a_repository_there_is_nothing_to_forget(tmp_path: Path, within: Within) -> None:
    done = within(tmp_path, "forget", "--all")
    assert (done.status, done.stderr) == (128, b"fatal: not a git repository\n")
