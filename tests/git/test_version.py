"""A git that is too old is told, not trusted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gitcache.errors import RepositoryError
from gitcache.git.plumbing import Git
from gitcache.git.version import QUESTION, check_version
from tests.support.repository import Repo


def pretend(folder: Path, answer: str) -> dict[str, str]:
    """Return the variables under which git is what it is but calls itself *answer*."""
    folder.mkdir()
    program = folder / "git"
    program.write_text(
        '#!/bin/sh\nfor word; do [ "$word" = version ] && { echo "' + answer + '"; exit; }; done\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    program.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


@pytest.mark.parametrize(
    "answer",
    [
        "git version 2.35.0",
        "git version 2.39.5 (Apple Git-154)",
        "git version 2.101.0",
        "git version 3.0",
    ],
)
def test_new_enough_git_is_taken(tmp_path: Path, answer: str) -> None:
    with Git(tmp_path, pretend(tmp_path / "bin", answer)).start(*QUESTION) as call:
        check_version(call)


@pytest.mark.parametrize("answer", ["git version 2.34.8", "git version 1.99", "git version", ""])
def test_old_or_strange_git_is_refused(tmp_path: Path, answer: str) -> None:
    git = Git(tmp_path, pretend(tmp_path / "bin", answer))
    with git.start(*QUESTION) as call, pytest.raises(RepositoryError, match=r"2\.35 or newer"):
        check_version(call)


def test_tool_runs_unstored_under_an_old_git(repo: Repo, tmp_path: Path) -> None:
    env = pretend(tmp_path / "bin", "git version 2.17.1")
    ran = repo.toolcache("run", "--", "sh", "-c", "exit 3", env=env)
    assert ran.status == 3
    assert ran.stderr.decode().splitlines()[0] == (
        "warning: git version 2.17.1 is too old: 2.35 or newer is needed: the result is not stored"
    )
    assert repo.keys() == []
