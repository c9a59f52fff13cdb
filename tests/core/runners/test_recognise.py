"""Which runner an argv starts, through launchers."""

from __future__ import annotations

import json
import shlex

import pytest

from gitcache.core.runners import RUNNERS, recognise, report_path
from gitcache.core.setting_values import RUNNERS as NAMES
from tests.support.projects import project_with

SCRIPTS = {
    "test": "vitest run",
    "unit": "NODE_ENV=test mocha 'test/**/*.js'",
    "ci": "tsc && jest",
    "both": "jest && mocha",
    "cross": "cross-env A=1 jest --ci",
    "again": "npm run unit",
    "lint": "eslint .",
}
PROJECT = project_with(
    {
        "package.json": json.dumps({"scripts": SCRIPTS}),
        "web/package.json": '{"scripts": {"test": "jest"}}',
        "lib/package.json": '{"scripts": {"test": "jest --ci"}}',
        "Makefile": "test: unit\n\npytest -q\nunit:\n\tpytest -q tests\nlint:\n\truff check\n",
        "justfile": "test:\n    cargo test\n",
        "run.sh": "#!/bin/sh\ncd web && exec npx jest\n",
    }
)


def told(line: str, directory: str = ".") -> tuple[str, str, bool] | None:
    """Return the runner's name, where it runs, and whether its argv can be rebuilt."""
    found = recognise(tuple(shlex.split(line)), PROJECT, directory)
    return None if found is None else (found.runner.name, found.directory, found.line is not None)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("pytest", "pytest"),
        ("py.test -q", "pytest"),
        (".venv/bin/pytest", "pytest"),
        ("python -m pytest", "pytest"),
        ("/usr/bin/python3.11 -W error -X dev -m pytest -q", "pytest"),
        ("python -bm pytest", "pytest"),
        ("python -mpytest", "pytest"),
        ("coverage run --source=src -m pytest", "pytest"),
        ("uv run pytest", "pytest"),
        ("uv run --with x -m pytest", "pytest"),
        ("uv run python -m pytest", "pytest"),
        ("poetry run pytest", "pytest"),
        ("pdm run pytest", "pytest"),
        ("nice -n 5 timeout -k 3 5m stdbuf -oL pytest", "pytest"),
        ("env -i A=1 pytest", "pytest"),
        ("A=1 B= pytest", "pytest"),
        ("sh -c 'pytest -q'", "pytest"),
        ("python -m unittest", "unittest"),
        ("python3 -m unittest discover -s tests", "unittest"),
        ("coverage run -m unittest", "unittest"),
        ("vitest", "vitest"),
        ("npx vitest@4 run", "vitest"),
        ("npx --no vitest run", "vitest"),
        ("pnpm exec vitest run", "vitest"),
        ("pnpm vitest run", "vitest"),
        ("yarn vitest", "vitest"),
        ("bunx vitest run", "vitest"),
        ("npm test", "vitest"),
        ("npm t", "vitest"),
        ("npm run test -- --reporter=dot", "vitest"),
        ("yarn test", "vitest"),
        ("yarn run test --reporter=dot", "vitest"),
        ("pnpm test", "vitest"),
        ("nice npm test", "vitest"),
        ("npm run unit", "mocha"),
        ("npm run again", "mocha"),
        ("npm run cross", "jest"),
        ("npm run cross -- -w 2", "jest"),
        ("yarn mocha -r esm", "mocha"),
        ("pnpm exec mocha -r esm", "mocha"),
        ("pnpm unit -r esm", "mocha"),
        ("pnpm run -r test", "jest"),
        ("npx jest", "jest"),
        ("npm exec jest", "jest"),
        ("npm exec -c 'A=1 jest --ci'", "jest"),
        ("npx -c 'jest --ci && x'", "jest"),
        ("A=1 npm run cross", "jest"),
        ("node_modules/.bin/jest", "jest"),
        ("node --experimental-vm-modules node_modules/jest/bin/jest.js", "jest"),
        ("node --test", "node"),
        ("node --import tsx --test test/", "node"),
        ("node --test-reporter spec --test", "node"),
        ("mocha", "mocha"),
        ("go test ./...", "go"),
        ("cargo test", "cargo"),
        ("cargo +nightly t", "cargo"),
        ("cargo nextest run", "nextest"),
        ("bundle exec rspec", "rspec"),
        ("bin/rspec", "rspec"),
        ("vendor/bin/phpunit", "phpunit"),
        ("php vendor/bin/phpunit", "phpunit"),
        ("php -d memory_limit=-1 vendor/bin/phpunit", "phpunit"),
        ("ctest --test-dir build", "ctest"),
    ],
)
def test_runner_is_recognised_through_its_launchers(line: str, name: str) -> None:
    found = told(line)
    assert found is not None
    assert found[0] == name


@pytest.mark.parametrize(
    "line",
    [
        "true",
        "ruff check",
        "python pytest.py",
        "python -m build",
        "python -c 'import pytest' -m pytest",
        "./scripts/pytest",
        "node server.js --test",
        "node app.js",
        "node --eval 1",
        "go build ./...",
        "go vet",
        "cargo build",
        "cargo nextest list",
        "cargo",
        "vitest watch",
        "vitest bench",
        "npm run lint",
        "npm run nothere",
        "npm ci",
        "npm run both",
        "pnpm --filter web test",
        "npm test -w web",
        "make lint",
        "tox",
        "A=1",
        "nice",
        "sh -c ''",
        'sh -c "pytest \'open"',
    ],
)
def test_other_commands_are_no_runner(line: str) -> None:
    assert told(line) is None


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("make test", ("pytest", ".", False)),
        ("just test", ("cargo", ".", False)),
        ("sh run.sh", ("jest", "web", False)),
        ("sh -c 'cd web && npx jest'", ("jest", "web", False)),
        ("sh -c 'pytest -q && ruff check'", ("pytest", ".", False)),
        ("sh -c 'pytest \"$@\"' sh -q", ("pytest", ".", False)),
        ("npm run ci", ("jest", ".", False)),
        ("npm run again", ("mocha", ".", False)),
        ("npm test foo", ("vitest", ".", False)),
        ("pytest --unknown tests", ("pytest", ".", False)),
        ("pytest -q", ("pytest", ".", True)),
        ("npm run unit", ("mocha", ".", True)),
    ],
)
def test_argv_is_rebuilt_only_where_all_words_are_told(
    line: str, found: tuple[str, str, bool]
) -> None:
    assert told(line) == found


@pytest.mark.parametrize(
    ("line", "directory", "runs_in"),
    [
        ("pytest", "web", "web"),
        ("env -C web pytest", ".", "web"),
        ("uv run --directory web pytest", ".", "web"),
        ("npm --prefix web test", ".", "web"),
        ("pnpm -C web test", ".", "web"),
        ("npm test", "web", "web"),
        ("npm test", "web/src", "web"),
        ("npm test", "docs", "."),
        ("make test", "docs", None),
    ],
)
def test_folder_of_the_runner_is_that_of_its_launcher_or_package(
    line: str, directory: str, runs_in: str | None
) -> None:
    found = told(line, directory)
    assert (found and found[1]) == runs_in


def test_script_of_every_package_is_recognised_where_all_start_one_runner() -> None:
    assert told("pnpm -r test") == ("jest", ".", False)
    assert told("npm test --workspaces") == ("jest", ".", False)
    assert told("yarn workspaces run test") == ("jest", ".", False)
    mixed = project_with(
        {
            f"{each}/package.json": f'{{"scripts": {{"test": "{each}"}}}}'
            for each in ("jest", "mocha")
        }
    )
    assert recognise(("pnpm", "-r", "test"), mixed) is None


def test_runner_that_the_settings_name_is_read_and_not_focused() -> None:
    found = recognise(("tox",), PROJECT, "web", named="pytest")
    assert found is not None
    assert (found.runner.name, found.directory, found.line) == ("pytest", "web", None)

    seen = recognise(("pytest", "-q"), PROJECT, named="pytest")
    assert seen is not None
    assert seen.line is not None


def test_named_runner_counts_against_one_that_is_seen() -> None:
    found = recognise(("sh", "-c", "pytest && npx jest"), PROJECT, named="jest")
    assert found is not None
    assert found.runner.name == "jest"


def test_script_that_calls_itself_has_an_end() -> None:
    calls = " && ".join(["npm run loop"] * 40)
    project = project_with({"package.json": json.dumps({"scripts": {"loop": calls}})})
    assert recognise(("npm", "run", "loop"), project) is None


def test_no_runner_is_one_where_the_settings_say_none() -> None:
    assert recognise(("pytest",), PROJECT, named="none") is None


def test_names_of_the_table_are_those_that_the_settings_take() -> None:
    assert tuple(each.name for each in RUNNERS) == NAMES


@pytest.mark.parametrize(
    ("line", "directory", "report"),
    [
        ("pytest --junitxml=out/r.xml", "web", "web/out/r.xml"),
        ("pytest --junit-xml r.xml", ".", "r.xml"),
        ("pytest --junitxml=/tmp/r.xml", ".", None),
        ("pytest --junitxml=../r.xml", ".", None),
        ("pytest --junitxml=../r.xml", "web", "r.xml"),
        ("pytest", ".", None),
        ("vitest run --reporter=junit --outputFile=r.xml", ".", "r.xml"),
        ("vitest run --reporter=dot --reporter=junit --outputFile.junit=r.xml", ".", "r.xml"),
        ("vitest run --reporter=json --outputFile=r.json", ".", None),
        ("mocha --reporter mocha-junit-reporter --reporter-options mochaFile=r.xml", ".", "r.xml"),
        ("mocha -R xunit -O output=r.xml", ".", "r.xml"),
        ("phpunit --log-junit r.xml", ".", "r.xml"),
        ("rspec -f progress -f RspecJunitFormatter -o r.xml", ".", "r.xml"),
        ("rspec -f progress -o r.txt", ".", None),
        (
            "node --test --test-reporter=spec --test-reporter-destination=stdout"
            " --test-reporter=junit --test-reporter-destination=r.xml",
            ".",
            "r.xml",
        ),
        ("node --test --test-reporter=junit", ".", None),
        ("make test", ".", None),
    ],
)
def test_report_is_where_the_argv_asks_for_it(
    line: str, directory: str, report: str | None
) -> None:
    found = recognise(tuple(shlex.split(line)), PROJECT, directory)
    assert found is not None
    assert report_path(found, None, directory) == report


def test_report_of_the_settings_comes_first() -> None:
    found = recognise(("pytest", "--junitxml=a.xml"), PROJECT, "web")
    assert found is not None
    assert report_path(found, "reports/b.xml", "web") == "web/reports/b.xml"
