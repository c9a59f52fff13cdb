"""Many callers at once while git tidies up and our folder is removed under them."""

from __future__ import annotations

import random
import shutil
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import pytest

from tests.support.calls import declare
from tests.support.repository import Repo
from tests.support.shared import common_dir

TOOLS = {"test": 0, "lint": 1, "build": 3, "typecheck": 0, "audit": 77}
"""Tool → the status that it always ends with."""

SECONDS = 30.0
"""For which it goes on."""


def ask(worktrees: list[Repo], seed: int, end: float) -> int:
    """Ask for one tool after the other until *end*; return how many."""
    choice, count = random.Random(seed), 0
    while monotonic() < end:
        name = choice.choice(list(TOOLS))
        force = ["--force"] if choice.random() < 0.3 else []
        ran = choice.choice(worktrees).toolcache("run", *force, name)
        assert (ran.status, ran.stdout) == (TOOLS[name], b"%s\n" % name.encode()), ran.stderr
        count += 1
    return count


def disturb(repo: Repo, is_over: threading.Event) -> None:
    """Tidy up and remove, until it is over."""
    choice = random.Random("disturb")
    folder = common_dir(repo)
    while not is_over.is_set():
        words = choice.choice((["gc", "--prune=now", "--quiet"], ["pack-refs", "--all"], []))
        if words:  # it may fail where another writes; no call of ours may
            subprocess.run(["git", *words], cwd=repo.path, capture_output=True, check=False)
        else:
            shutil.rmtree(folder / "toolcache", ignore_errors=True)
        is_over.wait(0.05)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_every_call_tells_its_tools_true_status_in_the_midst_of_upheaval(
    repo: Repo, tmp_path: Path
) -> None:
    declare(repo, {name: f"echo {name}; exit {status}" for name, status in TOOLS.items()})
    repo.commit()
    worktrees = [repo, *(repo.add_worktree(tmp_path / name) for name in ("two", "three"))]
    is_over = threading.Event()
    end = monotonic() + SECONDS
    with ThreadPoolExecutor(9) as pool:
        disturbing = pool.submit(disturb, repo, is_over)
        asking = [pool.submit(ask, worktrees, seed, end) for seed in range(8)]
        counts = [each.exception() or each.result() for each in asking]
        is_over.set()
        disturbing.result()
    assert [each for each in counts if isinstance(each, BaseException)] == []
    assert repo.toolcache("run", "lint").status == 1
    assert repo.git("fsck", "--no-dangling") == ""
