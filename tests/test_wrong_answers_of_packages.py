"""A hit says what a fresh run would, whatever way leads to the packages that the tool loads."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.repository import Repo

_PROGRAM = "import installed; print(installed.VALUE)\n"
_NODE_PROGRAM = "console.log(require('installed').value)\n"


def environment(root: Path, value: str) -> None:
    """Make a virtual environment in *root* with one installed module."""
    site = root / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    if not root.exists():
        site.mkdir(parents=True)
        (root / "bin").mkdir()
        (root / "bin" / "python").symlink_to(os.path.realpath(sys.executable))
        version = ".".join(map(str, sys.version_info[:3]))
        home = Path(os.path.realpath(sys.executable)).parent
        (root / "pyvenv.cfg").write_text(f"home = {home}\nversion = {version}\n")
    (site / "installed.py").write_text(f"VALUE = {value!r}\n")


def package(folder: Path, value: str) -> None:
    """Make an installed package of Node's in *folder*."""
    (folder / "installed").mkdir(parents=True, exist_ok=True)
    (folder / "installed" / "index.js").write_text(f"exports.value = {value!r}\n")


def said(repo: Repo, *words: str) -> tuple[bool, bytes]:
    ran = repo.toolcache("run", "--", *words)
    assert ran.status == 0, ran.stderr
    return ran.is_hit, ran.stdout


def assert_followed(repo: Repo, *words: str, root: Path) -> None:
    """Assert that a change of the environment in *root* is a miss for the command *words*."""
    environment(root, "one")
    assert [said(repo, *words), said(repo, *words)] == [(False, b"one\n"), (True, b"one\n")]
    environment(root, "three")  # of another size, since byte code is told by seconds and size
    assert said(repo, *words) == (False, b"three\n")


@pytest.mark.parametrize(
    "marker", [None, "requirements/dev.txt", "environment.yml", "uv.lock", ".python-version"]
)
def test_environment_of_the_python_that_is_named_counts_without_a_project_file(
    repo: Repo, marker: str | None
) -> None:
    repo.write(".gitignore", ".venv\n__pycache__\n")
    repo.write("u.py", _PROGRAM)
    if marker:
        repo.write(marker, "")
    repo.commit()
    assert_followed(repo, ".venv/bin/python", "u.py", root=repo.path / ".venv")


@pytest.mark.parametrize(
    "command",
    [
        "../oven/bin/python u.py",
        "cd sub && ../../oven/bin/python ../u.py",
        "sh t.sh",
        "./t.sh",
        "make -s test",
        ". ../oven/bin/activate; python u.py",
        "PATH=../oven/bin:$PATH; python u.py",
        "P=../oven/bin/python; $P u.py",
    ],
)
def test_environment_elsewhere_counts_however_a_shell_gets_to_it(
    repo: Repo, tmp_path: Path, command: str
) -> None:
    root = tmp_path / "oven"
    environment(root, "one")
    (root / "bin" / "activate").write_text(f'PATH="{root}/bin:$PATH"\n')
    repo.write("u.py", _PROGRAM)
    repo.write("sub/x", "")
    repo.write("t.sh", "#!/bin/sh\n# it's a script\nexec ../oven/bin/python u.py\n")
    (repo.path / "t.sh").chmod(0o755)
    repo.write(
        "Makefile", "PYTHON ?= ../oven/bin/python\ntest: prepare\n\t$(PYTHON) u.py\nprepare:\n"
    )
    repo.commit()
    assert_followed(repo, "sh", "-c", command, root=root)


def test_environment_of_a_folder_below_counts_beside_that_of_the_top(repo: Repo) -> None:
    repo.write(".gitignore", ".venv\n__pycache__\n")
    repo.write("pyproject.toml", "")
    repo.write("backend/u.py", _PROGRAM)
    repo.commit()
    environment(repo.path / ".venv", "top")
    command = "cd backend && .venv/bin/python u.py"
    assert_followed(repo, "sh", "-c", command, root=repo.path / "backend" / ".venv")


def test_path_of_modules_that_is_set_for_a_part_of_the_command_counts(
    repo: Repo, tmp_path: Path
) -> None:
    repo.write("u.py", _PROGRAM)
    repo.commit()
    site = tmp_path / "outside"
    site.mkdir()
    words = ("env", f"PYTHONPATH={site}", "python3", "u.py")
    (site / "installed.py").write_text("VALUE = 'one'\n")
    assert said(repo, *words) == (False, b"one\n")
    (site / "installed.py").write_text("VALUE = 'other'\n")
    assert said(repo, *words) == (False, b"other\n")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not here")
def test_worktrees_with_their_own_npm_ci_share(repo: Repo) -> None:
    def npm(folder: Path, *words: str) -> None:
        argv = ["npm", *words, "--offline", "--no-audit", "--no-fund"]
        subprocess.run(argv, cwd=folder, check=True, capture_output=True)

    repo.write("dep/package.json", '{"name": "dep", "version": "1.0.0", "bin": "cli.js"}')
    repo.write("dep/cli.js", "#!/usr/bin/env node\nconsole.log('from dep')\n")
    npm(repo.path / "dep", "pack", "--pack-destination", str(repo.path))
    repo.write(".gitignore", "node_modules\n")
    repo.write("package.json", '{"scripts": {"test": "dep"}}')
    npm(repo.path, "install", "./dep-1.0.0.tgz")
    repo.commit()
    other = repo.add_worktree(repo.path.parent / "other")
    for each in (repo, other):
        npm(each.path, "ci")
    ran = [each.toolcache("run", "test") for each in (repo, other)]
    assert [each.is_hit for each in ran] == [False, True]
    assert all(each.stdout.endswith(b"from dep\n") for each in ran)
    (other.path / "node_modules/dep/cli.js").write_text(
        "#!/usr/bin/env node\nconsole.log('from-dep')\n"
    )
    assert other.toolcache("run", "test").stdout.endswith(b"from-dep\n")


def test_miss_names_the_packages_that_changed_with_their_versions(repo: Repo) -> None:
    repo.write(".gitignore", ".venv\nnode_modules\n")
    repo.write("pyproject.toml", "")
    repo.write("package.json", "{}")
    repo.commit()
    site = repo.path / ".venv" / "lib" / "python3.11" / "site-packages"
    environment(repo.path / ".venv", "one")
    (site / "Some_Thing-1.0.dist-info").mkdir(parents=True)
    (site / "Some_Thing-1.0.dist-info" / "METADATA").write_text("Version: 1.0\n")
    lock = repo.path / "node_modules" / ".package-lock.json"
    lock.parent.mkdir()
    lock.write_text('{"packages": {"node_modules/left": {"version": "1.0.0"}}}')
    (repo.path / "node_modules" / "index.js").write_text("1")
    said(repo, "true")
    (site / "Some_Thing-1.0.dist-info").rename(site / "Some_Thing-1.1.dist-info")
    lock.write_text('{"packages": {"node_modules/left": {"version": "2.0.0"}}}')
    (repo.path / "node_modules" / "index.js").write_text("2")
    ran = repo.toolcache("run", "--", "true")
    assert b"miss: left 1.0.0 \xe2\x86\x92 2.0.0, some-thing 1.0 \xe2\x86\x92 1.1\n" in ran.stderr


def test_miss_names_the_version_of_an_interpreter(repo: Repo, tmp_path: Path) -> None:
    repo.write("package.json", "{}")
    repo.commit()
    node = tmp_path / "bin" / "node"
    node.parent.mkdir()
    env = {"PATH": f"{node.parent}:{os.environ['PATH']}"}
    versions = []
    for name in ("bash", "git"):
        program = shutil.which(name)
        assert program is not None
        said_of_itself = subprocess.run([program, "--version"], capture_output=True, check=True)
        versions += re.findall(rb"\d+\.\d[\w.+-]*", said_of_itself.stdout)[:1]
        shutil.copy(os.path.realpath(program), node)
        ran = repo.toolcache("run", "--", "true", env=env)
    assert b"miss: node %s \xe2\x86\x92 %s\n" % (*versions,) in ran.stderr


@pytest.mark.parametrize("where", ["node_modules", "../outside"])
def test_packages_of_node_count_without_a_package_json(repo: Repo, where: str) -> None:
    repo.write(".gitignore", "node_modules\n")
    repo.write("t.js", _NODE_PROGRAM)
    repo.commit()
    folder = repo.path / where
    words = ("env", f"NODE_PATH={folder}", "node", "t.js")
    package(folder, "one")
    assert [said(repo, *words), said(repo, *words)] == [(False, b"one\n"), (True, b"one\n")]
    package(folder, "two")
    assert said(repo, *words) == (False, b"two\n")


@pytest.mark.parametrize(
    "command",
    [
        "bash -euo pipefail -c tool",
        "sh -c '$HOME/opt/tool'",
        "sh -c '~/opt/tool'",
        "sh -c 'PATH=$HOME/opt:$PATH tool'",
        "env PATH={opt}:/usr/bin:/bin sh t.sh",
        """sh -c 'echo "$(tool)"'""",
        "sh -c '(cd a && sh x.sh); (cd b && sh y.sh)'",
        "sh -c '. ./env.sh; tool'",
        "sh -c 'echo | xargs tool'",
        "sh -c 'eval tool'",
        "make -s exported",
        "make -s given T={opt}/tool",
        "npm run --silent --prefix a x",
        "npm run --silent --workspaces x",
    ],
)
def test_program_that_the_words_name_counts_however_they_do(
    repo: Repo, sealed: Path, command: str
) -> None:
    opt = sealed / "opt"
    opt.mkdir()
    repo.write("t.sh", "tool\n")
    repo.write("a/x.sh", ":\n")
    repo.write("b/y.sh", "$HOME/opt/tool\n")
    repo.write("env.sh", "export PATH=$HOME/opt:$PATH\n")
    repo.write(
        "Makefile", "export PATH := $(HOME)/opt:$(PATH)\nexported:\n\ttool\ngiven:\n\t$(T)\n"
    )
    repo.write("package.json", '{"workspaces": ["a"]}')
    repo.write("a/package.json", '{"name": "a", "scripts": {"x": "tool"}}')
    repo.commit()
    words = shlex.split(command.format(opt=opt))
    env = {"PATH": f"{os.environ['PATH']}:{opt}"}
    told = []
    for value in ("one", "one", "two"):
        (opt / "tool").write_text(f"#!/bin/sh\necho {value}\n")
        (opt / "tool").chmod(0o755)
        ran = repo.toolcache("run", "--", *words, env=env)
        told.append((ran.is_hit, ran.stdout.strip()))
    assert told == [(False, b"one"), (True, b"one"), (False, b"two")]


def test_packages_of_a_package_that_is_not_tracked_yet_count(repo: Repo) -> None:
    repo.write(".gitignore", "node_modules\n")
    repo.write("package.json", "{}")
    repo.commit()
    repo.write("packages/a/package.json", "{}")
    repo.write("packages/a/t.js", _NODE_PROGRAM)
    words = (
        "sh",
        "-c",
        'node -e \'process.chdir("packages/a"); require(process.cwd() + "/t.js")\'',
    )
    for value in ("one", "three"):
        package(repo.path / "packages/a/node_modules", value)
        assert said(repo, *words) == (False, value.encode() + b"\n")


def test_hoisted_packages_of_a_linked_package_count(repo: Repo, tmp_path: Path) -> None:
    repo.write(".gitignore", "node_modules\n")
    repo.write("package.json", "{}")
    repo.write("t.js", "require('linked')\n")
    repo.commit()
    linked = tmp_path / "elsewhere" / "packages" / "linked"
    linked.mkdir(parents=True)
    (linked / "package.json").write_text("{}")
    (linked / "index.js").write_text(_NODE_PROGRAM)
    (repo.path / "node_modules").mkdir()
    (repo.path / "node_modules" / "linked").symlink_to(linked)
    for value in ("one", "three"):
        package(tmp_path / "elsewhere" / "node_modules", value)
        assert said(repo, "node", "t.js") == (False, value.encode() + b"\n")


def test_names_that_no_program_is_made_for_are_run_unstored(repo: Repo) -> None:
    repo.write(".gitignore", "node_modules\n")
    repo.write("package.json", '{"workspaces": ["a"]}')
    repo.write("a/package.json", '{"name": "a", "main": "x\\u0000y"}')
    repo.commit()
    (repo.path / "node_modules").mkdir()
    (repo.path / "node_modules" / "a").symlink_to("../a")
    ran = repo.toolcache("run", "--", "true")
    assert (ran.status, ran.is_hit) == (0, False)
    assert b"the result is not stored" in ran.stderr


def test_lists_of_a_declared_environment_are_followed(repo: Repo, tmp_path: Path) -> None:
    repo.write(".gitignore", ".venv\n__pycache__\n")
    repo.write("u.py", _PROGRAM)
    text = "[tools.test]\ncommand = '.venv/bin/python u.py'\ndependencies = ['.venv']\n"
    repo.write("toolcache.toml", text)
    repo.commit()
    environment(repo.path / ".venv", "unused")
    (site,) = (repo.path / ".venv").glob("lib/*/site-packages")
    (site / "installed.py").unlink()
    (site / "link.pth").write_text(f"{tmp_path}/code\n")
    (tmp_path / "code").mkdir()
    for value in ("one", "three"):
        (tmp_path / "code" / "installed.py").write_text(f"VALUE = {value!r}\n")
        ran = repo.toolcache("run", "test")
        assert (ran.is_hit, ran.stdout) == (False, value.encode() + b"\n")


def test_ignored_build_of_a_workspace_package_counts(repo: Repo) -> None:
    repo.write(".gitignore", "node_modules\ndist\n")
    repo.write("package.json", '{"workspaces": ["packages/*"]}')
    repo.write("packages/installed/package.json", '{"name": "installed", "main": "./dist/index"}')
    repo.write("t.js", _NODE_PROGRAM)
    repo.commit()
    (repo.path / "node_modules").mkdir()
    (repo.path / "node_modules" / "installed").symlink_to("../packages/installed")
    repo.write("packages/installed/dist/index.js", "exports.value = 'one'\n")
    words = ("node", "t.js")
    assert [said(repo, *words), said(repo, *words)] == [(False, b"one\n"), (True, b"one\n")]
    repo.write("packages/installed/dist/index.js", "exports.value = 'two'\n")
    assert said(repo, *words) == (False, b"two\n")
