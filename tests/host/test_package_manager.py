"""The command that installs a package is that of the package manager that is here."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitcache.host.package_manager import install_command


@pytest.mark.parametrize(
    ("manager", "command"),
    [
        ("apt-get", "sudo apt-get install git"),
        ("pacman", "sudo pacman -S git"),
        ("brew", "brew install git"),
    ],
)
def test_manager_on_the_path_is_named(tmp_path: Path, manager: str, command: str) -> None:
    (tmp_path / manager).write_text("#!/bin/sh\n")
    (tmp_path / manager).chmod(0o755)
    assert install_command("git", {"PATH": str(tmp_path)}) == command


def test_without_a_known_manager_the_portable_one_is_named(tmp_path: Path) -> None:
    assert install_command("git", {"PATH": str(tmp_path)}) == "brew install git"
