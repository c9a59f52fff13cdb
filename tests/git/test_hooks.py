"""Which hooks git would run, read from where git looks for them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitcache.git.hooks import Hooks, hooks_of
from gitcache.git.repository import find_repository
from tests.support.repository import Repo


def hooks(repo: Repo) -> Hooks:
    return hooks_of(find_repository(repo.path, dict(os.environ)))


def hook(folder: Path, name: str, text: str, mode: int = 0o755) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    (folder / name).chmod(mode)


def test_repository_without_hooks_has_none(repo: Repo) -> None:
    found = hooks(repo)
    assert (found.folder, found.setting, found.hooks) == (repo.path / ".git/hooks", None, ())


def test_hooks_are_found_with_what_they_call_and_whether_git_runs_them(repo: Repo) -> None:
    folder = repo.path / ".git/hooks"
    hook(folder, "pre-commit", "#!/bin/sh\nexec git toolcache run lint\n")
    hook(folder, "pre-push", "#!/bin/sh\nexit 0\n", 0o644)
    hook(folder, "post-commit", "#!/bin/sh\ngit toolcache run test\n")
    found = [(each.name, each.calls_us, each.is_executable) for each in hooks(repo).hooks]
    assert found == [("pre-commit", True, True), ("pre-push", False, False)]


@pytest.mark.parametrize(
    "call", ["git toolcache", "git  toolcache", "git-toolcache", "-m gitcache"]
)
def test_each_way_to_call_us_is_seen(repo: Repo, call: str) -> None:
    hook(repo.path / ".git/hooks", "pre-push", f"#!/bin/sh\n{call} run test\n")
    assert [each.calls_us for each in hooks(repo).hooks] == [True]


@pytest.mark.parametrize("call", ["git toolcaches", "my-git-toolcacher", "toolcache run"])
def test_a_word_that_only_looks_like_it_is_no_call(repo: Repo, call: str) -> None:
    hook(repo.path / ".git/hooks", "pre-push", f"#!/bin/sh\n{call}\n")
    assert [each.calls_us for each in hooks(repo).hooks] == [False]


def test_the_setting_names_the_folder_and_where_it_is_set(repo: Repo, sealed: Path) -> None:
    hook(repo.path / "own hooks", "pre-push", "#!/bin/sh\ngit toolcache run test\n")
    repo.git("config", "core.hooksPath", "own hooks")
    found = hooks(repo)
    assert (found.folder, found.is_there) == (repo.path / "own hooks", True)
    assert found.setting is not None
    assert (found.setting.value, found.setting.scope) == ("own hooks", "local")
    assert [each.name for each in found.hooks] == ["pre-push"]

    repo.git("config", "--unset", "core.hooksPath")
    repo.git("config", "--global", "core.hooksPath", "~/nowhere")
    found = hooks(repo)
    assert (found.folder, found.is_there) == (sealed / "nowhere", False)
    assert found.setting is not None
    assert found.setting.scope == "global"


def test_linked_worktree_has_the_hooks_of_all(repo: Repo, tmp_path: Path) -> None:
    hook(repo.path / ".git/hooks", "pre-push", "#!/bin/sh\n")
    assert hooks(repo.add_worktree(tmp_path / "wt")).hooks == hooks(repo).hooks
