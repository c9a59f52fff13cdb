"""mocha: https://mochajs.org/#command-line-usage

It names no file of a failing test but in its traceback, or in the message of a timeout. A ``spec``
in its configuration is run beside the files that are told, so that a focused run may run more.
"""

from __future__ import annotations

import re
from typing import Final

from gitcache.core.runners.runner import Printed, Runner
from gitcache.core.runners.words import Grammar, Words, in_kebab_case

_FAILURES: Final = re.compile(r"^  \d+ failing$", re.MULTILINE)
_BLOCK: Final = re.compile(r"^(?:  \d+\) |not ok \d+ )", re.MULTILINE)
_TAP_BEGINS: Final = re.compile(r"^not ok \d+ ", re.MULTILINE)
_FRAME: Final = re.compile(
    r"^ +at (?:.*\()?(?:file://)?(?P<path>(?!node:)[^()\s:][^():\n]*):\d+:\d+\)?$", re.MULTILINE
)
_TIMEOUT: Final = re.compile(r" resolves\. \((?P<path>/.+)\)$", re.MULTILINE)
_RUN: Final = re.compile(r"^  (?P<count>\d+) passing", re.MULTILINE)
_TAP_COUNT: Final = re.compile(r"^# (?:pass|fail) (?P<count>\d+)$", re.MULTILINE)


def failing(text: str) -> tuple[Printed, ...]:
    """Return the outermost file of the project in each failure's traceback: the test's own."""
    start = _FAILURES.search(text) or _TAP_BEGINS.search(text)
    if start is None:
        return ()
    blocks = _BLOCK.split(text[start.start() :])[1:]
    return tuple(Printed((path,)) for block in blocks if (path := _file_of(block)))


def _file_of(block: str) -> str | None:
    if timeout := _TIMEOUT.search(block):
        return timeout["path"]
    paths = [each["path"] for each in _FRAME.finditer(block)]
    own = [each for each in paths if "node_modules/" not in each]
    return own[-1] if own else None


def ran_nothing(text: str) -> bool:
    """Return whether no test file was found, or no test passed or failed."""
    if "Error: No test files found" in text:
        return True
    counts = _RUN.findall(text)[-1:] or _TAP_COUNT.findall(text)
    return bool(counts) and not any(map(int, counts)) and _FAILURES.search(text) is None


def _report(words: Words) -> str | None:
    told = ",".join(words.values("-O", "--reporter-options", "--reporter-option")).split(",")
    places = [each.partition("=")[2] for each in told if each.startswith(("mochaFile=", "output="))]
    return next(iter(places), None)


MOCHA: Final = Runner(
    name="mocha",
    programs=frozenset(("mocha", "_mocha", "mocha.js")),
    grammar=Grammar.of(
        valued="-g -f -t -s -r -R -O -u -j --grep --fgrep --timeout --slow --require --reporter"
        " --reporter-option --reporter-options --ui --jobs --config --package --extension --file"
        " --ignore --exclude --retries --watch-files --watch-ignore --global --globals --spec"
        " --import --loader",
        flags="-A -b -c -C -i -p -w -V -h --async-only --bail --color --no-color --invert"
        " --parallel --check-leaks --delay --dry-run --exit --recursive --sort --watch"
        " --full-trace --diff --inline-diffs --forbid-only --forbid-pending --allow-uncaught"
        " --fail-zero --enable-source-maps --experimental-vm-modules --pass-on-failing-test-suite"
        " --list-reporters",
        spelling=in_kebab_case,
    ),
    failing=failing,
    ran_nothing=ran_nothing,
    forbidding=("--spec", "-w", "--watch", "--dry-run", "-h", "--help", "-V", "--version"),
    report=_report,
)
