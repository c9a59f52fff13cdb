"""The list of what failed last: it reads back, and anybody else's is refused."""

from __future__ import annotations

import pytest

from gitcache.core.key import TreeId
from gitcache.core.last_failed import LastFailed

GOOD = {"tree": "e" * 40, "argv": ["pytest", "-q"], "files": ["tests/test_a.py"]}


def test_list_reads_back() -> None:
    last = LastFailed(TreeId("e" * 40), ("pytest", "-q"), ("tests/test_a.py",))
    assert last.to_json() == GOOD
    assert LastFailed.from_json(GOOD) == last


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {**GOOD, "tree": "--help"},
        {**GOOD, "tree": 1},
        {**GOOD, "argv": "pytest"},
        {**GOOD, "argv": [1]},
        {**GOOD, "files": {"a": 1}},
        {**GOOD, "files": [None]},
    ],
)
def test_foreign_list_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"its|list of texts"):
        LastFailed.from_json(value)
