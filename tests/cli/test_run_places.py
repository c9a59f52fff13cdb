"""Odd places to run in: where there is no answer to keep, the tool runs all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Within
from tests.support.calls import declare, shell
from tests.support.repository import Ran, Repo


def lines(ran: Ran) -> list[str]:
    return ran.stderr.decode().splitlines()


def test_outside_a_repository_the_tool_runs_and_one_line_says_so(
    tmp_path: Path, within: Within
) -> None:
    folder = Repo(tmp_path / "plain")
    folder.path.mkdir()
    declare(folder, {"test": "pwd; exit 5"})
    for words in (["test"], ["--", "sh", "-c", "pwd; exit 5"]):
        for _ in range(2):
            ran = within(folder.path, "run", *words)
            assert (ran.status, ran.stdout) == (5, f"{folder.path}\n".encode())
            assert lines(ran)[0] == "warning: not a git repository: the result is not stored"
            assert lines(ran)[1].endswith("; nothing is stored")
            assert len(lines(ran)) == 2


def test_outside_a_repository_the_document_has_no_key(tmp_path: Path, within: Within) -> None:
    told = within(tmp_path, "run", "--json", "--", "true").json
    assert (told["key"], told["tree"], told["stored"]) == (None, None, False)
    assert (told["outcome"], told["reasons"]) == ("passed", ["not a git repository"])
    assert told["ran_in"]["worktree"] == str(tmp_path)


def test_outside_a_repository_an_unknown_tool_is_an_unknown_tool(
    tmp_path: Path, within: Within
) -> None:
    ran = within(tmp_path, "run", "deploy")
    assert ran.status == 128
    assert lines(ran)[0] == "fatal: there is no tool 'deploy' here"


def test_in_a_bare_repository_and_in_a_git_folder_the_tool_runs(
    repo: Repo, tmp_path: Path, within: Within
) -> None:
    bare = Repo.init(tmp_path / "bare", "--bare")
    for folder in (bare.path, repo.path / ".git", repo.path / ".git" / "refs"):
        ran = within(folder, "run", "--", "sh", "-c", "pwd; exit 4")
        assert (ran.status, ran.stdout) == (4, f"{folder}\n".encode())
        assert lines(ran)[0] == (
            "warning: this is a bare repository or a git folder, without a working tree: "
            "the result is not stored"
        )
        assert len(lines(ran)) == 2
        for verb in ("status", "lookup --", "show abcd", "forget --all"):
            done = within(folder, *verb.split(), *(["true"] if verb.endswith("--") else []))
            assert done.status == 128
            assert done.stderr.startswith(b"fatal: this is a bare repository or a git folder")
    assert repo.keys() == []


def test_a_folder_that_is_gone_is_fatal(repo: Repo) -> None:
    gone = "mkdir gone; cd gone; rmdir ../gone"
    for words in ("run -- true", "run test", "status", "lookup test"):
        assert shell(repo, f"{gone}; toolcache {words}") == (
            128,
            b"",
            b"fatal: the current folder does not exist any more\n",
        )
    assert shell(repo, f"{gone}; toolcache help")[0] == 0


def test_a_command_runs_in_the_callers_folder_and_a_tool_in_its_own(
    repo: Repo, within: Within
) -> None:
    repo.write("deep/er/file", "")
    repo.write(
        "toolcache.toml",
        '[tools.here]\ncommand = "pwd"\n[tools.there]\ncommand = "pwd"\ndirectory = "sub"\n',
    )
    folder = repo.path / "deep" / "er"
    assert within(folder, "run", "-q", "--", "pwd").stdout == f"{folder}\n".encode()
    assert within(folder, "run", "-q", "here").stdout == f"{repo.path}\n".encode()
    assert within(folder, "run", "-q", "there").stdout == f"{repo.path}/sub\n".encode()
    assert within(repo.path / "sub", "run", "there").is_hit
    assert not within(repo.path, "run", "--", "pwd").is_hit


def test_a_link_to_a_folder_is_the_folder(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repo.path)
    assert shell(repo, f"cd {tmp_path}/link/sub && toolcache run -q -- pwd")[1] == (
        f"{repo.path}/sub\n".encode()
    )
    assert b": hit, ran " in shell(repo, "cd sub && toolcache run -- pwd")[2]


def test_before_the_first_commit_results_are_kept(tmp_path: Path, within: Within) -> None:
    repo = Repo.init(tmp_path / "new")
    repo.write("a.txt", "a")
    assert not within(repo.path, "run", "--", "true").is_hit
    assert within(repo.path, "run", "--", "true").is_hit
    repo.commit()
    assert within(repo.path, "run", "--", "true").is_hit


def test_another_worktree_on_this_content_hits(repo: Repo, tmp_path: Path, within: Within) -> None:
    within(repo.path, "run", "--", "true")
    other = repo.add_worktree(tmp_path / "other")
    ran = within(other.path, "run", "--", "true")
    assert ran.is_hit
    assert " ago in ../repo, saved " in ran.summary
    assert within(other.path, "run", "--json", "--", "true").json["ran_in"]["worktree"] == str(
        repo.path
    )


@pytest.mark.parametrize("name", ["with space", "new\nline", "quo'te\"", "é", "-dash"])
def test_the_folders_name_does_not_matter(tmp_path: Path, within: Within, name: str) -> None:
    repo = Repo.init(tmp_path / name)
    repo.write(f"{name}.txt", "untracked")
    assert within(repo.path, "run", "-q", "--", "pwd").stdout == f"{repo.path}\n".encode()
    ran = within(repo.path, "run", "--", "pwd")
    assert ran.is_hit
    assert ran.stderr.count(b"\n") == 1


def test_a_repository_that_git_refuses_to_read_is_no_reason_to_stop(
    repo: Repo, within: Within
) -> None:
    (repo.path / ".git" / "index").write_bytes(b"no index")
    ran = within(repo.path, "run", "--", "sh", "-c", "echo ran; exit 6")
    assert (ran.status, ran.stdout) == (6, b"ran\n")
    assert lines(ran)[0].startswith("warning: ")
    assert lines(ran)[0].endswith(": the result is not stored")
    assert len(lines(ran)) == 2
