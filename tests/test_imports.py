"""What a call does not import: a hit is answered before the heavy libraries would be loaded."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.repository import Repo

PROBE = """\
import atexit, os, sys
descriptor = int(sys.argv.pop(1))
atexit.register(lambda: os.write(descriptor, "\\n".join(sys.modules).encode()))
from gitcache.__main__ import main
main()
"""
"""Answers the words behind the first one, and then writes all modules' names to that descriptor."""

HEAVY = {"typer", "rich", "filelock", "pygit2", "pydantic", "click", "junitparser"}


def modules_of(repo: Repo, *words: str) -> tuple[set[str], str]:
    """Return what the call imported, and its standard error."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", PROBE, str(writing), *words],
        cwd=repo.path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=[writing],
    )
    os.close(writing)
    with open(reading) as pipe:
        modules = set(pipe.read().split())
    stderr = process.communicate(timeout=60)[1]
    assert process.returncode == 0, stderr.decode()
    return modules, stderr.decode()


def test_probe_sees_what_is_imported(repo: Repo) -> None:
    modules, _ = modules_of(repo, "--version")

    assert "typer" in modules


def test_miss_imports_neither_typer_nor_rich(repo: Repo) -> None:
    modules, said = modules_of(repo, "run", "--", "true")

    assert ": hit," not in said
    assert "gitcache.engine.cached_run" in modules
    assert modules & {"typer", "rich", "pydantic", "click"} == set()


@pytest.mark.parametrize("words", [("run", "--", "true"), ("run", "test", "--quiet")])
def test_hit_on_a_clean_worktree_imports_nothing_heavy(repo: Repo, words: tuple[str, ...]) -> None:
    repo.write("toolcache.toml", '[tools.test]\ncommand = "true"\n')
    repo.commit()
    modules_of(repo, *words)
    assert len(repo.keys()) == 1
    before = repo.git("rev-parse", f"refs/toolcache/{repo.keys()[0]}")

    modules, _ = modules_of(repo, *words)

    assert repo.git("rev-parse", f"refs/toolcache/{repo.keys()[0]}") == before  # it was a hit
    assert "gitcache.engine.front" in modules
    assert modules & HEAVY == set()


def test_hit_beside_what_the_tool_left_imports_nothing_heavy(repo: Repo) -> None:
    words = ("run", "--", "sh", "-c", "date +%N >.coverage")
    for _ in range(2):
        modules_of(repo, *words)

    modules, said = modules_of(repo, *words)

    assert ": hit," in said
    assert modules & HEAVY == set()
