"""Where the user's own files of this program lie."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from gitcache.host.dirs import cache_folder, state_folder, why_shared
from tests.support.unprivileged import NOBODY, unprivileged


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


def test_folder_that_is_missing_or_closed_to_others_is_the_users_alone(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert why_shared(folder) == ""
    folder.mkdir(0o700)
    assert why_shared(folder) == ""


def test_folder_that_others_reach_into_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    folder.chmod(0o710)
    assert why_shared(folder) == "others may reach into it"


def test_link_and_file_are_no_folder_of_the_users(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "file").touch()
    assert {why_shared(tmp_path / name) for name in ("link", "file")} == {"it is no folder"}


def test_folder_of_another_user_is_told(tmp_path: Path) -> None:
    with unprivileged() as home:
        if os.geteuid() != NOBODY:
            pytest.skip("only root can be two users")
        assert why_shared(home) == ""
        assert why_shared(Path("/tmp")) == "it is another user's"
