"""How key inputs differ from an entry's, which entry is the nearest, and which files changed."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.content import Change
from gitcache.core.differences import (
    Content,
    Difference,
    changed_paths,
    differences,
    nearest,
)
from gitcache.core.entry import Entry, RanIn
from gitcache.core.key import NAMES, KeyInputs, TreeId
from gitcache.core.outcome import Passed
from gitcache.core.output import Output
from gitcache.core.tool import AD_HOC, ToolName

TREE = TreeId("4b825dc642cb6eb9a060e54bf8d69288fbee4904")
OTHER = TreeId("a" * 40)
INPUTS = KeyInputs(ToolName("test"), ("pytest",), ".", TREE, {"platform": "1", "program": "2"})
ENTRY = Entry(INPUTS, Passed(), Output(), 1000.0, 1.0, RanIn("/wt", None, "h", "u"), TREE)


def told(**changes: Any) -> list[str]:
    """Return what is said where the inputs have *changes* over the entry's."""
    return [each.text for each in differences(replace(INPUTS, **changes), ENTRY)]


def entry_with(began: float, **changes: Any) -> Entry:
    return replace(ENTRY, inputs=replace(INPUTS, **changes), started_at=began)


@pytest.mark.parametrize(
    ("changes", "texts"),
    [
        ({}, []),
        ({"argv": ("pytest", "-q")}, ["argv changed"]),
        ({"directory": "sub"}, ["directory changed"]),
        ({"tree": OTHER}, ["content changed"]),
        ({"isolation": "isolated"}, ["isolation changed"]),
        ({"environment": {"platform": "x", "program": "2"}}, ["platform changed"]),
        ({"environment": {"platform": "1"}}, ["program is gone"]),
        ({"environment": {**INPUTS.environment, "stdin": "3"}}, ["standard input is new"]),
        ({"environment": {**INPUTS.environment, "rules": "3"}}, ["passing of variables is new"]),
        ({"environment": {**INPUTS.environment, "variable:CI": "3"}}, ["variable CI is now set"]),
        ({"environment": {**INPUTS.environment, "ignored:a:b": "3"}}, ["ignored a:b is new"]),
        ({"blind_spots": {"submodule:lib": "3"}}, ["submodule lib is new"]),
        ({"blind_spots": {"sparse": "3"}}, ["sparse is new"]),
        ({"limits": {"memory": "4GiB"}}, ["limit memory is new"]),
    ],
)
def test_each_input_has_its_words(changes: dict[str, Any], texts: list[str]) -> None:
    assert told(**changes) == texts


def test_a_variable_is_set_changed_or_unset() -> None:
    before = replace(INPUTS, environment={"variable:A": "1", "variable:B": "2"})
    after = replace(INPUTS, environment={"variable:B": "3", "variable:C": "4"})
    assert [each.text for each in differences(after, replace(ENTRY, inputs=before))] == [
        "variable A is no longer set",
        "variable B changed",
        "variable C is now set",
    ]


def test_values_that_are_no_digests_are_told_on_both_sides() -> None:
    after = replace(INPUTS, argv=("pytest", "a b"), directory="sub", limits={"memory": "1GiB"})
    assert differences(after, ENTRY) == (
        Difference("argv", "argv changed", "", "pytest", "pytest 'a b'"),
        Difference("directory", "directory changed", "", ".", "sub"),
        Difference("limits", "limit memory is new", "memory", None, "1GiB"),
    )


@pytest.mark.parametrize(
    ("paths", "text"),
    [((), "content changed"), (("a",), "1 file changed"), (("a", "b"), "2 files changed")],
)
def test_the_tree_is_told_by_its_files_where_they_are_known(
    paths: tuple[str, ...], text: str
) -> None:
    asked = replace(INPUTS, tree=OTHER)
    assert differences(asked, ENTRY, paths) == (Difference("tree", text, "", TREE, OTHER, paths),)


def test_differences_come_in_the_order_of_the_names() -> None:
    changes: dict[str, Any] = {
        "schema": 2,
        "tool": ToolName("lint"),
        "argv": ("x",),
        "directory": "sub",
        "tree": OTHER,
        "environment": {},
        "blind_spots": {"sparse": "1"},
        "limits": {"memory": "1"},
        "isolation": "isolated",
        "terminal": {"colour": "--color", "pty": "100x40"},
    }
    assert set(changes) == {each.name for each in fields(KeyInputs)}
    found = [each.name for each in differences(replace(INPUTS, **changes), ENTRY)]
    assert list(dict.fromkeys(found)) == list(NAMES)


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ({"node": "20.1.0"}, {"node": "22.0.0"}, "node 20.1.0 → 22.0.0"),
        ({"a": "1"}, {"a": "1", "b": "2"}, "b 2 is new"),
        ({"a": "1", "b": "2"}, {"a": "1"}, "b 2 is gone"),
        ({"a": "1", "b": "1", "c": "1"}, {"a": "2", "b": "2"}, "a 1 → 2, b 1 → 2, 1 more package"),
        (dict.fromkeys("abcd", "1"), {}, "a 1 is gone, b 1 is gone, 2 more packages"),
        ({"a": "1"}, {"a": "1"}, "program changed"),
        ({}, {}, "program changed"),
    ],
)
def test_a_part_whose_versions_are_known_is_told_by_them(
    before: dict[str, str], after: dict[str, str], text: str
) -> None:
    inputs = replace(INPUTS, environment={"platform": "1", "program": "3"})
    (told,) = differences(inputs, ENTRY, versions={"program": (before, after)})
    assert told == Difference("environment", text, "program")


def test_the_nearest_entry_differs_least() -> None:
    near = entry_with(10.0, argv=("x",))
    far = entry_with(20.0, argv=("x",), directory="sub")
    for entries in ([near, far], [far, near]):
        assert nearest(INPUTS, entries) == near


def test_each_part_of_the_environment_counts_as_an_input() -> None:
    near = entry_with(10.0, tree=OTHER)
    far = entry_with(20.0, environment={})
    assert nearest(INPUTS, [far, near]) == near


def test_of_equally_near_entries_the_newest_is_taken() -> None:
    old, new = entry_with(10.0, tree=OTHER), entry_with(11.0, tree=TreeId("b" * 40))
    for entries in ([old, new], [new, old]):
        assert nearest(INPUTS, entries) == new


def test_an_entry_of_another_tool_is_never_the_nearest() -> None:
    assert nearest(INPUTS, [entry_with(10.0, tool=ToolName("lint"))]) is None
    assert nearest(INPUTS, []) is None


def test_a_command_of_the_callers_own_is_near_to_itself_alone() -> None:
    asked = replace(INPUTS, tool=AD_HOC)
    same = entry_with(10.0, tool=AD_HOC, tree=OTHER)
    other = entry_with(20.0, tool=AD_HOC, argv=("ls",))
    assert nearest(asked, [other, same]) == same
    assert nearest(asked, [other]) is None


def change(path: str, oid: str) -> Change:
    return Change(path, "100644", oid * 40)


def gone(path: str) -> Change:
    return Change(path, "000000", "0" * 40)


def test_over_one_base_the_two_lists_of_changes_tell() -> None:
    before = Content(TREE, (change("a", "1"), change("b", "1"), change("c", "1"), gone("e")))
    after = Content(TREE, (change("a", "1"), change("b", "2"), change("d", "1"), gone("e")))
    assert changed_paths(before, after, {}) == ("b", "c", "d")


def test_a_mode_alone_is_a_change() -> None:
    before = Content(TREE, (Change("a", "100644", "1" * 40),))
    after = Content(TREE, (Change("a", "100755", "1" * 40),))
    assert changed_paths(before, after, {}) == ("a",)


def test_a_change_that_was_committed_since_is_none() -> None:
    between = {"a": (change("a", "0"), change("a", "1")), "b": (change("b", "0"), change("b", "1"))}
    before = Content(TREE, (change("a", "1"),))
    assert changed_paths(before, Content(OTHER), between) == ("b",)


def test_a_commit_that_was_taken_back_in_the_working_tree_is_none() -> None:
    between = {"a": (change("a", "0"), change("a", "1")), "b": (gone("b"), change("b", "1"))}
    after = Content(OTHER, (change("a", "0"), gone("b")))
    assert changed_paths(Content(TREE), after, between) == ()


FILES = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("123"))


def content_of(base: str, base_files: dict[str, str], files: dict[str, str]) -> Content:
    """Return *files* as changes over *base_files*."""
    paths = sorted(base_files.keys() | files.keys())
    return Content(base, tuple(_side(p, files) for p in paths if files.get(p) != base_files.get(p)))


def _side(path: str, files: dict[str, str]) -> Change:
    return change(path, files[path]) if path in files else gone(path)


@given(FILES, FILES, FILES, FILES)
def test_whatever_lies_between_exactly_the_files_that_differ_are_named(
    old_head: dict[str, str], old: dict[str, str], new_head: dict[str, str], new: dict[str, str]
) -> None:
    between = {
        path: (_side(path, old_head), _side(path, new_head))
        for path in old_head.keys() | new_head.keys()
        if old_head.get(path) != new_head.get(path)
    }
    before, after = content_of(TREE, old_head, old), content_of(OTHER, new_head, new)
    differing = {path for path in "abcdef" if old.get(path) != new.get(path)}
    assert changed_paths(before, after, between) == tuple(sorted(differing))
