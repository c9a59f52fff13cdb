"""The journal's file: many writers, one rotation at a time, and nothing that stops a call."""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path

import pytest

from gitcache.core.uses import parse_journal
from gitcache.host.journal import ASIDE, LARGE, append, read
from gitcache.quick.journal import NAME
from tests.support.journal_writer import numbered_line, start_writer
from tests.support.unprivileged import unprivileged

LINE = numbered_line("a", 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "toolcache"


def test_lines_are_read_in_the_order_in_which_they_came(folder: Path) -> None:
    for number in range(3):
        append(folder, numbered_line("a", number))
    assert read(folder) == b"".join(numbered_line("a", number) for number in range(3))


def test_without_a_journal_nothing_is_read(folder: Path) -> None:
    assert read(folder) == b""


def test_a_large_journal_is_set_aside_and_still_read(folder: Path) -> None:
    for number in range(5):
        append(folder, numbered_line("a", number), large=3 * len(LINE))
    assert (folder / ASIDE).read_bytes().count(b"\n") == 3
    assert (folder / NAME).read_bytes().count(b"\n") == 2
    assert read(folder).count(b"\n") == 5


def test_what_was_set_aside_first_goes_the_second_time(folder: Path) -> None:
    for number in range(4):
        append(folder, numbered_line("a", number), large=2 * len(LINE))
    assert read(folder) == numbered_line("a", 2) + numbered_line("a", 3)


def test_a_journal_is_set_aside_after_a_month_of_many_uses() -> None:
    assert LARGE // len(LINE) > 30_000


def test_while_another_sets_it_aside_lines_are_only_appended(folder: Path) -> None:
    append(folder, LINE)
    with open(folder / NAME, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        append(folder, LINE, large=1)
    assert read(folder) == LINE * 2
    assert not (folder / ASIDE).exists()


def write_together(folder: Path, large: int) -> None:
    """Let eight processes append 200 lines each at the same time."""
    writers = [start_writer(folder, f"w{number}", 200, large) for number in range(8)]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=60)
        assert writer.returncode == 0


def test_a_young_journal_is_never_set_aside(folder: Path) -> None:
    """Of eight that see that the file is large, one renames it, and none the next file."""
    large = 20 * len(LINE)
    write_together(folder, large)
    assert (folder / ASIDE).stat().st_size >= large
    assert parse_journal(read(folder)).unread == 0


def test_no_line_is_lost_where_eight_write_across_a_rotation(folder: Path) -> None:
    total = 8 * 200
    large = total * len(numbered_line("w0", 0)) * 2 // 3  # reached once

    write_together(folder, large)

    found = parse_journal(read(folder))

    assert (folder / ASIDE).stat().st_size >= large
    assert found.unread == 0
    told = sorted((use.worktree, use.reason) for use in found.uses)
    assert told == [
        (f"/w{writer}", f"line {number:06d}") for writer in range(8) for number in range(200)
    ]


def test_a_journal_that_was_removed_is_begun_anew(folder: Path) -> None:
    append(folder, LINE)
    os.unlink(folder / NAME)
    append(folder, LINE)
    assert read(folder) == LINE


def test_only_the_end_of_a_huge_journal_is_read(folder: Path) -> None:
    for number in range(10):
        append(folder, numbered_line("a", number))
    assert parse_journal(read(folder, most=3 * len(LINE) + 5)).uses[-1].reason == "line 000009"
    assert read(folder, most=3 * len(LINE)).count(b"\n") == 3


def test_group_may_write_where_it_may_write_in_the_folder(tmp_path: Path) -> None:
    shared, own = tmp_path / "shared", tmp_path / "own"
    for folder, mode in ((shared, 0o770), (own, 0o700)):
        folder.mkdir()
        folder.chmod(mode)
        append(folder / "toolcache", LINE)
    assert stat.S_IMODE((shared / "toolcache" / NAME).stat().st_mode) & 0o070 == 0o060
    assert not stat.S_IMODE((own / "toolcache" / NAME).stat().st_mode) & 0o020


@pytest.mark.parametrize("what", ["folder", "pipe", "link", "closed", "file instead of folder"])
def test_what_can_not_be_written_costs_only_the_line(folder: Path, what: str) -> None:
    with unprivileged() as home:
        place = home / "toolcache"
        if what != "file instead of folder":
            place.mkdir()
        match what:
            case "folder":
                (place / NAME).mkdir()
            case "pipe":
                os.mkfifo(place / NAME)
            case "link":
                (place / NAME).symlink_to(home / "elsewhere")
            case "closed":
                place.chmod(0o500)
            case _:
                place.write_bytes(b"")
        append(place, LINE)
        assert read(place) == b""
        assert not (home / "elsewhere").exists()
