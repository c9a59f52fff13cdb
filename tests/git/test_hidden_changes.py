"""Changes that git's status does not show move the snapshot all the same, or it is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.git.states.state import set_config, settle
from tests.support.repository import Repo


@pytest.mark.parametrize("flag", ["assume-unchanged", "skip-worktree"])
def test_other_line_ends_of_a_flagged_file_count(repo: Repo, flag: str) -> None:
    repo.write(".gitattributes", "* text=auto\n")
    repo.commit()
    repo.git("update-index", f"--{flag}", "a.txt")
    first = repo.snapshot()
    repo.write("a.txt", "a\r\n")
    assert repo.snapshot().blind_spots != first.blind_spots


def test_file_put_back_to_the_trees_bytes_is_no_longer_unlike_the_tree(repo: Repo) -> None:
    set_config(repo, {"filter.low.clean": "tr A-Z a-z"})
    repo.write(".gitattributes", "*.low filter=low\n")
    repo.write("f.low", "ABC\n")
    repo.commit()
    settle(repo)
    os.utime(repo.path / ".git/index", (1, 1))
    first = repo.snapshot()
    assert "conversion" in first.blind_spots
    repo.write("f.low", "abc\n")
    assert "conversion" not in repo.snapshot().blind_spots


def memo(repo: Repo, name: str) -> Path:
    """Return the memo *name* of a worktree whose files are old enough to be remembered."""
    repo.write("a.txt", "edited\n")
    for path in (repo.path / "a.txt", repo.path / ".git/index"):
        os.utime(path, (1, 1))
    repo.snapshot()
    (found,) = (repo.path / ".git/toolcache/memo").glob(f"*/{name}")
    return found


WRONG = [None, 1, "text", [], [1, 2, 3, 4], [[None] * 4], [[["x"], "160000", "b", ""]], {"a": [1]}]


@pytest.mark.parametrize("value", WRONG, ids=str)
@pytest.mark.parametrize("name", ["flagged", "gitlinks", "attribute_files", "resized"])
def test_foreign_memo_of_the_index_is_none(repo: Repo, name: str, value: Any) -> None:
    path = repo.path / ".git/toolcache/memo"
    repo.snapshot()
    index = (repo.path / ".git/index").lstat()
    stat = [index.st_size, index.st_mtime_ns, index.st_ctime_ns, index.st_ino, index.st_mode]
    whole = {"stat": stat, "flagged": [], "gitlinks": [], "attribute_files": [], "resized": []}
    for folder in path.glob("*") or [path]:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index").write_text(json.dumps({**whole, name: value}))
    assert repo.snapshot().tree == repo.tree_by_git()


def test_memo_that_is_a_pipe_is_not_waited_for(repo: Repo) -> None:
    repo.snapshot()
    repo.write("new.txt", "new\n")
    for folder in (repo.path / ".git/toolcache/memo").glob("*"):
        for name in ("index", "snapshot"):
            (folder / name).unlink(missing_ok=True)
            os.mkfifo(folder / name)
    assert repo.snapshot().tree == repo.tree_by_git()


def test_index_of_one_commits_hooks_leaves_no_memo(repo: Repo) -> None:
    lock = repo.path / ".git/next-index-1.lock"
    lock.write_bytes((repo.path / ".git/index").read_bytes())
    repo.snapshot({"GIT_INDEX_FILE": str(lock)})
    assert not (repo.path / ".git/toolcache").exists()
