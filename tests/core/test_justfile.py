"""Justfiles: the lines of their recipes."""

from __future__ import annotations

from gitcache.core.justfile import recipes_of


def test_lines_of_all_recipes_are_told_with_the_variables_that_are_known() -> None:
    text = (
        "python := '../oven/bin/python'\n"
        "export other := `which x`\n"
        "test arg='x': build\n"
        "    @{{python}} u.py {{ arg }} \\\n      -q\n"
        "\n"
        "build:\n"
        "\t-{{other}} make\n"
    )
    assert recipes_of(text) == ("../oven/bin/python u.py {{ arg }}        -q", "{{other}} make")
