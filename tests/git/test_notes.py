"""Notes: whatever writes beside us, none is lost, and nothing but our ref changes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gitcache.errors import StoreError
from gitcache.git.notes import REF
from tests.support.footprint import footprint
from tests.support.noter import add, start_noter, text_of
from tests.support.repository import Repo

WRITERS = tuple("abcdefgh")


def commits_in(repo: Repo, count: int) -> list[str]:
    """Return that many new commits, the oldest first."""
    return [repo.commit(f"number {number}") for number in range(count)]


def note(repo: Repo, commit: str) -> str:
    return repo.git("notes", "--ref=toolcache", "show", commit)


def import_notes(repo: Repo, paths: list[str], parent: str = "") -> None:
    """Commit somebody's notes under *paths*, at whatever fan-out these have."""
    head = f"commit {REF}\ncommitter A <a@example.org> 0 +0000\ndata 1\n.\n{parent}"
    files = "".join(f"M 100644 inline {path}\ndata 7\ntheirs\n\n" for path in paths)
    repo.git("fast-import", "--quiet", stdin=(head + files).encode())


def other_refs(repo: Repo) -> list[str]:
    return [line for line in repo.git("for-each-ref").splitlines() if not line.endswith(REF)]


@pytest.mark.parametrize("way", ["locked", "free"])
def test_eight_writers_of_twenty_commits_lose_no_line(repo: Repo, way: str) -> None:
    commits = commits_in(repo, 20)

    noters = [start_noter(repo.path, writer, way, *commits) for writer in WRITERS]

    assert [noter.wait(240) for noter in noters] == [0] * 8
    assert {note(repo, commit) for commit in commits} == {text_of(*WRITERS)}
    assert repo.git("rev-list", "--count", REF) == "1"
    assert repo.git("fsck", "--strict", "--no-dangling") == ""


def test_collector_of_objects_takes_nothing_away(repo: Repo, tmp_path: Path) -> None:
    commits = commits_in(repo, 20)
    stop, rounds = tmp_path / "stop", tmp_path / "rounds"
    loop = 'while [ ! -e "$0" ]; do git gc --quiet --prune=now; git pack-refs --all; echo; done'
    with open(rounds, "wb") as output:
        collector = subprocess.Popen(
            ["sh", "-c", loop, stop], cwd=repo.path, stdout=output, stderr=subprocess.DEVNULL
        )
    try:
        noters = [start_noter(repo.path, writer, "locked", *commits) for writer in "ab"]
        assert [noter.wait(120) for noter in noters] == [0, 0]
    finally:
        stop.touch()
        collector.wait(60)

    assert rounds.read_text().count("\n") >= 2
    assert {note(repo, commit) for commit in commits} == {text_of("a", "b")}
    assert repo.git("fsck", "--strict", "--no-dangling") == ""
    repo.git("gc", "--quiet", "--prune=now")
    assert list((repo.path / ".git/objects/pack").glob("*.keep")) == []


def test_while_objects_are_collected_new_ones_lie_in_a_pack(repo: Repo) -> None:
    repo.write(".git/gc.pid", f"{os.getpid()} here")
    commit = repo.git("rev-parse", "HEAD")

    add(repo.path, commit)

    assert note(repo, commit) == text_of("test")
    assert sorted(each.suffix for each in (repo.path / ".git/objects/pack").iterdir()) == [
        ".idx",
        ".pack",
    ]


def test_log_shows_the_note_and_one_commit_of_ours(repo: Repo) -> None:
    first, second = repo.git("rev-parse", "HEAD"), repo.commit("second")
    for commit in (first, second):
        add(repo.path, commit)

    shown = repo.git("log", "-1", "--notes=toolcache", "--format=%N", first)
    assert shown.strip() == text_of("test")
    assert len(repo.git("log", "--all", "--format=%H").split()) == 3
    assert not (repo.path / ".git/logs" / REF).exists()


def test_what_is_told_already_is_not_written_again(repo: Repo) -> None:
    add(repo.path, "a" * 40)
    before = footprint(repo.path)

    add(repo.path, "a" * 40)

    assert footprint(repo.path) == before


def test_only_our_ref_changes(repo: Repo) -> None:
    repo.git("tag", "v1")
    repo.git("notes", "add", "-m", "a note of another kind")
    repo.write("a.txt", "stashed\n")
    repo.git("stash", "push", "--quiet")
    repo.write("a.txt", "changed\n")
    repo.git("add", "a.txt")
    before, traces = other_refs(repo), repo.traces()

    add(repo.path, repo.git("rev-parse", "HEAD"))

    assert other_refs(repo) == before
    after = repo.traces()
    for folder in ("refs", "objects"):
        del after[folder], traces[folder]
    assert after == traces


@pytest.mark.parametrize("count", [3, 300])
def test_notes_and_words_of_people_are_kept(repo: Repo, count: int) -> None:
    """Git itself writes many notes with folders, and few without."""
    names = [f"{number:040x}" for number in range(1, count + 1)]
    folders = count > 256
    import_notes(repo, [f"{name[:2]}/{name[2:]}" if folders else name for name in names])
    mine = repo.git("rev-parse", "HEAD")
    repo.git("notes", "--ref=toolcache", "add", "-m", "mine", mine)

    add(repo.path, mine)
    add(repo.path, names[1])

    assert note(repo, mine) == f"mine\n{text_of('test')}"
    assert _blob_of_note(repo, names[1]) == f"theirs\n{text_of('test')}"
    assert len(repo.git("notes", "--ref=toolcache", "list").splitlines()) == count + 1
    assert repo.git("rev-list", "--count", REF) == "1"


def _blob_of_note(repo: Repo, name: str) -> str:
    lines = (line.split() for line in repo.git("notes", "--ref=toolcache", "list").splitlines())
    blobs = {commit: blob for blob, commit in lines}
    return repo.git("cat-file", "blob", blobs[name])


def test_many_notes_get_folders_that_git_reads(repo: Repo) -> None:
    names = [f"{number * 2654435761 % 2**32:08x}{'0' * 32}" for number in range(300)]
    for name in names[:3]:
        add(repo.path, name)
    import_notes(repo, names[3:280], f"from {REF}^0\n")

    for name in names[270:]:
        add(repo.path, name)

    listed = repo.git("notes", "--ref=toolcache", "list").splitlines()
    assert sorted(line.split()[1] for line in listed) == sorted(names)
    assert any(line.startswith("040000") for line in repo.git("ls-tree", REF).splitlines())
    assert _blob_of_note(repo, names[275]) == f"theirs\n{text_of('test')}"
    assert _blob_of_note(repo, names[299]) == text_of("test")
    assert repo.git("fsck", "--strict", "--no-dangling") == ""


def test_notes_of_a_colleague_merge_by_git(repo: Repo, tmp_path: Path) -> None:
    commit = repo.git("rev-parse", "HEAD")
    repo.git("clone", "--quiet", str(repo.path), str(tmp_path / "theirs"))
    theirs = Repo(tmp_path / "theirs")
    add(repo.path, commit, "test")
    add(theirs.path, commit, "lint")
    repo.git("fetch", "--quiet", str(theirs.path), f"{REF}:refs/notes/theirs")
    words = ("merge", "--quiet", "--strategy=cat_sort_uniq", "refs/notes/theirs")
    repo.git("notes", "--ref=toolcache", *words)
    assert note(repo, commit) == text_of("lint", "test")

    add(repo.path, commit, "build")

    assert note(repo, commit) == text_of("build", "lint", "test")
    assert repo.git("rev-list", "--count", REF) == "1"


def test_setting_turns_notes_off(repo: Repo) -> None:
    repo.git("config", "toolcache.notes", "false")
    add(repo.path, repo.git("rev-parse", "HEAD"))
    assert repo.git("for-each-ref", "refs/notes/") == ""


def author_and_committer(repo: Repo) -> str:
    return repo.git("log", "-1", "--format=%an <%ae> %cn <%ce> %ct", REF)


def test_writer_is_who_git_would_write(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Ä U Thor")
    add(repo.path, "a" * 40)
    told = "Ä U Thor <author@example.org> A U Thor <author@example.org> 1767225600"
    assert author_and_committer(repo) == told


def test_without_identity_the_writer_is_a_fixed_one(repo: Repo, sealed: Path) -> None:
    (sealed / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    add(repo.path, "a" * 40)
    nobody = "git toolcache <toolcache@localhost>"
    assert author_and_committer(repo) == f"{nobody} {nobody} 1767225600"


def test_sha256_repository_has_notes(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "long", "--object-format=sha256")
    commit = repo.commit()
    add(repo.path, commit, "test")
    add(repo.path, commit, "lint")
    assert note(repo, commit) == text_of("lint", "test")
    assert repo.git("fsck", "--strict", "--no-dangling") == ""


def test_commit_of_a_shallow_clone_has_a_note(repo: Repo, tmp_path: Path) -> None:
    repo.commit("second")
    repo.git("clone", "--quiet", "--depth=1", f"file://{repo.path}", str(tmp_path / "shallow"))
    shallow = Repo(tmp_path / "shallow")
    commit = shallow.git("rev-parse", "HEAD")
    add(shallow.path, commit)
    assert note(shallow, commit) == text_of("test")


def test_tag_of_the_refs_name_is_not_taken_for_it(repo: Repo) -> None:
    repo.git("tag", REF)
    commit = repo.git("rev-parse", "HEAD")
    add(repo.path, commit)
    assert repo.git("ls-tree", "-r", "--name-only", f"refs/{REF[5:]}").split() == [commit]


def test_refusing_hook_costs_one_transaction(repo: Repo, tmp_path: Path) -> None:
    hook = repo.write(".git/hooks/reference-transaction", f'#!/bin/sh\necho "$1" >>{tmp_path}/said')
    hook.write_text(f"{hook.read_text()}\nexit 1\n")
    hook.chmod(0o755)

    with pytest.raises(StoreError, match="the note on the commit can't be written"):
        add(repo.path, repo.git("rev-parse", "HEAD"))

    assert (tmp_path / "said").read_text().split() == ["prepared", "aborted"]


def test_unreadable_notes_are_refused_and_stay(repo: Repo) -> None:
    add(repo.path, "a" * 40)
    tree = repo.git("rev-parse", f"{REF}^{{tree}}")
    os.unlink(repo.path / ".git/objects" / tree[:2] / tree[2:])
    before = repo.git("rev-parse", REF)

    with pytest.raises(StoreError, match="can't be read"):
        add(repo.path, "b" * 40)

    assert repo.git("rev-parse", REF) == before
