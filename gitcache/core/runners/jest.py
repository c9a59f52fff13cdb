"""jest: https://jestjs.io/docs/cli

A word that is no option is a pattern for paths, unless ``--runTestsByPath`` is said: then it is a
path, and so it is in a focused run. Files are run from the package that owns them. Coverage is
dropped, for its thresholds; what goes by git or by the last run stands against a focused run.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from typing import Final
from warnings import catch_warnings

from gitcache.core.runners.runner import Line, Printed, Runner
from gitcache.core.runners.words import Argv, Grammar, Option, in_kebab_case

_FAIL: Final = re.compile(
    r"^ ?FAIL (?P<path>\S.*?)(?: \(\d[\d.]* m?s(?:, \d.*)?\)| \(\d.* heap size\))?$", re.MULTILINE
)
"""``FAIL packages/a/test/x.test.js (5.1 s)``; the name of a project may stand before the path."""

_COUNTS: Final = re.compile(r"^Tests: +(?P<counts>.*)$", re.MULTILINE)
_BY_PATH: Final = Option("--run-tests-by-path", None, ("--runTestsByPath",))


def failing(text: str) -> tuple[Printed, ...]:
    """Return the files that are told as failed."""
    return tuple(Printed(_ways(each["path"])) for each in _FAIL.finditer(text))


def _ways(told: str) -> tuple[str, ...]:
    behind = told.partition(" ")[2].strip()
    return (told, behind) if behind else (told,)


def ran_nothing(text: str) -> bool:
    """Return whether no test was found, or all were skipped."""
    counts = [each["counts"] for each in _COUNTS.finditer(text)][-1:]
    if counts and "Test suite failed to run" not in text:
        return "passed" not in counts[0] and "failed" not in counts[0]
    return re.search(r"^No tests found", text, re.MULTILINE) is not None


def _covers(selector: str, file: str) -> bool:
    """Return whether *selector*, a regular expression or a path, is found in the path of *file*."""
    path = posixpath.normpath(selector)
    try:
        with catch_warnings(action="ignore"):  # a set within a set may mean more one day
            is_found = re.search(selector, f"/{file}", re.IGNORECASE) is not None
    except re.error:
        is_found = False
    return is_found or path in (".", file) or file.startswith(f"{path}/")


def _build(line: Line, selectors: Argv) -> tuple[Line, ...]:
    options = line.words.options
    if _BY_PATH.name not in {each.name for each in options}:
        options = (*options, _BY_PATH)
    return (Line(line.head, replace(line.words, options=options, selectors=selectors)),)


JEST: Final = Runner(
    name="jest",
    programs=frozenset(("jest", "jest.js")),
    grammar=Grammar.of(
        valued="-c -t -w --config --root-dir --test-name-pattern --max-workers --test-timeout"
        " --env --max-concurrency --coverage-directory --coverage-provider --output-file --preset"
        " --runner --seed --shard --changed-since --worker-idle-memory-limit --test-runner"
        " --test-sequencer --cache-directory --color-theme --global-setup --global-teardown"
        " --filter --resolver",
        greedy="--projects --reporters --select-projects --ignore-projects --roots --setup-files"
        " --test-path-pattern --test-path-patterns --test-path-ignore-patterns"
        " --coverage-reporters --collect-coverage-from --setup-files-after-env --test-match"
        " --find-related-tests --module-directories --transform-ignore-patterns"
        " --coverage-path-ignore-patterns",
        flags="-i -b -e -f -o -u -h -v --run-in-band --bail --ci --verbose --silent --coverage"
        " --collect-coverage --pass-with-no-tests --detect-open-handles --force-exit --no-cache"
        " --colors --color --no-coverage --expand --only-failures --only-changed --watch"
        " --watch-all --update-snapshot --log-heap-usage --run-tests-by-path --json --list-tests"
        " --show-config --error-on-deprecated --detect-leaks --use-stderr --randomize --watchman"
        " --no-watchman --reset-mocks --clear-mocks --restore-mocks --show-seed --last-commit"
        " --all --debug",
        spelling=in_kebab_case,
    ),
    failing=failing,
    ran_nothing=ran_nothing,
    covers=_covers,
    build=_build,
    owners=("jest.config.*",),
    owner_key="jest",
    rooted=(
        "-c",
        "--config",
        "--root-dir",
        "--roots",
        "--projects",
        "--*-projects",
        "--test-match",
    ),
    forbidding=(
        *("--shard", "-f", "--only-failures", "-o", "--only-changed", "--changed-since", "--all"),
        *("--last-commit", "--find-related-tests", "--test-path-pattern*", "--list-tests", "-v"),
        *("--show-config", "--watch*", "-u", "--update-snapshot", "--init", "-h", "--help"),
        *("--version", "--filter", "--clear-cache", "--json"),
    ),
    dropped=("--coverage", "--coverage-*", "--collect-coverage*", "--coverage=*"),
)
