"""A folder on the disk, as settings and detection see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitcache.errors import SettingsError
from gitcache.host.folder import DiskFolder


def test_names_and_contents_are_those_of_the_disk(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xff\0")
    (tmp_path / "sub").mkdir()
    folder = DiskFolder(tmp_path)
    assert folder.names == {"a.toml", "sub", "home"}  # the home is the sealed test's own
    assert folder.read("a.toml") == b"\xff\0"
    assert folder.read("b.toml") is None


def test_a_link_that_leads_nowhere_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.toml").symlink_to("nowhere")
    assert DiskFolder(tmp_path).read("a.toml") is None


def test_what_is_there_and_cannot_be_read_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "a.toml").mkdir()
    (tmp_path / "b.toml").symlink_to("b.toml")
    folder = DiskFolder(tmp_path)
    with pytest.raises(SettingsError, match=r"^a\.toml: can't be read: Is a directory$"):
        folder.read("a.toml")
    with pytest.raises(SettingsError, match=r"^b\.toml: can't be read: Too many levels"):
        folder.read("b.toml")


def test_only_folders_are_folders(tmp_path: Path) -> None:
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("sub")
    folder = DiskFolder(tmp_path)
    asked = (".", "sub", "sub/deep", "link", "file", "nosuch")
    assert {each for each in asked if folder.has_folder(each)} == {".", "sub", "sub/deep", "link"}


def test_a_folder_that_is_gone_has_no_names(tmp_path: Path) -> None:
    assert DiskFolder(tmp_path / "gone").names == frozenset()
    assert DiskFolder(tmp_path / "gone").names_in("tests") == frozenset()


def test_names_in_a_folder_are_those_directly_in_it(tmp_path: Path) -> None:
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "sub" / "file").touch()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("sub")
    folder = DiskFolder(tmp_path)
    assert folder.names_in("sub") == {"deep", "file"}
    assert [folder.names_in(each) for each in ("file", "link", "nosuch")] == [frozenset()] * 3


def test_a_file_below_is_read_as_far_as_it_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "file").write_bytes(b"0123456789")
    folder = DiskFolder(tmp_path)
    assert folder.read("sub/file") == b"0123456789"
    assert folder.read("sub/file", 4) == b"0123"
    assert folder.read("sub/file", 40) == b"0123456789"
    assert folder.read("sub/nosuch", 4) is None
