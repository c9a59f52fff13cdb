"""The flags by which runners are asked for colours: where they go, and where none goes."""

from __future__ import annotations

import shlex

import pytest

from gitcache.core.colour_flags import Coloured, coloured


def asked(line: str, *variables: str) -> str | None:
    """Return the command *line* as it is started for colours; None where nothing is added."""
    found = coloured(tuple(shlex.split(line)), variables)
    return None if found is None else shlex.join(found.argv)


@pytest.mark.parametrize(
    ("line", "started"),
    [
        ("pytest", "pytest --color=yes"),
        ("pytest -q tests", "pytest --color=yes -q tests"),
        ("py.test -q", "py.test --color=yes -q"),
        (".venv/bin/pytest -q", ".venv/bin/pytest --color=yes -q"),
        ("python -m pytest -q", "python -m pytest --color=yes -q"),
        (
            "python3.12 -X dev -W error -m pytest",
            "python3.12 -X dev -W error -m pytest --color=yes",
        ),
        ("python -mpytest -q", "python -mpytest --color=yes -q"),
        ("/usr/bin/python3 -Im pytest", "/usr/bin/python3 -Im pytest --color=yes"),
        ("uv run pytest", "uv run pytest --color=yes"),
        ("uv run --with x python -m pytest", "uv run --with x python -m pytest --color=yes"),
        ("uv run -m pytest", "uv run -m pytest --color=yes"),
        ("poetry run pytest -x", "poetry run pytest --color=yes -x"),
        ("env A=1 B=2 pytest", "env A=1 B=2 pytest --color=yes"),
        ("env -S pytest", "env -S pytest --color=yes"),
        ("cross-env A=1 vitest", "cross-env A=1 vitest --color"),
        ("nice -n 5 timeout 9 pytest", "nice -n 5 timeout 9 pytest --color=yes"),
        ("vitest run", "vitest --color run"),
        ("node_modules/.bin/vitest", "node_modules/.bin/vitest --color"),
        ("npx vitest run", "npx vitest --color run"),
        ("npx --no-install vitest@3 run", "npx --no-install vitest@3 --color run"),
        ("npm exec -- vitest run", "npm exec -- vitest --color run"),
        ("pnpm exec vitest run", "pnpm exec vitest --color run"),
        ("pnpm --filter web exec vitest", "pnpm --filter web exec vitest --color"),
        ("bunx vitest", "bunx vitest --color"),
        ("eslint .", "eslint --color ."),
        ("npx eslint .", "npx eslint --color ."),
        ("cargo test", "cargo test --color=always"),
        ("cargo +nightly test --locked", "cargo +nightly test --color=always --locked"),
        (
            "cargo --locked clippy -- -D warnings",
            "cargo --locked clippy --color=always -- -D warnings",
        ),
        ("cargo test -- --nocapture", "cargo test --color=always -- --nocapture"),
    ],
)
def test_a_runner_that_the_argv_names_gets_its_own_flag(line: str, started: str) -> None:
    assert asked(line) == started


@pytest.mark.parametrize(
    "line",
    [
        "npm test",
        "npm run test",
        "make test",
        "just test",
        "sh -c pytest",
        "sh -c 'pytest -q'",
        "bash -c 'exec pytest' sh -q",
        "npx -c vitest",
        "env -S 'pytest -q'",
        "pnpm vitest",  # it may be a script of the package
        "yarn vitest",
        "yarn exec vitest",
        "npm exec vitest",  # npm takes the options itself
        "bun run vitest",
        "pdm run pytest",
        "hatch run pytest",
        "jest",
        "npx jest",
        "biome check",
        "mypy .",
        "go test ./...",
        "python -m unittest",
        "python -c pytest",
        "python pytest",
        "python",
        "python -m",
        "./pytest",
        "scripts/pytest",
        "cat pytest",
        "cargo",
        "cargo fmt",
        "cargo nextest run",
        "cargo run -- test",
        "echo",
    ],
)
def test_what_names_no_runner_for_certain_is_left_alone(line: str) -> None:
    assert asked(line) is None


@pytest.mark.parametrize(
    "line",
    [
        "pytest --color=no",
        "pytest --color yes",
        "pytest --colour=yes",
        "pytest -p no:terminal",
        "vitest run --no-color",
        "vitest --color",
        "env FORCE_COLOR=0 vitest",
        "env PY_COLORS=0 pytest",
        "eslint --no-color .",
        "cargo test --color=never",
        "cargo test -- --color=never",
        "cargo --config term.color=never test",
        "cargo --config 'term.color = \"never\"' test",
    ],
)
def test_an_argv_that_says_something_about_colours_is_left_alone(line: str) -> None:
    assert asked(line) is None


def test_a_file_that_is_called_after_colours_says_nothing_about_them() -> None:
    assert asked("pytest tests/test_color.py") == "pytest --color=yes tests/test_color.py"


@pytest.mark.parametrize(
    "name",
    ["FORCE_COLOR", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "PY_COLORS", "CARGO_TERM_COLOR"],
)
def test_a_tool_whose_variables_say_something_about_colours_is_left_alone(name: str) -> None:
    assert asked("pytest", "PATH", name) is None
    assert asked("pytest", "PATH", "LS_COLORS", "COLORTERM") == "pytest --color=yes"


def test_the_word_that_was_added_is_told() -> None:
    assert coloured(("pytest", "-q"), ()) == Coloured(
        ("pytest", "--color=yes", "-q"), "--color=yes"
    )
