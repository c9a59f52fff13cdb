"""Node's own runner: https://nodejs.org/api/test.html#running-tests-from-the-command-line

Its default reporter is ``spec`` on a terminal, and from Node 23 on everywhere, else ``tap``; both
tell where each failing test stands. Files are told behind the options, since what follows a file
is the program's own. Coverage is dropped, for its thresholds.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Final

from gitcache.core.runners.runner import Printed, Runner
from gitcache.core.runners.words import Argv, Grammar, Words

_NOT_OK: Final = re.compile(
    r"^ *not ok \d+ - (?P<name>.*?)(?: # (?P<directive>TODO|SKIP)\b.*)?\n"
    r" *---\n(?: +\w+: .*\n)*? *location: '(?P<path>.+?):\d+:\d+'$",
    re.MULTILINE,
)
"""A failing test of the ``tap`` reporter, with its diagnostic."""

_TEST_AT: Final = re.compile(r"^test at (?P<path>.+?):\d+:\d+$", re.MULTILINE)
"""Where a failing test stands, below ``✖ failing tests:`` of the ``spec`` reporter."""

_FILE: Final = re.compile(r"^✖ (?P<path>/.+\.[cm]?[jt]sx?) \([\d.]+ms\)$", re.MULTILINE)
"""A file that failed as a whole, as ``spec`` and ``dot`` tell it."""

_COUNT: Final = re.compile(
    r"^[#\u2139] (?P<what>pass|fail|cancelled|tests) (?P<count>\d+)$", re.MULTILINE
)

_DIRECTIVES: Final = ("TODO", "SKIP")


def failing(text: str) -> tuple[Printed, ...]:
    """Return where the failing tests stand; a failure of a test that is to do is none."""
    paths = [each["path"] for each in _NOT_OK.finditer(text) if each["directive"] is None]
    paths += [each["path"] for pattern in (_TEST_AT, _FILE) for each in pattern.finditer(text)]
    return tuple(Printed((each.removeprefix("file://"),)) for each in paths)


def ran_nothing(text: str) -> bool:
    """Return whether the closing counts tell of no test that passed or failed."""
    counts = {each["what"]: int(each["count"]) for each in _COUNT.finditer(text)}
    ran = (counts.get(each, 0) for each in ("pass", "fail", "cancelled"))
    return "Could not find '" in text or (bool(counts) and not any(ran))


def _behind(words: Argv) -> int | None:
    """Return 0 where ``--test`` stands among the options: it stays one of them."""
    options: list[str] = []
    for word in words:
        if not word.startswith("-") and (not options or options[-1] not in _VALUED):
            break
        options.append(word)
    return 0 if "--test" in options else None


def _report(words: Words) -> str | None:
    reporters = words.values("--test-reporter")
    places = words.values("--test-reporter-destination")
    told = dict(zip_longest(reporters, places[: len(reporters)]))
    place = told.get("junit")
    return None if place in (None, "stdout", "stderr") else place


_VALUED: Final = frozenset(
    (
        *("--test-reporter", "--test-reporter-destination", "--test-name-pattern"),
        *("--test-skip-pattern", "--test-concurrency", "--test-timeout", "--test-shard"),
        *("--import", "--require", "-r", "--loader", "--experimental-loader", "--env-file"),
        *("--env-file-if-exists", "--conditions", "-C", "--test-isolation", "--max-old-space-size"),
        *("--experimental-test-isolation", "--experimental-default-type", "--stack-trace-limit"),
        *("--test-coverage-include", "--test-coverage-exclude", "--test-global-setup"),
        *("--test-coverage-lines", "--test-coverage-branches", "--test-coverage-functions"),
        *("--test-random-seed", "--disable-warning", "--input-type", "--title"),
    )
)

NODE: Final = Runner(
    name="node",
    programs=frozenset(("node", "nodejs")),
    grammar=Grammar(
        valued=_VALUED,
        flags=frozenset(
            (
                *("--test", "--test-only", "--test-force-exit", "--test-update-snapshots"),
                *("--watch", "--watch-preserve-output", "--enable-source-maps", "--expose-gc"),
                *(
                    "--experimental-strip-types",
                    "--experimental-transform-types",
                    "--trace-warnings",
                ),
                *(
                    "--experimental-test-coverage",
                    "--experimental-test-module-mocks",
                    "--no-warnings",
                ),
                *("--experimental-vm-modules", "--experimental-test-snapshots", "--test-randomize"),
                *("--experimental-default-config-file", "--throw-deprecation", "--no-deprecation"),
            )
        ),
        clusters=False,
    ),
    behind=_behind,
    failing=failing,
    ran_nothing=ran_nothing,
    files_last=True,
    forbidding=("--watch*", "--test-shard", "--test-update-snapshots", "-h", "--help"),
    dropped=("--experimental-test-coverage", "--test-coverage-*"),
    report=_report,
)
