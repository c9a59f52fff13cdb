"""Output of any kind is read in a time that grows with its length alone."""

from __future__ import annotations

import pytest

from gitcache.core.runners import RUNNERS, failing_files, ran_nothing
from gitcache.core.runners.found import Found
from tests.support.projects import printed, project_of

REPEATED = (
    b"not ok 1 - a\n  ---\n",
    b"  a: b\n",
    b"FAIL  " + b"a" * 3000 + b"\n",
    b"FAILED " + b"a.b " * 900 + b"\n",
    b"a.b::" * 800 + b"\n",
    b"= FAILURES =\n",
    b"____ x ____\n",
    b"  1 failing\n  1) x\n",
    b"   Running a.rs (x)\n",
    b"There was 1 failure:\n1) x\n",
    b"FAIL\ta\t0.1s\n    a_test.go:1: x\n",
    b"packages/a test$ x\npackages/a test: x\n",
    b"The following tests FAILED:\n\t  1 - a (Failed)\n",
)
"""Lines at which a careless pattern would look again and again."""


@pytest.mark.parametrize("runner", RUNNERS, ids=lambda each: each.name)
@pytest.mark.slow
def test_a_mebibyte_of_anything_is_read(runner: object) -> None:
    found = next(Found(each, ".", ".", None) for each in RUNNERS if each == runner)
    for line in REPEATED:
        output = printed(line * ((1 << 20) // len(line)))
        ran_nothing(found, output)
        assert failing_files(found, output, project_of("x")) == ()
