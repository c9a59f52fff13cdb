"""ctest: https://cmake.org/cmake/help/latest/manual/ctest.1.html

It runs tests by name and knows no files. By convention a test is called like its source file, so a
name stands for the only file with that stem; other names resolve to nothing. A focused run names
the tests (``-R``).
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from typing import Final

from gitcache.core.runners.runner import Line, Printed, Runner
from gitcache.core.runners.words import Argv, Grammar, Option

_FAILED: Final = re.compile(
    r"^\t *\d+ - (?P<name>.+?) \((?:Failed|Timeout|SEGFAULT|ILLEGAL|NUMERICAL|Subprocess aborted"
    r"|BAD_COMMAND|SIG\w+|Child aborted|OTHER_FAULT|Not Run)\).*$",
    re.MULTILINE,
)
"""A line below ``The following tests FAILED:``."""

_SUFFIXES: Final = (".cpp", ".cc", ".cxx", ".c", ".C", ".cu", ".f90", ".py", ".sh")
"""What a test's source file may end with, the usual first."""


def failing(text: str) -> tuple[Printed, ...]:
    """Return the files that are called like the failed tests."""
    _, _, told = text.partition("The following tests FAILED:")
    return tuple(
        Printed(tuple(f"{each['name']}{suffix}" for suffix in _SUFFIXES))
        for each in _FAILED.finditer(told)
        if re.fullmatch(r"[\w.+-]+", each["name"])
    )


def ran_nothing(text: str) -> bool:
    """Return whether no test was found."""
    return "No tests were found!!!" in text


def _build(line: Line, selectors: Argv) -> tuple[Line, ...]:
    stems = (posixpath.splitext(posixpath.basename(each))[0] for each in selectors)
    names = "|".join(map(re.escape, dict.fromkeys(stems)))
    chosen = Option("-R", f"^({names})$", ("-R", f"^({names})$"))
    options = (*line.words.options, chosen)
    return (Line(line.head, replace(line.words, options=options)),)


CTEST: Final = Runner(
    name="ctest",
    programs=frozenset(("ctest",)),
    grammar=Grammar.of(
        valued="-C -E -L -LE -I -FA -FS -FC -S -D -M -T -O -R --build-config --exclude-regex"
        " --label-regex --label-exclude --test-dir --timeout --preset --repeat --stop-time"
        " --output-junit --output-log --resource-spec-file --tests-regex --test-timeout"
        " --interactive-debug-mode",
        optional="-j --parallel",
        flags="-V -VV -Q -F -N -U --verbose --extra-verbose --debug --quiet --output-on-failure"
        " --progress --stop-on-failure --rerun-failed --schedule-random --show-only --no-tests",
        clusters=False,
    ),
    failing=failing,
    ran_nothing=ran_nothing,
    build=_build,
    knows_no_files=True,
    forbidding=(
        *("-R", "--tests-regex", "-I", "--tests-information", "--rerun-failed", "-N"),
        *("--show-only*", "-S", "-D", "-M", "-T", "--dashboard", "--build-and-test", "-U"),
    ),
)
