"""The command line without a process of its own, for what a process adds nothing to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gitcache.cli.boundary import answer
from tests.support.repository import Ran

Within = Callable[..., Ran]


@pytest.fixture
def within(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Callable[..., Ran]:
    """Return what answers words in a folder: ``within(folder, *words)``."""

    def call(folder: Path, *words: str) -> Ran:
        capfdbinary.readouterr()
        with monkeypatch.context() as patch:
            patch.chdir(folder)
            patch.delenv("PYTEST_CURRENT_TEST")  # keyed, and another one in a fixture and a test
            status = answer(words)
        return Ran(status, *capfdbinary.readouterr())

    return call
