"""The content of an installed folder: what counts, what does not, and that no change is missed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gitcache.errors import RepositoryError
from gitcache.git.installed_folder import MISSING, FolderLook, folder_tree, look_into
from gitcache.git.installed_git import NOT_COUNTED, InstalledGit
from gitcache.git.repository import Repository, find_repository
from tests.support.editable import install, make_environment, write_project
from tests.support.repository import Repo
from tests.support.unprivileged import unprivileged

LATER_NS = 10_000_000_000
"""Nanoseconds after which a file is surely settled."""


def repository_of(repo: Repo) -> Repository:
    return find_repository(repo.path, dict(os.environ))


def look(repo: Repo, folder: Path, later_ns: int = 0) -> FolderLook:
    """Return a look into *folder* that takes place *later_ns* from now."""
    return look_into(repository_of(repo), [folder], time.time_ns() + later_ns)[folder]


def settled_digest(repo: Repo, folder: Path) -> str:
    """Return the digest as seen later, when the index tells it; each such look is a quick one."""
    look(repo, folder, LATER_NS)
    return look(repo, folder, LATER_NS).digest


def await_another_second(folder: Path) -> None:
    """Return once the file system's clock shows another second: what git compares."""
    probe = folder / "probe"
    probe.touch()
    start = int(probe.stat().st_ctime)
    while int(probe.stat().st_ctime) == start:
        probe.touch()


@pytest.fixture
def modules(repo: Repo) -> Path:
    """Return a made-up node_modules with two packages."""
    repo.write("node_modules/one/index.js", "module.exports = 1\n")
    repo.write("node_modules/one/package.json", '{"version": "1.0.1"}\n')
    repo.write("node_modules/two/run.js", "#!/usr/bin/env node\n").chmod(0o755)
    (repo.path / "node_modules" / "link").symlink_to("one")
    for path in repo.path.glob("node_modules/**/*"):
        os.utime(path, (0, 0), follow_symlinks=False)  # else git doubts what was written just now
    return repo.path / "node_modules"


def test_a_missing_folder_differs_from_an_empty_one(repo: Repo, tmp_path: Path) -> None:
    folder = tmp_path / "node_modules"
    assert folder_tree(repository_of(repo), folder) == MISSING
    folder.mkdir()
    empty = folder_tree(repository_of(repo), folder)
    assert len(empty) == 64
    (folder / "a").touch()
    assert folder_tree(repository_of(repo), folder) not in (empty, MISSING)


def test_a_settled_folder_is_not_listed_again(repo: Repo, modules: Path) -> None:
    first = look(repo, modules).digest
    assert settled_digest(repo, modules) == first
    (memo,) = InstalledGit.of(repository_of(repo), modules).path.glob("memo-*")
    remembered = json.loads(memo.read_text()) | {"digest": "remembered"}
    memo.write_text(json.dumps(remembered))
    assert look(repo, modules).digest == "remembered"
    (modules / "one" / "index.js").write_text("module.exports = 2\n")
    assert look(repo, modules).digest not in ("remembered", first)


CHANGES = {
    "edit": "echo 22 > one/index.js",
    "new file": "touch one/new.js",
    "new package": "ln -s two three",
    "deletion": "rm one/index.js",
    "rename": "mv one/index.js one/main.js",
    "program": "chmod +x one/index.js",
    "another target": "ln -sfn two link",
    "link to copy": "rm link && cp -r one link",
    "folder to link": "rm -r two && ln -s one two",
    "file to folder": "rm one/index.js && mkdir one/index.js && touch one/index.js/a",
}
"""What happens in a node_modules, and how."""


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_and_so_is_its_undoing(repo: Repo, modules: Path, change: str) -> None:
    subprocess.run(["cp", "-a", modules, modules.parent / "before"], check=True)
    before = settled_digest(repo, modules)
    subprocess.run(["sh", "-c", CHANGES[change]], cwd=modules, check=True)
    changed = look(repo, modules).digest
    assert changed != before
    assert settled_digest(repo, modules) == changed
    subprocess.run(["rm", "-r", modules], check=True)
    (modules.parent / "before").rename(modules)
    assert settled_digest(repo, modules) == before


def test_a_patch_in_place_of_equal_size_and_time_is_seen(repo: Repo, modules: Path) -> None:
    before = settled_digest(repo, modules)
    await_another_second(repo.path)
    file = modules / "one" / "index.js"
    facts = file.stat()
    file.write_text("module.exports = 3\n")
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    after = file.stat()
    assert (after.st_size, after.st_mtime_ns) == (facts.st_size, facts.st_mtime_ns)
    assert settled_digest(repo, modules) != before


def test_fifty_quick_rewrites_of_equal_size_and_time_are_seen(repo: Repo, modules: Path) -> None:
    file = modules / "one" / "index.js"
    facts = file.stat()
    seen = set()
    for number in range(50):
        file.write_text(f"module.exports = {number:02}\n")
        os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        seen.add(look(repo, modules).digest)
    assert len(seen) == 50


@pytest.mark.parametrize(
    "path",
    [
        "one/__pycache__/a.pyc",
        ".cache/babel/1.json",
        "one/node_modules/.cache/1",
        ".vite/deps/a.js",
        ".vite-temp/a.mjs",
        ".vitest/results.json",
        ".package-lock.json",
        ".modules.yaml",
        ".pnpm-workspace-state-v1.json",
        ".yarn-state.yml",
    ],
)
def test_what_tools_leave_behind_does_not_count(repo: Repo, modules: Path, path: str) -> None:
    before = settled_digest(repo, modules)
    repo.write(f"node_modules/{path}", "noise")
    assert settled_digest(repo, modules) == before


@pytest.mark.parametrize("path", ["one/.cache/a", "one/.vite/a", "one/.modules.yaml", "one/a.pyc"])
def test_a_package_may_bring_along_a_folder_of_such_a_name(
    repo: Repo, modules: Path, path: str
) -> None:
    before = settled_digest(repo, modules)
    repo.write(f"node_modules/{path}", "content")
    assert settled_digest(repo, modules) != before


def test_every_exception_says_why() -> None:
    assert all(NOT_COUNTED.values())


def test_no_rule_of_a_package_or_a_user_hides_anything(repo: Repo, modules: Path) -> None:
    repo.write(".gitconfig", "")
    repo.git("config", "--global", "core.excludesFile", str(repo.write("ignore", "*.js\n")))
    repo.git("config", "--global", "core.autocrlf", "input")
    repo.git("config", "--global", "core.fileMode", "false")
    repo.git("config", "--global", "filter.none.clean", "true")
    repo.write("node_modules/one/.gitignore", "*\n")
    repo.write("node_modules/one/.gitattributes", "* text eol=lf ident filter=none\n")
    text = repo.write("node_modules/one/text", "a\n$Id$\n")
    before = settled_digest(repo, modules)
    text.write_bytes(b"a\r\n$Id$\n")
    crlf = settled_digest(repo, modules)
    text.write_bytes(b"a\n$Id: 1 $\n")
    identified = settled_digest(repo, modules)
    repo.write("node_modules/one/ignored.js", "")
    assert len({before, crlf, identified, settled_digest(repo, modules)}) == 4


def test_a_nested_repository_counts_by_its_files(repo: Repo, modules: Path) -> None:
    nested = Repo.init(modules / "nested")
    nested.write(".gitignore", "built\n")
    nested.write("deep/a", "1")
    before = settled_digest(repo, modules)
    Repo.init(modules / "nested" / "inner").write("__pycache__/b", "")
    assert settled_digest(repo, modules) == before
    nested.write("inner/b", "1")
    second = settled_digest(repo, modules)
    nested.write("built", "1")
    third = settled_digest(repo, modules)
    nested.write("deep/a", "2")
    assert len({before, second, third, settled_digest(repo, modules)}) == 4
    assert look(repo, modules).digest == settled_digest(repo, modules)


@pytest.mark.parametrize("name", ["git~1", "a\\b", "two\nlines", "\x80", " ", "x:y", "é"])
def test_any_name_counts(repo: Repo, modules: Path, name: str) -> None:
    before = settled_digest(repo, modules)
    os.close(os.open(os.path.join(os.fsencode(modules), name.encode("latin-1")), os.O_CREAT))
    assert settled_digest(repo, modules) != before


def test_a_name_that_git_takes_for_its_own_is_refused(repo: Repo, modules: Path) -> None:
    repo.write("node_modules/one/.GIT/hidden", "")
    with pytest.raises(RepositoryError, match="Ignoring path"):
        look(repo, modules)


@pytest.mark.parametrize("path", ["one", "one/index.js"])
def test_what_cannot_be_read_is_refused(path: str) -> None:
    with unprivileged() as home, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
        repo = Repo.init(home / "repo")
        repo.write("node_modules/one/index.js", "")
        modules = repo.path / "node_modules"
        (modules / path).chmod(0)
        with pytest.raises(RepositoryError, match="Permission denied"):
            look(repo, modules)
        (modules / path).chmod(0o755)
        assert look(repo, modules).digest == settled_digest(repo, modules)


def test_a_look_leaves_no_trace_in_the_repository(repo: Repo, modules: Path) -> None:
    before = repo.traces()
    settled_digest(repo, modules)
    assert repo.traces() == before
    private = InstalledGit.of(repository_of(repo), modules).path
    assert list((private / "objects").iterdir()) == []
    assert {each.name for each in modules.iterdir()} == {"one", "two", "link"}


def test_a_damaged_index_or_memo_is_made_anew(repo: Repo, modules: Path) -> None:
    before = settled_digest(repo, modules)
    private = InstalledGit.of(repository_of(repo), modules).path
    (memo,) = private.glob("memo-*")
    for damaged in (private / "index", memo):
        good = damaged.read_bytes()
        for damage in (b"", b"[]", b"{}", good[:20]):
            damaged.write_bytes(damage)
            assert settled_digest(repo, modules) == before


def test_looks_at_the_same_moment_agree(repo: Repo, modules: Path) -> None:
    repository = repository_of(repo)
    program = (
        "import os, sys, time; from pathlib import Path\n"
        "from gitcache.git.installed_folder import look_into\n"
        "from gitcache.git.repository import find_repository\n"
        "repository, folder = find_repository(Path.cwd(), os.environ), Path('node_modules')\n"
        "for _ in range(5):\n"
        "    now = time.time_ns() + 10**10\n"
        "    print(look_into(repository, [folder], now)[folder].digest)\n"
    )

    def looks(_: int) -> str:
        argv = [sys.executable, "-c", program]
        return subprocess.run(
            argv, cwd=repo.path, capture_output=True, text=True, check=True
        ).stdout

    with ThreadPoolExecutor(4) as pool:
        answers = {line for each in pool.map(looks, range(4)) for line in each.split()}
    assert answers == {folder_tree(repository, modules)}


def test_links_that_lead_out_are_told(repo: Repo, modules: Path, tmp_path: Path) -> None:
    (tmp_path / "linked").mkdir()
    (modules / "absolute").symlink_to(modules / "one")
    (modules / "hop").symlink_to(tmp_path / "linked")
    (modules / "by hop").symlink_to("hop")
    (modules / "nowhere").symlink_to("../../nowhere")
    (modules / "file").symlink_to("../a.txt")
    wanted = (tmp_path / "linked", repo.path / "a.txt", tmp_path / "nowhere")
    for _ in range(2):
        assert look(repo, modules, LATER_NS).leads == wanted
    (tmp_path / "linked").rename(tmp_path / "moved")
    (tmp_path / "linked").symlink_to("moved")
    assert look(repo, modules, LATER_NS).leads[0] == tmp_path / "moved"


def made_up_modules(worktree: Repo) -> Path:
    """Return a node_modules as pnpm makes it, whose shims name the worktree."""
    modules = worktree.path / "node_modules"
    worktree.write("node_modules/jest/bin/jest.js", "#!/usr/bin/env node\n").chmod(0o755)
    shim = f'#!/bin/sh\nexport NODE_PATH="{modules}/jest:{modules}"\nexec node "{modules}/jest"\n'
    worktree.write("node_modules/.bin/jest", shim).chmod(0o755)
    (modules / "absolute").symlink_to(modules / "jest")
    return modules


def test_worktrees_with_their_own_node_modules_share(repo: Repo, tmp_path: Path) -> None:
    first, second = (repo.add_worktree(tmp_path / name) for name in ("wt", "another-wt"))
    digest = settled_digest(first, made_up_modules(first))
    assert settled_digest(second, made_up_modules(second)) == digest
    shim = second.path / "node_modules/.bin/jest"
    shim.write_text(shim.read_text().replace(str(second.path), str(first.path)))
    assert look(second, second.path / "node_modules").digest != digest


def test_worktrees_that_look_into_one_folder_keep_their_own_path(
    repo: Repo, tmp_path: Path
) -> None:
    first, second = (repo.add_worktree(tmp_path / name) for name in ("wt1", "wt2"))
    shared = repo.path / "shared"
    (shared / "site-packages").mkdir(parents=True)
    (shared / "site-packages" / "project.pth").write_text(f"{first.path}/src\n")
    own, foreign = settled_digest(first, shared), settled_digest(second, shared)
    assert own != foreign
    assert settled_digest(first, shared) == own


def test_worktrees_with_their_own_editable_install_share(repo: Repo, tmp_path: Path) -> None:
    worktrees = [repo.add_worktree(tmp_path / name) for name in ("wt", "another-wt")]
    digests = set()
    for worktree in worktrees:
        write_project(worktree.path)
        make_environment(worktree.path / ".venv")
        install(worktree.path / ".venv", worktree.path)
        script = worktree.path / ".venv" / "bin" / "greet"
        assert str(worktree.path) in script.read_text()
        assert subprocess.run([script], capture_output=True, check=True).stdout == b"hello\n"
        digests.add(settled_digest(worktree, worktree.path / ".venv"))
    assert len(digests) == 1
    script.write_text(script.read_text() + "\n")
    assert look(worktrees[1], worktrees[1].path / ".venv").digest not in digests


def test_an_upgraded_package_is_seen(repo: Repo) -> None:
    site = ".venv/lib/python3.11/site-packages"
    repo.write(f"{site}/lib/__init__.py", "version = 1\n")
    repo.write(f"{site}/lib-1.dist-info/RECORD", "lib/__init__.py,sha256=1,12\n")
    before = settled_digest(repo, repo.path / ".venv")
    repo.write(f"{site}/lib/__init__.py", "version = 2\n")
    assert settled_digest(repo, repo.path / ".venv") != before
