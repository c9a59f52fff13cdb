"""Names that runners print, as files of the worktree."""

from __future__ import annotations

import pytest

from gitcache.core.runners.resolve import MOST_FILES, resolved
from gitcache.core.runners.runner import Printed, Project
from tests.support.projects import project_of

FILES = (
    *("test/a.js", "web/test/a.js", "web/test/b.js", "web/deep/er/c.js", "x.js"),
    *("packages/a/test/same.js", "packages/b/test/same.js"),
)
PROJECT = project_of(*FILES)


def one(name: str, directory: str = ".", folder: str = "") -> str | None:
    files = resolved([Printed((name,), folder)], PROJECT, directory)
    return files[0] if files else None


@pytest.mark.parametrize(
    ("name", "directory", "file"),
    [
        ("test/a.js", ".", "test/a.js"),
        ("./test/../test/a.js", ".", "test/a.js"),
        ("test/a.js", "web", "test/a.js"),
        ("test/b.js", "web", "web/test/b.js"),
        ("../x.js", "web", "x.js"),
        ("/top/web/test/b.js", "packages", "web/test/b.js"),
        ("er/c.js", ".", "web/deep/er/c.js"),
        ("c.js", "packages/a", "web/deep/er/c.js"),
        ("r/c.js", ".", None),
        ("same.js", ".", None),
        ("a/test/same.js", ".", "packages/a/test/same.js"),
        ("../../../x.js", "web", "x.js"),
        ("/elsewhere/web/test/b.js", ".", None),
        ("/topmost/x.js", ".", None),
        ("/top", ".", None),
        ("test/gone.js", ".", None),
        ("test", ".", None),
        ("test/a.js/", ".", None),
        ("", ".", None),
        ("a\0b", ".", None),
        (".", ".", None),
        ("..", ".", None),
    ],
)
def test_name_is_taken_as_is_then_from_where_it_ran_then_as_the_only_suffix(
    name: str, directory: str, file: str | None
) -> None:
    assert one(name, directory) == file


@pytest.mark.parametrize(
    ("folder", "file"),
    [
        ("packages/a", "packages/a/test/same.js"),
        ("/top/packages/b", "packages/b/test/same.js"),
        ("/elsewhere", None),
        ("packages/c", None),
        ("../packages/a", None),
    ],
)
def test_folder_that_the_output_tells_comes_first(folder: str, file: str | None) -> None:
    assert one("test/same.js", folder=folder) == file


def test_first_way_that_leads_to_a_file_counts() -> None:
    printed = [Printed(("gone.js", "x.js", "test/a.js")), Printed(("gone.js",))]
    assert resolved(printed, PROJECT, ".") == ("x.js",)


def test_deleted_and_renamed_files_are_dropped() -> None:
    left = Project(FILES, lambda path: path == "x.js", lambda _: None)
    printed = [Printed((each,)) for each in ("test/a.js", "er/c.js", "x.js")]
    assert resolved(printed, left, ".") == ("x.js",)


def test_each_file_is_named_once_in_order() -> None:
    printed = [Printed((each,)) for each in ("x.js", "test/a.js", "./x.js", "/top/test/a.js")]
    assert resolved(printed, PROJECT, ".") == ("x.js", "test/a.js")


def test_more_than_a_hundred_files_are_none() -> None:
    names = [f"t{number}.py" for number in range(MOST_FILES + 1)]
    printed = [Printed((each,)) for each in names]

    assert MOST_FILES == 100
    assert resolved(printed[:-1], project_of(*names), ".") == tuple(names[:-1])
    assert resolved(printed, project_of(*names), ".") == ()
