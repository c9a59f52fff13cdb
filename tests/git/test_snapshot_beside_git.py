"""Snapshots while others work in the same worktree: no torn answer, and no lock in their way."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import IO

import pytest

from gitcache.errors import RepositoryError
from tests.support.referee import Referee
from tests.support.repository import NO_VARIABLES, Repo

LOOKS = 50
"""How often is looked while the other works; a look takes some hundredths of a second."""

WORK = """
set -eu
put() { printf '%s\\n' "$2" > "../$1"; mv "../$1" "$1"; }
round=0
while [ ! -e ../stop ]; do
    put z.txt B
    git add z.txt
    git reset --quiet
    put z.txt A
    git add --all
    put a.txt 2
    git add a.txt
    git commit --quiet --message 'two'
    put a.txt 1
    git commit --quiet --all --message 'one again'
    git reset --quiet --soft HEAD~2
    round=$((round + 1))
    echo "$round"
done
"""
"""The other's work: each file changes at once, and every command of git's must succeed.

What exists at one time or another is (a: 1, z: A), (1, B) and (2, A), never (2, B).
"""


@pytest.fixture
def trees(repo: Repo) -> frozenset[str]:
    """Return the trees that exist while the other works; the repository is left at its start."""
    found = []
    for a, z in (("1", "B"), ("2", "A"), ("1", "A")):
        repo.write("a.txt", f"{a}\n")
        repo.write("z.txt", f"{z}\n")
        found.append(Referee().tree(repo.path, NO_VARIABLES))
    repo.commit("one")
    return frozenset(found)


@contextmanager
def somebody_at_work(repo: Repo) -> Iterator[IO[str]]:
    """Let another process work from before the block to after it; yield what it says.

    It must end well, whatever happens beside it.
    """
    stop = repo.path.parent / "stop"
    with subprocess.Popen(
        ["sh", "-c", WORK],
        cwd=repo.path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        try:
            yield other.stdout
        finally:
            stop.touch()
            said, complaints = other.communicate()
    assert (other.returncode, complaints) == (0, "")
    assert said.splitlines(), "the other has not worked during the block"


def test_every_answer_is_a_tree_that_existed(repo: Repo, trees: frozenset[str]) -> None:
    answers: list[str] = []
    refusals: list[str] = []
    with somebody_at_work(repo):
        for _ in range(LOOKS):
            try:
                answers.append(repo.snapshot().tree)
            except RepositoryError as error:
                refusals.append(error.message)
    assert set(answers) <= trees
    assert len(answers) > len(refusals), refusals


def test_changes_told_beside_a_tree_are_its_own(repo: Repo, trees: frozenset[str]) -> None:
    with somebody_at_work(repo):
        for _ in range(LOOKS):
            try:
                found = repo.snapshot()
            except RepositoryError:
                continue
            assert bool(found.changes) == (found.tree != found.head_tree)


def test_looks_at_one_time_say_the_same(repo: Repo) -> None:
    repo.write("a.txt", "edited\n")
    repo.write("new.txt", "new\n")
    repo.write(".gitattributes", "*.txt text=auto\n")
    with ThreadPoolExecutor(max_workers=8) as pool:
        found = list(pool.map(lambda _: repo.snapshot(), range(32)))
    assert found == [found[0]] * 32
    assert found[0].tree == Referee().tree(repo.path, NO_VARIABLES)
