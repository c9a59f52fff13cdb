"""A pass without a test: unittest ends well where it finds none, and that says nothing.

From Python 3.12 on it fails then by itself, unless tests were skipped
(https://docs.python.org/3/library/unittest.html#unittest.main); before, only its summary tells. The
rule goes by the command's words, wherever they come from, since a key does not know that either.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from gitcache.core.colours import legible
from gitcache.core.output import Output
from gitcache.core.settings import OWN_FILE
from gitcache.core.terminal import PLAIN, Terminal, merges_streams
from gitcache.core.tool import Tool

RAN_NO_TEST: Final = "ran no test"

_UNITTEST: Final = ("-m", "unittest")

_SUMMARY: Final = re.compile(rb"\nRan (\d+) tests? in [^\n]*\n\n([^\n]*)")
"""How many tests ran, and the line behind: ``OK``, which tells of skipped tests in brackets."""


def ran_no_test(argv: tuple[str, ...], output: Output, terminal: Terminal = PLAIN) -> bool:
    """Return whether *argv* is a unittest whose *output* says that there was nothing to run.

    Of several summaries the last is its own: the others are those of programs under test.

    Args:
        argv: what was started.
        output: what it printed.
        terminal: what was done so that it prints in colours.
    """
    if _UNITTEST not in pairwise(argv):
        return False
    stream = "stdout" if merges_streams(terminal) else "stderr"
    chunks = legible(output, terminal).chunks
    told = b"".join(chunk.data for chunk in chunks if chunk.stream == stream)
    return _SUMMARY.findall(told)[-1:] == [(b"0", b"OK")]


def hint_to_declare(tool: Tool) -> str:
    """Return the sentence that tells how *tool* comes to run the tests that there are."""
    return f'say what runs the tests in {OWN_FILE}: [tools.{tool.name}] command = "…"'
