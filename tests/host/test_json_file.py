"""A JSON object in a file that may hold anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitcache.host.json_file import read_object


def test_object_is_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_text('{"a": [1]}')
    assert read_object(tmp_path / "x") == {"a": [1]}


@pytest.mark.parametrize("data", [b"", b"[1]", b"{", b"\xff", b"[" * 100_000])
def test_anything_else_is_an_empty_one(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x").write_bytes(data)
    assert read_object(tmp_path / "x") == {}
    assert read_object(tmp_path / "missing") == {}
    assert read_object(tmp_path) == {}
