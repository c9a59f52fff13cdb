"""The failing files that a JUnit XML report names.

The report is a file that the tool wrote, so it is foreign data: whatever is wrong with it costs the
names in it and nothing more. A document type is refused, since no runner writes one and entities
are declared there; a report beyond :data:`LARGEST` is not read. Only here is junitparser used.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any, Final

from gitcache.core.runners.runner import Printed

LARGEST: Final = 16 << 20
"""Bytes of a report that is read: several ten thousand tests with their failures."""

_DEEPEST: Final = 32
"""Suites within one another that are looked into: runners write one to three."""


def failing(report: bytes) -> tuple[Printed, ...]:
    """Return what the cases of *report* that failed say of their files; empty: nothing is known.

    Reports differ in where they name the file: as the attribute ``file`` of a case or its suite
    (phpunit, rspec, mocha, pytest's xunit1), as a path in its class or suite (vitest), or as a
    Python module in its class (pytest, unittest).
    """
    if len(report) > LARGEST or _may_declare(report):
        return ()
    from xml.etree.ElementTree import ParseError  # a report is rare

    from junitparser import JUnitXml, JUnitXmlError

    try:
        top = JUnitXml.fromstring(report)
        return tuple(_failing_below(top))
    except (ParseError, JUnitXmlError, ValueError, LookupError, TypeError, RecursionError):
        return ()


def _may_declare(report: bytes) -> bool:
    """Return whether *report* may hold a document type, in whatever Unicode encoding."""
    return b"<!DOCTYPE" in report.replace(b"\0", b"").upper()


def _failing_below(top: Any) -> Iterator[Printed]:
    from junitparser import Attr, TestCase, TestSuite

    class Suite(TestSuite):
        file = Attr("file")

    class Case(TestCase):
        file = Attr("file")

    waiting = [(top, "", 0)]
    while waiting:
        suite, file, depth = waiting.pop()
        for case in suite.iterchildren(Case):
            if case.is_failure or case.is_error:
                yield Printed(tuple(_ways(case, file, suite.name or "")))
        if depth < _DEEPEST:
            waiting += [(each, each.file or file, depth + 1) for each in suite.iterchildren(Suite)]


def _ways(case: Any, suite_file: str, suite_name: str) -> Iterator[str]:
    """Yield the paths that may be those of *case*'s file, the likeliest first."""
    for told in (case.file, suite_file, case.classname, suite_name, case.name):
        if told and ("/" in told or told in (case.file, suite_file)):
            yield told.removeprefix("file://")
    yield from module_paths(case.classname or case.name or "")


def module_paths(dotted: str) -> tuple[str, ...]:
    """Return the Python files that a dotted name may mean: a module, or a class within one."""
    parts = dotted.split(".")
    if not all(part.isidentifier() for part in parts):
        return ()
    module = [*takewhile(lambda part: not part[0].isupper(), parts)] or parts
    path = "/".join(module)
    return (f"{path}.py", f"{path}/__init__.py")
