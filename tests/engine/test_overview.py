"""What is known of every tool, place by place."""

from __future__ import annotations

import pytest

from gitcache.core.outcome import exit_status
from gitcache.engine.cached_run import run
from gitcache.engine.overview import overview
from gitcache.engine.resolve import Request
from gitcache.errors import RepositoryError, SettingsError
from tests.support.calls import Recorder, context_in, declare
from tests.support.repository import Repo


@pytest.fixture
def tools(repo: Repo) -> Repo:
    declare(repo, {"test": "exit 3"})
    repo.commit("tools")
    return repo


def ran(repo: Repo, tool: str) -> None:
    run(Request(tool), context_in(repo.path), Recorder())


def known(repo: Repo) -> dict[tuple[str, str], int]:
    """Return tool and place to the status that is known."""
    found = overview(context_in(repo.path)).known
    return {(tool, place): exit_status(entry.verdict) for (tool, place), entry in found.items()}


def test_a_clean_worktree_is_the_same_in_each_place(tools: Repo) -> None:
    assert known(tools) == {}
    ran(tools, "test")
    places = ("working tree", "index", "HEAD")
    assert known(tools) == {("test", place): 3 for place in places}


def test_each_place_has_its_own_content_and_its_own_settings(tools: Repo) -> None:
    ran(tools, "test")
    declare(tools, {"test": "exit 4", "staged": "exit 5"})
    tools.git("add", "toolcache.toml")
    ran(tools, "test")
    ran(tools, "staged")
    declare(tools, {"test": "exit 6", "new": "true"})
    assert known(tools) == {
        ("test", "HEAD"): 3,
        ("test", "index"): 4,
        ("staged", "index"): 5,
    }
    assert overview(context_in(tools.path)).tools == ("test", "new", "staged")


def test_a_staged_file_in_a_new_folder_is_part_of_the_index(tools: Repo) -> None:
    tools.write("deep/file", "")
    tools.write("toolcache.toml", '[tools.in]\ncommand = "true"\ndirectory = "deep"\n')
    tools.git("add", "--all")
    ran(tools, "in")
    assert known(tools) == {("in", "working tree"): 0, ("in", "index"): 0}


def test_staged_removals_and_links_hold_no_settings(tools: Repo) -> None:
    tools.git("rm", "--quiet", "--cached", "toolcache.toml")
    ran(tools, "test")
    assert ("test", "index") not in known(tools)
    (tools.path / "toolcache.toml").rename(tools.path / "real.toml")
    (tools.path / "toolcache.toml").symlink_to("real.toml")
    tools.git("add", "--all")
    assert overview(context_in(tools.path)).warnings == ()


def test_before_the_first_commit_the_index_is_known(repo: Repo) -> None:
    fresh = Repo.init(repo.path.parent / "fresh")
    declare(fresh, {"test": "exit 3"})
    fresh.git("add", "--all")
    ran(fresh, "test")
    assert known(fresh) == {("test", "working tree"): 3, ("test", "index"): 3}
    assert overview(context_in(fresh.path)).warnings == ()


def test_wrong_settings_and_no_repository_are_errors(tools: Repo) -> None:
    tools.write("toolcache.toml", "= 1")
    with pytest.raises(SettingsError):
        overview(context_in(tools.path))
    with pytest.raises(RepositoryError):
        overview(context_in(tools.path.parent))


def test_looking_leaves_no_trace(tools: Repo) -> None:
    tools.write("a.txt", "staged")
    tools.git("add", "--all")
    before = tools.traces()
    overview(context_in(tools.path))
    assert tools.traces() == before
