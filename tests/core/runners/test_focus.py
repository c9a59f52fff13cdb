"""The argv that runs failing files alone."""

from __future__ import annotations

import json
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.runners import focused, recognise
from gitcache.core.runners.runner import Project
from tests.support.projects import project_with

SCRIPTS = {
    "test": "vitest run",
    "unit": "NODE_ENV='a b' mocha 'test/**/*.js'",
    "open": "mocha test/*.js",
    "ignoring": "mocha --ignore test/*.js --recursive",
    "coverage": "jest --coverage",
    "ci": "tsc && jest",
    "pre": "mocha test",
    "prepre": "tsc",
    "plain": "mocha --recursive",
    "cross": "cross-env A=1 jest --ci",
    "node": "node --test test/",
}
FILES = {
    "package.json": json.dumps({"scripts": SCRIPTS}),
    "tests/test_a.py": "",
    "tests/sub/test_b.py": "",
    "other/test_c.py": "",
    "test/a.js": "",
    "web/test/a.js": "",
    "web/package.json": '{"scripts": {"test": "jest"}}',
    "web/vitest.config.ts": "",
    "web/jest.config.js": "",
    "lib/package.json": '{"scripts": {"test": "jest --ci"}}',
    "lib/a.test.js": "",
    "src/lib.rs": "",
    "src/main.rs": "",
    "src/bin/tool.rs": "",
    "src/inner.rs": "",
    "tests/integ.rs": "",
    "crates/x/Cargo.toml": "",
    "crates/x/tests/y.rs": "",
    "go.mod": "",
    "root_test.go": "",
    "a/b/x_test.go": "",
    "nested/go.mod": "",
    "nested/c/z_test.go": "",
    "spec/a_spec.rb": "",
    "spec/b_spec.rb": "",
    "cpp/test_red.cpp": "",
    "tests/RedTest.php": "",
}
PROJECT = project_with(FILES)

A, B, C = "tests/test_a.py", "tests/sub/test_b.py", "other/test_c.py"
JS, WEB = "test/a.js", "web/test/a.js"


def lines(
    line: str, *files: str, directory: str = ".", project: Project = PROJECT
) -> list[str] | None:
    """Return the focused commands of *line*, each behind its folder where that is not the top."""
    found = recognise(tuple(shlex.split(line)), project, directory)
    assert found is not None
    commands = focused(found, files, project)
    if commands is None:
        return None
    places = (f"{each.directory}: " if each.directory != "." else "" for each in commands)
    return [place + shlex.join(each.argv) for place, each in zip(places, commands, strict=True)]


@pytest.mark.parametrize(
    ("line", "files", "command"),
    [
        ("pytest -q", (A,), "pytest ./tests/test_a.py -q"),
        ("pytest tests other -k x", (A, C), "pytest ./tests/test_a.py ./other/test_c.py -k x"),
        ("pytest tests/sub", (A, B), "pytest ./tests/sub/test_b.py"),
        ("pytest tests/test_a.py other", (A,), "pytest ./tests/test_a.py"),
        ("pytest tests/test_a.py::test_x other", (A,), "pytest tests/test_a.py::test_x"),
        ("pytest tests/test_a.py::x tests", (A,), "pytest ./tests/test_a.py"),
        ("pytest tests/test_a.py::x tests/test_a.py::y", (A, C),
         "pytest tests/test_a.py::x tests/test_a.py::y"),
        ("pytest --deselect tests/test_a.py::x --ignore=other -m 'not slow'", (A,),
         "pytest ./tests/test_a.py --deselect tests/test_a.py::x --ignore=other -m 'not slow'"),
        ("pytest --cov --cov-fail-under=90 --cov-report term -x", (A,),
         "pytest ./tests/test_a.py -x"),
        ("pytest --cov src tests", (A,), "pytest ./tests/test_a.py"),
        ("pytest --junitxml=r.xml -n 4", (A,), "pytest ./tests/test_a.py --junitxml=r.xml -n 4"),
        ("nice -n 5 timeout 5m uv run python3 -m pytest", (A,),
         "nice -n 5 timeout 5m uv run python3 -m pytest ./tests/test_a.py"),
        ("env A=1 pytest", (A,), "env A=1 pytest ./tests/test_a.py"),
        ("env -C tests pytest", (A, C), "env -C tests pytest ./test_a.py"),
        ("sh -c 'pytest -q'", (A,), "pytest ./tests/test_a.py -q"),
        ("python -m unittest -v", (A,), "python -m unittest ./tests/test_a.py -v"),
        ("python -m unittest tests.test_a other.test_c", (A,),
         "python -m unittest ./tests/test_a.py"),
        ("python -m unittest tests.test_a.TestX other.test_c", (A,),
         "python -m unittest tests.test_a.TestX"),
        ("python -m unittest discover -f", (A,), "python -m unittest ./tests/test_a.py -f"),
        ("python -m unittest discover -s tests -t . -p 'test*.py'", (A,),
         "python -m unittest ./tests/test_a.py"),
        ("node --test", (JS,), "node --test ./test/a.js"),
        ("node --import tsx --test --experimental-test-coverage test/", (JS, WEB),
         "node --import tsx --test ./test/a.js"),
        ("npx mocha --exit 'test/**/*.js'", (JS,), "npx mocha ./test/a.js --exit"),
        ("npx vitest run --coverage.thresholds.lines=90 --coverage -t x", (JS,),
         "npx vitest run ./test/a.js -t x"),
        ("npx vitest test/a", (JS, "lib/a.test.js"), "npx vitest ./test/a.js"),
        ("npx jest --ci --coverage", (JS,), "npx jest ./test/a.js --ci --runTestsByPath"),
        ("npx jest 'test/.*' --reporters x y", (JS, "lib/a.test.js"),
         "npx jest ./test/a.js --reporters x y --runTestsByPath"),
        ("npx jest --runTestsByPath test/a.js", (JS,), "npx jest ./test/a.js --runTestsByPath"),
        ("cargo test", ("src/lib.rs", "tests/integ.rs"), "cargo test --lib --test integ"),
        ("cargo test --workspace name -- --nocapture", ("src/main.rs", "src/bin/tool.rs"),
         "cargo test name --bins --bin tool -- --nocapture"),
        ("cargo nextest run -E x", ("tests/integ.rs",), "cargo nextest run -E x --test integ"),
        ("go test -race ./... -args -x", ("a/b/x_test.go",), "go test -race ./a/b -args -x"),
        ("go test ./a/...", ("a/b/x_test.go", "root_test.go"), "go test ./a/b"),
        ("go test -cover", ("root_test.go",), "go test ."),
        ("bundle exec rspec -f doc", ("spec/a_spec.rb",),
         "bundle exec rspec ./spec/a_spec.rb -f doc"),
        ("rspec spec/a_spec.rb:12 spec/b_spec.rb", ("spec/a_spec.rb",), "rspec spec/a_spec.rb:12"),
        ("ctest --test-dir build -j 4", ("cpp/test_red.cpp",),
         "ctest --test-dir build -j 4 -R '^(test_red)$'"),
        ("vendor/bin/phpunit --coverage-text", ("tests/RedTest.php",),
         "vendor/bin/phpunit ./tests/RedTest.php"),
    ],
)  # fmt: skip
def test_files_replace_what_selected_them(line: str, files: tuple[str, ...], command: str) -> None:
    assert lines(line, *files) == [command]


@pytest.mark.parametrize(
    ("line", "files", "command"),
    [
        ("npm test", (JS,), "npm test -- ./test/a.js"),
        ("npm test --silent -- -t x", (JS,), "npm test --silent -- -t x ./test/a.js"),
        ("yarn test", (JS,), "yarn test ./test/a.js"),
        ("pnpm test -t x", (JS,), "pnpm test -t x ./test/a.js"),
        ("pnpm test -- -t x", (JS,), "pnpm exec vitest run ./test/a.js -- -t x"),
        ("npm run plain", (JS,), "npm run plain -- ./test/a.js"),
        ("npm run cross", (JS,), "npm run cross -- --runTestsByPath ./test/a.js"),
        ("npm run unit", (JS,), "npm exec -c 'NODE_ENV='\"'\"'a b'\"'\"' mocha ./test/a.js'"),
        ("pnpm run unit", (JS,), "pnpm exec env 'NODE_ENV=a b' mocha ./test/a.js"),
        ("npm run open", (JS,), "npm exec -c 'mocha ./test/a.js'"),
        ("npm run node", (JS,), "npm exec -c 'node --test ./test/a.js'"),
        ("npm run coverage", (JS,), "npm exec -c 'jest ./test/a.js --runTestsByPath'"),
        ("npm --prefix web test", (WEB, JS),
         "npm --prefix web test -- --runTestsByPath ./test/a.js"),
        ("A=1 npm run plain", (JS,), "A=1 npm run plain -- ./test/a.js"),
        ("npx -c 'A=1 mocha test'", (JS,), "npm exec -c 'A=1 mocha ./test/a.js'"),
        ("nice npm run plain", (JS,), "nice npm run plain -- ./test/a.js"),
    ],
)  # fmt: skip
def test_script_gets_words_behind_it_or_is_run_with_others(
    line: str, files: tuple[str, ...], command: str
) -> None:
    assert lines(line, *files) == [command]


@pytest.mark.parametrize(
    ("line", "files", "commands"),
    [
        ("npx vitest run", (JS, WEB),
         ["npx vitest run ./test/a.js", "web: npx vitest run ./test/a.js"]),
        ("npx jest", (WEB,), ["web: npx jest ./test/a.js --runTestsByPath"]),
        ("node_modules/.bin/vitest run", (WEB,),
         ["web: ../node_modules/.bin/vitest run ./test/a.js"]),
        ("npm test", (JS, WEB),
         ["npm test -- ./test/a.js", "web: npm exec -c 'vitest run ./test/a.js'"]),
        ("yarn test", (WEB,), ["yarn test ./web/test/a.js"]),
        ("npx vitest run --config c.ts", (WEB,), ["npx vitest run ./web/test/a.js --config c.ts"]),
        ("npx vitest run --setup=./x.js", (WEB,),
         ["npx vitest run ./web/test/a.js --setup=./x.js"]),
        ("npx vitest run web", (WEB,), ["npx vitest run ./web/test/a.js"]),
        ("env -C lib npx vitest run", ("lib/a.test.js",),
         ["env -C lib npx vitest run ./a.test.js"]),
        ("cargo test", ("crates/x/tests/y.rs",), ["crates/x: cargo test --test y"]),
        ("go test ./...", ("nested/c/z_test.go",), ["go test ./nested/c"]),
        ("go test", ("nested/c/z_test.go",), ["nested: go test ./c"]),
        ("pnpm -r test", (WEB, "lib/a.test.js"),
         ["web: pnpm run test --runTestsByPath ./test/a.js",
          "lib: pnpm run test --runTestsByPath ./a.test.js"]),
        ("npm test --workspaces", (WEB,), ["web: npm run test -- --runTestsByPath ./test/a.js"]),
        ("python -m unittest discover -s tests", (A, B),
         ["python -m unittest discover -s ./tests -t tests -p test_a.py",
          "python -m unittest discover -s ./tests/sub -t tests -p test_b.py"]),
        ("phpunit", ("tests/RedTest.php", "spec/a_spec.rb"),
         ["phpunit ./tests/RedTest.php", "phpunit ./spec/a_spec.rb"]),
    ],
)  # fmt: skip
def test_files_are_run_where_their_package_is(
    line: str, files: tuple[str, ...], commands: list[str]
) -> None:
    assert lines(line, *files) == commands


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("pytest --lf", (A,)),
        ("pytest --stepwise", (A,)),
        ("pytest --splits 3 --group 1", (A,)),
        ("pytest --pyargs pkg", (A,)),
        ("pytest --co", (A,)),
        ("pytest --unknown tests", (A,)),
        ("pytest other", (A,)),
        ("pytest tests/test_a.py::x", (C,)),
        ("python -m unittest tests.test_a", (C,)),
        ("npx vitest run --shard=1/2", (JS,)),
        ("npx vitest run -u", (JS,)),
        ("npx vitest run --changed", (JS,)),
        ("npx jest --onlyChanged", (JS,)),
        ("npx jest --testPathPatterns x", (JS,)),
        ("npx jest -o", (JS,)),
        ("node --test --test-shard=1/2", (JS,)),
        ("mocha --watch", (JS,)),
        ("cargo test", ("src/inner.rs",)),
        ("cargo test --lib", ("src/lib.rs",)),
        ("cargo test -p x", ("tests/integ.rs",)),
        ("go test -c ./a/b", ("a/b/x_test.go",)),
        ("rspec --only-failures", ("spec/a_spec.rb",)),
        ("ctest -R red", ("cpp/test_red.cpp",)),
        ("make test", (A,)),
        ("sh -c 'pytest && x'", (A,)),
        ("npm run ci", (JS,)),
        ("npm run pre", (JS,)),
        ("npm run ignoring", (JS,)),
        ("yarn unit", (JS,)),
        ("yarn test -- -t x", (JS,)),
        ("nice npm run unit", (JS,)),
        ("pytest", ()),
        ("pytest", ("../outside.py",)),
        ("pytest", ("a\nb.py",)),
    ],
)
def test_nothing_is_focused_that_would_mean_something_else(
    line: str, files: tuple[str, ...]
) -> None:
    project = project_with({**FILES, "Makefile": "test:\n\tpytest\n"})
    assert lines(line, *files, project=project) is None


def test_package_file_with_a_configuration_of_jest_makes_a_package_of_its_own() -> None:
    project = project_with({"a/package.json": '{"jest": {}}', "b/package.json": "{}"})
    files = ("a/test/x.js", "b/test/x.js")
    assert lines("npx jest", *files, project=project) == [
        "a: npx jest ./test/x.js --runTestsByPath",
        "npx jest ./b/test/x.js --runTestsByPath",
    ]
    assert lines("npx vitest run", *files, project=project) == [
        "npx vitest run ./a/test/x.js ./b/test/x.js"
    ]


def test_files_are_told_from_where_the_runner_runs() -> None:
    assert lines("pytest -q", A, C, directory="tests") == ["tests: pytest ./test_a.py -q"]
    assert lines("pytest ../other", C, directory="tests") == ["tests: pytest ../other/test_c.py"]


def test_commands_say_which_files_they_run() -> None:
    found = recognise(("npx", "vitest", "run"), PROJECT)
    assert found is not None
    commands = focused(found, (JS, WEB), PROJECT)
    assert commands is not None
    assert [each.files for each in commands] == [(JS,), (WEB,)]


def test_file_that_looks_like_an_option_or_has_spaces_is_one_word() -> None:
    project = project_with({"-k": "", "a b/$x.py": ""})
    assert lines("pytest", "-k", "a b/$x.py", project=project) == ["pytest ./-k './a b/$x.py'"]


@pytest.mark.parametrize(
    "line", ["npm run unit", "npm run open", "npm run coverage", "npm test", "pnpm run unit"]
)
def test_command_in_place_of_a_script_can_be_focused_again(line: str) -> None:
    (first,) = lines(line, JS) or [""]
    (second,) = lines(first, JS) or [""]
    assert lines(second, JS) == [second]


OPTIONS = {
    "pytest": ("-q", "-x", "-k e", "--tb=short", "-n 4", "--cov", "-xvs", "-m 'not slow'"),
    "python -m unittest": ("-v", "-f", "-k x", "--buffer"),
    "npx vitest run": ("--reporter=dot", "-t x", "--coverage", "--retry 2"),
    "npx jest": ("--ci", "-i", "-t x", "--maxWorkers=2", "--reporters a b"),
    "npx mocha": ("--exit", "-t 100", "--recursive", "-R dot"),
    "node --test": ("--test-reporter=tap", "--test-concurrency 1", "--no-warnings"),
    "go test": ("-v", "-run X", "-count=1", "-race"),
    "cargo test": ("-q", "--release", "--features x", "--no-fail-fast"),
    "cargo nextest run": ("--retries 2", "-j 4"),
    "rspec": ("-f doc", "--color", "--seed 3"),
    "phpunit": ("--filter x", "--testdox"),
    "ctest": ("--output-on-failure", "-j 4", "-L x"),
}
NAMES = {
    "go test": ["a/x_test.go", "b/c/y_test.go"],
    "cargo test": ["tests/a.rs", "tests/b.rs", "src/lib.rs"],
    "cargo nextest run": ["tests/a.rs", "tests/b.rs", "src/lib.rs"],
}


@given(st.sampled_from(sorted(OPTIONS)), st.data())
def test_focused_argv_is_the_same_runner_with_just_the_files(
    line: str, data: st.DataObject
) -> None:
    chosen = data.draw(st.lists(st.sampled_from(OPTIONS[line]), unique=True))
    name = st.text("ab-[]*$ é.", min_size=1).map(lambda each: f"t/{each}_test.py")
    names = st.sampled_from(NAMES[line]) if line in NAMES else name
    files = tuple(data.draw(st.lists(names, min_size=1, max_size=4, unique=True)))
    project = project_with(dict.fromkeys(files, ""))
    full = recognise((*shlex.split(line), *shlex.split(" ".join(chosen))), project)
    assert full is not None

    for command in focused(full, files, project) or ():
        again = recognise(command.argv, project, command.directory)
        assert again is not None
        assert again.runner.name == full.runner.name
        assert again.line is not None
        assert again.directory == full.directory
        if line not in ("go test", "cargo test", "cargo nextest run", "ctest"):
            assert again.line.words.selectors == tuple(f"./{each}" for each in command.files) or (
                line == "phpunit"
            )
        if line not in ("cargo test", "cargo nextest run", "ctest"):
            assert focused(again, command.files, project) is not None
