"""PHPUnit: https://docs.phpunit.de/en/11.5/textui.html

Before version 11 it takes one path, so each file is a command of its own. Reports of coverage are
dropped; a suite or a group that is chosen stays.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from gitcache.core.runners.runner import Line, Printed, Runner
from gitcache.core.runners.words import Argv, Grammar, Words

_SECTION: Final = re.compile(r"^There (?:was|were) \d+ (?:failure|error)s?:$", re.MULTILINE)
_BLOCK: Final = re.compile(r"^\d+\) ", re.MULTILINE)
_PLACE: Final = re.compile(r"^(?P<path>/?[^\s:][^:\n]*\.(?:php|phpt)):\d+$", re.MULTILINE)
_END: Final = re.compile(r"^(?:--|(?:FAILURES|ERRORS|OK|WARNINGS)!?.*)$", re.MULTILINE)


def failing(text: str) -> tuple[Printed, ...]:
    """Return the outermost file of each failure's traceback: the test's own."""
    named = []
    for section in _SECTION.split(text)[1:]:
        for block in _BLOCK.split(_END.split(section, 1)[0])[1:]:
            places = [each["path"] for each in _PLACE.finditer(block)]
            own = [each for each in places if "/vendor/" not in each]
            named += own[-1:]
    return tuple(Printed((each,)) for each in named)


def ran_nothing(text: str) -> bool:
    """Return whether it says that no test was executed."""
    return re.search(r"^No tests executed!", text, re.MULTILINE) is not None


def _build(line: Line, selectors: Argv) -> tuple[Line, ...]:
    return tuple(Line(line.head, replace(line.words, selectors=(each,))) for each in selectors)


def _report(words: Words) -> str | None:
    return next(iter(words.values("--log-junit")[-1:]), None)


PHPUNIT: Final = Runner(
    name="phpunit",
    programs=frozenset(("phpunit", "phpunit.phar", "simple-phpunit")),
    grammar=Grammar.of(
        valued="-c -d --configuration --bootstrap --filter --group --exclude-group --testsuite"
        " --exclude-testsuite --log-junit --log-teamcity --testdox-html --testdox-text"
        " --coverage-html --coverage-clover --coverage-xml --coverage-php --coverage-text"
        " --coverage-cobertura --coverage-crap4j --order-by --random-order-seed --cache-directory"
        " --columns --covers --uses --include-path --test-suffix --coverage-filter --printer"
        " --extension",
        flags="-h --no-configuration --no-coverage --no-output --no-progress --no-results"
        " --testdox --debug --verbose -v --stop-on-failure --stop-on-error --stop-on-defect"
        " --strict-coverage --fail-on-warning --fail-on-risky --fail-on-skipped"
        " --fail-on-deprecation --colors --process-isolation --do-not-cache-result --teamcity"
        " --fail-on-empty-test-suite --no-logging",
        clusters=False,
    ),
    failing=failing,
    ran_nothing=ran_nothing,
    build=_build,
    forbidding=("--list-*", "-h", "--help", "--version", "--generate-*", "--migrate-*"),
    dropped=("--coverage-*", "--strict-coverage"),
    report=_report,
)
