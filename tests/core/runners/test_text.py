"""A run's output as runners' lines are looked for in it."""

from __future__ import annotations

from gitcache.core.output import Chunk, Output
from gitcache.core.runners import failing_files, recognise
from gitcache.core.runners.text import sections, text_of
from tests.support.projects import printed, project_with


def test_lines_of_two_streams_are_not_torn() -> None:
    chunks = (Chunk("stdout", b"one "), Chunk("stderr", b"err\n"), Chunk("stdout", b"line\n"))
    assert text_of(Output(chunks)) == "one line\n\nerr\n"


def test_colours_titles_and_returns_are_gone() -> None:
    assert text_of(printed(b"\x1b[1;31mred\x1b[0m\x1b[K\r\n10%\r20%\r\n")) == "red\n10%\n20%\n\n"
    assert text_of(printed(b"\x1b]8;;file://x\x1b\\link\x1b]8;;\x07\n")) == "link\n\n"


def test_bytes_that_are_no_utf_8_stay_names() -> None:
    assert text_of(printed(b"a\xff.py")) == "a\udcff.py\n"


def test_line_without_end_is_left_out() -> None:
    assert text_of(printed(b"x" * 100_000 + b"\nshort")) == "short\n"


RECURSIVE = b"""\
Scope: 2 of 3 workspace projects
packages/a test$ vitest run
packages/b test$ vitest run
packages/a test:  FAIL  test/same.test.js > t
packages/b test:  RUN  v4
packages/b test: Done
packages/a test:
packages/a test: Failed
nobody/else test: FAIL
"""


def test_what_pnpm_puts_before_lines_is_their_folder() -> None:
    told = {each.folder: each.text for each in sections(RECURSIVE.decode())}

    assert told == {
        "": "Scope: 2 of 3 workspace projects\nnobody/else test: FAIL\n",
        "packages/a": " FAIL  test/same.test.js > t\n\nFailed",
        "packages/b": " RUN  v4\nDone",
    }


def test_heading_of_a_package_is_the_folder_of_what_follows() -> None:
    text = "> a@1.0.0 test /top/packages/a\n> vitest run\n\n FAIL  t.js > x\n"
    told = [(each.folder, "FAIL" in each.text) for each in sections(text)]
    assert told == [("/top/packages/a", True)]


def test_same_name_in_two_packages_is_that_of_the_one_that_failed() -> None:
    script = '{"scripts": {"test": "vitest run"}}'
    project = project_with(
        {
            "package.json": "{}",
            **{f"packages/{each}/package.json": script for each in "ab"},
            **{f"packages/{each}/test/same.test.js": "" for each in "ab"},
        }
    )
    found = recognise(("pnpm", "-r", "test"), project)

    assert found is not None
    assert failing_files(found, printed(RECURSIVE), project) == ("packages/a/test/same.test.js",)
