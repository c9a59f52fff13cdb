"""Output without colours: only colours go, and not the bytes that look like the start of one."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.colours import ColourRemover, legible, without_colours
from gitcache.core.output import Chunk, Output, Stream

SNIPPETS = st.sampled_from([bytes([each]) for each in b"\x1b[m3;:aK\xff"]) | st.sampled_from(
    [b"\x1b[31m", b"\x1b[" + b"1" * 61, b"m" * 3]
)


def bare(*pieces: bytes) -> bytes:
    remover = ColourRemover()
    return b"".join(map(remover.feed, pieces)) + remover.finish()


@pytest.mark.parametrize(
    ("data", "rest"),
    [
        (b"\x1b[31mred\x1b[0m \x1b[1;4:3;38;2;1;2;3mall\x1b[m", b"red all"),
        (b"\x1b[2J\x1b[K\x1b]0;title\x07\x1bc", b"\x1b[2J\x1b[K\x1b]0;title\x07\x1bc"),
        (b"\x1b\x1b[31m", b"\x1b"),
        (b"\x1b[3\x1b[1mm", b"\x1b[3m"),
        (b"a\x1b", b"a\x1b"),
        (b"a\x1b[31", b"a\x1b[31"),
        (b"\x1b[" + b"1" * 62 + b"m", b"\x1b[" + b"1" * 62 + b"m"),  # longer than any
        (bytes(range(256)), bytes(range(256))),
    ],
)
def test_colours_go_and_all_else_stays(data: bytes, rest: bytes) -> None:
    assert bare(data) == rest


@given(st.lists(st.lists(SNIPPETS, max_size=4).map(b"".join), max_size=6))
def test_it_does_not_matter_how_the_bytes_are_cut(pieces: list[bytes]) -> None:
    assert bare(*pieces) == bare(b"".join(pieces))


def test_a_sequence_that_has_begun_waits_for_its_end() -> None:
    remover = ColourRemover()
    assert [remover.feed(each) for each in (b"a\x1b", b"[3", b"1", b"mb", b"\x1b[", b"K")] == [
        b"a",
        b"",
        b"",
        b"b",
        b"",
        b"\x1b[K",
    ]
    assert remover.finish() == b""


def test_a_sequence_is_found_with_the_other_stream_between_its_pieces() -> None:
    chunks = (
        Chunk("stdout", b"a\x1b[3"),
        Chunk("stderr", b"\x1b[1m"),
        Chunk("stdout", b"1mb"),
        Chunk("stderr", b"e"),
        Chunk("stdout", b"c\x1b"),
    )
    assert without_colours(chunks) == (
        Chunk("stdout", b"ab"),
        Chunk("stderr", b"e"),
        Chunk("stdout", b"c\x1b"),
    )


def test_words_are_looked_for_without_the_colours_that_we_asked_for() -> None:
    output = Output((Chunk("stdout", b"a\x1b[1m"),), (Chunk("stdout", b"b"),), 7)
    assert legible(output, {}) is output
    assert legible(output, {"colour": "--color"}).chunks == (Chunk("stdout", b"ab"),)
    assert legible(output, {"pty": "100x40"}).chunks == (Chunk("stdout", b"ab"),)


@given(
    st.lists(
        st.builds(
            Chunk,
            st.sampled_from(["stdout", "stderr"]),
            st.lists(SNIPPETS, max_size=3).map(b"".join),
        )
    )
)
def test_each_stream_is_what_it_would_be_alone(chunks: list[Chunk]) -> None:
    streams: tuple[Stream, ...] = ("stdout", "stderr")
    found = without_colours(chunks)
    for stream in streams:
        alone = b"".join(each.data for each in chunks if each.stream == stream)
        assert b"".join(each.data for each in found if each.stream == stream) == bare(alone)
    assert all(each.data for each in found)
    assert all(one.stream != other.stream for one, other in pairwise(found))
