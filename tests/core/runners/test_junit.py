"""JUnit reports of every form, and foreign data in their place."""

from __future__ import annotations

import pytest

from gitcache.core.runners.junit import LARGEST, failing
from gitcache.core.runners.runner import Printed

CASE = '<testcase name="t" {}><failure>no</failure></testcase>'


def report(case: str, suite: str = "") -> bytes:
    return f"<testsuites><testsuite {suite}>{case}</testsuite></testsuites>".encode()


def first_ways(content: bytes) -> list[str]:
    return [each.ways[0] for each in failing(content)]


@pytest.mark.parametrize(
    ("content", "way"),
    [
        (report(CASE.format('file="tests/a.py" classname="tests.a"')), "tests/a.py"),
        (report(CASE.format('file="./spec/a_spec.rb"')), "./spec/a_spec.rb"),
        (report(CASE.format('file="file:///top/a.mjs"')), "/top/a.mjs"),
        (report(CASE.format('file="a.test.js"')), "a.test.js"),
        (report(CASE.format(""), 'name="Root" file="/top/a.js"'), "/top/a.js"),
        (report(CASE.format('classname="test/a.test.ts"')), "test/a.test.ts"),
        (report(CASE.format('classname="x"'), 'name="src/a.test.ts"'), "src/a.test.ts"),
        (report(CASE.format('classname="tests.test_a.TestThing"')), "tests/test_a.py"),
        (report(CASE.format('classname="tests.test_a"')), "tests/test_a.py"),
        (b'<testsuite><testcase name="/top/a.js"><error/></testcase></testsuite>', "/top/a.js"),
    ],
)
def test_file_is_found_where_a_report_names_it(content: bytes, way: str) -> None:
    assert first_ways(content) == [way]


def test_cases_that_passed_or_were_skipped_name_nothing() -> None:
    cases = '<testcase file="a.py"/><testcase file="b.py"><skipped/></testcase>'
    assert failing(report(cases + CASE.format('file="c.py"'))) == (
        Printed(("c.py", "t.py", "t/__init__.py")),
    )


def test_suites_within_suites_are_looked_into() -> None:
    inner = f'<testsuite name="inner">{CASE.format("")}</testsuite>'
    assert first_ways(report(inner, 'file="a.js"')) == ["a.js"]


BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
    + b']><testsuite><testcase name="&j;" file="a.py"><failure/></testcase></testsuite>'
)
OUTSIDE = (
    b'<!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    b'<testsuite><testcase name="&a;" file="a.py"><failure/></testcase></testsuite>'
)
GOOD = report(CASE.format('file="a.py"'))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no xml",
        b"<testsuite>",
        b"<html></html>",
        b"\xff\xfe\x00",
        b'{"json": true}',
        GOOD + b" " * (LARGEST + 1 - len(GOOD)),
        b'<?xml version="1.0" encoding="nothere"?>' + GOOD,
        b'<?xml version="1.0" encoding="utf-16"?>' + GOOD,
        b'<?xml version="1.0" encoding="ascii"?>' + GOOD.replace(b"no", b"\xe9"),
        GOOD.replace(b"no", b"\x00"),
        BOMB,
        BOMB.decode().encode("utf-16"),
        OUTSIDE,
        OUTSIDE.replace(b"DOCTYPE", b"doctype"),
        b"<testsuite>" * 100_000,
        b"<testsuite>" * 20_000 + b"</testsuite>" * 20_000,
    ],
)
def test_what_is_no_report_names_nothing(content: bytes) -> None:
    assert failing(content) == ()


def test_report_of_the_largest_size_and_in_another_encoding_is_read() -> None:
    assert first_ways(GOOD + b" " * (LARGEST - len(GOOD))) == ["a.py"]
    latin = b'<?xml version="1.0" encoding="iso-8859-1"?>' + GOOD.replace(b"a.py", b"\xe9.py")
    assert first_ways(latin) == ["\u00e9.py"]
