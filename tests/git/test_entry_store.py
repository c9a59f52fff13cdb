"""The store: what is written is read, what is damaged is a miss, and nothing else is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitcache.core.key import Key
from gitcache.git.entry_store import Stored
from tests.support.repository import Repo
from tests.support.storer import key_of, open_store, read, ref_of

KEY = key_of("one")
REF = ref_of("one")


def put(repo: Repo, blob: bytes, key: Key = KEY) -> None:
    open_store(repo.path).write(key, lambda _: blob)


def get(repo: Repo, key: Key = KEY) -> bytes | None:
    stored = read(repo.path, key)
    return stored.blob if stored else None


def lay(repo: Repo, text: str | bytes) -> Path:
    """Put *text* into the ref's file, past git."""
    return repo.write(f".git/{REF}", text)


def blob_id(repo: Repo, data: bytes) -> str:
    return repo.git("hash-object", "-w", "--stdin", stdin=data)


def other_refs(repo: Repo) -> str:
    listing = repo.git("for-each-ref", "--format=%(refname) %(objectname) %(symref)")
    return "\n".join(line for line in listing.splitlines() if "refs/toolcache/" not in line)


def test_what_is_written_is_read(repo: Repo) -> None:
    assert read(repo.path, KEY) is None

    put(repo, b"an entry")

    assert get(repo) == b"an entry"


@pytest.mark.parametrize("blob", [b"", b"a\r\nb\n", bytes(range(256)), b"x" * 3_000_000])
def test_bytes_come_back_as_they_were(repo: Repo, blob: bytes) -> None:
    repo.git("config", "core.autocrlf", "true")
    repo.git("config", "core.safecrlf", "true")

    put(repo, blob)

    assert get(repo) == blob


def test_writer_is_shown_what_lies_there(repo: Repo) -> None:
    put(repo, b"old")

    open_store(repo.path).write(KEY, lambda present: (present or b"") + b"+new")

    assert get(repo) == b"old+new"


def test_writer_is_shown_nothing_for_a_new_key(repo: Repo) -> None:
    shown: list[bytes | None] = []

    def make(present: bytes | None) -> bytes:
        shown.append(present)
        return b"first"

    open_store(repo.path).write(KEY, make)

    assert shown == [None]


def test_entry_of_another_writer_is_kept_by_asking_again(repo: Repo) -> None:
    """The other writer comes between our look and our write."""
    shown: list[bytes | None] = []

    def make(present: bytes | None) -> bytes:
        if not shown:
            put(repo, b"theirs")
        shown.append(present)
        return (present or b"") + b"+ours"

    open_store(repo.path).write(KEY, make)

    assert shown == [None, b"theirs"]
    assert get(repo) == b"theirs+ours"


def test_more_rivals_than_tries_lose_nothing(repo: Repo) -> None:
    shown: list[bytes | None] = []

    def make(present: bytes | None) -> bytes:
        if len(shown) < 12:
            put(repo, b"%d" % len(shown))
        shown.append(present)
        return (present or b"") + b"+ours"

    open_store(repo.path).write(KEY, make)

    assert get(repo) == b"11+ours"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "garbage\n",
        "z" * 40,
        "4b825dc642cb6eb9a060e54bf8d69288fbee490",  # 39 digits
        "0" * 40 + "\n",
        b"\xff\x00\xff",
        "ref: refs/heads/nowhere\n",
        "ref: /etc/passwd\n",
        "1234567890123456789012345678901234567890\n",  # an object that is not there
    ],
)
def test_damaged_ref_is_a_miss_that_shows_and_is_then_replaced(repo: Repo, text: str) -> None:
    lay(repo, text)

    stored = read(repo.path, KEY)
    assert stored is not None
    assert stored.blob is None

    put(repo, b"healed")
    assert get(repo) == b"healed"
    repo.git("fsck", "--strict")
    repo.git("gc", "--quiet")


@pytest.mark.parametrize("text", ["", "garbage\n", "ref: refs/heads/main\n"])
def test_damaged_ref_is_forgotten(repo: Repo, text: str) -> None:
    file = lay(repo, text)
    put(repo, b"other", key_of("two"))

    open_store(repo.path).forget([KEY, key_of("two")])

    assert not file.exists()
    assert repo.keys() == []


@pytest.mark.parametrize("name", ["HEAD^{tree}", "HEAD", "v1"])
def test_ref_to_another_kind_of_object_is_a_miss_and_is_replaced(repo: Repo, name: str) -> None:
    repo.git("tag", "--annotate", "--message=a tag", "v1")
    repo.git("update-ref", REF, name)

    assert read(repo.path, KEY) == Stored(repo.git("rev-parse", REF), None)

    put(repo, b"an entry")
    assert get(repo) == b"an entry"


def test_symbolic_ref_never_moves_the_branch(repo: Repo) -> None:
    before = other_refs(repo)
    repo.git("symbolic-ref", REF, "refs/heads/main")

    put(repo, b"an entry")
    assert get(repo) == b"an entry"
    assert other_refs(repo) == before

    repo.git("symbolic-ref", REF, "refs/heads/main")
    open_store(repo.path).forget([KEY])
    assert read(repo.path, KEY) is None
    assert other_refs(repo) == before


@pytest.mark.parametrize("left", [None, b"", b"garbage"])
def test_lost_object_is_a_miss_then_overwritten_then_a_hit(repo: Repo, left: bytes | None) -> None:
    put(repo, b"an entry")
    oid = repo.git("rev-parse", REF)
    file = repo.path / ".git/objects" / oid[:2] / oid[2:]
    file.unlink()
    if left is not None:
        file.write_bytes(left)

    assert read(repo.path, KEY) == Stored(oid, None)

    put(repo, b"another entry")
    assert get(repo) == b"another entry"


def test_lost_object_hides_no_other_entry(repo: Repo) -> None:
    for name in ("one", "two", "three"):
        put(repo, name.encode(), key_of(name))
    oid = repo.git("rev-parse", ref_of("two"))
    (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()

    found = {key: stored.blob for key, stored in open_store(repo.path).entries()}

    assert found == {key_of("one"): b"one", key_of("two"): None, key_of("three"): b"three"}


def test_newest_entries_come_first_and_packed_ones_last(repo: Repo) -> None:
    for name in ("packed", "packed too"):
        put(repo, name.encode(), key_of(name))
    repo.git("pack-refs", "--all", "--prune")
    for age, name in enumerate(("now", "before", "long ago")):
        put(repo, name.encode(), key_of(name))
        os.utime(repo.path / ".git" / ref_of(name), (1000 - age, 1000 - age))

    found = list(open_store(repo.path).newest_first())

    assert [blob for _, blob in found[:3]] == [b"now", b"before", b"long ago"]
    packed = {key_of(name): name.encode() for name in ("packed", "packed too")}
    assert found[3:] == sorted(packed.items())


def test_what_can_not_be_read_is_not_among_the_newest(repo: Repo) -> None:
    for name in ("one", "lost"):
        put(repo, name.encode(), key_of(name))
    oid = repo.git("rev-parse", ref_of("lost"))
    (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    repo.git("update-ref", ref_of("a commit"), "HEAD")
    for name, text in (("empty", ""), ("garbage", "garbage\n")):
        repo.write(f".git/{ref_of(name)}", text)

    assert list(open_store(repo.path).newest_first()) == [(key_of("one"), b"one")]


@pytest.mark.parametrize("place", ["tags", "heads", "remotes/origin"])
def test_ref_of_another_place_does_not_answer(repo: Repo, place: str) -> None:
    """Git looks for a name below refs/tags too, and a clone brings the tags of others."""
    forged = blob_id(repo, b"forged")
    named = f"refs/{place.removesuffix('/origin')}/{REF}"
    target = "HEAD" if place == "heads" else forged
    repo.git("update-ref", f"{named}/HEAD" if "remotes" in place else named, target)

    assert read(repo.path, KEY) is None

    put(repo, b"an entry")
    assert get(repo) == b"an entry"


def test_packed_entries_are_read_replaced_and_forgotten(repo: Repo) -> None:
    for name in ("one", "two", "three"):
        put(repo, name.encode(), key_of(name))
    repo.git("pack-refs", "--all", "--prune")

    assert get(repo, key_of("two")) == b"two"
    put(repo, b"new two", key_of("two"))
    open_store(repo.path).forget([key_of("one"), key_of("two")])

    assert [get(repo, key_of(name)) for name in ("one", "two", "three")] == [None, None, b"three"]


def test_many_are_forgotten_at_once_and_a_vanished_one_is_no_error(repo: Repo) -> None:
    oid = blob_id(repo, b"an entry")
    names = [str(number) for number in range(300)]
    lines = "".join(f"create {ref_of(name)} {oid}\n" for name in names)
    repo.git("update-ref", "--stdin", stdin=lines.encode())
    keys = [key_of(name) for name in names[:299]]

    open_store(repo.path).forget([*keys, keys[0], key_of("never there")])

    assert repo.keys() == [key_of("299")]


def test_forgetting_nothing_is_no_error(repo: Repo) -> None:
    open_store(repo.path).forget([])


def test_foreign_names_below_our_prefix_are_no_keys(repo: Repo) -> None:
    put(repo, b"an entry")
    for name in ("short", "G" * 64, "A" * 64, f"{'a' * 64}/below", "b" * 65):
        repo.git("update-ref", f"refs/toolcache/{name}", "HEAD")

    store = open_store(repo.path)

    assert store.all_keys() == (KEY,)
    assert [(key, stored.blob) for key, stored in store.entries()] == [(KEY, b"an entry")]


def test_linked_worktrees_see_the_same_entries(repo: Repo, tmp_path: Path) -> None:
    other = repo.add_worktree(tmp_path / "other")
    put(repo, b"from the first")
    put(other, b"from the other", key_of("two"))

    assert get(other) == b"from the first"
    assert get(repo, key_of("two")) == b"from the other"


def test_sha256_repository_has_a_store(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "long", "--object-format=sha256")
    lay(repo, "4b825dc642cb6eb9a060e54bf8d69288fbee4904\n")  # too short for a SHA-256

    put(repo, b"an entry")

    assert get(repo) == b"an entry"


def test_only_our_refs_change(repo: Repo) -> None:
    repo.git("tag", "v1")
    repo.write("a.txt", "staged\n")
    repo.git("add", "a.txt")
    repo.git("stash", "push", "--quiet")
    repo.write("a.txt", "changed\n")
    before, traces = other_refs(repo), repo.traces()

    put(repo, b"an entry")
    put(repo, b"another")
    open_store(repo.path).forget([KEY])

    assert other_refs(repo) == before
    after = repo.traces()
    assert {name: after[name] for name in after if name not in ("refs", "objects")} == {
        name: traces[name] for name in traces if name not in ("refs", "objects")
    }


def test_reflogs_of_every_ref_are_no_obstacle(repo: Repo) -> None:
    repo.git("config", "core.logAllRefUpdates", "always")

    put(repo, b"an entry")
    put(repo, b"another")
    assert get(repo) == b"another"
    open_store(repo.path).forget([KEY])

    assert read(repo.path, KEY) is None
    assert not os.path.exists(repo.path / ".git/logs" / REF)
