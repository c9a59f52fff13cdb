"""Names and versions of what is installed, for people."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from gitcache.host.installed import Place
from gitcache.host.package_versions import package_versions, program_version


def write(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_python_packages_are_named_by_their_information_folders(tmp_path: Path) -> None:
    venv = tmp_path / ".venv"
    site = venv / "lib" / "python3.11" / "site-packages"
    for name in ("Foo_Bar-1.2.3.dist-info", "old-0.9-py3.11.egg-info", "plain", "x.dist-info"):
        (site / name).mkdir(parents=True)
    expected = {"foo-bar": "1.2.3", "old": "0.9"}
    assert package_versions(site) == expected
    assert package_versions(venv) == expected


@pytest.mark.parametrize(
    "files",
    [
        {
            ".package-lock.json": '{"packages": {"node_modules/@a/b": {"version": "1.0.0"},'
            ' "node_modules/c": {"version": "2.0.0"}, "x": {}, "y": 1}}'
        },
        {".pnpm/@a+b@1.0.0_c@2/x": "", ".pnpm/c@2.0.0/x": "", ".pnpm/lock.yaml": ""},
        {
            "@a/b/package.json": '{"version": "1.0.0"}',
            "c/package.json": '{"version": "2.0.0"}',
            "d/package.json": "{",
        },
    ],
)
def test_node_packages_are_named_by_whoever_installed_them(
    tmp_path: Path, files: dict[str, str]
) -> None:
    for name, text in files.items():
        write(tmp_path / "node_modules" / name, text)
    assert package_versions(tmp_path / "node_modules") == {"@a/b": "1.0.0", "c": "2.0.0"}


def test_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert package_versions(tmp_path / "node_modules") == {}


def test_known_program_is_asked_for_its_version(tmp_path: Path) -> None:
    place = Place(tmp_path / "wt", tmp_path, {}, (), None)
    version = ".".join(map(str, sys.version_info[:3]))
    told = program_version(Path(os.path.realpath(sys.executable)), place)
    assert told is not None
    assert told.startswith(version)


def test_program_of_the_worktree_stand_in_and_unknown_one_are_not_asked(tmp_path: Path) -> None:
    place = Place(tmp_path / "wt", tmp_path, {}, (), None)
    real = os.path.realpath(sys.executable)
    for name in ("wt/python3", "unknown"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(real, tmp_path / name)
        assert program_version(tmp_path / name, place) is None
    write(tmp_path / "shims" / "python3", "#!/bin/sh\necho 3.11\n")
    (tmp_path / "shims" / "python3").chmod(0o755)
    assert program_version(tmp_path / "shims" / "python3", place) is None
