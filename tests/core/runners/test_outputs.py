"""What the runners' outputs tell, as real runs printed them.

The files in ``outputs`` are what the programs wrote (pytest 9, unittest of Python 3.11, node 20,
vitest 4, jest 30, mocha 12, cargo 1.95, ctest 3.25), their folder replaced by ``/top``; those of
go, nextest, rspec and phpunit, and of other versions, are written by hand.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gitcache.core.runners import RUNNERS, failing_files, ran_nothing
from gitcache.core.runners.found import Found
from tests.support.projects import printed, project_of

OUTPUTS = Path(__file__).parent / "outputs"

PYTHON = (
    *("tests/test_red.py", "tests/test_green.py", "tests/test_import.py", "tests/test_mod.py"),
    *("tests/nested/test_deep.py", "tests/sub/test_imp.py", "tests/test_un.py"),
    *("tests/__init__.py", "tests/sub/__init__.py", "conftest.py"),
)
NODE = ("test/red.test.js", "test/green.test.js", "test/sub/crash.test.js", "test/sub/deep.test.js")
WORKSPACE = tuple(
    f"packages/{package}/test/{name}.test.{suffix}"
    for package in "ab"
    for name in ("same", "crash")
    for suffix in ("js", "mjs")
)
RUST = ("src/lib.rs", "src/inner.rs", "src/bin/tool.rs", "tests/integ.rs", "tests/fine.rs")
GO = ("root_test.go", "a/b/deep_test.go", "a/b/panic_test.go", "broken/broken_test.go")
RUBY = ("spec/red_spec.rb", "spec/nested/deep_spec.rb", "spec/support/helper.rb")
PHP = ("tests/RedTest.php", "tests/Nested/DeepTest.php", "src/Thing.php")
NATIVE = ("src/test_red.c", "src/test_green.c", "src/test_seg.cpp")

PROJECT = project_of(*PYTHON, *NODE, *WORKSPACE, *RUST, *GO, *RUBY, *PHP, *NATIVE)

RED = ("tests/test_red.py",)
PYTEST_RED = ("tests/nested/test_deep.py", "tests/test_import.py", "tests/test_red.py")
UNITTEST_RED = (
    *("tests/sub/test_imp.py", "tests/test_mod.py", "tests/test_red.py", "tests/test_un.py"),
)
NODE_RED = ("test/red.test.js", "test/sub/crash.test.js")
MOCHA_RED = ("test/red.test.js", "test/sub/deep.test.js")
VITEST_RED = ("packages/a/test/same.test.mjs", "packages/b/test/crash.test.mjs")
JEST_RED = ("packages/a/test/same.test.js", "packages/b/test/crash.test.js")
CARGO_RED = ("src/bin/tool.rs", "src/lib.rs", "tests/integ.rs")

TOLD = {
    "pytest_quiet.txt": PYTEST_RED,
    "pytest_verbose_no_summary.txt": ("tests/nested/test_deep.py", "tests/test_red.py"),
    "pytest_no_summary.txt": PYTEST_RED,
    "pytest_native.txt": PYTEST_RED,
    "pytest_line.txt": PYTEST_RED,
    "pytest_collecting.txt": ("tests/test_import.py",),
    "pytest_collecting_no_summary.txt": ("tests/test_import.py",),
    "pytest_missing.txt": (),
    "pytest_usage.txt": (),
    "pytest_conftest.txt": (),
    "unittest.txt": UNITTEST_RED,
    "unittest_older.txt": ("tests/sub/test_imp.py", "tests/test_red.py"),
    "unittest_missing.txt": (),
    "node_tap.txt": NODE_RED,
    "node_spec.txt": NODE_RED,
    "node_dot.txt": ("test/sub/crash.test.js",),
    "node_todo.txt": (),
    "vitest_projects.txt": VITEST_RED,
    "vitest_projects_plain.txt": VITEST_RED,
    "vitest_tap.txt": VITEST_RED,
    "vitest_tapflat.txt": VITEST_RED,
    "vitest_github.txt": VITEST_RED,
    "vitest_config.txt": (),
    "jest_projects.txt": JEST_RED,
    "jest_slow.txt": JEST_RED,
    "jest_config.txt": (),
    "mocha_spec.txt": MOCHA_RED,
    "mocha_tap.txt": MOCHA_RED,
    "mocha_crash.txt": (),
    "cargo.txt": CARGO_RED,
    "cargo_stderr.txt": CARGO_RED,
    "cargo_compile.txt": ("tests/integ.rs",),
    "cargo_missing.txt": (),
    "go.txt": ("a/b/deep_test.go", "a/b/panic_test.go", "broken/broken_test.go", "root_test.go"),
    "go_module.txt": (),
    "nextest.txt": CARGO_RED,
    "rspec.txt": ("spec/nested/deep_spec.rb", "spec/red_spec.rb"),
    "rspec_loading.txt": ("spec/red_spec.rb",),
    "phpunit.txt": ("tests/Nested/DeepTest.php", "tests/RedTest.php"),
    "ctest.txt": ("src/test_red.c", "src/test_seg.cpp"),
}
"""A file of output to the files that failed, sorted."""

NOTHING = (
    *("pytest_deselected.txt", "pytest_missing.txt", "unittest_none.txt", "unittest_none_3_12.txt"),
    *("node_missing.txt", "node_skipped.txt", "node_none.txt", "vitest_missing.txt"),
    *("vitest_skipped.txt", "jest_missing.txt", "jest_skipped.txt", "mocha_none.txt"),
    *("mocha_missing.txt", "cargo_none.txt", "go_none.txt", "nextest_none.txt", "rspec_none.txt"),
    *("phpunit_none.txt", "ctest_none.txt", "node_todo.txt"),
)
"""The outputs that say that no test was run."""

REPORTS = {
    "pytest.xml": PYTEST_RED,
    "vitest.xml": VITEST_RED,
    "mocha.xml": MOCHA_RED,
    "node.xml": ("test/sub/crash.test.js",),
}


def found_of(file: str) -> Found:
    """Return the runner whose output is in *file*."""
    name = file.partition(".")[0].partition("_")[0]
    runner = next(each for each in RUNNERS if each.name == name)
    return Found(runner, ".", ".", None)


@pytest.mark.parametrize(("file", "failed"), TOLD.items())
def test_output_names_the_files_that_failed(file: str, failed: tuple[str, ...]) -> None:
    output = printed((OUTPUTS / file).read_bytes())

    assert tuple(sorted(failing_files(found_of(file), output, PROJECT))) == failed


@pytest.mark.parametrize("file", NOTHING)
def test_output_without_a_test_is_known_and_names_nothing(file: str) -> None:
    output = printed((OUTPUTS / file).read_bytes())

    assert ran_nothing(found_of(file), output)
    assert failing_files(found_of(file), output, PROJECT) == ()


@pytest.mark.parametrize("file", [each for each in TOLD if each not in NOTHING])
def test_other_outputs_do_not_say_that_no_test_ran(file: str) -> None:
    assert not ran_nothing(found_of(file), printed((OUTPUTS / file).read_bytes()))


def test_every_recorded_output_is_looked_at() -> None:
    names = {each.name for each in OUTPUTS.iterdir()}

    assert names - {*TOLD, *NOTHING, *REPORTS} == {"vitest_plain.txt"}
    assert {each.name for each in RUNNERS} == {found_of(each).runner.name for each in TOLD}


def test_package_that_ran_alone_is_where_its_names_are_from() -> None:
    output = printed((OUTPUTS / "vitest_plain.txt").read_bytes())
    found = Found(found_of("vitest.txt").runner, "packages/a", ".", None)

    assert failing_files(found, output, PROJECT) == ("packages/a/test/same.test.mjs",)


@pytest.mark.parametrize(("file", "failed"), REPORTS.items())
def test_report_names_the_files_that_failed(file: str, failed: tuple[str, ...]) -> None:
    report = (OUTPUTS / file).read_bytes()

    told = failing_files(found_of(file), printed(b""), PROJECT, report)

    assert tuple(sorted(told)) == failed


def test_report_comes_before_the_text() -> None:
    report = (OUTPUTS / "mocha.xml").read_bytes()
    output = printed((OUTPUTS / "pytest_quiet.txt").read_bytes())
    pytest_found = found_of("pytest.txt")

    assert sorted(failing_files(pytest_found, output, PROJECT, report)) == [*MOCHA_RED]
    assert sorted(failing_files(pytest_found, output, PROJECT, b"<no")) == [*PYTEST_RED]
    assert sorted(failing_files(pytest_found, output, PROJECT, b"")) == [*PYTEST_RED]


@pytest.mark.parametrize("file", TOLD)
def test_line_ends_of_windows_change_nothing(file: str) -> None:
    output = (OUTPUTS / file).read_bytes().replace(b"\n", b"\r\n")

    assert tuple(sorted(failing_files(found_of(file), printed(output), PROJECT))) == TOLD[file]


@pytest.mark.parametrize("file", ["pytest_quiet.txt", "jest_projects.txt", "cargo.txt"])
def test_escape_sequences_change_nothing(file: str) -> None:
    output = (OUTPUTS / file).read_bytes()
    coloured = b"\x1b]0;title\x07" + b"".join(
        b"\x1b[2K\x1b[1;31m" + line + b"\x1b[0m\n" for line in output.split(b"\n")
    )

    assert tuple(sorted(failing_files(found_of(file), printed(coloured), PROJECT))) == TOLD[file]
