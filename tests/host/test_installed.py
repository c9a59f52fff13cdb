"""Where packages lie for a tool: interpreters, environments, node_modules, what leads out."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from gitcache.host.ecosystem_programs import (
    NODE,
    PYTHON,
    ecosystem_programs,
    ecosystems_of,
    ecosystems_started,
)
from gitcache.host.installed import Installed, Place, Unaccountable
from gitcache.host.node_folders import node_folders
from gitcache.host.program import chain_of
from gitcache.host.python_folders import python_folders


def place(tmp_path: Path, line: str = "make", **environ: str) -> Place:
    """Return where *line* runs in the worktree ``wt``, with ``bin`` as the PATH."""
    (tmp_path / "wt").mkdir(exist_ok=True)
    variables = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path / "home"), **environ}
    worktree = tmp_path / "wt"
    executions = chain_of(shlex.split(line), worktree, variables).executions
    return Place(worktree, worktree, variables, executions, tmp_path / "cache")


def executable(path: Path, text: str = "\x7fELF") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def folder(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def make_base(tmp_path: Path) -> tuple[Path, Path]:
    """Make an installation of Python 3.11; return its interpreter and its packages."""
    program = executable(tmp_path / "opt" / "bin" / "python3.11")
    return program, folder(tmp_path / "opt" / "lib" / "python3.11" / "site-packages")


def make_virtual(root: Path, base: Path, config: str = "") -> Path:
    """Make a virtual environment over the interpreter *base*; return its packages."""
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "python").symlink_to(base)
    (root / "pyvenv.cfg").write_text(f"home = {base.parent}\nversion = 3.11.7\n{config}")
    return folder(root / "lib" / "python3.11" / "site-packages")


def python(at: Place) -> tuple[Installed, ...]:
    found = python_folders(at)
    assert not isinstance(found, Unaccountable)
    return found


def put_on_path(tmp_path: Path, target: Path, name: str) -> None:
    (tmp_path / "bin").mkdir(exist_ok=True)
    (tmp_path / "bin" / name).symlink_to(target)


def test_the_interpreter_on_the_path_brings_its_packages_and_its_library(tmp_path: Path) -> None:
    base, site = make_base(tmp_path)
    library = executable(tmp_path / "opt" / "lib" / "libpython3.11.so.1.0")
    put_on_path(tmp_path, base, "python3")
    own = folder(tmp_path / "home" / ".local" / "lib" / "python3.11" / "site-packages")
    folder(tmp_path / "home" / ".local" / "lib" / "python3.10" / "site-packages")
    wanted = Installed("python:python3", (site, own), (base, library))
    assert python(place(tmp_path)) == (wanted,)


def test_debians_packages_and_those_of_an_unnamed_version_count(tmp_path: Path) -> None:
    base = executable(tmp_path / "usr" / "bin" / "python3")
    sites = [
        folder(tmp_path / "usr" / name)
        for name in ("lib/python3/dist-packages", "local/lib/python3.11/dist-packages")
    ]
    put_on_path(tmp_path, base, "python3")
    (found,) = python(place(tmp_path))
    assert set(found.folders) == set(sites)


def test_a_virtual_environment_counts_whole_and_hides_what_is_below(tmp_path: Path) -> None:
    base, _ = make_base(tmp_path)
    root = tmp_path / "wt" / ".venv"
    make_virtual(root, base)
    put_on_path(tmp_path, root / "bin" / "python", "python")
    at = place(tmp_path, VIRTUAL_ENV=str(root))
    wanted = Installed("python:python VIRTUAL_ENV .venv", (root,), (base,))
    assert python(at) == (wanted,)


def test_an_open_virtual_environment_shows_what_is_below(tmp_path: Path) -> None:
    base, site = make_base(tmp_path)
    make_virtual(tmp_path / "wt" / "venv", base, "include-system-site-packages = true\n")
    (found,) = python(place(tmp_path))
    assert found == Installed("python:venv", (tmp_path / "wt" / "venv", site), (base,))


@pytest.mark.parametrize(
    "script",
    ["#!{}\n", '#!/bin/sh\n\'\'\'exec\' "{}" "$0" "$@"\n', "#!/usr/bin/env -S {} -I\n"],
)
def test_the_interpreter_behind_a_runner_counts(tmp_path: Path, script: str) -> None:
    base, _ = make_base(tmp_path)
    root = tmp_path / "pipx" / "pytest"
    make_virtual(root, base)
    executable(tmp_path / "bin" / "pytest", script.format(root / "bin" / "python"))
    assert [each.name for each in python(place(tmp_path))] == ["python:pytest"]
    assert python(place(tmp_path, "pytest"))[0] == Installed(
        "python:program pytest", (root,), (base,)
    )


def test_a_stand_in_is_asked_once_for_each_choice(tmp_path: Path) -> None:
    base, site = make_base(tmp_path)
    log = tmp_path / "log"
    said = f"#!/bin/sh\necho asked >> {log}\nprintf %s $PYENV_VERSION\n"
    executable(tmp_path / "shims" / "python3", said)
    path = f"{tmp_path}/shims:/usr/bin:/bin"
    first = place(tmp_path, PATH=path, PYENV_VERSION=str(base))
    for _ in range(2):
        assert python(first)[0].folders == (site,)
    assert log.read_text() == "asked\n"
    other = executable(tmp_path / "other" / "bin" / "python3.12")
    second = place(tmp_path, PATH=path, PYENV_VERSION=str(other))
    assert python(second)[0].files == (other,)
    (tmp_path / "wt" / ".python-version").write_text("3.11\n")
    assert python(second)[0].files == (other,)
    assert log.read_text() == "asked\nasked\nasked\n"


def test_a_stand_in_without_an_interpreter_has_no_packages(tmp_path: Path) -> None:
    executable(tmp_path / "shims" / "python3", "#!/bin/sh\nexit 127\n")
    found = python(place(tmp_path, PATH=f"{tmp_path}/shims"))
    assert found == ()


@pytest.mark.parametrize("manager", ["poetry", "pipenv", "pdm"])
def test_a_manager_with_an_environment_elsewhere_is_unaccountable(
    tmp_path: Path, manager: str
) -> None:
    executable(tmp_path / "bin" / manager)
    at = place(tmp_path, manager)
    assert isinstance(python_folders(at), Unaccountable)
    base, _ = make_base(tmp_path)
    make_virtual(tmp_path / "wt" / ".venv", base)
    assert len(python(at)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "../oven/bin/python u.py",
        "sh -c '../oven/bin/python u.py'",
        "sh t.sh",
        "make test",
        "env -C sub ../../oven/bin/python u.py",
    ],
)
def test_an_interpreter_that_the_command_leads_to_brings_its_packages(
    tmp_path: Path, line: str
) -> None:
    base, _ = make_base(tmp_path)
    make_virtual(tmp_path / "oven", base)
    worktree = folder(tmp_path / "wt")
    folder(worktree / "sub")
    (worktree / "t.sh").write_text("../oven/bin/python u.py\n")
    (worktree / "Makefile").write_text("PY = ../oven/bin/python\ntest:\n\t$(PY) u.py\n")
    at = place(tmp_path, line, PATH=os.environ["PATH"])
    (found,) = (each for each in python(at) if "program" in each.name)
    assert [os.path.realpath(each) for each in found.folders] == [str(tmp_path / "oven")]


def test_each_of_several_interpreters_brings_its_packages(tmp_path: Path) -> None:
    base, _ = make_base(tmp_path)
    for name in ("a", "b"):
        make_virtual(tmp_path / name, base)
    at = place(tmp_path, "sh -c '../a/bin/python x; ../b/bin/python y'", PATH="/usr/bin:/bin")
    found = {each.name: each for each in python(at)}
    assert {"python:program", "python:program 2"} <= set(found)


def test_environments_beside_projects_and_where_a_part_runs_count(tmp_path: Path) -> None:
    base, _ = make_base(tmp_path)
    for name in ("backend", "tools"):
        make_virtual(tmp_path / "wt" / name / ".venv", base)
    at = place(tmp_path, "sh -c 'cd backend && make'", PATH="/usr/bin:/bin")
    found = python_folders(at, ["tools"])
    assert not isinstance(found, Unaccountable)
    assert {"python:backend/.venv", "python:tools/.venv"} <= {each.name for each in found}


def test_what_leads_out_is_told(tmp_path: Path) -> None:
    base, _ = make_base(tmp_path)
    site = make_virtual(tmp_path / "wt" / ".venv", base)
    sources = [folder(tmp_path / name) for name in ("code", "finder", "url a", "line")]
    (site / "a.pth").write_text(f"import x; x.add('{sources[0]}')\n# /comment\n\n")
    finder = f"MAPPING: dict[str, str] = {{'pkg': '{sources[1]}'}}\nNAMES = '/nowhere'\n"
    (site / "b_editable___finder.py").write_text(finder)
    url = {"url": (tmp_path / "url a").as_uri(), "dir_info": {"editable": True}}
    (folder(site / "c.dist-info") / "direct_url.json").write_text(json.dumps(url))
    copied = {"url": (tmp_path / "copied").as_uri(), "dir_info": {}}
    (folder(site / "d.dist-info") / "direct_url.json").write_text(json.dumps(copied))
    folder(site / "e.dist-info")
    (site / "f.egg-link").write_text(f"{tmp_path}/egg\n.")
    (site / "g.pth").write_text(f"{sources[3]}  \nrelative\n")
    (found,) = python(place(tmp_path))
    assert found.leads == (*sources[:3], tmp_path / "egg", sources[3], site / "relative")


@pytest.mark.parametrize("damage", ["url", "pth"])
def test_a_list_that_cannot_be_read_is_unaccountable(tmp_path: Path, damage: str) -> None:
    base, _ = make_base(tmp_path)
    site = make_virtual(tmp_path / "wt" / ".venv", base)
    if damage == "url":
        (folder(site / "c.dist-info") / "direct_url.json").write_text("{")
    else:
        folder(site / "a.pth")
    assert isinstance(python_folders(place(tmp_path)), Unaccountable)


def test_folders_of_pythonpath_are_followed(tmp_path: Path) -> None:
    (found,) = python(place(tmp_path, PYTHONPATH="src:/opt/lib:"))
    assert found == Installed("python:PYTHONPATH", leads=(tmp_path / "wt/src", Path("/opt/lib")))


def test_folders_of_a_path_that_is_set_for_a_part_count(tmp_path: Path) -> None:
    line = "env PYTHONPATH=/outside NODE_PATH=/other sh -c 'cd sub; PYTHONPATH=lib ls'"
    at = place(tmp_path, line, PATH=os.environ["PATH"])
    assert at.folders_in("PYTHONPATH") == (Path("/outside"), tmp_path / "wt/sub/lib")
    assert at.folders_in("NODE_PATH") == (Path("/other"),)


def test_node_modules_count_from_every_package_up_to_the_top_and_above(tmp_path: Path) -> None:
    at = place(tmp_path)
    for name in ("wt", "wt/packages/a", "wt/packages", "wt/unrelated/deep"):
        folder(tmp_path / name / "node_modules")
    above = folder(tmp_path / "node_modules")
    found = node_folders(at, ["packages/a", ""])
    assert [each.name for each in found] == [
        "node_modules",
        "packages/node_modules",
        "packages/a/node_modules",
        "node_modules:above:0",
    ]
    assert found[3].folders == (above,)


def test_a_globally_installed_package_counts_with_what_it_holds(tmp_path: Path) -> None:
    shared = folder(tmp_path / "shared")
    packages = tmp_path / "lib" / "node_modules"
    for package, name in (("eslint", "eslint"), ("@biomejs/biome", "biome"), ("npm", "npm")):
        put_on_path(tmp_path, executable(packages / package / "bin" / "run.js"), name)
    manifest = executable(packages / "npm" / "package.json")
    at = place(tmp_path, "eslint", NODE_PATH=str(shared))
    found = {each.name: each for each in node_folders(at, [])}
    assert found["node_modules:path:0"].folders == (tmp_path / "shared",)
    assert found["node_modules:global:program"].folders == (packages / "eslint",)
    assert found["node_modules:global:biome"].folders == (packages / "@biomejs" / "biome",)
    assert found["node_modules:global:npm"].files == (manifest,)
    assert found["node_modules:global:npm"].folders == ()


def test_what_pnpm_installs_globally_counts_as_one(tmp_path: Path) -> None:
    packages = tmp_path / "global" / "node_modules"
    script = executable(packages / ".pnpm/eslint@9/node_modules/eslint/bin/eslint.js")
    put_on_path(tmp_path, script, "eslint")
    (found,) = node_folders(place(tmp_path), [])
    assert found.folders == (packages,)


def test_plug_and_play_counts_with_what_it_maps_to(tmp_path: Path) -> None:
    at = place(tmp_path)
    map_file = executable(tmp_path / "wt" / ".pnp.cjs")
    unplugged = folder(tmp_path / "wt" / ".yarn" / "unplugged")
    assert node_folders(at, []) == (Installed("plug-and-play", (unplugged,), (map_file,)),)


def test_ecosystems_are_told_by_files_and_bring_their_programs(tmp_path: Path) -> None:
    assert ecosystems_of({"requirements-dev.txt", "package.json", "x"}) == (PYTHON, NODE)
    node = executable(tmp_path / "bin" / "node")
    executable(tmp_path / "bin" / "cargo")
    assert ecosystem_programs(place(tmp_path), (PYTHON, NODE)) == {"node": node}


def test_ecosystems_are_told_by_what_is_started(tmp_path: Path) -> None:
    for name in ("node", "python3.12", "sh"):
        executable(tmp_path / "bin" / name)
    at = place(tmp_path, "sh -c 'node x; python3.12 y'")
    assert ecosystems_started(at.executions) == {PYTHON, NODE}
