"""What a launcher's argv says that it starts."""

from __future__ import annotations

import shlex

import pytest

from gitcache.core.launchers import (
    Next,
    PackageScript,
    Read,
    Recipes,
    Script,
    Text,
    started_by,
)
from gitcache.core.shell_text import Started


def told(line: str) -> list[str]:
    return [_spelled(each) for each in started_by(tuple(shlex.split(line)))]


def _spelled(step: Next) -> str:
    match step:
        case Started(argv, variables, folder, bins):
            words = [*(f"{name}={value}" for name, value in variables), *argv]
            return " ".join([*(f"{each}:" for each in bins), *words]) + (
                "" if folder == "." else f" in {folder}"
            )
        case Read(word):
            return f"read {word}"
        case Script(word):
            return f"commands {word}"
        case Text(text, bins):
            return " ".join([*(f"{each}:" for each in bins), f"shell {text}"])
        case Recipes(files, lines, folder):
            text = "all: x\n\tall it\nx:\n\tx it\n"
            return f"{files[0]} of {len(files)} in {folder}: {'; '.join(lines(text, {}))}"
        case PackageScript(name, folder, in_workspaces):
            place = "" if folder == "." else f" in {folder}"
            return f"script {name}{place}{' of all' * in_workspaces}"


NODE = "node_modules/.bin:"
PYTHON = ".venv/bin: venv/bin:"


@pytest.mark.parametrize(
    ("line", "steps"),
    [
        ("pytest -q", []),
        ("/usr/bin/nice -n 5 tool x", ["tool x"]),
        ("nice -5 tool", ["tool"]),
        ("nice --adjustment=5 -- tool -n 3", ["tool -n 3"]),
        ("nice", []),
        ("nice -n", []),
        ("timeout 5 tool", ["tool"]),
        ("timeout -k 3 -s KILL --foreground 5m tool -x", ["tool -x"]),
        ("timeout 5", []),
        ("taskset 0x3 tool", ["tool"]),
        ("nohup tool", ["tool"]),
        ("flock -w 3 file tool", ["tool"]),
        ("env", []),
        ("env A=1", []),
        ("env A=1 B= tool A=2", ["A=1 B= tool A=2"]),
        ("env -i -u X -C web PATH=/bin tool", ["PATH=/bin tool in web"]),
        ("env --chdir=web -- tool", ["tool in web"]),
        ("env '-S python3 -u' x", ["python3 -u x"]),
        ("env -S 'A=1 python3 -u' x", ["A=1 python3 -u x"]),
        ("env '-iSpython3 -u' x", ["python3 -u x"]),
        ("env '--split-string=python3 -u' x", ["python3 -u x"]),
        ("env --split-string 'python3 -u' x", ["python3 -u x"]),
        ("env -S", []),
        ("cross-env A=1 tool", ["A=1 tool"]),
        ("dotenv -e .env.test -- tool", ["tool"]),
        ("sh t.sh 1", ["commands t.sh"]),
        ("bash -eu -o pipefail t.sh", ["commands t.sh"]),
        ("/bin/sh -c 'a && b'", ["shell a && b"]),
        ("bash -ec a x", ["shell a"]),
        ("bash --rcfile x -c a", ["shell a"]),
        ("bash -euo pipefail -c a", ["shell a"]),
        ("bash -eo pipefail t.sh x", ["commands t.sh"]),
        ("bash +x -O extglob -c a", ["shell a"]),
        ("sh -- t.sh", ["commands t.sh"]),
        ("xargs -n 1 tool x", ["tool x"]),
        ("find . -name x -exec tool {} ';' -exec other {} +", ["tool {}", "other {}"]),
        ("sh -c", []),
        ("sh", []),
        ("python t.py", ["read t.py"]),
        ("python3.11 -W error -u t.py", ["read t.py"]),
        ("python -m pytest", []),
        ("python -c pass x", []),
        ("node -r ./setup.js t.js", ["read ./setup.js", "read t.js"]),
        ("node --import=./a.mjs -C dev t.js", ["read ./a.mjs", "read t.js"]),
        ("node -e 1", []),
        ("npm test", ["script test"]),
        ("npm t", ["script test"]),
        ("npm --silent run lint -- --fix", ["script lint"]),
        ("npm -w web run lint", ["script lint of all"]),
        ("npm run --workspaces lint", ["script lint of all"]),
        ("npm --prefix web test", ["script test in ./web"]),
        ("npm run --silent lint", ["script lint"]),
        ("npm run", []),
        ("npm audit", []),
        ("npm", []),
        ("npm exec -- tsc", [f"{NODE} tsc"]),
        ("npx --no-install tsc --noEmit", [f"{NODE} tsc --noEmit"]),
        ("npx -p typescript@5 tsc", [f"{NODE} tsc"]),
        ("npx eslint@8 .", [f"{NODE} eslint ."]),
        ("npx @biomejs/biome@2 check", [f"{NODE} @biomejs/biome check"]),
        ("npx -c 'a && b'", [f"{NODE} shell a && b"]),
        ("npx", []),
        ("pnpm exec eslint .", [f"{NODE} eslint ."]),
        ("pnpm -C web lint", ["script lint", f"{NODE} lint"]),
        ("pnpm run lint", ["script lint", f"{NODE} lint"]),
        ("yarn run eslint .", ["script eslint", f"{NODE} eslint ."]),
        ("yarn test", ["script test", f"{NODE} test"]),
        ("bun x tsc", [f"{NODE} tsc"]),
        ("bunx --no-install tsc", [f"{NODE} tsc"]),
        ("uv run --with x -p 3.12 pytest -q", [f"{PYTHON} pytest -q"]),
        ("uv --directory web run pytest", [f"{PYTHON} pytest"]),
        ("uv sync", []),
        ("poetry run pytest", [f"{PYTHON} pytest"]),
        ("hatch -e test run pytest", [f"{PYTHON} pytest"]),
        ("bundle exec rspec", ["rspec"]),
        ("bundle audit", []),
        ("mise x -- tool", ["tool"]),
        ("direnv exec . tool", ["tool"]),
        ("conda run -n base tool", ["tool"]),
        ("cargo +nightly clippy -- -D warnings", ["rustc", "cargo-clippy", "clippy-driver"]),
        ("cargo test", ["rustc", "cargo-test", "rustdoc"]),
        ("cargo", ["rustc"]),
        ("go test ./...", []),
        ("go fmt", ["gofmt"]),
        ("make", ["GNUmakefile of 3 in .: all it; x it"]),
        ("make -j 4 x V=1", ["GNUmakefile of 3 in .: all it; x it"]),
        ("make -C a -Cb -sf my.mk x", ["my.mk of 1 in ./a/b: x it"]),
        ("gmake --directory=a --makefile my.mk -j4 x", ["my.mk of 1 in ./a: x it"]),
        ("just x", ["justfile of 32 in .: all it; x it"]),
        ("7z x", []),
    ],
)
def test_argv_tells_what_is_started(line: str, steps: list[str]) -> None:
    assert told(line) == steps
