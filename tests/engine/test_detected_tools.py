"""Tools that nobody declared, by the content on the disk, in the index and in a commit."""

from __future__ import annotations

import os

from gitcache.core.tool import Command, Words
from gitcache.engine.declared_tools import Folder, parse_settings
from gitcache.engine.resolve import find_tool
from gitcache.engine.staged_folder import StagedFolder
from gitcache.git.look import looking_from
from gitcache.git.tree_folder import TreeFolder
from gitcache.host.folder import DiskFolder
from tests.support.repository import Repo

PYTEST, UNITTEST = Words(("pytest",)), Words(("python", "-m", "unittest"))


def commands(repo: Repo) -> tuple[Command, Command, Command]:
    """Return the test of the working tree, of the index and of HEAD."""
    with looking_from(repo.path, os.environ) as look:
        folders = (
            DiskFolder(repo.path),
            StagedFolder(look.objects, look.index()),
            TreeFolder(look.objects, look.commit("HEAD").tree),
        )
        disk, index, head = (command_in(folder) for folder in folders)
        return disk, index, head


def command_in(folder: Folder) -> Command:
    return find_tool("test", parse_settings(folder), folder).command


def test_tests_in_a_folder_show_pytest_alike_on_the_disk_staged_and_committed(repo: Repo) -> None:
    repo.write("requirements.txt", "")
    repo.commit()
    repo.write("tests/test_a.py", "def test_a(): ...\n")
    assert commands(repo) == (PYTEST, UNITTEST, UNITTEST)
    repo.git("add", "--all")
    assert commands(repo) == (PYTEST, PYTEST, UNITTEST)
    repo.commit()
    assert commands(repo) == (PYTEST, PYTEST, PYTEST)
    repo.git("rm", "--quiet", "tests/test_a.py")
    assert commands(repo) == (UNITTEST, UNITTEST, PYTEST)


def test_settings_of_pytest_in_a_folder_show_it_alike(repo: Repo) -> None:
    repo.write("setup.py", "")
    repo.write("test/conftest.py", "")
    repo.commit()
    assert commands(repo) == (PYTEST, PYTEST, PYTEST)


def test_folder_of_tests_that_is_a_link_shows_nothing_anywhere(repo: Repo) -> None:
    repo.write("setup.py", "")
    repo.write("real/conftest.py", "")
    (repo.path / "tests").symlink_to("real")
    repo.commit()
    assert commands(repo) == (UNITTEST, UNITTEST, UNITTEST)


def test_tests_that_cannot_be_read_show_nothing(repo: Repo) -> None:
    repo.write("setup.py", "")
    repo.commit()
    os.mkfifo(repo.write("tests/test_b.py", "").parent / "test_a.py")
    (repo.path / "tests/test_c.py").symlink_to("nowhere")
    (repo.path / "tests/test_d.py").mkdir()
    assert commands(repo)[0] == UNITTEST


def test_tests_in_a_folder_are_run_and_known_of_their_commit(repo: Repo) -> None:
    repo.write("setup.py", "")
    repo.write(".gitignore", "__pycache__/\n.pytest_cache/\n")
    repo.write("tests/test_a.py", "def test_a():\n    assert 1 + 1 == 2\n")
    repo.commit()
    ran = repo.toolcache("run", "test")
    assert ran.status == 0, ran.stderr
    assert b"1 passed" in ran.stdout
    assert repo.toolcache("lookup", "--rev", "HEAD", "test").status == 0
    repo.write("tests/test_a.py", "def test_a():\n    assert 1 + 1 == 3\n")
    assert repo.toolcache("run", "test").status == 1
