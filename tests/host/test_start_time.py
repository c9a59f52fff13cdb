"""The start of an interpreter is timed on a real one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitcache.host.start_time import own_start, python_start


def test_both_starts_take_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for start in (python_start, own_start):
        seconds = start(dict(os.environ))
        assert seconds is not None
        assert seconds > 0


def test_nothing_of_the_current_folder_is_imported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("gitcache", "json", "tomllib"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w')\n")
    monkeypatch.chdir(tmp_path)
    assert own_start(dict(os.environ)) is not None
    assert not (tmp_path / "ran").exists()


def test_interpreter_that_fails_has_no_time(tmp_path: Path) -> None:
    assert python_start({**os.environ, "PYTHONHOME": str(tmp_path)}) is None
