"""Stored output on a terminal: colours pass, commands don't."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.cli.escapes import TerminalFilter, printable

SNIPPETS = st.sampled_from(
    [bytes([each]) for each in b"\x1b[]mJ3;\x07\\\x18\xc2\x9b\xe2\x80\xa0\xf0\x9f\xe0\x82\x00aP "]
)


def only_colours(data: bytes, with_colours: bool = True) -> bytes:
    """Return what a terminal gets of *data*, which comes in one piece."""
    terminal = TerminalFilter(with_colours)
    return terminal.feed(data) + terminal.finish()


@pytest.mark.parametrize(
    "data",
    [
        b"plain\ttext\r\nwith \xc3\xa9 and \xc2\xb0\n",
        b"\x1b[31mred\x1b[0m",
        b"\x1b[1;38;2;10;20;30mbold\x1b[m",
        b"\x1b[4:3mcurly\x1b[24m",
        b"\xc3\x9b \xe2\x82\xac \xe2\x80\x9b \xf0\x9f\x98\x80",  # \x80 to \x9f within characters
        b"bell \x07, backspace \x08, form feed \x0c",
    ],
)
def test_text_and_colours_stay_as_they_are(data: bytes) -> None:
    assert only_colours(data) == data


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"a\x1b[2Jb", b"ab"),  # clears the screen
        (b"a\x1b[10;10Hb", b"ab"),  # moves the cursor
        (b"a\x1b[?1049hb", b"ab"),  # changes to the other screen
        (b"a\x1b[>4;1mb", b"ab"),  # sets how keys are reported
        (b"a\x1b]0;title\x07b", b"ab"),
        (b"a\x1b]52;c;cm0gLXJm\x1b\\b", b"ab"),  # writes the clipboard
        (b"a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", b"alinkb"),
        (b"a\x1bPq#0\x1b\\b", b"ab"),  # commands for the device
        (b"a\x1b]0;never ends", b"a"),
        (b"a\x1bcb", b"ab"),  # resets the terminal
        (b"a\x1b(0b", b"ab"),  # changes the character set
        (b"a\x1b", b"a"),
        (b"a\x1b[31", b"a31"),
        (b"a\xc2\x9b2Jb", b"a2Jb"),
        (b"a\xc2\x00\x9b2Jb", b"a2Jb"),
        (b"a\x9b2Jb", b"a2Jb"),  # the same control sequence in eight bits
        (b"a\x9d52;c;cm0gLXJm\x9cb", b"a52;c;cm0gLXJmb"),
        (b"a\xe0\x82\x9b2Jb", b"a\xe02Jb"),  # U+009B spelled longer than UTF-8 allows
        (b"a\xf0\x80\x82\x9b2Jb", b"a\xf02Jb"),
        (b"a\x1b]0;cut off\x1b[31mb", b"a\x1b[31mb"),
        (b"a\x1b]0;cancelled\x18b\x1b]0;too\x1ac", b"abc"),
        (b"a\x00\x0e\x0f\x7fb", b"ab"),
        (b"\x1b[2J\x1b[32mok\x1b[0m", b"\x1b[32mok\x1b[0m"),
        (b"\x1b\x1b[31m", b"\x1b[31m"),
    ],
)
def test_whatever_else_commands_a_terminal_is_left_out(data: bytes, shown: bytes) -> None:
    assert only_colours(data) == shown


@given(st.lists(SNIPPETS, max_size=12).map(b"".join))
def test_nothing_that_is_left_out_makes_way_for_a_command(data: bytes) -> None:
    rest = re.sub(rb"\x1b\[[0-9;:]*m", b"", only_colours(data))
    assert b"\x1b" not in rest
    text = rest.decode("utf-8", "surrogateescape")
    assert not re.search("[\x80-\x9f\udc80-\udc9f]", text)


@given(st.lists(st.lists(SNIPPETS, max_size=4).map(b"".join), max_size=6))
def test_pieces_show_what_the_whole_shows(pieces: list[bytes]) -> None:
    for with_colours in (True, False):
        terminal = TerminalFilter(with_colours)
        shown = b"".join(map(terminal.feed, pieces)) + terminal.finish()
        assert shown == only_colours(b"".join(pieces), with_colours)


def test_what_is_cut_within_a_sequence_is_shown_with_its_end_and_not_before() -> None:
    terminal = TerminalFilter()
    pieces = [b"a\x1b", b"[3", b"1mred\x1b]52;c;", b"cm0=\x1b", b"\\b\xe2\x82", b"\xacc\x1b["]
    assert list(map(terminal.feed, pieces)) == [
        b"a",
        b"",
        b"\x1b[31mred",
        b"",
        b"b",
        b"\xe2\x82\xacc",
    ]
    assert terminal.finish() == b""


def test_colours_are_left_out_too_where_nobody_sees_them() -> None:
    assert only_colours(b"\x1b[1;31mred\x1b[0m\x1b[2J \xe2\x82\xac", False) == b"red \xe2\x82\xac"


def test_a_name_is_shown_on_one_line_without_commands() -> None:
    assert printable("a b/é\u20ac") == "a b/é\u20ac"
    assert printable("a\n\x1b[31m\x9b\u202eb\udcff\t") == r"a\n\x1b[31m\x9b\u202eb\udcff\t"
