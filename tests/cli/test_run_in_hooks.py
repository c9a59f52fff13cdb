"""Runs that git starts: from hooks and aliases, in the main and in a linked worktree.

The tool makes a repository of its own and adds a file to it, which goes wrong for whoever lets it
see the variables that git exports: the file then lands in the user's index.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.calls import FIRST
from tests.support.repository import Repo

TOOL = """#!/bin/sh
env | grep ^GIT_ | grep -v ^GIT_TOOLCACHE_ >>"$HOME/seen"
nested=$(mktemp -d) && cd "$nested" && git init --quiet t && echo nested >t/nested.txt &&
git -C t add . && git -C t commit --quiet --message nested && echo ran >>"$HOME/ran"
"""


@pytest.fixture(params=["main", "linked"])
def worktree(request: pytest.FixtureRequest, repo: Repo, tmp_path: Path) -> Repo:
    """Return a worktree whose tool makes a repository of its own."""
    repo.write("toolcache.toml", '[tools.test]\ncommand = "./tool"\n')
    repo.write("tool", TOOL).chmod(0o755)
    repo.commit("tool")
    if request.param == "main":
        return repo
    linked = repo.add_worktree(tmp_path / "linked")
    linked.git("switch", "--quiet", "--create", "topic")
    return linked


def write_hook(worktree: Repo, name: str, line: str) -> None:
    hooks = Path(worktree.git("rev-parse", "--path-format=absolute", "--git-path", "hooks"))
    hooks.mkdir(exist_ok=True)
    (hooks / name).write_text(f"#!/bin/sh\nexec {line}\n")
    (hooks / name).chmod(0o755)


def git(worktree: Repo, *words: str, folder: str = "sub") -> subprocess.CompletedProcess[bytes]:
    """Run git in a subfolder, as a person does."""
    return subprocess.run(
        ["git", *words],
        cwd=worktree.path / folder,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=60,
    )


def times_run(home: Path) -> int:
    return len((home / "ran").read_text().split()) if (home / "ran").exists() else 0


def is_sound(worktree: Repo) -> bool:
    """Return whether the index holds our own files alone and the repository is whole."""
    files = worktree.git("ls-files").split("\n")
    assert files == ["a.txt", "sub/b.txt", "tool", "toolcache.toml"]
    assert worktree.git("fsck", "--no-dangling") == ""
    assert worktree.git("config", "--get", "core.bare") == "false"
    return True


@pytest.mark.parametrize("words", [["-a"], ["b.txt"]], ids=["all", "path"])
def test_a_tool_in_pre_commit_leaves_the_index_alone(
    worktree: Repo, sealed: Path, words: list[str]
) -> None:
    write_hook(worktree, "pre-commit", "git toolcache run test")
    worktree.write("sub/b.txt", "changed\n")
    done = git(worktree, "commit", "--quiet", "--message", "two", *words)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(FIRST + b"toolcache: test passed after ")
    assert (sealed / "seen").read_text().splitlines() == []
    assert is_sound(worktree)
    assert worktree.git("status", "--short") == ""
    assert worktree.git("show", "--name-only", "--format=%s") == "two\n\nsub/b.txt"
    assert worktree.toolcache("run", "test").is_hit  # the commit has the content that ran
    assert times_run(sealed) == 1


def test_a_red_tool_in_pre_commit_stops_the_commit(worktree: Repo) -> None:
    write_hook(worktree, "pre-commit", "git toolcache run -- false")
    head = worktree.git("rev-parse", "HEAD")
    done = git(worktree, "commit", "--quiet", "--allow-empty", "--message", "two")
    assert done.returncode == 1
    assert b"toolcache: command failed with status 1" in done.stderr
    assert worktree.git("rev-parse", "HEAD") == head


def test_a_tool_in_pre_push_leaves_the_repository_alone(
    worktree: Repo, sealed: Path, tmp_path: Path
) -> None:
    remote = Repo.init(tmp_path / "remote", "--bare")
    write_hook(worktree, "pre-push", "git toolcache run test")
    before = (Path(worktree.git("rev-parse", "--absolute-git-dir")) / "index").read_bytes()
    for branch in ("one", "two"):
        done = git(worktree, "push", str(remote.path), f"HEAD:refs/heads/{branch}")
        assert done.returncode == 0, done.stderr
    assert times_run(sealed) == 1
    assert (Path(worktree.git("rev-parse", "--absolute-git-dir")) / "index").read_bytes() == before
    assert (sealed / "seen").read_text() == ""
    assert is_sound(worktree)


def test_an_alias_in_a_subfolder_asks_about_its_own_worktree(worktree: Repo, sealed: Path) -> None:
    alias = ["-c", "alias.t=!git-toolcache run test", "-c", "alias.here=!git-toolcache run -q --"]
    worktree.write("a.txt", "changed\n")
    first, again = git(worktree, *alias, "t"), git(worktree, *alias, "t")
    assert first.stderr.startswith(FIRST + b"toolcache: test passed after ")
    assert b": hit, ran " in again.stderr
    assert times_run(sealed) == 1
    assert git(worktree, *alias, "here", "pwd").stdout == f"{worktree.path}/sub\n".encode()
    assert is_sound(worktree)


def test_a_rebase_that_runs_the_tool_touches_nothing_else(worktree: Repo, sealed: Path) -> None:
    for name in ("one", "two"):
        worktree.write("a.txt", name)
        worktree.commit(name)
    done = git(worktree, "rebase", "--quiet", "--force-rebase", "-x", "git toolcache run test",
               "HEAD~2", folder="")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert times_run(sealed) == 2
    assert worktree.git("log", "--format=%s", "-3") == "two\none\ntool"
    assert is_sound(worktree)


def test_gits_variables_are_honoured_for_us_and_hidden_from_the_tool(
    repo: Repo, sealed: Path
) -> None:
    """The index of the variable is a copy; both indexes stay as they are."""
    repo.write("tool", TOOL).chmod(0o755)
    repo.commit("tool")
    git_dir = repo.path / ".git"
    copy = git_dir / "next-index"
    copy.write_bytes((git_dir / "index").read_bytes())
    before = [path.read_bytes() for path in (git_dir / "index", copy)]
    variables = {
        "GIT_DIR": str(git_dir),
        "GIT_WORK_TREE": str(repo.path),
        "GIT_INDEX_FILE": str(copy),
        "GIT_PREFIX": "sub/",
        "GIT_OBJECT_DIRECTORY": str(git_dir / "objects"),
    }
    ran = repo.toolcache("run", "--json", "--", "../tool", env=variables)
    assert (ran.status, ran.json["stored"]) == (0, True), ran.stderr
    assert (sealed / "seen").read_text() == ""
    assert [path.read_bytes() for path in (git_dir / "index", copy)] == before
    assert repo.git("ls-files") == "a.txt\nsub/b.txt\ntool"
    assert repo.toolcache("run", "--", "../tool", folder="sub").is_hit


def test_a_worktree_elsewhere_is_named_by_the_variable(repo: Repo, tmp_path: Path) -> None:
    """``GIT_DIR`` alone makes the current folder the worktree, as for git itself."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    variables = {"GIT_DIR": str(repo.path / ".git"), "GIT_WORK_TREE": str(repo.path)}
    outside = Repo(elsewhere).toolcache("run", "--", "pwd", env=variables)
    assert outside.stdout == f"{elsewhere}\n".encode()
    assert outside.stderr.startswith(
        b"warning: the command runs outside the worktree: the result is not stored\n"
    )
    del variables["GIT_WORK_TREE"]
    inside = Repo(elsewhere).toolcache("run", "--json", "--", "pwd", env=variables).json
    assert inside["tree"] == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # nothing is there
    assert inside["ran_in"]["worktree"] == str(elsewhere)
    assert os.listdir(elsewhere) == []
