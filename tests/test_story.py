"""The whole story on a real project: its own suite, edited, reverted, committed, branched."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.repository import Ran, Repo

PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider -p no:randomly -p no:xdist"


@pytest.fixture
def project(tmp_path: Path) -> Repo:
    """Return a small Python project whose suite passes."""
    repo = Repo.init(tmp_path / "project")
    repo.write("toolcache.toml", f'[tools.test]\ncommand = "{PYTEST}"\n')
    repo.write(".gitignore", "__pycache__/\n")
    repo.write("sums.py", "def add(one, other):\n    return one + other\n")
    repo.write(
        "test_sums.py", "from sums import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
    )
    repo.commit("sums")
    return repo


def is_miss(ran: Ran) -> bool:
    return not ran.is_hit and b"toolcache: test " in ran.stderr


def test_result_follows_the_content_wherever_it_goes(project: Repo, tmp_path: Path) -> None:
    first = project.toolcache("run", "test")
    assert is_miss(first)
    assert first.status == 0
    assert b"1 passed" in first.stdout

    again = project.toolcache("run", "test")
    assert again.is_hit
    assert (again.status, again.stdout) == (0, first.stdout)

    project.write("sums.py", "def add(one, other):\n    return one - other  # wrong\n")
    edited = project.toolcache("run", "test")
    assert is_miss(edited)
    assert edited.status == 1
    assert b"assert -1 == 3" in edited.stdout
    assert project.toolcache("run", "test").stdout == edited.stdout

    project.git("checkout", "--quiet", "sums.py")
    assert project.toolcache("run", "test").is_hit

    project.git("commit", "--quiet", "--allow-empty", "--message", "nothing")
    assert project.toolcache("run", "test").is_hit

    worktree = project.add_worktree(tmp_path / "other")
    there = worktree.toolcache("run", "test")
    assert there.is_hit
    assert "in ../project, saved" in there.summary
    assert there.stdout == first.stdout

    project.git("commit", "--quiet", "--amend", "--allow-empty", "--message", "other words")
    assert project.toolcache("run", "test").is_hit

    project.write("test_more.py", "def test_more():\n    assert False\n")
    untracked = project.toolcache("run", "test")
    assert is_miss(untracked)
    assert untracked.status == 1
    assert b"1 failed, 1 passed" in untracked.stdout


def test_edit_committed_after_its_run_is_a_hit(project: Repo) -> None:
    project.write("sums.py", "def add(*numbers):\n    return sum(numbers)\n")
    assert is_miss(project.toolcache("run", "test"))
    project.commit("sum")
    ran = project.toolcache("run", "test")
    assert ran.is_hit
    assert ran.status == 0


def test_git_finds_the_program_by_its_name(project: Repo) -> None:
    assert project.git("toolcache", "--version").startswith("git-toolcache ")
    assert "1 passed" in project.git("toolcache", "run", "test")
