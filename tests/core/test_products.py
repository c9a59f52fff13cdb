"""Which names are those of products, and which lines of ``.gitignore`` name them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gitcache.core.products import among_sources, hint_to_ignore, ignore_lines, is_product
from tests.support.repository import Repo


@pytest.mark.parametrize(
    "path",
    [
        "coverage/index.html",
        "packages/a/coverage/lcov-report/sorter.js",
        "coverage/lcov-report/a.test.ts.html",
        ".coverage",
        "sub/.coverage.host.123.456",
        ".coverage-unit",
        "run.log",
        "sub/npm-debug.log",
        ".nyc_output/a.json",
        "test-results/.last-run.json",
        "junit.xml",
        "reports/junit-1.xml",
        "sub/.pytest_cache/v/cache/nodeids",
        "__pycache__/test_a.cpython-311-pytest-8.pyc",
        "tsconfig.tsbuildinfo",
        ".turbo/a.log",
        ".vitest/results.json",
    ],
)
def test_what_tools_leave_is_known_by_its_name(path: str) -> None:
    assert is_product(path)


@pytest.mark.parametrize(
    "path",
    [
        "a.py",
        "coverage",
        "coverage.py",
        "my-coverage/a.py",
        "log",
        "junit/a.xml",
        ".coveragerc",
        "sub/.coveragerc-ci",
        "coverage/.gitignore",
        "coverage/.gitattributes",
        "coverage/.env",
        "coverage/.env.test",
        "coverage/new.test.js",
        "coverage/deep/test_new.py",
        "coverage/new_test.go",
        "coverage/conftest.py",
        "test-results/NewTest.java",
    ],
)
def test_what_people_write_is_no_product_wherever_it_lies(path: str) -> None:
    assert not is_product(path)


def test_folder_with_tracked_files_is_one_of_sources() -> None:
    tracked = ["coverage/report.py", "sub/coverage/.gitkeep", "a.log"]
    new = ["coverage/new.py", "coverage/deep/new.json", "sub/coverage/new.json", "b.log"]
    assert among_sources(new, tracked) == {"coverage/new.py", "coverage/deep/new.json"}


@pytest.mark.parametrize(
    ("made", "kept", "lines"),
    [
        (["a/__pycache__/x.pyc", "b/__pycache__/y.pyc"], ["a/x.py"], ["__pycache__/"]),
        ([".coverage", ".coverage.h.1"], [], [".coverage", ".coverage.*"]),
        ([".coverage-unit"], [], ["/.coverage-unit"]),
        (["a.log"], ["kept.py"], ["*.log"]),
        (["a.log"], [".env.log"], ["/a.log"]),
        (["coverage/a.json"], ["coverage/new.test.js"], ["/coverage/a.json"]),
        (["coverage/a.json"], ["sub/coverage/new.test.js"], ["/coverage/"]),
        (["out/deep/a.o", "out/b.o"], ["src/a.c"], ["/out/"]),
        (["src/out/a.o", "src/b.o"], ["src/a.c"], ["/src/b.o", "/src/out/"]),
        (["new.txt"], [], ["/new.txt"]),
        (["a [1]*?\\ "], [], ["/a \\[1]\\*\\?\\\\\\ "]),
        (["a\nb"], [], ["/a?b"]),
    ],
)
def test_lines_name_what_was_made(made: list[str], kept: list[str], lines: list[str]) -> None:
    assert ignore_lines(made, kept) == tuple(lines)


def test_hint_names_a_few_lines_and_counts_the_rest() -> None:
    assert (
        hint_to_ignore(("*.log", "/out/"))
        == "if the tool makes them, .gitignore wants: *.log, /out/"
    )
    assert hint_to_ignore(tuple("abcdefghij")).endswith("wants: a, b, c, d, e, f, g, h and 2 more")


NAMES = st.text(st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]), min_size=1)


PARTS = ["coverage", "__pycache__", "out", "a", "b c ", "[x]*", "#", "!y", "\\z", "x.log", "l\nf"]
FILES = st.lists(st.sampled_from(PARTS), min_size=1, max_size=3).map("/".join)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sets(FILES, max_size=4), st.sets(FILES, max_size=4))
def test_git_ignores_by_the_lines_what_was_made_and_nothing_to_keep(
    repo: Repo, made: set[str], others: set[str]
) -> None:
    every = made | others
    assume(not any(other.startswith(f"{path}/") for path in every for other in every))
    repo.git("clean", "-qfdx")
    for path in every:
        repo.write(path, "")
    repo.write(".gitignore", "".join(f"{line}\n" for line in ignore_lines(made, others - made)))
    ignored = repo.git("ls-files", "-z", "--others", "--ignored", "--exclude-standard")
    assert set(ignored.split("\0")[:-1]) == made


@given(NAMES)
def test_no_file_at_the_top_is_a_product_but_by_a_few_endings(name: str) -> None:
    if is_product(name):
        assert name.startswith((".coverage", "junit")) or name.endswith((".log", ".tsbuildinfo"))
