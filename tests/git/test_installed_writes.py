"""Which installed files were written since a moment, and which of them do not count."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitcache.git.installed_writes import installed_writes

EVER, NEVER = 0, 2**62


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    return path


def test_every_file_below_is_told_with_its_stat(tmp_path: Path) -> None:
    path = put(tmp_path / "one/deep/index.js")
    facts = path.stat()
    stat = (facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino, facts.st_mode)
    assert installed_writes([tmp_path / "one"], EVER) == {str(path): stat}
    assert installed_writes([tmp_path / "one"], NEVER) == {}


def test_place_may_be_a_file_or_missing(tmp_path: Path) -> None:
    path = put(tmp_path / "python")
    assert [*installed_writes([path, tmp_path / "gone"], EVER)] == [str(path)]


def test_link_is_told_and_not_followed(tmp_path: Path) -> None:
    put(tmp_path / "outside/x")
    (tmp_path / "in").mkdir()
    (tmp_path / "in/link").symlink_to(tmp_path / "outside")
    assert [*installed_writes([tmp_path / "in"], EVER)] == [str(tmp_path / "in/link")]


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("one/__pycache__/x.pyc", False),
        ("one/__pycache__", True),
        ("one/.git/config", False),
        (".cache/x", False),
        ("one/.cache/x", True),
        ("one/node_modules/.cache/x", False),
        (".package-lock.json", False),
        ("one/.package-lock.json", True),
        (".pnpm-workspace-state-v1.json", False),
    ],
)
def test_what_is_in_no_digest_is_not_told(tmp_path: Path, name: str, counts: bool) -> None:
    path = put(tmp_path / "node_modules" / name)
    assert [*installed_writes([tmp_path / "node_modules"], EVER)] == [str(path)] * counts


def test_file_with_several_links_was_written_only_if_its_bytes_were(tmp_path: Path) -> None:
    path = put(tmp_path / "in/x")
    os.utime(path, ns=(1, 1_000))
    assert [*installed_writes([tmp_path / "in"], 2_000)] == [str(path)]
    os.link(path, tmp_path / "more")
    assert [*installed_writes([tmp_path / "in"], 2_000)] == []
    path.write_text("y")
    assert [*installed_writes([tmp_path / "in"], 2_000)] == [str(path)]
