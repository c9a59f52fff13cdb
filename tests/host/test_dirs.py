"""Where the user's own files of this program lie."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gitcache.host.dirs import cache_folder, state_folder


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"HOME": "/h", "XDG_CACHE_HOME": "/x"}, Path("/x/git-toolcache")),
        ({"XDG_CACHE_HOME": "/x"}, Path("/x/git-toolcache")),
        ({"HOME": "/h"}, Path("/h/.cache/git-toolcache")),
        ({"HOME": "/h", "XDG_CACHE_HOME": ""}, Path("/h/.cache/git-toolcache")),
        # "All paths set in these environment variables must be absolute", says the specification.
        ({"HOME": "/h", "XDG_CACHE_HOME": "x"}, Path("/h/.cache/git-toolcache")),
        ({"HOME": ""}, None),
        ({}, None),
    ],
)
def test_cache_is_where_xdg_says(environ: Mapping[str, str], folder: Path | None) -> None:
    assert cache_folder(environ) == folder


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"HOME": "/h", "XDG_STATE_HOME": "/x"}, Path("/x/git-toolcache")),
        ({"HOME": "/h"}, Path("/h/.local/state/git-toolcache")),
        ({"HOME": "/h", "XDG_STATE_HOME": "x"}, Path("/h/.local/state/git-toolcache")),
        ({}, None),
    ],
)
def test_state_is_where_xdg_says(environ: Mapping[str, str], folder: Path | None) -> None:
    assert state_folder(environ) == folder
