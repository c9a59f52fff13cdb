"""The worktree's own path in a text, as a placeholder."""

from __future__ import annotations

import pytest

from gitcache.core.own_path import content_digest, pieces


@pytest.mark.parametrize(
    "text",
    [
        b"#!/a/wt1/.venv/bin/python\n",
        b"#!/bin/sh\n'''exec' /a/wt1/.venv/bin/python \"$0\"\n",
        b'VIRTUAL_ENV="/a/wt1/.venv"\n',
        b'{"url": "file:///a/wt1"}',
        b"MAPPING: dict[str, str] = {'pkg': '/a/wt1/src/pkg'}",
        b"/usr/lib:/a/wt1:/lib",
        b"/a/wt1",
        b"cd (/a/wt1)\n",
    ],
)
def test_worktrees_that_name_themselves_agree(text: bytes) -> None:
    other = text.replace(b"/a/wt1", b"/b/c/wt2")
    assert content_digest(text, "/a/wt1") == content_digest(other, "/b/c/wt2")
    assert content_digest(text, "/a/wt1") != content_digest(text, "/b/c/wt2")


@pytest.mark.parametrize("text", [b"/a/wt10/x", b"/b/a/wt1/x", b"/a/wt1-old", b"x/a/wt1", b""])
def test_another_path_is_not_its_own(text: bytes) -> None:
    assert pieces(text, "/a/wt1") == [text]


def test_no_text_spells_the_placeholder() -> None:
    assert len({content_digest(b"x /a/wt1 y", "/a/wt1"), content_digest(b"x  y", "/a/wt1")}) == 2
