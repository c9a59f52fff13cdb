"""A running tool's output in files: readers come late, are slow, and miss what is long gone."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.output import Stream
from gitcache.host.live_log import SEGMENTS_KEPT, Frame, LogReader, LogWriter, Missed

FRAME = 5
"""Bytes of a frame beside the tool's own."""


def joined(frames: Iterable[Frame | Missed], stream: Stream) -> bytes:
    return b"".join(each.data for each in frames if isinstance(each, Frame) and each.kind == stream)


def test_reader_gets_what_was_written_in_its_order(tmp_path: Path) -> None:
    writer, reader = LogWriter(tmp_path), LogReader(tmp_path)
    assert list(reader.read()) == []
    writer.write("stdout", b"a")
    writer.write("stderr", b"")
    assert list(reader.read()) == [Frame("stdout", b"a"), Frame("stderr", b"")]
    writer.write("stderr", bytes(range(256)))
    assert list(reader.read()) == [Frame("stderr", bytes(range(256)))]
    assert list(reader.read()) == []
    assert next(iter(LogReader(tmp_path).read())) == Frame("stdout", b"a")


def test_folder_without_a_log_has_nothing_yet(tmp_path: Path) -> None:
    assert list(LogReader(tmp_path).read()) == []


def test_frame_of_which_a_part_has_come_waits_for_its_end(tmp_path: Path) -> None:
    LogWriter(tmp_path).write("stdout", b"abc")
    whole = (tmp_path / "log.0").read_bytes()
    reader = LogReader(tmp_path)
    for count in range(len(whole)):
        (tmp_path / "log.0").write_bytes(whole[:count])
        assert list(reader.read()) == []
    (tmp_path / "log.0").write_bytes(whole)
    assert list(reader.read()) == [Frame("stdout", b"abc")]


def test_oldest_segments_are_removed_and_a_late_reader_is_told(tmp_path: Path) -> None:
    writer = LogWriter(tmp_path, segment=100)
    early = LogReader(tmp_path)
    for number in range(20):
        writer.write("stdout", b"%02d" % number * 20)
        if number == 0:
            assert len(list(early.read())) == 1
    assert len(list(tmp_path.glob("log.*"))) == SEGMENTS_KEPT
    late = list(LogReader(tmp_path).read())
    assert late[0] == Missed(9 * (40 + FRAME))
    assert joined(late, "stdout") == b"".join(b"%02d" % each * 20 for each in range(9, 20))
    # The early one holds its first segment open, and misses only what lies between.
    rest = list(early.read())
    assert rest[:3] == [
        Frame("stdout", b"01" * 20),
        Frame("stdout", b"02" * 20),
        Missed(6 * (40 + FRAME)),
    ]
    assert joined(rest[3:], "stdout") == joined(late, "stdout")


def test_log_that_is_held_may_be_removed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    writer, reader, late = LogWriter(folder, segment=100), LogReader(folder), LogReader(folder)
    writer.write("stdout", b"00" * 20)
    assert len(list(reader.read())) == 1
    for number in range(1, 10):
        writer.write("stdout", b"%02d" % number * 20)
    reader.hold()
    late.hold()
    shutil.rmtree(folder)
    written = b"".join(b"%02d" % each * 20 for each in range(10))
    assert joined(reader.read(), "stdout") == written[40:]
    assert joined(late.read(), "stdout") == written
    assert list(late.read()) == []
    late.close()


def test_writer_knows_whether_its_log_is_still_there(tmp_path: Path) -> None:
    """Somebody removes it; no new segment can be begun then, and the old one is still closed."""
    folder = tmp_path / "run"
    folder.mkdir()
    writer = LogWriter(folder, segment=1)
    writer.write("stdout", b"a")
    assert writer.is_in_place()
    shutil.rmtree(folder)
    assert not writer.is_in_place()
    with pytest.raises(FileNotFoundError):
        writer.write("stdout", b"b")
    writer.close()


def test_file_that_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.0").write_bytes(b"\xff" * 3 + b"\0" * 9)
    with pytest.raises(ValueError, match=r"^it is no log"):
        list(LogReader(tmp_path).read())


@given(
    frames=st.lists(
        st.tuples(st.sampled_from(["stdout", "stderr"]), st.binary(max_size=50), st.booleans())
    ),
    segment=st.integers(1, 200),
)
def test_reader_that_keeps_up_misses_nothing(
    tmp_path_factory: pytest.TempPathFactory,
    frames: list[tuple[Stream, bytes, bool]],
    segment: int,
) -> None:
    folder = tmp_path_factory.mktemp("log")
    writer, reader = LogWriter(folder, segment), LogReader(folder)
    read: list[Frame | Missed] = []
    for stream, data, is_read in frames:
        writer.write(stream, data)
        if is_read or len(read) < SEGMENTS_KEPT - 1:
            read += reader.read()
    read += reader.read()
    told = [each for each in read if isinstance(each, Frame)]
    missed = sum(each.count for each in read if isinstance(each, Missed))
    written = [Frame(stream, data) for stream, data, _ in frames]
    assert sum(len(each.data) + FRAME for each in told) + missed == sum(
        len(each.data) + FRAME for each in written
    )
    rest = iter(written)
    assert all(each in rest for each in told)  # in their order
    writer.close()
    reader.close()
