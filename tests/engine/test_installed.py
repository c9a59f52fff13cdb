"""Interpreters and packages as parts of the key: every change of what a tool imports moves one."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from gitcache.engine.context import Context
from gitcache.engine.installed import InstalledParts, installed_parts
from gitcache.engine.resolve import Request, make_plan
from gitcache.git.repository import find_repository
from gitcache.host.folder import DiskFolder
from gitcache.host.installed import Unaccountable
from gitcache.host.program import chain_of
from tests.support.editable import install, make_environment, write_project
from tests.support.repository import Repo


def found(repo: Repo, *dependencies: str) -> InstalledParts | Unaccountable:
    """Return the parts for ``make test``; declared *dependencies* take the detected ones' place."""
    environ = dict(os.environ)
    repository = find_repository(repo.path, environ)
    context = replace(Context.of_this_process(), cwd=repo.path)
    request = Request(None, ("make", "test"))
    plan = make_plan(request, DiskFolder(repository.top), repository.top, "", environ)
    if dependencies:
        options = replace(plan.tool.options, dependencies=dependencies)
        plan = replace(plan, tool=replace(plan.tool, options=options))
    chain = chain_of(plan.argv, plan.cwd, plan.environment.passed)
    return installed_parts(plan, chain, repository, repo.snapshot(), context)


def parts(repo: Repo, *dependencies: str) -> dict[str, str]:
    answer = found(repo, *dependencies)
    assert not isinstance(answer, Unaccountable)
    return {**answer.parts}


def moved(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {name for name in before.keys() | after if before.get(name) != after.get(name)}


@pytest.fixture
def node(repo: Repo) -> Repo:
    """Return a project of Node's with one installed package."""
    repo.write(".gitignore", "node_modules\nbuilt\n")
    repo.write("package.json", "{}")
    repo.write("node_modules/one/index.js", "1")
    repo.commit()
    return repo


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that is the PATH before git's."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "git").symlink_to("/usr/bin/git")
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_a_repository_without_an_ecosystem_has_no_parts(repo: Repo) -> None:
    assert parts(repo) == {}


def test_a_package_is_installed_patched_and_taken_away(node: Repo) -> None:
    before = parts(node)
    node.write("node_modules/one/index.js", "2")
    patched = parts(node)
    assert moved(before, patched) == {"node_modules"}
    node.write("node_modules/one/index.js", "1")
    assert parts(node) == before
    (node.path / "node_modules").rename(node.path / "built")
    assert "node_modules" not in parts(node)


def test_a_linked_package_outside_is_followed(node: Repo, tmp_path: Path) -> None:
    outside = Repo.init(tmp_path / "linked")
    outside.write("index.js", "1")
    outside.write("node_modules/deep/index.js", "1")
    outside.write("other/index.js", "1")
    (outside.path / "node_modules" / "next").symlink_to(tmp_path / "next")
    (node.path / "node_modules" / "linked").symlink_to(tmp_path / "linked")
    states = [parts(node)]
    for path in ("index.js", "node_modules/deep/index.js", "../next/index.js"):
        outside.write(path, "2")
        states.append(parts(node))
    assert all(moved(*pair) == {"node_modules"} for pair in pairwise(states))


def test_a_workspace_is_told_by_the_snapshot_unless_it_is_ignored(node: Repo) -> None:
    for name in ("packages/a", "built/b"):
        node.write(f"{name}/index.js", "1")
        (node.path / "node_modules" / name[-1]).symlink_to(f"../{name}")
    before = parts(node)
    node.write("packages/a/index.js", "2")
    assert parts(node) == before
    node.write("built/b/index.js", "2")
    assert moved(before, parts(node)) == {"node_modules"}


@pytest.mark.parametrize("target", [".", "home"])
def test_what_is_too_big_to_count_is_unaccountable(node: Repo, tmp_path: Path, target: str) -> None:
    (node.path / "node_modules" / "all").symlink_to(tmp_path / target)
    answer = found(node)
    assert isinstance(answer, Unaccountable)
    assert str(tmp_path / target) in answer.reason


def test_an_editable_install_outside_is_followed(repo: Repo, tmp_path: Path) -> None:
    repo.write(".gitignore", ".venv\n*.egg-info\n")
    repo.write("pyproject.toml", "")
    write_project(tmp_path / "lib")
    site = make_environment(repo.path / ".venv")
    install(repo.path / ".venv", tmp_path / "lib")
    (site / "installer.pth").unlink()
    before = parts(repo)
    (tmp_path / "lib" / "src" / "greeter" / "__init__.py").write_text("broken")
    after = parts(repo)
    assert moved(before, after) == {"python:.venv"}
    (site / "six.py").write_text("")
    assert moved(after, parts(repo)) == {"python:.venv"}


def test_an_interpreter_counts_whatever_the_argv_is(node: Repo, programs: Path) -> None:
    program = programs / "node"
    states = [parts(node)]
    for text in ("#!/bin/sh\n# 1", "#!/bin/sh\n# 2"):
        program.write_text(text)
        program.chmod(0o755)
        states.append(parts(node))
    assert [moved(a, b) for a, b in pairwise(states)] == [{"program:node"}] * 2


def test_worktrees_share_programs_that_name_them(repo: Repo, tmp_path: Path) -> None:
    repo.write(".gitignore", ".venv\n")
    repo.write("pyproject.toml", "")
    repo.commit()
    found_parts = []
    for name in ("wt", "another-wt"):
        worktree = repo.add_worktree(tmp_path / name)
        script = worktree.write(".venv/bin/pytest", f"#!{worktree.path}/.venv/bin/python\n")
        script.chmod(0o755)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PATH", f"{script.parent}:/usr/bin:/bin")
            found_parts.append(parts(worktree))
    assert "program:pytest" in found_parts[0]
    assert found_parts[0] == found_parts[1]


def test_a_vendor_folder_counts_when_it_is_ignored(repo: Repo) -> None:
    repo.write("composer.json", "{}")
    repo.write("vendor/a.php", "1")
    before = parts(repo)
    assert "vendor" not in before
    repo.write(".gitignore", "vendor/\n")
    ignored = parts(repo)
    assert moved(before, ignored) == {"vendor"}
    repo.write("vendor/a.php", "2")
    assert moved(ignored, parts(repo)) == {"vendor"}


def test_declared_folders_take_the_place_of_detected_ones(node: Repo) -> None:
    before = parts(node, "built", "nowhere")
    assert {"dependencies:built", "dependencies:nowhere"} <= before.keys()
    assert "node_modules" not in before
    node.write("built/a", "1")
    assert moved(before, parts(node, "built", "nowhere")) == {"dependencies:built"}
