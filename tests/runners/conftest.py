"""What real runners need: a folder for each test, and the runner itself, or a reason to skip."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.runners.worktree import NODE_MODULES, Worktree

NEEDED = frozenset(os.environ.get("TOOLCACHE_NEEDED_RUNNERS", "").split())
"""The runners that must be there; others are skipped where they are missing."""

OWN_HOME = Path.home()
"""The home of whoever runs the tests: cargo and its toolchain are installed there."""

Needs = Callable[[str], None]


@pytest.fixture
def worktree(tmp_path: Path) -> Worktree:
    """Return an empty worktree in which node finds the runners that are installed."""
    top = (tmp_path / "top").resolve()
    top.mkdir()
    if NODE_MODULES.is_dir():
        (top / "node_modules").symlink_to(NODE_MODULES)
    return Worktree(top, tmp_path / "ran")


@pytest.fixture
def needs(monkeypatch: pytest.MonkeyPatch) -> Needs:
    """Return what skips the test where a runner is missing, and says so."""

    def check(name: str) -> None:
        if name == "cargo":
            monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{OWN_HOME / '.cargo' / 'bin'}")
            monkeypatch.setenv("RUSTUP_HOME", str(OWN_HOME / ".rustup"))
        is_there = shutil.which(name) or (NODE_MODULES / ".bin" / name).exists()
        if not is_there:
            reason = f"{name} is not installed: make test-runners installs those of node"
            pytest.fail(reason) if name in NEEDED else pytest.skip(reason)

    return check
