"""pytest: https://docs.pytest.org/en/stable/reference/reference.html#command-line-flags

``-k``, ``-m``, ``--deselect`` and ``--ignore`` stay, since a file's tests are chosen among alike
whether other files run or not. What goes by the last run's results (``--lf``, ``--stepwise``) or
by a share of all tests stands against a focused run: it would be told by it, or mean other tests.
Coverage is dropped: a part of the tests can't reach its threshold, and would leave a part's data.
"""

from __future__ import annotations

import re
from typing import Final

from gitcache.core.runners.runner import Printed, Runner
from gitcache.core.runners.words import Grammar, Words

_SUMMARY: Final = re.compile(
    r"^(?:\[gw\d+\] \[ *\d+%\] )?(?:FAILED|ERROR|SUBFAILED(?:\(.*?\))?) "
    r"(?P<path>[^\s:][^\n:]*?\.\w+)(?:::.*| - .*| *)$",
    re.MULTILINE,
)
"""A line of the short summary, or of a worker with ``-v``. What is wrong with pytest's own words
reads ``ERROR: …``."""

_VERBOSE: Final = re.compile(
    r"^(?P<path>[^\s:][^\n:]*?\.\w+)::.*? (?:FAILED|ERROR)(?: +\[ *\d+%\])?$", re.MULTILINE
)
"""A test's own line with ``-v``, which is there without a summary too."""

_COLLECTING: Final = re.compile(r"^_+ ERROR collecting (?P<path>.+?) _+$", re.MULTILINE)
_SECTION: Final = re.compile(r"^=+ (?:FAILURES|ERRORS) =+$", re.MULTILINE)
_HEADING: Final = re.compile(r"^_{3,} .+ _{3,}$", re.MULTILINE)
_PLACE: Final = re.compile(r"^(?P<path>[^\s:][^\n:]*?\.\w+):\d+: ", re.MULTILINE)
"""Where a traceback passes, in every form but ``native``; the test itself comes first."""

_NATIVE: Final = re.compile(r'^  File "(?P<path>[^"\n]+)", line \d+, in test', re.MULTILINE)

_NOTHING: Final = re.compile(
    r"^(?:=+ )?(?:no tests ran|(?:\d+ (?:deselected|skipped|warnings?)(?:, )?)+) in [\d.]+s.*$",
    re.MULTILINE,
)
"""The closing line where no test ran at all."""


def failing(text: str) -> tuple[Printed, ...]:
    """Return the files of the summary, else of the tests' own lines, else of the tracebacks."""
    named = [each["path"] for each in _SUMMARY.finditer(text)]
    named += [each["path"] for each in _VERBOSE.finditer(text)]
    if not named:
        named = [each["path"] for each in _COLLECTING.finditer(text)] + _from_tracebacks(text)
    return tuple(Printed((path,)) for path in named)


def _from_tracebacks(text: str) -> list[str]:
    """Return the first place of each failure's traceback: there is no summary (``-rN``)."""
    named: list[str] = []
    for section in _SECTION.split(text)[1:]:
        bare, *blocks = _HEADING.split(section)
        named += [found["path"] for found in _PLACE.finditer(bare)]  # --tb=line: one line each
        places = (_PLACE.search(block) or _NATIVE.search(block) for block in blocks)
        named += [found["path"] for found in places if found]
    return named


def ran_nothing(text: str) -> bool:
    """Return whether the closing line counts no test that passed or failed."""
    return _NOTHING.search(text) is not None


def _narrow(selector: str) -> str | None:
    path, colons, _ = selector.partition("::")
    return path if colons else None


def _report(words: Words) -> str | None:
    return next(iter(words.values("--junitxml", "--junit-xml")[-1:]), None)


PYTEST: Final = Runner(
    name="pytest",
    programs=frozenset(("pytest", "py.test")),
    modules=frozenset(("pytest",)),
    grammar=Grammar.of(
        valued="-k -m -p -c -o -r -n -W --maxfail --tb --junitxml --junit-xml --junit-prefix"
        " --dist --ignore --ignore-glob --deselect --confcutdir --rootdir --basetemp --durations"
        " --durations-min --color --code-highlight --capture --import-mode --override-ini"
        " --config-file --log-level --log-format --log-cli-level --log-file --log-file-level"
        " --pythonwarnings --numprocesses --maxprocesses --tx --timeout --timeout-method"
        " --cov-report --cov-config --cov-fail-under --cov-context --reruns --reruns-delay"
        " --only-rerun --rerun-except --html --css --json-report-file --ds --dc --asyncio-mode"
        " --show-capture --verbosity --assert --doctest-glob --doctest-report --hypothesis-profile"
        " --hypothesis-seed --randomly-seed --count --benchmark-json --splits --group --shard-id"
        " --num-shards",
        optional="--cov",
        flags="-x -v -q -s -l -h -V --exitfirst --verbose --quiet --showlocals --strict"
        " --strict-markers --strict-config --cache-clear --no-header --no-summary --full-trace"
        " --pdb --trace --runxfail --doctest-modules --continue-on-collection-errors"
        " --disable-warnings --disable-pytest-warnings --last-failed --lf --failed-first --ff"
        " --new-first --nf --stepwise --sw --stepwise-skip --sw-skip --collect-only --co --pyargs"
        " --noconftest --keep-duplicates --collect-in-virtualenv --setup-show --setup-only"
        " --setup-plan --cov-append --cov-branch --no-cov --no-cov-on-fail --reuse-db --create-db"
        " --nomigrations --no-migrations --self-contained-html --forked --looponfail"
        " --benchmark-skip --benchmark-only --benchmark-disable --snapshot-update --fixtures"
        " --markers --random-order --hypothesis-show-statistics",
    ),
    failing=failing,
    ran_nothing=ran_nothing,
    narrow=_narrow,
    forbidding=(
        *("--lf", "--last-failed", "--ff", "--failed-first", "--nf", "--new-first"),
        *("--sw*", "--stepwise*", "--cache-clear", "--pyargs", "--co", "--collect-only"),
        *("--shard-id", "--num-shards", "--splits", "--group", "--looponfail", "--snapshot-update"),
        *("-h", "--help", "-V", "--version", "--fixtures", "--markers", "--setup-plan"),
        *("--setup-only", "--pdb", "--trace", "--benchmark-*"),
    ),
    dropped=("--cov", "--cov-*", "--no-cov-on-fail"),
    report=_report,
)
