"""What keeps a result from being stored is a StoreError with a reason: no hang, no other error."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gitcache.errors import StoreError
from gitcache.git.entry_store import EntryStore
from gitcache.git.repository import find_repository
from tests.support.repository import Repo
from tests.support.storer import key_of, open_store, read, ref_of, storer

KEY = key_of("own 0")
REF = ref_of("own 0")

POWERLESS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
"""Starts a program that obeys permissions, even where root runs the tests."""

FULL_DISK = ("sh", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "sh")
"""Starts a program that can't write a byte into a file."""


def fails_to_store(repo: Repo, *wrapper: str) -> str:
    """Store in a process of its own and return what it says."""
    done = subprocess.run(
        [*wrapper, *storer(repo.path, "own", "own", 1)], capture_output=True, timeout=30
    )
    assert done.stdout == b""
    return done.stderr.decode()


def hook(repo: Repo, script: str) -> None:
    repo.write(".git/hooks/reference-transaction", f"#!/bin/sh\n{script}\n").chmod(0o755)


@pytest.mark.parametrize("folder", ["refs/toolcache", "objects"])
def test_read_only_folder_is_a_store_error(repo: Repo, folder: str) -> None:
    if os.geteuid() == 0 and not shutil.which(POWERLESS[0]):
        pytest.skip("root obeys no permissions, and there is no setpriv to change that")
    place = repo.path / ".git" / folder
    place.mkdir(exist_ok=True)
    folders = [place, *(each for each in place.rglob("*") if each.is_dir())]
    for each in folders:
        each.chmod(0o555)

    said = fails_to_store(repo, *(POWERLESS if os.geteuid() == 0 else ()))

    for each in folders:
        each.chmod(0o755)
    assert said.startswith("StoreError: the result can't be stored: git ")
    assert "ermission" in said
    assert read(repo.path, KEY) is None


def test_full_disk_is_a_store_error(repo: Repo) -> None:
    said = fails_to_store(repo, *FULL_DISK)

    assert said.startswith("StoreError: the result can't be stored: git hash-object: ")
    assert read(repo.path, KEY) is None
    repo.git("fsck")


def test_lock_that_nobody_holds_is_told_by_its_name(repo: Repo) -> None:
    """Git can't know that its owner is gone, and neither can we."""
    repo.git("config", "core.filesRefLockTimeout", "-1")  # wait for ever
    lock = repo.write(f".git/{REF}.lock", "")

    with pytest.raises(StoreError, match=f"{KEY}.lock': File exists"):
        open_store(repo.path).write(KEY, lambda _: b"an entry")

    assert lock.exists()
    open_store(repo.path).write(key_of("other"), lambda _: b"an entry")
    lock.unlink()
    open_store(repo.path).write(KEY, lambda _: b"an entry")
    assert repo.keys() == sorted([KEY, key_of("other")])


def test_lock_keeps_a_damaged_ref_from_being_removed(repo: Repo) -> None:
    """Whoever holds it may be writing the ref anew at this moment."""
    file = repo.write(f".git/{REF}", "garbage\n")
    repo.write(f".git/{REF}.lock", "")

    with pytest.raises(StoreError):
        open_store(repo.path).write(KEY, lambda _: b"an entry")

    assert file.read_text() == "garbage\n"


def test_lock_on_the_packed_refs_stops_no_writer_but_says_why_nothing_is_forgotten(
    repo: Repo,
) -> None:
    repo.git("config", "core.packedRefsTimeout", "-1")
    store = open_store(repo.path)
    store.write(KEY, lambda _: b"old")
    repo.git("pack-refs", "--all")
    repo.write(".git/packed-refs.lock", "")

    store.write(KEY, lambda _: b"an entry")
    with pytest.raises(StoreError, match=r"packed-refs.lock': File exists"):
        store.forget([KEY])

    stored = read(repo.path, KEY)
    assert stored is not None
    assert stored.blob == b"an entry"


@pytest.mark.parametrize("text", ["garbage\n", ""])
def test_file_in_the_place_of_our_folder_is_a_store_error(repo: Repo, text: str) -> None:
    repo.write(".git/refs/toolcache", text)

    assert read(repo.path, KEY) is None
    with pytest.raises(StoreError, match="the result can't be stored: git update-ref: "):
        open_store(repo.path).write(KEY, lambda _: b"an entry")
    assert open_store(repo.path).all_keys() == ()


def test_ref_of_our_folders_name_is_a_store_error(repo: Repo) -> None:
    repo.git("update-ref", "refs/toolcache", "HEAD")

    with pytest.raises(StoreError, match=f"'refs/toolcache' exists; cannot create '{REF}'"):
        open_store(repo.path).write(KEY, lambda _: b"an entry")
    assert repo.git("rev-parse", "refs/toolcache") == repo.git("rev-parse", "HEAD")


def test_ref_below_a_key_is_a_store_error_and_an_empty_folder_is_none(repo: Repo) -> None:
    repo.git("update-ref", f"{REF}/below", "HEAD")
    with pytest.raises(StoreError, match=f"'{REF}/below' exists"):
        open_store(repo.path).write(KEY, lambda _: b"an entry")
    repo.git("update-ref", "-d", f"{REF}/below")
    (repo.path / ".git" / REF).mkdir(exist_ok=True)

    assert read(repo.path, KEY) is None
    open_store(repo.path).write(KEY, lambda _: b"an entry")
    assert repo.keys() == [KEY]


def test_storing_one_result_costs_one_transaction(repo: Repo, tmp_path: Path) -> None:
    log = tmp_path / "transactions"
    hook(repo, f'echo "$1" >>"{log}"')

    open_store(repo.path).write(KEY, lambda _: b"an entry")

    assert log.read_text().split() == ["prepared", "committed"]


def test_forgetting_many_costs_as_many_transactions_as_forgetting_one(
    repo: Repo, tmp_path: Path
) -> None:
    """Git runs one of its own on the packed refs within each that deletes."""
    log = tmp_path / "transactions"
    keys = [key_of(str(number)) for number in range(5)]
    for key in keys:
        open_store(repo.path).write(key, lambda _: b"an entry")
    hook(repo, f'echo "$1" >>"{log}"')

    open_store(repo.path).forget(keys[:1])
    one = log.read_text().split()
    log.unlink()
    open_store(repo.path).forget(keys[1:])

    assert log.read_text().split() == one
    assert one.count("prepared") <= 2


def test_hook_that_refuses_is_a_store_error(repo: Repo) -> None:
    hook(repo, 'echo "no entries here" >&2; [ "$1" != prepared ]')

    with pytest.raises(StoreError, match="ref updates aborted by hook"):
        open_store(repo.path).write(KEY, lambda _: b"an entry")
    assert repo.keys() == []


def test_quarantine_of_a_receiving_hook_is_a_store_error(repo: Repo) -> None:
    environ = {**os.environ, "GIT_QUARANTINE_PATH": str(repo.path / ".git/objects")}
    store = EntryStore(find_repository(repo.path, environ))

    with pytest.raises(StoreError, match="ref updates forbidden inside quarantine environment"):
        store.write(KEY, lambda _: b"an entry")


def test_folder_that_is_gone_is_a_store_error(repo: Repo) -> None:
    store = open_store(repo.path)
    repo.path.rename(repo.path.with_name("moved"))

    with pytest.raises(StoreError, match=r"the folder .*/repo does not exist"):
        store.write(KEY, lambda _: b"an entry")
    with pytest.raises(StoreError, match=r"the folder .*/repo does not exist"):
        store.forget([KEY])
