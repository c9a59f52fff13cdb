"""Each complaint, in a real repository that is in that state; its command mends it."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from gitcache.core.tool import ToolName
from gitcache.engine.complaints import MANY_LOOSE, Complaint, complaints
from gitcache.engine.context import Context
from gitcache.engine.doctor import examine
from gitcache.engine.health import Health
from tests.git.test_entry_store_obstacles import POWERLESS
from tests.git.test_version import pretend
from tests.support.calls import ask, context_in, declare
from tests.support.no_flock import can_refuse, without_flock
from tests.support.repository import Repo

NONE: Mapping[str, str] = {}
KEY = "ab" * 32


def context_now(repo: Repo, environ: Mapping[str, str] = NONE, **more: Any) -> Context:
    return context_in(repo.path, **{"now": time.time(), "environ": environ, **more})


def health(repo: Repo, environ: Mapping[str, str] = NONE, **more: Any) -> Health:
    return examine(context_now(repo, environ, **more), rounds=1)


def wrong(repo: Repo, environ: Mapping[str, str] = NONE, **more: Any) -> dict[str, Complaint]:
    """Return name → complaint, without what depends on how the tests themselves are started."""
    context = context_now(repo, environ, **more)
    found = complaints(examine(context, rounds=1), context)
    return {each.name: each for each in found if each.name != "no_bytecode"}


def mend(repo: Repo, complaint: Complaint, environ: Mapping[str, str] = NONE) -> None:
    """Run the command of *complaint* as a person would."""
    subprocess.run(
        ["sh", "-c", complaint.command],
        cwd=repo.path / "sub",
        env={**os.environ, "GIT_EDITOR": "truncate -s 0", **environ},
        check=True,
        capture_output=True,
        timeout=60,
    )


@pytest.fixture
def tools(repo: Repo) -> Repo:
    declare(repo, {"test": "exit 0"})
    repo.commit("tools")
    return repo


def test_healthy_repository_has_none(tools: Repo) -> None:
    assert wrong(tools) == {}


@pytest.mark.parametrize(
    ("use", "effect"),
    [("off", "the store is neither asked nor filled"), ("read", "no result is stored")],
)
def test_store_that_is_switched_off_in_the_environment(tools: Repo, use: str, effect: str) -> None:
    found = wrong(tools, use=use)
    assert list(found) == ["switched_off"]
    assert found["switched_off"].text == f"GIT_TOOLCACHE is {use}: {effect}"
    assert found["switched_off"].command == "unset GIT_TOOLCACHE"


def test_old_git(tools: Repo, tmp_path: Path) -> None:
    found = wrong(tools, pretend(tmp_path / "bin", "git version 2.17.1"))
    assert list(found) == ["git_too_old"]
    assert found["git_too_old"].text == (
        "git version 2.17.1 is too old: 2.35 or newer is needed: no result is stored"
    )
    assert found["git_too_old"].command.endswith(" git")


def test_content_that_git_cannot_tell(tools: Repo) -> None:
    (tools.path / ".git/index").write_bytes(b"garbage")
    found = wrong(tools)
    assert "no result is stored" in found["no_snapshot"].text
    assert "not_stored" not in found


@pytest.mark.parametrize(
    ("name", "text"), [("toolcache.toml", "tools = 1\n"), ("pyproject.toml", "[tool]\ntoolcache=1")]
)
def test_wrong_settings_are_no_end(repo: Repo, name: str, text: str) -> None:
    repo.write(name, text)
    found = wrong(repo)
    assert list(found) == ["settings"]
    assert found["settings"].text.startswith(f"{name}: ")
    assert health(repo).settings_file == name
    mend(repo, found["settings"])
    assert "settings" not in wrong(repo)


def test_settings_in_two_files(tools: Repo) -> None:
    tools.write("pyproject.toml", "[tool.toolcache]\n")
    assert "both hold settings" in wrong(tools)["settings"].text


def test_tool_whose_folder_is_not_there(repo: Repo) -> None:
    declare(repo, {"test": "exit 0"}, 'directory = "gone"')
    found = wrong(repo)
    assert "the directory of test, gone, is not there" in found["tool"].text
    mend(repo, found["tool"])
    assert wrong(repo) == {}


def test_wish_that_cannot_be_meant(tools: Repo) -> None:
    tools.git("config", "--global", "toolcache.memory", "much")
    found = wrong(tools)
    assert found["tool"].text.startswith("test can't be run: git config: toolcache.memory: takes")
    mend(tools, found["tool"])
    assert wrong(tools) == {}


def test_program_that_is_not_found(repo: Repo) -> None:
    repo.write("toolcache.toml", '[tools.test]\ncommand = "no-such-program -x"\n')
    found = wrong(repo)
    assert found["program"].text == "test can't be run: no-such-program is not found"
    mend(repo, found["program"])
    assert wrong(repo) == {}


def test_program_in_an_environment_that_is_not_active(repo: Repo) -> None:
    program = repo.write(".venv/bin/mytests", "#!/bin/sh\n")
    program.chmod(0o755)
    repo.write("toolcache.toml", '[tools.test]\ncommand = "mytests"\n')
    assert wrong(repo)["program"].command == f". {repo.path}/.venv/bin/activate"


@pytest.mark.parametrize(
    ("word", "command"),
    [("pip-audit", "python3 -m pip install pip-audit"), ("gradle", "install gradle")],
)
def test_program_that_can_be_installed(repo: Repo, word: str, command: str) -> None:
    if shutil.which(word):
        pytest.skip("it is installed here")
    repo.write("toolcache.toml", f'[tools.audit]\ncommand = "{word}"\n')
    assert wrong(repo)["program"].command.endswith(command)


def test_installed_package_that_leads_out_of_the_worktree(repo: Repo) -> None:
    repo.write("package.json", '{"scripts": {"test": "exit 0", "lint": "exit 0"}}')
    (repo.path / "node_modules").mkdir()
    (repo.path / "node_modules/all").symlink_to(repo.path.parent)
    repo.write(".gitignore", "node_modules\n")
    found = wrong(repo)["not_stored"]
    assert found.text.startswith(
        "no result of test, lint, audit is stored: an installed package leads to"
    )
    assert found.command == "git toolcache init"


def test_packages_that_a_manager_keeps_somewhere(repo: Repo) -> None:
    repo.write("bin/poetry", "#!/bin/sh\n").chmod(0o755)
    repo.write("toolcache.toml", '[tools.test]\ncommand = "bin/poetry run pytest"\n')
    repo.write("pyproject.toml", "")
    found = wrong(repo)["not_stored"]
    assert found.text == (
        "no result of test is stored: where poetry keeps its packages is not known; a .venv in the"
        " worktree is; dependencies in toolcache.toml names what counts in place of them"
    )
    repo.write(
        "toolcache.toml",
        '[tools.test]\ncommand = "bin/poetry run pytest"\ndependencies = ["bin"]\n',
    )
    assert "not_stored" not in wrong(repo)


def test_content_that_belongs_to_no_tree(tools: Repo) -> None:
    nested = Repo.init(tools.path / "nested")
    nested.write("new.txt", "new\n")
    found = wrong(tools)
    assert list(found) == ["not_stored"]
    assert found["not_stored"].text == (
        "no result of test is stored: the nested repository nested has no commit"
    )
    assert found["not_stored"].command == "git status"


def test_setting_that_keeps_results_from_being_stored(repo: Repo) -> None:
    declare(repo, {"test": "exit 0"}, "isolated = true")
    found = wrong(repo)
    assert list(found) == ["not_stored"]
    assert found["not_stored"].text == (
        "no result of test is stored: the setting isolated is not taken into account yet"
    )
    mend(repo, found["not_stored"])
    assert wrong(repo) == {}


def test_withheld_variable_that_a_tracked_file_mentions(tools: Repo) -> None:
    tools.write("src/app.py", "os.environ['DATABASE_URL']\n")
    tools.commit()
    found = wrong(tools, {"DATABASE_URL": "secret", "OTHER_URL": "secret"})
    assert list(found) == ["withheld"]
    assert found["withheld"].text == (
        "test may miss DATABASE_URL in src/app.py: DATABASE_URL is set but not passed;"
        ' env = ["DATABASE_URL"] in [tools.test] passes it'
    )
    declare(tools, {"test": "exit 0"}, 'env = ["DATABASE_URL"]')
    assert wrong(tools, {"DATABASE_URL": "secret"}) == {}


def test_leftovers_that_make_runs_unstable(repo: Repo) -> None:
    declare(repo, {"test": "date +%N >.coverage; date +%N >'my report'"})
    repo.commit()
    repo.toolcache("run", "test")
    found = wrong(repo)
    assert list(found) == ["leftovers"]
    assert found["leftovers"].text == (
        "test leaves files that count as content: .coverage, /my report"
    )
    mend(repo, found["leftovers"])
    assert wrong(repo) == {}
    assert repo.git("status", "--porcelain") == "?? .gitignore"


def test_leftover_that_is_a_habit_is_none(repo: Repo) -> None:
    declare(repo, {"test": "date +%N >.coverage"})
    repo.commit()
    for _ in range(2):
        repo.toolcache("run", "test")
    assert wrong(repo) == {}


@pytest.mark.skipif(not can_refuse(), reason="no way to take flock away here")
def test_file_system_that_cannot_lock(tools: Repo) -> None:
    argv = [sys.executable, "-m", "gitcache", "doctor", "--json"]
    found = told(tools, without_flock(errno.ENOLCK, argv))["no_lock"]
    assert found["text"] == (
        f"{tools.path}/.git/toolcache: files can't be locked: {os.strerror(errno.ENOLCK)}:"
        " callers that ask at the same time each run the tool"
    )
    assert found["command"] == f"git clone {tools.path} ~/repo"


def told(repo: Repo, argv: list[str]) -> dict[str, Any]:
    """Return name → warning, as the process *argv* tells them."""
    done = subprocess.run(argv, cwd=repo.path, capture_output=True, check=True, timeout=60)
    return {each["name"]: each for each in json.loads(done.stdout)["warnings"]}


def test_folder_that_cannot_be_written(tools: Repo) -> None:
    if os.geteuid() == 0 and not shutil.which(POWERLESS[0]):
        pytest.skip("root obeys no permissions, and there is no setpriv to change that")
    argv = [sys.executable, "-m", "gitcache", "doctor", "--json"]
    argv = [*(POWERLESS if os.geteuid() == 0 else ()), *argv]
    folder = tools.path / ".git/toolcache"
    folder.mkdir()
    folder.chmod(0o555)
    found = told(tools, argv)["not_writable"]
    assert found["text"].startswith(f"{folder}: {os.strerror(errno.EACCES)}: callers ")
    mend(tools, Complaint(**found))
    assert "not_writable" not in told(tools, argv)


@pytest.mark.parametrize("mode", [0o755, None])
def test_runtime_folder_that_is_not_the_users_alone(
    tools: Repo, sealed: Path, mode: int | None
) -> None:
    runtime = Path("/tmp") / f"toolcache-{os.getpid()}"
    runtime.mkdir(0o700)
    try:
        folder = runtime / "git-toolcache"
        folder.touch() if mode is None else folder.mkdir(mode)
        found = wrong(tools, {"XDG_RUNTIME_DIR": str(runtime)})
        assert list(found) == ["runtime_folder"]
        mend(tools, found["runtime_folder"])
        assert wrong(tools, {"XDG_RUNTIME_DIR": str(runtime)}) == {}
    finally:
        shutil.rmtree(runtime)


def test_many_loose_refs(tools: Repo) -> None:
    folder = tools.path / ".git/refs/toolcache"
    folder.mkdir()
    oid = tools.git("rev-parse", "HEAD:a.txt")
    for number in range(MANY_LOOSE + 1):
        (folder / f"{number:064x}").write_text(f"{oid}\n")
    found = wrong(tools)
    assert list(found) == ["loose_refs"]
    mend(tools, found["loose_refs"])
    assert wrong(tools) == {}
    assert health(tools).store.packed == MANY_LOOSE + 1


def empty_ref(repo: Repo) -> None:
    repo.write(f".git/refs/toolcache/{KEY}", "")


def broken_ref(repo: Repo) -> None:
    repo.write(f".git/refs/toolcache/{KEY}", "garbage\n")


def missing_object(repo: Repo) -> None:
    oid = repo.git("hash-object", "-w", "--stdin", stdin=b"soon gone")
    repo.git("update-ref", f"refs/toolcache/{KEY}", oid)
    (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()


def foreign_ref(repo: Repo) -> None:
    repo.git("update-ref", "refs/toolcache/not/ours", "HEAD")


@pytest.mark.parametrize(
    ("damage", "name"),
    [
        (empty_ref, "empty_refs"),
        (broken_ref, "broken_refs"),
        (missing_object, "missing_objects"),
        (foreign_ref, "foreign_refs"),
    ],
)
def test_damage_of_the_store(tools: Repo, damage: Callable[[Repo], None], name: str) -> None:
    ask(tools, "echo", "good")
    damage(tools)
    found = wrong(tools)
    assert list(found) == [name]
    mend(tools, found[name])
    assert wrong(tools) == {}
    assert len(tools.keys()) == 1
    tools.git("gc", "--quiet")


def test_damaged_result_of_this_very_content(tools: Repo) -> None:
    tools.toolcache("run", "test")
    (key,) = tools.keys()
    oid = tools.git("hash-object", "-w", "--stdin", stdin=b"garbage")
    tools.git("update-ref", f"refs/toolcache/{key}", oid)
    found = wrong(tools)
    assert list(found) == ["damaged_entry"]
    assert found["damaged_entry"].text.startswith("the result of test is lost: ")
    assert found["damaged_entry"].command == "git toolcache forget test"
    assert tools.toolcache("forget", "test").status == 0
    assert wrong(tools) == {}


def test_hooks_path_that_leads_nowhere(tools: Repo) -> None:
    tools.git("config", "--global", "core.hooksPath", "/no/such folder")
    found = wrong(tools)
    assert list(found) == ["hooks_path"]
    assert found["hooks_path"].command == "git config --global --unset core.hooksPath"
    mend(tools, found["hooks_path"])
    assert wrong(tools) == {}


def test_hook_of_ours_that_git_passes_over(tools: Repo) -> None:
    tools.write(".git/hooks/pre-push", "#!/bin/sh\ngit toolcache run test\n")
    tools.write(".git/hooks/pre-commit", "#!/bin/sh\necho somebody else's\n")
    found = wrong(tools)
    assert list(found) == ["hook"]
    assert "pre-push" in found["hook"].text
    mend(tools, found["hook"])
    assert wrong(tools) == {}


def test_lock_that_a_killed_git_left(tools: Repo) -> None:
    lock = tools.write(".git/index.lock", "")
    assert wrong(tools) == {}
    os.utime(lock, (time.time() - 3600, time.time() - 3600))
    found = wrong(tools)
    assert list(found) == ["left_lock"]
    assert f"{lock} has lain there for 1h" in found["left_lock"].text
    mend(tools, found["left_lock"])
    assert wrong(tools) == {}


def test_clock_that_is_behind_the_last_commit(tools: Repo) -> None:
    """HEAD is of 2026-01-01T00:00:00Z."""
    midnight = 1_767_225_600.0
    assert wrong(tools, now=midnight - 60) == {}
    found = wrong(tools, now=midnight - 86400)
    assert list(found) == ["clock"]
    assert found["clock"].text == "HEAD was committed 1d from now: a clock is wrong"


def test_program_without_byte_code(tools: Repo, tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "gitcache", "doctor", "--json"]
    cache = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path / "cache")}
    names = []
    for more in ({"PYTHONDONTWRITEBYTECODE": "1"}, NONE):
        done = subprocess.run(argv, cwd=tools.path, env={**cache, **more}, capture_output=True)
        names.append(b'"no_bytecode"' in done.stdout)
    assert names == [True, False]


def test_slots_tell_the_limit_of_each_tool(repo: Repo) -> None:
    declare(repo, {"test": "exit 0", "lint": "exit 0"})
    limits = {each.tool: each.limit for each in health(repo).slots}
    assert limits[ToolName("test")] >= 2
    assert limits[ToolName("lint")] == 0
