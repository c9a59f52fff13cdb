"""Pathspecs taken apart as git does it."""

from __future__ import annotations

import pytest

from gitcache.git.pathspec import Pathspec


@pytest.mark.parametrize(
    ("text", "magic", "path", "is_plain"),
    [
        ("a/b", set(), "a/b", True),
        ("./a//b/", set(), "a/b", True),
        ("../a", set(), "../a", True),
        ("a*", set(), "a*", False),
        ("a?", set(), "a?", False),
        ("[a]", set(), "[a]", False),
        ("a\\b", set(), "a\\b", False),
        (":/a", {"top"}, "a", True),
        (":!a", {"exclude"}, "a", False),
        (":^a", {"exclude"}, "a", False),
        (":!/a", {"exclude", "top"}, "a", False),
        (":/:a", {"top"}, "a", True),
        (":a", set(), "a", True),
        (":(literal)a*", {"literal"}, "a*", True),
        (":(top,literal)a*", {"top", "literal"}, "a*", True),
        (":(glob)a", {"glob"}, "a", False),
        (":(icase)a", {"icase"}, "a", False),
        (":(exclude,glob)**/a", {"exclude", "glob"}, "**/a", False),
        (":(attr:x -y)a", {"attr"}, "a", False),
        (":(attr:x,top)", {"attr", "top"}, ".", False),
        ("", set(), ".", False),
        (":", set(), ".", False),
    ],
)
def test_pathspec(text: str, magic: set[str], path: str, is_plain: bool) -> None:
    pathspec = Pathspec.parse(text)
    assert (set(pathspec.magic), pathspec.path, pathspec.is_plain) == (magic, path, is_plain)
