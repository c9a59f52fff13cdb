"""A commit's top folder, as settings and detection look into it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gitcache.core.key import TreeId
from gitcache.git.plumbing import Git
from gitcache.git.tree_folder import TreeFolder
from tests.support.repository import Repo


@contextmanager
def folder_of(repo: Repo, revision: str = "HEAD", cwd: str = ".") -> Iterator[TreeFolder]:
    tree = TreeId(repo.git("rev-parse", f"{revision}^{{tree}}"))
    with Git(repo.path / cwd, dict(os.environ)).objects() as objects:
        yield TreeFolder(objects, tree)


def test_names_are_those_of_the_top(repo: Repo) -> None:
    repo.write("sub/deep/c.txt", "c\n")
    repo.commit()
    repo.write("untracked", "x\n")

    with folder_of(repo) as folder:
        assert folder.names == {"a.txt", "sub"}


def test_names_of_any_bytes(repo: Repo) -> None:
    odd = {os.fsdecode(name) for name in (b"\xff", b"new\nline", b" two  words ", b"100644 x")}
    for name in odd:
        repo.write(name, "x\n")
    repo.commit()

    with folder_of(repo) as folder:
        assert folder.names == {"a.txt", "sub", *odd}


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_many_names_in_either_object_format(tmp_path: Path, object_format: str) -> None:
    repo = Repo.init(tmp_path / "repo", f"--object-format={object_format}")
    names = {f"file {number}" for number in range(300)}
    for name in names:
        repo.write(name, name)
    repo.commit()

    with folder_of(repo) as folder:
        assert folder.names == names
        assert folder.read("file 299") == b"file 299"


def test_empty_tree_has_no_names(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.commit()

    with folder_of(repo) as folder:
        assert folder.names == frozenset()
        assert folder.has_folder(".")


def test_file_is_read_as_it_is_stored(repo: Repo) -> None:
    repo.write("bytes", bytes(range(256)))
    repo.write("empty", "")
    repo.commit()
    repo.write("bytes", "changed on the disk\n")

    with folder_of(repo) as folder:
        assert folder.read("bytes") == bytes(range(256))
        assert folder.read("empty") == b""


@pytest.mark.parametrize("name", ["none", "sub", "", "A.TXT", "a.txt/x", "a\nb", "a.txt\r"])
def test_what_is_no_file_is_none(repo: Repo, name: str) -> None:
    with folder_of(repo) as folder:
        assert folder.read(name) is None
        assert folder.read("a.txt") == b"a\n"


def test_file_of_an_older_commit(repo: Repo) -> None:
    repo.write("a.txt", "new\n")
    repo.commit()

    with folder_of(repo, "HEAD~1") as folder:
        assert folder.read("a.txt") == b"a\n"


def test_look_from_a_subfolder_is_the_same(repo: Repo) -> None:
    with folder_of(repo, cwd="sub") as folder:
        assert folder.read("a.txt") == b"a\n"
        assert folder.has_folder("sub")


def test_folders_are_found_at_any_depth(repo: Repo) -> None:
    repo.write("sub/deep er/c.txt", "c\n")
    repo.commit()

    with folder_of(repo) as folder:
        found = {
            name: folder.has_folder(name)
            for name in (".", "sub", "sub/deep er", "a.txt", "none", "sub/none", "deep er")
        }

    assert found == {
        ".": True,
        "sub": True,
        "sub/deep er": True,
        "a.txt": False,
        "none": False,
        "sub/none": False,
        "deep er": False,
    }


def test_submodule_is_no_file(repo: Repo, tmp_path: Path) -> None:
    inner = Repo.init(tmp_path / "inner")
    inner.commit()
    repo.git("submodule", "--quiet", "add", str(inner.path), "lib")
    repo.commit()

    with folder_of(repo) as folder:
        assert "lib" in folder.names
        assert folder.read("lib") is None


def test_link_to_a_file_is_read_as_on_the_disk(repo: Repo) -> None:
    repo.write("sub/settings.toml", "real\n")
    (repo.path / "toolcache.toml").symlink_to("sub/settings.toml")
    (repo.path / "twice").symlink_to("./toolcache.toml")
    (repo.path / "outside").symlink_to("../elsewhere")
    (repo.path / "round").symlink_to("round")
    (repo.path / "broken").symlink_to("nothing")
    (repo.path / "folder").symlink_to("sub")
    repo.commit()

    with folder_of(repo) as folder:
        assert folder.read("toolcache.toml") == b"real\n"
        assert folder.read("twice") == b"real\n"
        for name in ("outside", "round", "broken", "folder"):
            assert folder.read(name) is None


def test_names_in_a_folder_are_those_directly_in_it(repo: Repo) -> None:
    repo.write("sub/deep/c.txt", "c\n")
    (repo.path / "link").symlink_to("sub")
    repo.commit()

    with folder_of(repo) as folder:
        assert folder.names_in("sub") == {"b.txt", "deep"}
        for name in ("a.txt", "link", "none", "sub\n"):
            assert folder.names_in(name) == frozenset()


def test_file_below_is_read_as_far_as_it_is_wanted(repo: Repo) -> None:
    repo.write("sub/digits", "0123456789")
    (repo.path / "sub/link").symlink_to("../sub/digits")
    repo.commit()

    with folder_of(repo) as folder:
        assert folder.read("sub/digits") == b"0123456789"
        assert folder.read("sub/digits", 4) == b"0123"
        assert folder.read("sub/link", 4) == b"0123"
        assert folder.read("sub/digits", 40) == b"0123456789"
