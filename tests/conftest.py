"""Seals every test from the machine: its git, its home and its variables are the test's own."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

from tests.support.repository import Repo

# In the background of a script or under nohup, a run starts with some of these signals ignored, and
# so would every program of the tests.
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
# The clone counts where a test's tool has our virtual environment on its PATH, so no test writes
# into it.
set_hypothesis_home_dir(Path(tempfile.gettempdir()) / f"hypothesis-{os.getuid()}")

PROGRAMS = Path(sys.executable).parent


@pytest.fixture(autouse=True)
def sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test an empty home, a fixed identity and date, and none of git's variables."""
    home = tmp_path / "home"
    home.mkdir()
    for name in os.environ:
        if not name.startswith(("PYTEST_", "COV_", "PYTHONHASHSEED")):
            monkeypatch.delenv(name)
    for name, value in {
        "HOME": str(home),
        "PATH": f"{PROGRAMS}:/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
        "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
    }.items():
        monkeypatch.setenv(name, value)
    (home / ".gitconfig").write_text(
        "[user]\n\tname = A U Thor\n\temail = author@example.org\n"
        "[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"
        '[protocol "file"]\n\tallow = always\n'
    )
    return home


@pytest.fixture
def repo(tmp_path: Path, sealed: Path) -> Repo:
    """Return a repository with one commit: ``a.txt`` and ``sub/b.txt``."""
    repo = Repo.init(tmp_path / "repo")
    repo.write("a.txt", "a\n")
    repo.write("sub/b.txt", "b\n")
    repo.commit("first")
    return repo
