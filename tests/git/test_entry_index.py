"""The look-up index says what the store holds now, whatever became of its file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gitcache.core.indexed_entry import IndexedEntry
from gitcache.core.key import Key
from gitcache.core.outcome import Failed
from gitcache.git.entry_index import indexed_entries
from gitcache.git.plumbing import GitObject, ObjectReader
from gitcache.git.repository import find_repository
from tests.support.repository import Repo
from tests.support.stored import entry_on, lay

TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
ENTRIES = tuple(entry_on(TREE, tool, at=2.0) for tool in ("build", "lint", "test"))
EXPECTED = {each.key: IndexedEntry.of_entry(each) for each in ENTRIES}


class Counting(ObjectReader):
    """A reader that remembers what it was asked for."""

    def __init__(self, reader: ObjectReader) -> None:
        self.reader = reader
        self.asked: list[str] = []

    def read(self, name: str) -> GitObject | None:
        self.asked.append(name)
        return self.reader.read(name)


def look(repo: Repo) -> tuple[dict[Key, IndexedEntry], int]:
    """Return what the index says, and how many blobs were read for that."""
    repository = find_repository(repo.path, os.environ)
    with repository.git.objects() as objects:
        counting = Counting(objects)
        return indexed_entries(repository, counting), len(counting.asked)


def file_of(repo: Repo) -> Path:
    return repo.path / ".git/toolcache/index"


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    """Return a repository with entries and an index of them."""
    lay(repo, *ENTRIES)
    assert look(repo) == (EXPECTED, 3)
    return repo


def test_nothing_is_read_again_where_nothing_is_new(indexed: Repo) -> None:
    before = file_of(indexed).stat()
    assert look(indexed) == (EXPECTED, 0)
    assert file_of(indexed).stat() == before


def test_only_new_and_changed_blobs_are_read(indexed: Repo) -> None:
    new = entry_on(TREE, "audit")
    changed = replace(ENTRIES[0], verdict=Failed(3))
    lay(indexed, new, changed)
    expected = {each.key: IndexedEntry.of_entry(each) for each in (new, changed, *ENTRIES[1:])}
    assert look(indexed) == (expected, 2)
    assert look(indexed) == (expected, 0)


def test_forgotten_entry_is_gone(indexed: Repo) -> None:
    indexed.git("update-ref", "-d", f"refs/toolcache/{ENTRIES[0].key}")
    found, count = look(indexed)
    assert (set(found), count) == ({each.key for each in ENTRIES[1:]}, 0)


def test_packed_refs_count_as_loose_ones(indexed: Repo) -> None:
    indexed.git("pack-refs", "--all")
    assert look(indexed) == (EXPECTED, 0)


def torn(text: str) -> str:
    return text[:-20]


def of_another_version(text: str) -> str:
    return json.dumps(json.loads(text) | {"format": "0"})


def foreign(text: str) -> str:
    return "[1, 2]"


def with_a_foreign_row(text: str) -> str:
    value = json.loads(text)
    value["entries"][ENTRIES[0].key][1][0] = "no name"
    return json.dumps(value)


def with_a_foreign_id(text: str) -> str:
    value = json.loads(text)
    value["entries"][ENTRIES[0].key] = 7
    return json.dumps(value)


@pytest.mark.parametrize(
    "damage", [torn, of_another_version, foreign, with_a_foreign_row, with_a_foreign_id]
)
def test_damaged_index_is_made_anew(indexed: Repo, damage: Callable[[str], str]) -> None:
    file_of(indexed).write_text(damage(file_of(indexed).read_text()))
    assert look(indexed) == (EXPECTED, 3)
    assert look(indexed) == (EXPECTED, 0)


def test_lost_index_is_made_anew(indexed: Repo) -> None:
    file_of(indexed).unlink()
    assert look(indexed) == (EXPECTED, 3)


def test_index_that_cant_be_written_costs_time_alone(repo: Repo) -> None:
    lay(repo, *ENTRIES)
    repo.write(".git/toolcache", "a file where the folder should be")
    for _ in range(2):
        assert look(repo) == (EXPECTED, 3)


def test_what_is_no_entry_of_its_key_is_left_out_and_read_once(indexed: Repo) -> None:
    blob = indexed.git("rev-parse", f"refs/toolcache/{ENTRIES[0].key}")
    indexed.git("update-ref", f"refs/toolcache/{'0' * 64}", blob)
    tree = indexed.git("rev-parse", "HEAD^{tree}")
    indexed.git("update-ref", f"refs/toolcache/{'1' * 64}", tree)
    indexed.git("update-ref", "refs/toolcache/no-key", blob)
    assert look(indexed) == (EXPECTED, 2)
    assert look(indexed) == (EXPECTED, 0)


def test_index_leaves_nothing_beside_it_and_no_trace_in_the_repository(repo: Repo) -> None:
    lay(repo, *ENTRIES)
    before = repo.traces()
    look(repo)
    assert repo.traces() == before
    assert [each.name for each in file_of(repo).parent.iterdir()] == ["index"]
