"""How the store is: refs by their form, what can't be used, what is damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitcache.git.repository import find_repository
from gitcache.git.store_facts import StoreFacts, StoreSize, store_facts, store_size
from tests.support.calls import ask
from tests.support.repository import Repo

KEY = "ab" * 32


def facts(repo: Repo) -> StoreFacts:
    repository = find_repository(repo.path, {"PATH": "/usr/bin:/bin", "HOME": "/nowhere"})
    with repository.git.objects() as objects:
        return store_facts(repository, objects)


def blob(repo: Repo, data: bytes) -> str:
    return repo.git("hash-object", "-w", "--stdin", stdin=data)


def refs(repo: Repo) -> Path:
    folder = repo.path / ".git/refs/toolcache"
    folder.mkdir(exist_ok=True)
    return folder


def test_empty_store_has_nothing(repo: Repo) -> None:
    found = facts(repo)
    assert (found.storage, found.refs, found.disk_bytes, found.read) == ("files", 0, 0, 0)
    assert (found.foreign, found.missing) == ((), ())
    assert (found.empty_files, found.broken_files) == ((), ())


def test_loose_and_packed_refs_are_counted_apart(repo: Repo) -> None:
    for word in ("1", "2", "3"):
        ask(repo, "echo", word)
    assert (facts(repo).loose, facts(repo).packed) == (3, 0)
    repo.git("pack-refs", "--all")
    ask(repo, "echo", "4")
    found = facts(repo)
    assert (found.loose, found.packed, found.refs) == (1, 3, 4)
    assert (found.read, found.unusable) == (4, 0)


def test_a_ref_that_is_packed_and_a_file_counts_once(repo: Repo) -> None:
    ask(repo, "echo")
    repo.git("pack-refs", "--all", "--no-prune")
    found = facts(repo)
    assert (found.loose, found.packed) == (1, 0)


def test_bytes_are_those_of_the_disk_and_of_each_blob_once(repo: Repo) -> None:
    oid = blob(repo, bytes(100_000))
    for key in (KEY, "cd" * 32):
        repo.git("update-ref", f"refs/toolcache/{key}", oid)
    size = (repo.path / ".git/objects" / oid[:2] / oid[2:]).stat().st_size
    assert size < 1000
    assert facts(repo).disk_bytes == size


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff", b"[" * 100_000])
def test_blob_that_is_no_entry_is_unusable(repo: Repo, data: bytes) -> None:
    repo.git("update-ref", f"refs/toolcache/{KEY}", blob(repo, data))
    found = facts(repo)
    assert (found.read, found.unusable, found.missing) == (1, 1, ())


def test_ref_to_a_tree_and_entry_of_another_key_are_unusable(repo: Repo) -> None:
    ask(repo, "echo")
    (key,) = repo.keys()
    repo.git("update-ref", f"refs/toolcache/{KEY}", f"refs/toolcache/{key}")
    repo.git("update-ref", f"refs/toolcache/{'cd' * 32}", "HEAD^{tree}")
    found = facts(repo)
    assert (found.read, found.unusable) == (3, 2)


def test_ref_whose_name_is_no_key_is_foreign(repo: Repo) -> None:
    repo.git("update-ref", "refs/toolcache/mine/own", "HEAD")
    found = facts(repo)
    assert (found.loose, found.foreign) == (1, ("refs/toolcache/mine/own",))
    assert (found.read, found.unusable) == (0, 0)


def test_ref_to_an_object_that_is_gone_is_missing(repo: Repo) -> None:
    oid = blob(repo, b"soon gone")
    repo.git("update-ref", f"refs/toolcache/{KEY}", oid)
    (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    found = facts(repo)
    assert (found.refs, found.missing, found.read) == (1, (f"refs/toolcache/{KEY}",), 0)


def test_empty_and_broken_files_are_told_apart_and_locks_are_none(repo: Repo) -> None:
    folder = refs(repo)
    (folder / KEY).touch()
    (folder / ("cd" * 32)).write_text("garbage\n")
    (folder / ("ef" * 32)).symlink_to("nowhere")
    (folder / f"{'12' * 32}.lock").touch()
    found = facts(repo)
    assert found.refs == 0
    assert found.empty_files == (folder / KEY,)
    assert found.broken_files == (folder / ("cd" * 32), folder / ("ef" * 32))


def test_linked_worktree_sees_the_same_store(repo: Repo, tmp_path: Path) -> None:
    ask(repo, "echo")
    assert facts(repo.add_worktree(tmp_path / "wt")) == facts(repo)


def test_size_is_that_of_the_facts(repo: Repo) -> None:
    for word in ("1", "2"):
        ask(repo, "echo", word)
    (refs(repo) / "no-key").write_text(blob(repo, b"x") + "\n")
    size = store_size(find_repository(repo.path, {"PATH": "/usr/bin:/bin", "HOME": "/nowhere"}))
    assert size == StoreSize(entries=2, disk_bytes=facts(repo).disk_bytes)
