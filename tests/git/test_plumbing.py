"""Git as it is called: the user's settings change no answer, and a refusal has a reason."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from gitcache.errors import RepositoryError
from gitcache.git.plumbing import Git, GitError, ObjectReader
from gitcache.git.status import QUESTION
from tests.support.repository import Repo

ODD_SETTINGS = {
    "alias.status": "!echo alias",
    "alias.rev-parse": "!echo alias",
    "color.status": "always",
    "color.ui": "always",
    "column.ui": "always",
    "core.abbrev": "4",
    "core.askPass": "false",
    "core.checkStat": "minimal",
    "core.fsmonitor": "true",
    "core.pager": "false",
    "core.quotePath": "true",
    "core.trustctime": "false",
    "core.warnAmbiguousRefs": "true",
    "diff.external": "false",
    "diff.ignoreSubmodules": "all",
    "diff.noprefix": "true",
    "log.showSignature": "true",
    "pager.status": "true",
    "status.aheadBehind": "true",
    "status.branch": "false",
    "status.displayCommentPrefix": "true",
    "status.relativePaths": "true",
    "status.renames": "copies",
    "status.short": "true",
    "status.showStash": "true",
    "status.showUntrackedFiles": "no",
    "status.submoduleSummary": "true",
}
"""Settings that change what git prints to a person."""


def git_at(path: Path, **variables: str) -> Git:
    return Git(path, {**os.environ, **variables})


def reader(repo: Repo, **variables: str) -> ObjectReader:
    return git_at(repo.path, **variables).objects()


def answers(repo: Repo, folder: str) -> list[bytes]:
    git = git_at(repo.path / folder)
    with git.objects() as objects:
        found = objects.read("HEAD:sub/ä b")
    assert found is not None
    return [
        git.run(*QUESTION),
        git.run("rev-parse", "--show-toplevel", "HEAD"),
        git.run("for-each-ref", "--format=%(refname) %(objectname)"),
        git.run("hash-object", "--stdin", stdin=b"x\r\n"),
        found.data,
    ]


@pytest.mark.parametrize("folder", [".", "sub"])
def test_users_settings_change_no_answer(repo: Repo, sealed: Path, folder: str) -> None:
    repo.write("sub/ä b", "odd name\n")
    repo.commit()
    repo.git("update-ref", "refs/heads/HEAD", "HEAD")  # makes the name ambiguous
    repo.git("mv", "a.txt", "moved.txt")
    repo.write("sub/ä b", "changed\n")
    repo.write("sub/new ü", "untracked\n")
    plain = answers(repo, folder)
    assert plain[0].count(b"\0") == 6  # the commit, its branch, and four paths without renames

    for name, value in ODD_SETTINGS.items():
        repo.git("config", "--file", str(sealed / ".gitconfig"), name, value)

    assert answers(repo, folder) == plain


def test_index_is_not_rewritten_by_a_look(repo: Repo) -> None:
    os.utime(repo.path / "a.txt", (1, 1))  # git would note the new time
    before = (repo.path / ".git/index").read_bytes()

    git_at(repo.path).run(*QUESTION)

    assert (repo.path / ".git/index").read_bytes() == before


def test_every_fact_of_a_files_stat_counts(repo: Repo) -> None:
    repo.git("config", "core.trustCtime", "false")
    repo.git("config", "core.checkStat", "minimal")

    git = git_at(repo.path)

    assert git.run("config", "--get", "core.trustCtime") == b"true\n"
    assert git.run("config", "--get", "core.checkStat") == b"default\n"


def test_git_speaks_english_and_asks_nobody(repo: Repo) -> None:
    words = "$LC_ALL,$LANGUAGE,$GIT_TERMINAL_PROMPT,$GIT_ASKPASS"
    git = git_at(repo.path, LC_ALL="de_DE.UTF-8", LANGUAGE="de", GIT_ASKPASS="xeyes")

    assert git.run("-c", f"alias.words=!echo {words}", "words") == b"C,,0,\n"


def test_refusal_has_status_and_reason(repo: Repo) -> None:
    with pytest.raises(GitError) as caught:
        git_at(repo.path).run("rev-parse", "--verify", "nothing")

    assert caught.value.returned == 128
    assert caught.value.message == "git rev-parse: Needed a single revision"


def test_silent_refusal_tells_its_status(repo: Repo) -> None:
    with pytest.raises(GitError) as caught:
        git_at(repo.path).run("config", "--get", "no.such")

    assert caught.value.message == "git config: status 1"


def test_reason_is_found_behind_traces_and_hints(repo: Repo) -> None:
    with pytest.raises(GitError) as caught:
        git_at(repo.path, GIT_TRACE="1").run("rev-parse", "--verify", "nothing")

    assert caught.value.message == "git rev-parse: Needed a single revision"


def test_error_behind_the_end_is_told_too(repo: Repo) -> None:
    repo.write(".git/objects/4b/825dc642cb6eb9a060e54bf8d69288fbee4905", "")

    with pytest.raises(GitError) as caught:
        git_at(repo.path).run("cat-file", "-p", "4b825dc642cb6eb9a060e54bf8d69288fbee4905")

    assert caught.value.message.startswith("git cat-file: Not a valid object name 4b825")
    assert caught.value.message.endswith("fbee4905 is empty)")


def test_refusal_of_git_is_an_error_of_the_repository(repo: Repo) -> None:
    """A caller that can go on without a repository goes on."""
    repo.write(".git/index", "garbage")

    with pytest.raises(RepositoryError, match="git status: "):
        git_at(repo.path).run(*QUESTION)


def test_missing_git_is_told(repo: Repo, tmp_path: Path) -> None:
    with pytest.raises(RepositoryError, match=r"^the program git was not found on the PATH$"):
        git_at(repo.path, PATH=str(tmp_path)).run("version")


def test_git_that_is_no_program_is_told(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\n")

    with pytest.raises(RepositoryError, match=r"^git can't be started in .*: Permission denied$"):
        git_at(repo.path, PATH=str(tmp_path)).run("version")


def test_missing_folder_is_told(repo: Repo) -> None:
    with pytest.raises(RepositoryError, match=r"^the folder .*/repo/gone does not exist$"):
        git_at(repo.path / "gone").run("version")


def test_file_in_the_place_of_a_folder_is_told(repo: Repo) -> None:
    with pytest.raises(RepositoryError, match=r"^git can't be started in .*: Not a directory$"):
        git_at(repo.path / "a.txt").run("version")


def test_call_that_nobody_waits_for_is_ended(repo: Repo) -> None:
    with git_at(repo.path).start("cat-file", "--batch") as call:
        pid = call._process.pid

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_large_input_and_output_pass_at_once(repo: Repo) -> None:
    data = bytes(range(256)) * 20_000
    git = git_at(repo.path)

    oid = git.run("hash-object", "-w", "--stdin", stdin=data).decode().strip()

    assert git.run("cat-file", "blob", oid) == data


def test_reader_answers_one_name_after_the_other(repo: Repo) -> None:
    huge = b"x\n" * 2_000_000
    repo.write("huge", huge)
    repo.write("empty", "")
    repo.write("blob 5", "a name like an answer\n")
    repo.commit()
    with reader(repo) as objects:
        assert objects.read("no such") is None
        assert objects.read("HEAD:blob 5") is not None
        assert objects.read("a blob 5") is None
        assert objects.read("") is None
        found = [objects.read(f"HEAD:{name}") for name in ("huge", "empty", "sub/b.txt", "sub")]

    assert [each.kind if each else None for each in found] == ["blob", "blob", "blob", "tree"]
    assert [each.data for each in found[:3] if each] == [huge, b"", b"b\n"]


@pytest.mark.parametrize("name", ["HEAD:a\nb", "HEAD\nHEAD", "HEAD\0", "HEAD:a.txt\r", "\n"])
def test_name_that_is_no_line_has_no_object_and_shifts_no_answer(repo: Repo, name: str) -> None:
    repo.write("a\nb", "a newline in its name\n")
    repo.write("a.txt\r", "a return in its name\n")
    repo.commit()
    with reader(repo) as objects:
        assert objects.read(name) is None
        found = objects.read("HEAD:a.txt")

    assert found is not None
    assert found.data == b"a\n"


def test_names_of_any_bytes_are_read(repo: Repo) -> None:
    odd = os.fsdecode(b"\xff caf\xc3\xa9 \t'\"\\")
    repo.write(odd, "odd\n")
    repo.commit()
    with reader(repo) as objects:
        found = objects.read(f"HEAD:{odd}")

    assert found is not None
    assert found.data == b"odd\n"


def test_ambiguous_name_has_no_object(repo: Repo) -> None:
    """Two blobs whose ids share the four digits that git takes at least."""
    first, second = (
        repo.git("hash-object", "-w", "--stdin", stdin=data) for data in (b"142", b"784")
    )
    assert first[:4] == second[:4] == "8324"
    assert first != second
    with reader(repo) as objects:
        assert objects.read(first[:4]) is None
        assert objects.read(first) is not None


@pytest.mark.parametrize(("kept", "times"), [(0, 2000), (20, 3), (4000, 3)])
def test_damaged_object_is_no_object_and_hides_no_other(repo: Repo, kept: int, times: int) -> None:
    """Git complains of an empty object at length, and ends in the midst of one that is cut."""
    data = b"".join(hashlib.sha1(b"%d" % number).digest() for number in range(500))
    oid = repo.git("hash-object", "-w", "--stdin", stdin=data)
    file = repo.path / ".git/objects" / oid[:2] / oid[2:]
    stored = file.read_bytes()
    file.unlink()
    file.write_bytes(stored[:kept])
    with reader(repo) as objects:
        for _ in range(times):
            assert objects.read(oid) is None
            found = objects.read("HEAD:a.txt")
            assert found is not None
            assert found.data == b"a\n"


def test_git_that_is_killed_is_started_again(repo: Repo) -> None:
    with reader(repo) as objects:
        objects._call._process.kill()
        objects._call._process.wait()
        assert objects.read("HEAD") is None
        assert objects.read("HEAD") is not None


def test_replaced_objects_are_read_as_they_are(repo: Repo) -> None:
    ours = repo.git("rev-parse", "HEAD:a.txt")
    other = repo.git("hash-object", "-w", "--stdin", stdin=b"replaced\n")
    repo.git("replace", ours, other)
    assert repo.git("cat-file", "blob", ours) == "replaced"
    with reader(repo) as objects:
        found = objects.read("HEAD:a.txt")

    assert found is not None
    assert (found.oid, found.data) == (ours, b"a\n")
