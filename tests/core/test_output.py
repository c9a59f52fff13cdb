"""The kept output: byte-exact, in order, bounded, and honest about what was cut."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.output import Chunk, Output, OutputBuffer, Stream, last_lines, last_whole_lines

streams: st.SearchStrategy[Stream] = st.sampled_from(["stdout", "stderr"])
arrivals = st.lists(st.tuples(streams, st.binary(max_size=40)), max_size=30)


def out(data: bytes) -> Chunk:
    return Chunk("stdout", data)


def err(data: bytes) -> Chunk:
    return Chunk("stderr", data)


def collect(limit: int, chunks: list[tuple[Stream, bytes]]) -> Output:
    buffer = OutputBuffer(limit)
    for stream, data in chunks:
        buffer.add(stream, data)
    return buffer.result()


def marked(chunks: list[tuple[Stream, bytes]] | tuple[Chunk, ...]) -> list[tuple[Stream, int]]:
    """Return each byte with its stream: the plain picture of what came."""
    return [(stream, byte) for stream, data in chunks for byte in data]


def test_no_output_is_no_chunk() -> None:
    assert OutputBuffer().result() == Output((), (), 0)


def test_neighbours_of_one_stream_are_one_chunk() -> None:
    output = collect(1 << 20, [("stdout", b"a"), ("stdout", b"b"), ("stderr", b"c")])
    assert output == Output((out(b"ab"), err(b"c")))


def test_streams_keep_the_order_in_which_they_came() -> None:
    output = collect(1 << 20, [("stderr", b"1"), ("stdout", b"2"), ("stderr", b"3")])
    assert output.chunks == (err(b"1"), out(b"2"), err(b"3"))


def test_no_bytes_leave_no_trace() -> None:
    output = collect(1000, [("stdout", b"a"), ("stderr", b""), ("stdout", b"b"), ("stdout", b"")])
    assert output == Output((out(b"ab"),))


def test_neighbours_are_joined_across_the_seam_of_head_and_tail() -> None:
    data = bytes(range(100))
    assert collect(100, [("stdout", data)]) == Output((out(data),))
    assert collect(100, [("stdout", data[:25]), ("stdout", data[25:])]) == Output((out(data),))


def test_head_is_the_first_quarter_and_tail_the_last_three() -> None:
    output = collect(8, [("stdout", b"0123456789abcdef")])
    assert output == Output((out(b"01"),), (out(b"abcdef"),), 8)


def test_one_byte_over_the_limit_cuts_one_byte() -> None:
    assert collect(8, [("stdout", b"012345678")]) == Output((out(b"01"),), (out(b"345678"),), 1)


def test_cut_bytes_lie_between_head_and_tail() -> None:
    output = collect(8, [("stdout", b"0123456789"), ("stdout", b"abcdef")])
    assert output.chunks == (out(b"01"), out(b"abcdef"))


def test_a_limit_of_nothing_keeps_nothing() -> None:
    assert collect(0, [("stdout", b"abc"), ("stderr", b"d")]) == Output((), (), 4)


def test_result_may_be_taken_while_more_comes() -> None:
    buffer = OutputBuffer(8)
    buffer.add("stdout", b"0123")
    early = buffer.result()
    buffer.add("stdout", b"456789")
    assert early == Output((out(b"0123"),))
    assert buffer.result() == Output((out(b"01"),), (out(b"456789"),), 2)


@given(arrivals)
def test_output_under_the_limit_is_kept_byte_for_byte(chunks: list[tuple[Stream, bytes]]) -> None:
    output = collect(1 << 16, chunks)
    assert marked(output.chunks) == marked(chunks)
    assert output.tail == ()
    assert output.cut_bytes == 0


@given(st.binary(max_size=300), st.integers(1, 120), st.integers(1, 50))
def test_one_stream_keeps_its_first_quarter_and_its_end(data: bytes, limit: int, step: int) -> None:
    pieces: list[tuple[Stream, bytes]] = [
        ("stdout", data[start : start + step]) for start in range(0, len(data), step)
    ]
    output = collect(limit, pieces)
    kept = b"".join(chunk.data for chunk in output.chunks)
    if len(data) <= limit:
        assert (kept, output.cut_bytes) == (data, 0)
    else:
        quarter = limit // 4
        assert b"".join(chunk.data for chunk in output.head) == data[:quarter]
        assert b"".join(chunk.data for chunk in output.tail) == data[len(data) - limit + quarter :]
        assert output.cut_bytes == len(data) - limit


@given(arrivals, st.integers(0, 400))
def test_head_cut_and_tail_make_up_the_whole(
    chunks: list[tuple[Stream, bytes]], limit: int
) -> None:
    output = collect(limit, chunks)
    whole, head, tail = marked(chunks), marked(output.head), marked(output.tail)
    assert whole[: len(head)] == head
    assert whole[len(whole) - len(tail) :] == tail
    assert len(head) + output.cut_bytes + len(tail) == len(whole)
    assert len(head) + len(tail) <= limit


@given(arrivals, st.integers(0, 400))
def test_chunks_are_never_empty_and_never_of_their_neighbours_stream(
    chunks: list[tuple[Stream, bytes]], limit: int
) -> None:
    output = collect(limit, chunks)
    for part in (output.head, output.tail):
        assert all(chunk.data for chunk in part)
        assert all(one.stream != two.stream for one, two in pairwise(part))


@given(arrivals, st.integers(0, 400))
def test_how_the_bytes_were_cut_into_reads_does_not_matter(
    chunks: list[tuple[Stream, bytes]], limit: int
) -> None:
    one_by_one: list[tuple[Stream, bytes]] = [
        (stream, data[place : place + 1]) for stream, data in chunks for place in range(len(data))
    ]
    assert collect(1 << 16, one_by_one) == collect(1 << 16, chunks)


def test_a_million_alternating_bytes_are_few_objects() -> None:
    buffer = OutputBuffer(1 << 20)
    for _ in range(500_000):
        buffer.add("stdout", b"o")
        buffer.add("stderr", b"e")
    output = buffer.result()
    kept = len(output.chunks)
    assert 15_000 < kept < 16_500  # 65 bytes are counted for each of them
    assert output.cut_bytes == 1_000_000 - kept
    assert output.head[0] == out(b"o")
    assert output.tail[-1] == err(b"e")


def test_a_long_stream_in_small_pieces_keeps_the_limit_exactly() -> None:
    buffer = OutputBuffer(1 << 20)
    for _ in range(40_000):
        buffer.add("stdout", b"a line of sixty-four bytes, the last of which is its newline...\n")
    output = buffer.result()
    assert [len(chunk.data) for chunk in output.chunks] == [262_144, 786_432]
    assert output.cut_bytes == 40_000 * 64 - 1_048_576


LINES = Output((out(b"1\n2\n"), err(b"3\n"), out(b"4\n5\n")))


@pytest.mark.parametrize(
    ("output", "count", "kept"),
    [
        (LINES, 0, ()),
        (LINES, 1, (out(b"5\n"),)),
        (LINES, 2, (out(b"4\n5\n"),)),
        (LINES, 3, (err(b"3\n"), out(b"4\n5\n"))),
        (LINES, 4, (out(b"2\n"), err(b"3\n"), out(b"4\n5\n"))),
        (LINES, 5, LINES.chunks),
        (LINES, 6, LINES.chunks),
        (LINES, 10**9, LINES.chunks),
        (Output(), 0, ()),
        (Output(), 3, ()),
        (Output((out(b"no newline"),)), 1, (out(b"no newline"),)),
        (Output((out(b"1\n2"),)), 1, (out(b"2"),)),
        (Output((out(b"1\n2"),)), 2, (out(b"1\n2"),)),
        (Output((out(b"\n"),)), 1, (out(b"\n"),)),
        (Output((out(b"1\n\n"),)), 1, (out(b"\n"),)),
        (Output((out(b"\n\n\n"),)), 2, (out(b"\n\n"),)),
        (Output((out(b"1\nha"), err(b"lf\n"))), 1, (out(b"ha"), err(b"lf\n"))),
        (Output((out(b"1\n2"), err(b"\n"))), 1, (out(b"2"), err(b"\n"))),
        (Output((out(b"1\r\n2\r\n"),)), 1, (out(b"2\r\n"),)),
        (Output((out(b"1\n"),), (out(b"8\n9\n"),), 6), 2, (out(b"8\n9\n"),)),
        (Output((out(b"1\n"),), (out(b"8\n9\n"),), 6), 3, (out(b"1\n"), out(b"8\n9\n"))),
    ],
)
def test_last_lines_are_counted_over_both_streams(
    output: Output, count: int, kept: tuple[Chunk, ...]
) -> None:
    assert last_lines(output, count) == kept


@pytest.mark.parametrize(
    ("output", "count", "kept"),
    [
        (LINES, 9, [out(b"1"), out(b"2"), err(b"3"), out(b"4"), out(b"5")]),
        (LINES, 2, [out(b"4"), out(b"5")]),
        (LINES, 0, []),
        (Output(), 9, []),
        (Output((out(b"1\n\n2"),)), 9, [out(b"1"), out(b""), out(b"2")]),
        (Output((out(b"ha"), err(b"E\n"), out(b"lf\n"))), 9, [err(b"E"), out(b"half")]),
        (Output((out(b"ha"), err(b"E"), out(b"lf"))), 9, [out(b"half"), err(b"E")]),
        (Output((out(b"1\n"),), (out(b"8\n9\n"),), 6), 9, [out(b"9")]),
        (
            Output((out(b"1\n"),), (out(b"8\n"), err(b"e\nf\n"), out(b"9")), 6),
            9,
            [err(b"f"), out(b"9")],
        ),
    ],
)
def test_whole_lines_are_of_one_stream_and_in_the_order_of_their_ends(
    output: Output, count: int, kept: list[Chunk]
) -> None:
    assert list(last_whole_lines(output, count)) == kept


@given(arrivals)
def test_whole_lines_are_all_that_a_stream_said(chunks: list[tuple[Stream, bytes]]) -> None:
    lines = last_whole_lines(collect(1 << 16, chunks), 10**6)
    for stream in ("stdout", "stderr"):
        said = b"".join(data for each, data in chunks if each == stream)
        expected = [line.removesuffix(b"\n") for line in BytesIO(said).readlines()]
        assert [line.data for line in lines if line.stream == stream] == expected


def test_the_last_hundred_lines_of_any_amount_of_output_are_there() -> None:
    buffer = OutputBuffer()
    for number in range(300_000):
        buffer.add("stdout" if number % 3 else "stderr", b"%d: a line of output\n" % number)
    lines = last_whole_lines(buffer.result(), 100)
    assert [line.data for line in lines] == [
        b"%d: a line of output" % number for number in range(299_900, 300_000)
    ]


@given(arrivals, st.integers(0, 5))
def test_last_lines_are_the_end_of_the_output(
    chunks: list[tuple[Stream, bytes]], count: int
) -> None:
    kept = last_lines(collect(1 << 16, chunks), count)
    whole = marked(chunks)
    lines = BytesIO(bytes(byte for _, byte in whole)).readlines()
    length = sum(map(len, lines[max(0, len(lines) - count) :]))
    assert marked(kept) == whole[len(whole) - length :]
