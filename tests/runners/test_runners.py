"""Real runners: red names its files, the focused run runs just these, and doubts name nothing."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field

import pytest

from tests.runners.conftest import Needs
from tests.runners.worktree import Worktree, ran_in

pytestmark = [pytest.mark.runners, pytest.mark.timeout(120)]

PYTHON_NOTE = "open(LOG, 'a').write(NAME + '\\n')\n"
NODE_NOTE = "require('node:fs').appendFileSync(LOG, NAME + '\\n');\n"
ESM_NOTE = "import {appendFileSync} from 'node:fs';\nappendFileSync(LOG, NAME + '\\n');\n"


@dataclass(frozen=True, slots=True)
class Case:
    """A runner, and tests for it."""

    program: str
    """What must be installed."""

    line: str
    """The full command."""

    test: str
    """The text of a test file that passes where ``VALUE`` is 1."""

    names: tuple[str, str, str]
    """Two files that fail at first, and one that never does."""

    broken: str
    """A text that can't be loaded."""

    crash: tuple[str, str]
    """A file, and its text, with which the runner does not even start."""

    nothing: str
    """Words behind the command with which no test is left."""

    others: dict[str, str] = field(default_factory=dict)
    """Other files: name → text."""

    tells_broken: bool = True
    """Whether a file that can't be loaded is told as one that failed."""


PYTEST_TEST = PYTHON_NOTE + (
    "import pytest\n"
    "@pytest.mark.parametrize('value', [1, VALUE, 'a b'])\n"
    "def test_one(value): assert VALUE == 1\n"
    "class TestClass:\n    def test_two(self): assert VALUE == 1, 'a - message'\n"
)
UNITTEST_TEST = PYTHON_NOTE + (
    "import unittest\n"
    "class Case(unittest.TestCase):\n"
    "    def test_one(self):\n        '''Says something.'''\n        self.assertEqual(VALUE, 1)\n"
)
NODE_TEST = NODE_NOTE + (
    "const {test, describe, it} = require('node:test'); const assert = require('node:assert');\n"
    "test('one', () => assert.equal(VALUE, 1));\n"
    "describe('group', () => { it('two', () => assert.equal(VALUE, 1)) });\n"
)
VITEST_TEST = ESM_NOTE + (
    "import {test, describe, expect} from 'vitest';\n"
    "describe('group > x', () => { test('one', () => expect(VALUE).toBe(1)) });\n"
)
JEST_TEST = NODE_NOTE + ("describe('group', () => { test('one', () => expect(VALUE).toBe(1)) });\n")
MOCHA_TEST = NODE_NOTE + (
    "const assert = require('node:assert');\n"
    "describe('group', () => { it('one', () => assert.equal(VALUE, 1)) });\n"
)
PACKAGE = '{"name": "x", "private": true, "scripts": {"test": "COMMAND"}}'
PYTHON_NAMES = ("tests/test_a.py", "tests/nested/deep/test_b.py", "tests/test_green.py")
NODE_NAMES = ("test/a.test.js", "test/nested/b.test.js", "test/green.test.js")
VITEST_NAMES = ("test/a.test.mjs", "test/nested/b.test.mjs", "test/green.test.mjs")
PACKAGES = {f"tests/{each}__init__.py": "" for each in ("", "nested/", "nested/deep/")}
VITEST_CONFIG = {"vitest.config.mjs": "export default {cacheDir: LOG + '-cache'}\n"}


def pytest_case(line: str, nothing: str = "-k zzz") -> Case:
    crash = ("conftest.py", "raise SystemError('no')\n")
    broken = "import nothere\n"
    return Case("pytest", line, PYTEST_TEST, PYTHON_NAMES, broken, crash, nothing)


def unittest_case(line: str) -> Case:
    return Case(
        *("python3", line, UNITTEST_TEST, PYTHON_NAMES, "import nothere\n"),
        ("unittest.py", "raise SystemError('no')\n"),
        "-k zzz",
        PACKAGES,
    )


def node_case(line: str, **others: str) -> Case:
    crash = ("setup.js", "throw new Error('no')\n")
    files = {"setup.js": "", **others}
    words = "--test-name-pattern=zzz"
    return Case("node", line, NODE_TEST, NODE_NAMES, "throw new Error()\n", crash, words, files)


def vitest_case(line: str, script: str = "vitest run") -> Case:
    crash = ("vitest.config.mjs", "throw new Error('no')\n")
    files = {**VITEST_CONFIG, "package.json": PACKAGE.replace("COMMAND", script)}
    broken = "import './nothere.mjs'\n"
    return Case("vitest", line, VITEST_TEST, VITEST_NAMES, broken, crash, "-t zzz", files)


def jest_case(line: str, script: str = "jest") -> Case:
    crash = ("jest.config.js", "throw new Error('no')\n")
    files = {"jest.config.js": "", "package.json": PACKAGE.replace("COMMAND", script)}
    broken = "require('./nothere')\n"
    return Case("jest", line, JEST_TEST, NODE_NAMES, broken, crash, "-t zzz", files)


def mocha_case(line: str, script: str = "mocha --recursive") -> Case:
    crash = (".mocharc.js", "throw new Error('no')\n")
    files = {"package.json": PACKAGE.replace("COMMAND", script)}
    broken = "require('./nothere')\n"
    words = "-g zzz"
    return Case(
        *("mocha", line, MOCHA_TEST, NODE_NAMES, broken, crash, words, files), tells_broken=False
    )


CASES = (
    pytest_case("pytest -q -p no:cacheprovider"),
    pytest_case("python -m pytest -p no:cacheprovider -rN --tb=short tests"),
    pytest_case("nice -n 1 pytest -p no:cacheprovider -v -n 1"),
    pytest_case("pytest -p no:cacheprovider --tb=line -rN -p no:randomly"),
    unittest_case("python3 -m unittest"),
    unittest_case("python3 -m unittest discover -v -s tests"),
    node_case("node --require ./setup.js --test test/"),
    node_case("node --require ./setup.js --test-reporter=spec --test test/"),
    vitest_case("npx vitest run"),
    vitest_case("npm test --"),
    vitest_case("npm test --", "CI=1 vitest run test"),
    jest_case("npx jest"),
    jest_case("npm test --", "jest --coverage --coverageReporters=none"),
    mocha_case("npx mocha --recursive"),
    mocha_case("npm test --", "mocha 'test/**/*.test.js'"),
)


ONE_OF_EACH = tuple({case.program: case for case in reversed(CASES)}.values())


def identity(case: Case) -> str:
    script = case.others.get("package.json", "").partition('"test": "')[2].partition('"}')[0]
    return f"{case.line} {script if 'npm test' in case.line else ''}".strip()


one_of_each = pytest.mark.parametrize("case", ONE_OF_EACH, ids=identity, indirect=True)


@pytest.fixture
def case(request: pytest.FixtureRequest, worktree: Worktree, needs: Needs) -> Case:
    """Return a case whose two red files fail in *worktree*."""
    chosen: Case = request.param
    needs(chosen.program)
    for name, text in chosen.others.items():
        worktree.write(name, text)
    for name, value in zip(chosen.names, "221", strict=True):
        worktree.write(name, chosen.test.replace("VALUE", value))
    return chosen


@pytest.mark.parametrize("case", CASES, ids=identity, indirect=True)
def test_red_names_its_files_and_the_focused_run_runs_just_these(
    case: Case, worktree: Worktree
) -> None:
    red, other, _ = case.names

    full = worktree.run(shlex.split(case.line))
    assert full.status != 0
    assert full.ran == tuple(sorted(case.names))
    assert worktree.failed(case.line, full) == tuple(sorted((red, other)))

    worktree.write(other, case.test.replace("VALUE", "1"))
    runs = worktree.run_focused(case.line, (red, other))
    assert ran_in(runs) == tuple(sorted((red, other)))
    assert [each.status != 0 for each in runs].count(True) == 1
    assert {name for each in runs for name in worktree.failed(case.line, each)} == {red}

    worktree.write(red, case.test.replace("VALUE", "1"))
    assert [each.status for each in worktree.run_focused(case.line, (red,))] == [0]


@one_of_each
def test_deleted_or_renamed_file_is_no_failing_file(case: Case, worktree: Worktree) -> None:
    red, other, _ = case.names
    full = worktree.run(shlex.split(case.line))

    (worktree.top / red).unlink()
    assert worktree.failed(case.line, full) == (other,)

    (worktree.top / other).rename((worktree.top / other).with_name("renamed.py"))
    assert worktree.failed(case.line, full) == ()


@one_of_each
def test_file_that_can_not_be_loaded_is_told_where_the_runner_tells_it(
    case: Case, worktree: Worktree
) -> None:
    red, other, _ = case.names
    worktree.write(red, case.broken)
    worktree.write(other, case.test.replace("VALUE", "1"))

    failed = worktree.failed(case.line, worktree.run(shlex.split(case.line)))

    assert failed == ((red,) if case.tells_broken else ())


@one_of_each
def test_run_without_a_test_is_known(case: Case, worktree: Worktree) -> None:
    line = f"{case.line} {case.nothing}"
    if case.program == "node":
        line = case.line.replace("--test ", f"{case.nothing} --test ")

    run = worktree.run(shlex.split(line))

    assert worktree.says_nothing_ran(line, run)
    assert worktree.failed(line, run) == ()


@one_of_each
def test_crash_at_start_up_names_nothing(case: Case, worktree: Worktree) -> None:
    name, text = case.crash
    worktree.write(name, text)

    run = worktree.run(shlex.split(case.line))

    assert run.status != 0
    assert worktree.failed(case.line, run) == ()
    assert not worktree.says_nothing_ran(case.line, run)


def test_test_that_fails_in_isolation_only_is_named_by_the_focused_run_alone(
    worktree: Worktree, needs: Needs
) -> None:
    """A caller can't take a focused run for the full command's answer without looking at that."""
    needs("pytest")
    line = "pytest -q -p no:randomly -p no:cacheprovider tests"
    worktree.write("tests/test_a.py", "import sys\ndef test_a(): sys.made = 1\n")
    worktree.write("tests/test_b.py", "import sys\ndef test_b(): assert sys.made\n")

    full = worktree.run(shlex.split(line))
    (alone,) = worktree.run_focused(line, ("tests/test_b.py",))

    assert (full.status, worktree.failed(line, full)) == (0, ())
    assert (alone.status, worktree.failed(line, alone)) == (1, ("tests/test_b.py",))


def test_report_of_pytest_names_what_its_output_does_not(worktree: Worktree, needs: Needs) -> None:
    needs("pytest")
    line = "pytest -q -p no:cacheprovider --tb=no -rN --junitxml=r.xml"
    worktree.write("tests/test_a.py", PYTEST_TEST.replace("VALUE", "2"))
    worktree.write("tests/test_broken.py", "import nothere\n")

    run = worktree.run(shlex.split(f"{line} --continue-on-collection-errors"))

    assert worktree.failed(line, run) == ()
    report = (worktree.top / "r.xml").read_bytes()
    assert worktree.failed(line, run, report) == ("tests/test_a.py", "tests/test_broken.py")


@pytest.mark.parametrize(
    ("runner", "test", "suffix", "config"),
    [
        ("vitest", VITEST_TEST, "mjs", VITEST_CONFIG),
        ("jest", JEST_TEST, "js", {"jest.config.js": ""}),
    ],
)
def test_same_name_in_two_packages_is_run_in_the_one_that_failed(
    worktree: Worktree, needs: Needs, runner: str, test: str, suffix: str, config: dict[str, str]
) -> None:
    needs(runner)
    name = f"test/same.test.{suffix}"
    (top,) = config
    text = {
        "vitest": "export default {cacheDir: LOG + '-cache', test: {projects: ['packages/*']}}\n",
        "jest": "module.exports = {projects: ['<rootDir>/packages/*']}\n",
    }
    worktree.write(top, text[runner])
    worktree.write("package.json", '{"private": true, "workspaces": ["packages/*"]}')
    for package, value in (("a", "1"), ("b", "2")):
        worktree.write(f"packages/{package}/package.json", f'{{"name": "@x/{package}"}}')
        worktree.write(f"packages/{package}/{top}", config[top])
        worktree.write(f"packages/{package}/{name}", test.replace("VALUE", value))
    line = f"npx {runner} {'run' if runner == 'vitest' else ''}"

    full = worktree.run(shlex.split(line))
    assert len(full.ran) == 2
    assert worktree.failed(line, full) == (f"packages/b/{name}",)

    (alone,) = worktree.run_focused(line, (f"packages/b/{name}",))
    assert alone.status != 0
    assert alone.ran == (f"packages/b/{name}",)


RUST_TEST = (
    "#[test] fn one() {\n    use std::io::Write;\n"
    "    let mut log = std::fs::OpenOptions::new().append(true).open(LOG).unwrap();\n"
    "    writeln!(log, NAME).unwrap();\n    assert_eq!(VALUE, 1);\n}\n"
)


def test_targets_of_cargo_that_failed_are_run_alone(worktree: Worktree, needs: Needs) -> None:
    needs("cargo")
    line = "cargo test --offline --no-fail-fast"
    test = RUST_TEST.replace("LOG", "LOGPATH").replace("NAME", "NAMEPATH")

    def write(name: str, value: str) -> None:
        text = test.replace("LOGPATH", f'"{worktree.log}"').replace("NAMEPATH", f'"{name}"')
        worktree.write(name, text.replace("VALUE", value))

    worktree.write("Cargo.toml", '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n')
    for name, value in (("src/lib.rs", "2"), ("tests/red.rs", "2"), ("tests/green.rs", "1")):
        write(name, value)

    full = worktree.run(shlex.split(line))
    assert full.ran == ("src/lib.rs", "tests/green.rs", "tests/red.rs")
    assert worktree.failed(line, full) == ("src/lib.rs", "tests/red.rs")

    write("src/lib.rs", "1")
    (alone,) = worktree.run_focused(line, ("src/lib.rs", "tests/red.rs"))
    assert alone.ran == ("src/lib.rs", "tests/red.rs")
    assert worktree.failed(line, alone) == ("tests/red.rs",)

    nothing = worktree.run(shlex.split("cargo test --offline --lib zzz"))
    assert worktree.says_nothing_ran(line, nothing)
    worktree.write("Cargo.toml", "no toml")
    assert worktree.failed(line, worktree.run(shlex.split(line))) == ()
