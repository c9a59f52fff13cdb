"""vitest: https://vitest.dev/guide/cli

A word that is no option is looked for in the paths below the folder in which vitest runs, so files
are run from the package that owns them: ``./test/a.test.js`` of one package is not another's.
Longer paths that hold it run as well. Coverage is dropped, for its thresholds; what writes
snapshots, watches, or takes a share of the tests stands against a focused run.
"""

from __future__ import annotations

import posixpath
import re
from typing import Final

from gitcache.core.runners.runner import Printed, Runner
from gitcache.core.runners.words import Argv, Grammar, Words, in_kebab_case

_FAIL: Final = re.compile(
    r"^ ?FAIL +(?:\|(?P<label>[^|\n]+)\| |(?P<project>\S+)  )?(?P<path>[^\n]+?\.[cm]?[jt]sx?)"
    r"(?: \[ (?P<full>.+?) \]| > .*)?$",
    re.MULTILINE,
)
"""`` FAIL  test/a.test.ts > group > name``; behind the project's name, if there are several; a
file that failed as a whole has its path in brackets."""

_TAP: Final = re.compile(
    r"^not ok \d+ - (?P<name>[^\n]+?\.[cm]?[jt]sx?)(?: # time=.*| > .*)?$", re.MULTILINE
)
_AT: Final = re.compile(r"^ *at: \"(?P<path>/.+?):\d+:\d+\"$", re.MULTILINE)
"""What the ``tap`` reporters print: the path from the project, and where the failure is."""

_ANNOTATION: Final = re.compile(r"^::error file=(?P<path>[^,\n]+),title=", re.MULTILINE)
"""What the reporter ``github-actions`` prints."""

_COUNTS: Final = re.compile(r"^ +Tests +(?P<counts>.*)$", re.MULTILINE)


def failing(text: str) -> tuple[Printed, ...]:
    """Return the files of the failures; a project's name stands for its folder where it fits."""
    named = [_ways(each) for each in _FAIL.finditer(text)]
    named += [(each["path"],) for each in _ANNOTATION.finditer(text)]
    return tuple(map(Printed, named or _from_tap(text)))


def _ways(match: re.Match[str]) -> tuple[str, ...]:
    if match["full"]:
        return (match["full"],)
    project = match["label"] or match["project"]
    if not project:
        return (match["path"],)
    return (posixpath.join(project.rpartition("/")[2], match["path"]), match["path"])


def _from_tap(text: str) -> list[tuple[str, ...]]:
    """Return the failing files, each by where its failures are if one of these is in it."""
    named = []
    found = [*_TAP.finditer(text)]
    ends = [each.start() for each in found[1:]] + [len(text)]
    for each, end in zip(found, ends, strict=False):
        places = [at["path"] for at in _AT.finditer(text, each.end(), end)]
        exact = tuple(at for at in places if at.endswith(f"/{each['name']}"))
        named.append((*exact[:1], each["name"]))
    return named


def ran_nothing(text: str) -> bool:
    """Return whether no test file was found, or the counts tell of skipped tests alone."""
    counts = [each["counts"] for each in _COUNTS.finditer(text)][-1:]
    skipped = bool(counts) and "passed" not in counts[0] and "failed" not in counts[0]
    failed = re.search(r"^ Test Files +.*failed", text, re.MULTILINE)
    return "No test files found" in text or (skipped and failed is None)


def _covers(selector: str, file: str) -> bool:
    """Return whether *selector* is in the path of *file*; a line behind it is no part of it."""
    return posixpath.normpath(re.sub(r":\d+$", "", selector)).lower() in file.lower() or (
        posixpath.normpath(selector) == "."
    )


def _narrow(selector: str) -> str | None:
    return re.sub(r":\d+$", "", selector) if re.search(r":\d+$", selector) else None


def _behind(words: Argv) -> int | None:
    if words[:1] and words[0] in ("run", "watch", "dev", "related", "bench", "init", "list"):
        return 1 if words[0] == "run" else None
    return 0


def _report(words: Words) -> str | None:
    named = words.values("--output-file.junit")
    if "junit" in words.values("--reporter"):
        named = named or words.values("--output-file")
    return next(iter(named[-1:]), None)


VITEST: Final = Runner(
    name="vitest",
    programs=frozenset(("vitest", "vitest.mjs")),
    behind=_behind,
    grammar=Grammar.of(
        valued="-c -r -t --config --root --dir --project --reporter --output-file"
        " --test-name-pattern --environment --pool --test-timeout --hook-timeout --retry"
        " --max-concurrency --mode --max-workers --min-workers --shard --exclude --workspace"
        " --bail --slow-test-threshold --teardown-timeout --tags-filter --diff"
        " --snapshot-environment",
        flags="-w -u -h -v --run --watch --update --globals --no-color --color --silent"
        " --hide-skipped-tests --pass-with-no-tests --allow-only"
        " --dangerously-ignore-unhandled-errors --standalone --log-heap-usage --coverage"
        " --typecheck --dom --ui --isolate --file-parallelism --changed",
        spelling=in_kebab_case,
    ),
    failing=failing,
    ran_nothing=ran_nothing,
    covers=_covers,
    narrow=_narrow,
    owners=("vitest.config.*", "vite.config.*"),
    rooted=("-c", "--config", "-r", "--root", "--dir", "--project", "--workspace", "--exclude"),
    forbidding=(
        *("--shard", "--changed", "-u", "--update", "--standalone", "--ui", "-h", "--help", "-v"),
        *("-w", "--watch", "--version", "--merge-reports*", "--list-tags", "--clear-cache"),
    ),
    dropped=("--coverage", "--coverage.*"),
    report=_report,
)
