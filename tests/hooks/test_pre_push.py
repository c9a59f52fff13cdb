"""The hook pre-push lets through what is known to pass, and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.repository import Repo

HOOK = Path(__file__).parents[2] / "hooks" / "pre-push"


@pytest.fixture
def project(tmp_path: Path) -> Repo:
    """Return a repository with the hook and a remote, whose test passes while ``good`` is there."""
    repo = Repo.init(tmp_path / "project")
    subprocess.run(["git", "init", "--quiet", "--bare", tmp_path / "remote"], check=True)
    repo.git("remote", "add", "origin", str(tmp_path / "remote"))
    shutil.copy(HOOK, repo.path / ".git/hooks/pre-push")
    repo.write("toolcache.toml", '[tools.test]\ncommand = ["test", "-e", "good"]\n')
    repo.write("good", "")
    repo.commit("good")
    return repo


def push(repo: Repo, *refs: str) -> tuple[bool, str]:
    """Return whether a push of *refs* went through, and what was said."""
    done = subprocess.run(
        ["git", "push", "origin", *refs], cwd=repo.path, capture_output=True, text=True, check=False
    )
    return done.returncode == 0, done.stderr


def test_checked_out_commit_is_tested_once_and_pushed(project: Repo) -> None:
    went, said = push(project, "main")
    assert went
    assert "toolcache: test passed" in said
    project.git("commit", "--quiet", "--allow-empty", "--message", "same content")
    went, said = push(project, "main")
    assert went
    assert "toolcache" not in said


def test_stored_result_of_a_pushed_commit_is_noted_on_it(project: Repo) -> None:
    project.write("more", "")
    assert project.toolcache("run", "test").status == 0
    commit = project.commit("more")
    went, _ = push(project, "main")
    assert went
    assert project.git("notes", "--ref=toolcache", "show", commit).startswith("test passed ")


def test_failing_commit_is_refused_with_its_output(project: Repo) -> None:
    project.git("rm", "--quiet", "good")
    commit = project.commit("bad")
    for words in ("no pass of test is stored for", "test fails on"):
        went, said = push(project, "HEAD")
        assert not went
        assert f"pre-push: {words} {commit}; push refused" in said


def test_fix_on_the_disk_does_not_count_for_a_broken_commit(project: Repo) -> None:
    project.git("rm", "--quiet", "good")
    project.commit("bad")
    project.write("good", "")
    assert project.toolcache("run", "test").status == 0
    assert not push(project, "main")[0]


def test_other_commit_is_judged_by_its_own_tree(project: Repo) -> None:
    project.toolcache("run", "test")
    project.git("rm", "--quiet", "good")
    project.commit("bad")
    assert push(project, "HEAD~1:refs/heads/earlier")[0]
    assert not push(project, "HEAD~1:refs/heads/one", "HEAD:refs/heads/two")[0]


def test_commit_without_such_a_tool_is_refused_with_the_reason(project: Repo) -> None:
    project.write("toolcache.toml", "")
    commit = project.commit("no tool")
    went, said = push(project, "main")
    assert not went
    assert f"pre-push: there is no telling whether test passes on {commit}" in said


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="unittest fails there by itself")
def test_run_without_a_test_lets_nothing_through(project: Repo) -> None:
    project.git("rm", "--quiet", "toolcache.toml")
    project.write("setup.py", "")
    commit = project.commit("no test at all")
    for _ in range(2):
        went, said = push(project, "main")
        assert not went
        assert "warning: test ran no test: this counts as no pass\n" in said
        assert f"pre-push: no pass of test is stored for {commit}; push refused" in said


def test_run_that_changes_the_commits_content_lets_nothing_through(project: Repo) -> None:
    project.write("toolcache.toml", "[tools.test]\ncommand = ['cp', 'toolcache.toml', 'good']\n")
    commit = project.commit("formats itself")
    went, said = push(project, "main")
    assert not went
    assert "good changed while it ran" in said
    assert f"pre-push: no pass of test is stored for {commit}; push refused" in said


def test_bytes_on_the_disk_that_no_checkout_would_write_are_tested_as_they_are(
    project: Repo,
) -> None:
    project.write(".gitattributes", "good text\n")
    project.write("good", "a\r\n")
    project.commit("other line ends on the disk")
    for branch in ("one", "two"):
        went, said = push(project, f"HEAD:refs/heads/{branch}")
        assert went, said
        assert "toolcache: test passed" in said


def test_linked_worktree_is_judged_by_what_it_pushes(project: Repo, tmp_path: Path) -> None:
    project.toolcache("run", "test")
    other = project.add_worktree(tmp_path / "other")
    other.git("rm", "--quiet", "good")
    other.commit("bad")
    assert not push(other, "HEAD:refs/heads/bad")[0]
    assert push(project, "main")[0]


def test_deletions_tags_and_refs_of_ours_pass(project: Repo) -> None:
    assert push(project, "main", "main:refs/heads/second")[0]
    project.git("tag", "--annotate", "--message", "one", "v1")
    assert push(project, "v1")[0]
    assert push(project, ":refs/heads/second")[0]
    assert push(project, "refs/toolcache/*:refs/toolcache/*")[0]
