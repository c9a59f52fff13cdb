"""Stored output on a terminal: colours pass, commands don't."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.cli.escapes import only_colours, printable

SNIPPETS = st.sampled_from(
    [b"\x1b", b"[", b"]", b"m", b"J", b"3", b";", b"\x07", b"\\", b"\xc2", b"\x9b", b"\x00", b"a"]
)


@pytest.mark.parametrize(
    "data",
    [
        b"plain\ttext\r\nwith \xc3\xa9 and \xc2\xb0\n",
        b"\x1b[31mred\x1b[0m",
        b"\x1b[1;38;2;10;20;30mbold\x1b[m",
        b"\x1b[4:3mcurly\x1b[24m",
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
        (b"a\xc2\x00\x9b2Jb", b"a\x9b2Jb"),  # what is left is no UTF-8 and no control
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
    assert b"\xc2\x9b" not in only_colours(data)


def test_a_name_is_shown_on_one_line_without_commands() -> None:
    assert printable("a b/é\u20ac") == "a b/é\u20ac"
    assert printable("a\n\x1b[31m\x9b\u202eb\udcff\t") == r"a\n\x1b[31m\x9b\u202eb\udcff\t"
