"""RSpec: https://rspec.info/features/3-13/rspec-core/command-line/

``file:12`` and ``file[1:2]`` select a part of a file and stay where it failed. What goes by the
last run (``--only-failures``, ``--next-failure``, ``--bisect``) stands against a focused run.
"""

from __future__ import annotations

import re
from typing import Final

from gitcache.core.runners.runner import Printed, Runner
from gitcache.core.runners.words import Grammar, Words

_RERUN: Final = re.compile(
    r"^rspec '?(?P<path>\.?/?[^'\[:\n]+\.rb)(?::\d+|\[[\d:]+\])'? # ", re.MULTILINE
)
"""A line below ``Failed examples:``."""

_LOADING: Final = re.compile(r"^An error occurred while loading (?P<path>.+\.rb)\.$", re.MULTILINE)
_COUNTS: Final = re.compile(r"^(?P<count>\d+) examples?, \d+ failures?(?P<rest>.*)$", re.MULTILINE)
_PART: Final = re.compile(r"(?P<path>.+?)(?::\d+(?::\d+)*|\[[\d:,]+\])")


def failing(text: str) -> tuple[Printed, ...]:
    """Return the files of the failed examples, and those that could not be loaded."""
    found = (each for pattern in (_RERUN, _LOADING) for each in pattern.finditer(text))
    return tuple(Printed((each["path"],)) for each in found)


def ran_nothing(text: str) -> bool:
    """Return whether there was no example, and no error in place of one."""
    counts = [*_COUNTS.finditer(text)][-1:]
    return bool(counts) and counts[0]["count"] == "0" and "error" not in counts[0]["rest"]


def _narrow(selector: str) -> str | None:
    part = _PART.fullmatch(selector)
    return None if part is None else part["path"]


def _report(words: Words) -> str | None:
    """Return where the formatter for JUnit writes: an ``--out`` belongs to the one before it."""
    is_junit = False
    for each in words.options:
        if each.name in ("-f", "--format"):
            is_junit = "junit" in (each.value or "").lower()
        elif each.name in ("-o", "--out") and is_junit:
            return each.value
    return None


RSPEC: Final = Runner(
    name="rspec",
    programs=frozenset(("rspec",)),
    grammar=Grammar.of(
        valued="-I -r -O -f -o -e -E -t -P --require --options --order --seed --format --out"
        " --deprecation-out --example --example-matches --tag --pattern --exclude-pattern"
        " --default-path --failure-exit-code --error-exit-code --drb-port --profile",
        flags="-b -c -w -h -v --backtrace --color --colour --no-color --force-color --fail-fast"
        " --no-fail-fast --warnings --dry-run --only-failures --next-failure --bisect --init"
        " --help --version --no-profile --drb --no-drb",
    ),
    failing=failing,
    ran_nothing=ran_nothing,
    narrow=_narrow,
    forbidding=(
        *("--only-failures", "-n", "--next-failure", "--bisect*", "--dry-run", "--init"),
        *("-h", "--help", "-v", "--version", "-P", "--pattern"),
    ),
    report=_report,
)
