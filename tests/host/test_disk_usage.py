"""How many bytes lie in each part of a folder."""

from __future__ import annotations

from pathlib import Path

from gitcache.host.disk_usage import usage_of


def test_each_folder_counts_with_all_below_it(tmp_path: Path) -> None:
    folder = tmp_path / "toolcache"
    for name, size in (("memo/a/x", 3), ("memo/b/y", 4), ("habits/z", 5), ("own", 2)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(bytes(size))
    (folder / "locks").mkdir()
    assert usage_of(folder) == {".": 2, "habits": 5, "locks": 0, "memo": 7}


def test_links_are_not_followed_and_a_missing_folder_is_empty(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(10_000))
    (tmp_path / "folder/memo").mkdir(parents=True)
    (tmp_path / "folder/memo/link").symlink_to("../../big")
    assert usage_of(tmp_path / "folder") == {"memo": len("../../big")}
    assert usage_of(tmp_path / "nowhere") == {}
