"""Which command a project has for a tool: the table, and the order among its rows."""

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitcache.core.detect import DETECTED, NotApplicable, detect
from gitcache.core.tool import Options, Tool, ToolName
from tests.support.folder import Folder, command, origin, package_json, reason

SCRIPTS = {str(name): f"run-{name}" for name in DETECTED}
PHP_SCRIPTS = json.dumps({"scripts": {**SCRIPTS, "test": ["@lint", "phpunit"]}})
MIX_HELPERS = '[\n{:credo, "~> 1"},\n  {:dialyxir, "~> 1"}, {:mix_audit, "~> 2"}]'

TABLE = {
    "node": (
        {"package.json": "{}", "tsconfig.json": "{}"},
        "- | - | - | npx --no-install tsc --noEmit | npm audit",
    ),
    "node with scripts": (
        {"package.json": package_json(SCRIPTS)},
        "npm test | npm run build | npm run lint | npm run typecheck | npm run audit",
    ),
    "pnpm": (
        {"package.json": package_json(SCRIPTS), "pnpm-lock.yaml": ""},
        "pnpm test | pnpm run build | pnpm run lint | pnpm run typecheck | pnpm run audit",
    ),
    "yarn": (
        {"package.json": package_json(SCRIPTS), "yarn.lock": ""},
        "yarn test | yarn run build | yarn run lint | yarn run typecheck | yarn run audit",
    ),
    "bun": (
        {"package.json": package_json(SCRIPTS), "bun.lock": ""},
        "bun run test | bun run build | bun run lint | bun run typecheck | bun run audit",
    ),
    "bun without package.json": ({"bun.lockb": ""}, "bun test | - | - | - | bun audit"),
    "python with pytest": (
        {"pyproject.toml": "[tool.pytest.ini_options]\n"},
        "pytest | python -m build | ruff check . | mypy . | pip-audit",
    ),
    "python by pyproject.toml": (
        {"pyproject.toml": ""},
        "python -m unittest | python -m build | ruff check . | mypy . | pip-audit",
    ),
    "python by setup.py": (
        {"setup.py": "setup()"},
        "python -m unittest | python -m build | ruff check . | mypy . | pip-audit",
    ),
    "python by setup.cfg": (
        {"setup.cfg": ""},
        "python -m unittest | - | ruff check . | mypy . | pip-audit",
    ),
    "python by requirements.txt": (
        {"requirements.txt": ""},
        "python -m unittest | - | ruff check . | mypy . | pip-audit",
    ),
    "rust": (
        {"Cargo.toml": ""},
        "cargo test | cargo build | cargo clippy -- -D warnings | cargo check | cargo audit",
    ),
    "go": (
        {"go.mod": ""},
        "go test ./... | go build ./... | go vet ./... | go build -o /dev/null ./..."
        " | govulncheck ./...",
    ),
    "ruby": (
        {"Gemfile": ""},
        "bundle exec rspec | - | bundle exec rubocop | - | bundle audit",
    ),
    "maven": ({"pom.xml": ""}, "mvn test | mvn package | - | - | -"),
    "maven by its wrapper": (
        {"pom.xml": "", "mvnw": ""},
        "./mvnw test | ./mvnw package | - | - | -",
    ),
    "gradle": ({"build.gradle": ""}, "gradle test | gradle build | - | - | -"),
    "gradle in kotlin, by its wrapper": (
        {"build.gradle.kts": "", "gradlew": ""},
        "./gradlew test | ./gradlew build | - | - | -",
    ),
    "dotnet solution": (
        {"App.sln": ""},
        "dotnet test | dotnet build | dotnet format --verify-no-changes | - | -",
    ),
    "dotnet project": (
        {"App.csproj": ""},
        "dotnet test | dotnet build | dotnet format --verify-no-changes | - | -",
    ),
    "elixir": (
        {"mix.exs": 'deps: [{:phoenix, "~> 1.7"}] # {:credo, "~> 1"}\n'},
        "mix test | mix compile | mix format --check-formatted | - | mix hex.audit",
    ),
    "elixir with its helpers": (
        {"mix.exs": MIX_HELPERS},
        "mix test | mix compile | mix credo | mix dialyzer | mix deps.audit",
    ),
    "php": ({"composer.json": "{}"}, "- | - | - | - | composer audit"),
    "php with scripts": (
        {"composer.json": PHP_SCRIPTS},
        "composer run-script test | composer run-script build | composer run-script lint"
        " | composer run-script typecheck | composer run-script audit",
    ),
    "php with settings files": (
        {"composer.json": "{}", "phpunit.xml.dist": "", "phpcs.xml": "", "psalm.xml": ""},
        "vendor/bin/phpunit | - | vendor/bin/phpcs | vendor/bin/psalm | composer audit",
    ),
    "php with packages": (
        {
            "composer.json": '{"require-dev": {"pestphp/pest": "3", "phpstan/phpstan": "2",'
            ' "laravel/pint": "1"}}'
        },
        "vendor/bin/pest | - | vendor/bin/pint --test | vendor/bin/phpstan analyse"
        " | composer audit",
    ),
    "deno": ({"deno.json": "{}"}, "deno test | - | deno lint | deno check | deno audit"),
    "deno with tasks": (
        {"deno.jsonc": '{"tasks": {\n// x\n"test": {"command": "x"}, "build": "//",}}'},
        "deno task test | deno task build | deno lint | deno check | deno audit",
    ),
    "make": (
        {"Makefile": "test build lint typecheck audit:\n\t./$@\n"},
        "make test | make build | make lint | make typecheck | make audit",
    ),
    "make without targets": ({"Makefile": "deploy:\n"}, "- | - | - | - | -"),
    "just": (
        {"justfile": "test:\n  x\nbuild:\n\nlint:\ntypecheck:\naudit:\n"},
        "just test | just build | just lint | just typecheck | just audit",
    ),
    "just without recipes": ({"justfile": "deploy:\n"}, "- | - | - | - | -"),
    "no project file": ({"README.md": "test: x"}, "- | - | - | - | -"),
}
"""Kind of project → its files, and its commands in the order of ``DETECTED``."""


@pytest.mark.parametrize("kind", TABLE)
def test_each_kind_of_project_has_the_commands_of_the_table(kind: str) -> None:
    texts, commands = TABLE[kind]
    assert [command(texts, name) for name in DETECTED] == commands.split(" | ")


def test_the_detected_tools_are_these_five() -> None:
    assert DETECTED == ("test", "build", "lint", "typecheck", "audit")


SCRIPT = {"package.json": package_json({"test": "x"})}
COMPOSER = {"composer.json": '{"scripts": {"test": "x"}}'}
TASK = {"deno.json": '{"tasks": {"test": "x"}}'}
TARGET = {"Makefile": "test:\n"}
RECIPE = {"justfile": "test:\n"}
PYTHON = {"pyproject.toml": "", "conftest.py": ""}
RUST = {"Cargo.toml": ""}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (RECIPE | TARGET | TASK | COMPOSER | SCRIPT, "npm test"),
        (RECIPE | TARGET | TASK | COMPOSER, "composer run-script test"),
        (RECIPE | TARGET | TASK, "deno task test"),
        (RECIPE | TARGET, "make test"),
        (RUST | PYTHON | RECIPE, "just test"),
        (RUST | PYTHON | TARGET, "make test"),
        (RUST | PYTHON | TASK, "deno task test"),
        (RUST | PYTHON | COMPOSER, "composer run-script test"),
        (RUST | PYTHON | SCRIPT, "npm test"),
    ],
)
def test_what_the_project_defines_beats_every_guess_in_the_tables_order(
    texts: dict[str, str], expected: str
) -> None:
    assert command(texts, "test") == expected


GUESSED = [
    ({"package.json": "{}", "bun.lock": ""}, "bun test"),
    (PYTHON, "pytest"),
    (RUST, "cargo test"),
    ({"go.mod": ""}, "go test ./..."),
    ({"Gemfile": ""}, "bundle exec rspec"),
    ({"pom.xml": ""}, "mvn test"),
    ({"build.gradle": ""}, "gradle test"),
    ({"App.sln": ""}, "dotnet test"),
    ({"mix.exs": ""}, "mix test"),
    ({"composer.json": "{}", "phpunit.xml": ""}, "vendor/bin/phpunit"),
    ({"deno.json": "{}"}, "deno test"),
]


@pytest.mark.parametrize("row", range(len(GUESSED)))
def test_among_guesses_the_tables_order_decides(row: int) -> None:
    texts = {name: text for files, _ in GUESSED[row:] for name, text in files.items()}
    assert command(texts, "test") == GUESSED[row][1]


def test_an_ecosystem_without_the_tool_leaves_it_to_the_next() -> None:
    assert command({"package.json": "{}"} | PYTHON, "lint") == "ruff check ."


def test_a_command_names_the_file_it_comes_from() -> None:
    assert origin(SCRIPT, "test") == "package.json"
    assert origin(RUST | TARGET, "test") == "Makefile"
    assert origin(RUST | TARGET, "lint") == "Cargo.toml"
    assert origin(PYTHON, "test") == "conftest.py"
    assert origin({"b.csproj": "", "a.csproj": "", "z.sln": ""}, "test") == "z.sln"


def test_an_audit_answers_for_a_day_whether_defined_or_guessed() -> None:
    for texts in ({"package.json": package_json({"audit": "x"})}, RUST):
        tool = detect(Folder(texts), ToolName("audit"))
        assert isinstance(tool, Tool)
        assert tool.options == Options(timeout=300.0, max_age=86400.0)


def test_no_other_tool_grows_old() -> None:
    tool = detect(Folder(RUST), ToolName("test"))
    assert isinstance(tool, Tool)
    assert tool.options == Options(timeout=1800.0, retry=1)


@pytest.mark.parametrize(
    ("texts", "name", "expected"),
    [
        ({}, "test", "no project file that names a test was found at the top of the repository"),
        ({}, "lint", "no project file that names a linter was found at the top of the repository"),
        ({"package.json": "{}"}, "build", "package.json has no build script"),
        ({"Gemfile": ""}, "build", "a Gemfile project has no build step"),
        ({"App.sln": ""}, "audit", "a .NET project has no usual audit"),
        ({"deno.json": ""}, "build", "deno.json has no build task"),
        ({"requirements.txt": ""}, "build", "python -m build needs a pyproject.toml or a setup.py"),
        (
            {"composer.json": ""},
            "test",
            "composer.json has no test script and neither pest nor phpunit is set up",
        ),
        (
            {"package.json": "{}", "makefile": "", "justfile": ""},
            "test",
            "package.json has no test script and makefile has no test target"
            " and justfile has no test recipe",
        ),
        ({"Makefile": "x:\n"}, "x", "only test, build, lint, typecheck, audit are detected"),
    ],
)
def test_a_tool_that_does_not_apply_says_why(
    texts: dict[str, str], name: str, expected: str
) -> None:
    assert reason(texts, name) == expected


def test_a_reason_reads_as_one_sentence() -> None:
    answer = NotApplicable(ToolName("lint"), "there is no source")
    assert str(answer) == "lint is not applicable, because there is no source"


MARKERS = [
    *("package.json", "pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "Pipfile"),
    *("requirements.txt", "Cargo.toml", "go.mod", "Gemfile", "pom.xml", "build.gradle"),
    *("App.sln", "mix.exs", "composer.json", "deno.json", "deno.jsonc", "bun.lock"),
    *("Makefile", "justfile"),
]
ODD = [
    "\ufeff",
    "\0",
    '[{"a":' * 100_000,
    "9" * 10_000,
    "a = " + "[" * 10_000,
    '{"scripts": 1, "tasks": [], "packageManager": {}, "require": "x"}',
    '{"scripts": {"test": null, "build": ["x"]}, "dependencies": []}',
    "tool = 1\nproject = [[]]\n",
    "/*" * 100_000,
    '\\"' * 100_000,
    "$(" * 100_000,
    "depend." * 1_000 + "x = 1",
    " " * 100_000 + "=",
    "\r\n\u2028\x0c:" * 1000,
]


@pytest.mark.parametrize("marker", MARKERS)
@settings(deadline=None)
@given(text=st.text() | st.text(alphabet='{}[]",:=#/*\\$@\n\t ateslx'))
def test_no_text_in_a_project_file_is_a_failure(marker: str, text: str) -> None:
    for name in DETECTED:
        assert isinstance(detect(Folder({marker: text}), name), Tool | NotApplicable)


@pytest.mark.parametrize("marker", MARKERS)
def test_odd_content_of_a_project_file_is_no_failure(marker: str) -> None:
    for text, name in product(ODD, DETECTED):
        assert isinstance(detect(Folder({marker: text}), name), Tool | NotApplicable)


@pytest.mark.timeout(30)  # seconds; time that grows with the square of the size takes minutes
@pytest.mark.parametrize("marker", MARKERS)
def test_the_time_for_a_file_of_a_megabyte_grows_no_faster_than_its_size(marker: str) -> None:
    for text in ODD:
        huge = Folder({marker: text * (1_000_000 // len(text))})
        assert isinstance(detect(huge, ToolName("test")), Tool | NotApplicable)
