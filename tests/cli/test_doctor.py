"""``git toolcache doctor``: the facts for people or as JSON, and not a trace of having looked."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from gitcache import __version__
from tests.cli.conftest import Within
from tests.support.calls import declare
from tests.support.footprint import footprint
from tests.support.locker import children
from tests.support.repository import Repo
from tests.support.slot_taker import slot_taker

STEPS = [
    *("imports", "repository", "settings", "habits", "snapshot", "programs", "installed"),
    *("ignored files", "key", "store"),
]


@pytest.fixture
def tools(repo: Repo) -> Repo:
    declare(repo, {"test": "exit 0", "lint": "exit 1"})
    repo.commit("tools")
    return repo


@pytest.fixture
def healthy(tools: Repo, within: Within) -> Any:
    """Return the document of a repository in which a tool has passed."""
    within(tools.path, "run", "test")
    return doctor(tools, within)


def doctor(repo: Repo, within: Within) -> Any:
    done = within(repo.path, "doctor", "--json")
    assert (done.status, done.stderr) == (0, b"")
    return done.json


def rows(text: bytes) -> dict[str, str]:
    """Return title → text of the table's rows, the last of one title."""
    lines = (re.split(r"  +", line, maxsplit=1) for line in text.decode().splitlines())
    return {each[0]: each[1] for each in lines if len(each) == 2}


def test_the_document_has_every_fact(healthy: Any) -> None:
    assert list(healthy) == [
        *("version", "python", "git", "pygit2", "libgit2", "repository", "use", "snapshot"),
        *("lock", "slots", "memory_pressure_percent", "hooks", "settings", "tools", "git_config"),
        *("store", "folders", "hit_cost", "warnings"),
    ]


def test_versions_and_places_are_told(healthy: Any, tools: Repo) -> None:
    assert healthy["version"] == __version__
    assert healthy["python"]["path"] == sys.executable
    assert f"git version {healthy['git']['version']}" == tools.git("version")
    assert healthy["git"]["usable"] is True
    assert os.access(healthy["git"]["path"], os.X_OK)
    place = healthy["repository"]
    assert place["worktree"] == str(tools.path)
    assert place["git_dir"] == place["common_dir"] == str(tools.path / ".git")
    assert place["head_time"] == "2026-01-01T00:00:00Z"


def test_the_snapshot_engine_is_told_with_its_reason(healthy: Any) -> None:
    engine = healthy["snapshot"]
    assert engine.pop("why_no_private_index").startswith("the index has ")
    assert engine == {
        "eye": "git status",
        "hand": "pygit2",
        "why": "libgit2 opens the repository",
        "converts": False,
        "private_index": False,
        "features": [],
    }


def test_the_lock_is_tried_and_nothing_of_it_stays(healthy: Any, tools: Repo) -> None:
    folder = tools.path / ".git/toolcache"
    assert (healthy["lock"]["kind"], healthy["lock"]["reason"]) == ("flock", None)
    assert healthy["lock"]["folder"] == str(folder)
    assert not list(folder.rglob("*probe*"))


def test_tools_are_told_with_where_they_come_from(tools: Repo, healthy: Any) -> None:
    test, lint = healthy["tools"]
    assert test == {
        "tool": "test",
        "origin": "toolcache.toml",
        "argv": ["/bin/sh", "-c", "exit 0"],
        "directory": ".",
        "program": "/bin/sh",
        "would": "hit",
        "reason": None,
        "mentioned": {},
        "leftovers": [],
    }
    assert (lint["tool"], lint["would"], lint["reason"]) == ("lint", "miss", "no entry")
    assert healthy["settings"] == {"file": "toolcache.toml", "error": None}


def test_detected_tools_name_the_file_that_shows_them(repo: Repo, within: Within) -> None:
    repo.write("package.json", '{"scripts": {"test": "node t.js"}}')
    found = doctor(repo, within)
    assert found["settings"] == {"file": None, "error": None}
    assert [(each["tool"], each["origin"]) for each in found["tools"]] == [
        ("test", "package.json"),
        ("audit", "package.json"),
    ]


def test_the_store_is_counted_and_measured(healthy: Any, tools: Repo) -> None:
    store = healthy["store"]
    assert (store["refs"], store["loose"], store["packed"]) == (1, 1, 0)
    assert (store["read"], store["unusable"]) == (1, 0)
    (key,) = tools.keys()
    oid = tools.git("rev-parse", f"refs/toolcache/{key}")
    assert store["disk_bytes"] == (tools.path / ".git/objects" / oid[:2] / oid[2:]).stat().st_size
    memos = (tools.path / ".git/toolcache/memo").rglob("*")
    assert healthy["folders"]["memo"] == sum(
        each.stat().st_size for each in memos if each.is_file()
    )


def test_what_a_hit_costs_is_told_step_by_step(healthy: Any) -> None:
    cost = healthy["hit_cost"]
    assert cost["tool"] == "test"
    assert [each["name"] for each in cost["steps"]] == STEPS
    assert 1 <= cost["rounds"] <= 5
    assert min(cost["git_status_ms"], cost["python_ms"]) > 0
    total = cost["python_ms"] + sum(each["ms"] for each in cost["steps"])
    assert cost["total_ms"] == pytest.approx(total, abs=0.1)


def test_without_a_tool_nothing_is_timed(repo: Repo, within: Within) -> None:
    found = doctor(repo, within)
    assert (found["tools"], found["hit_cost"], found["slots"]) == ([], None, [])


def test_hooks_alias_and_wishes_are_told(tools: Repo, within: Within) -> None:
    hook = tools.write(".git/hooks/pre-push", "#!/bin/sh\ngit toolcache lookup test\n")
    hook.chmod(0o755)
    tools.git("config", "--global", "alias.toolcache", "!exec somewhere")
    tools.git("config", "toolcache.memory", "25%")
    found = doctor(tools, within)
    assert found["hooks"] == {
        "folder": str(hook.parent),
        "is_there": True,
        "hooks_path": None,
        "hooks": [
            {
                "name": "pre-push",
                "path": str(hook),
                "is_executable": True,
                "calls_toolcache": True,
            }
        ],
    }
    assert found["git_config"] == {
        "alias.toolcache": {"value": "!exec somewhere", "scope": "global"},
        "toolcache.memory": {"value": "25%", "scope": "local"},
    }


def test_who_holds_a_slot_and_who_waits_is_told(
    tools: Repo, within: Within, sealed: Path, tmp_path: Path
) -> None:
    state = sealed / ".local/state/git-toolcache"
    with children(slot_taker(state, 1, tmp_path / "no pressure"), 2) as (holder, waiter):
        holder.ask("ask 1")
        waiter.ask("ask 1")
        found = doctor(tools, within)["slots"][0]
        text = within(tools.path, "doctor").stdout
        assert (found["tool"], found["limit"] >= 2) == ("test", True)
        assert [each["pid"] for each in found["holding"]] == [holder.pid]
        assert [each["pid"] for each in found["waiting"]] == [waiter.pid]
        assert found["holding"][0].items() >= {"worktree": "/w t/1", "user": "ada"}.items()
        assert f"held by pid {holder.pid} (ada) in /w t/1, ".encode() in text


def test_variables_that_the_source_mentions_are_told_and_never_their_values(
    tools: Repo, within: Within, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "sesame")
    tools.write("src/app.py", "os.environ['DATABASE_URL']\n")
    tools.commit()
    found = doctor(tools, within)
    assert [each["mentioned"] for each in found["tools"]] == [{"DATABASE_URL": "src/app.py"}] * 2
    assert "withheld" in [each["name"] for each in found["warnings"]]
    for words in (["doctor"], ["doctor", "--json"]):
        assert b"sesame" not in within(tools.path, *words).stdout


def test_people_get_a_table_and_warnings_with_their_commands(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    tools.write(".git/refs/toolcache/" + "ab" * 32, "")
    done = within(tools.path, "doctor")
    assert (done.status, done.stderr) == (0, b"")
    found = rows(done.stdout)
    assert found["program"] == f"git-toolcache {__version__}"
    assert found["snapshot"] == (
        "git status tells what changed; pygit2, in memory, makes the tree,"
        " since libgit2 opens the repository"
    )
    assert found["lock"] == f"flock in {tools.path}/.git/toolcache"
    assert found["tool test"] == "/bin/sh -c 'exit 0', from toolcache.toml: would hit"
    assert found["tool lint"].endswith("would miss: no entry")
    assert found["refs"] == "1: 1 loose, 0 packed"
    assert re.fullmatch(r"[\d.]+ ms, the medians of \d rounds", found["a hit of test"].strip())
    lines = done.stdout.decode().splitlines()
    warning = next(line for line in lines if "git gc" in line)
    command = lines[lines.index(warning) + 1]
    assert warning.startswith("warning: ")
    assert warning.endswith(" is empty, over which git gc fails")
    assert command.startswith("  find ")


def test_control_characters_of_foreign_data_are_shown_as_such(tools: Repo, within: Within) -> None:
    tools.git("config", "toolcache.x", "\x1b[31mred")
    tools.git("update-ref", "refs/toolcache/é", "HEAD")
    done = within(tools.path, "doctor")
    assert b"\x1b" not in done.stdout
    assert b"toolcache.x=\\x1b[31mred (local)" in done.stdout


def test_nothing_is_run_and_nothing_is_touched(tools: Repo, within: Within) -> None:
    ran = "touch ran; exit 1"
    declare(tools, {"test": ran, "lint": ran})
    hook = tools.write(".git/hooks/pre-push", f"#!/bin/sh\n{ran}\n")
    hook.chmod(0o755)
    for name in ("sitecustomize.py", "gitcache.py", "json.py"):
        tools.write(name, "open('ran', 'w')\n")
    tools.write("a.txt", "edited\n")
    tools.git("add", "sub")
    before = footprint(tools.path)
    for words in (["doctor"], ["doctor", "--json"]):
        assert within(tools.path, *words).status == 0
        assert footprint(tools.path) == before
    assert not (tools.path / "ran").exists()


@pytest.mark.parametrize("words", [["doctor"], ["doctor", "--json"]])
def test_a_warning_is_no_failure(repo: Repo, within: Within, words: list[str]) -> None:
    repo.write("toolcache.toml", "tools = 1\n")
    done = within(repo.path, *words)
    assert done.status == 0
    assert b"toolcache.toml: tools: takes" in done.stdout


def test_without_a_repository_it_is_fatal(tmp_path: Path, within: Within) -> None:
    done = within(tmp_path, "doctor")
    assert (done.status, done.stdout) == (128, b"")
    assert done.stderr == b"fatal: not a git repository\n"


def test_unborn_branch_and_linked_worktree_are_looked_at(
    tools: Repo, within: Within, tmp_path: Path
) -> None:
    fresh = Repo.init(tmp_path / "fresh")
    declare(fresh, {"test": "exit 0"})
    found = doctor(fresh, within)
    assert found["repository"]["head_time"] is None
    assert [each["would"] for each in found["tools"]] == ["miss"]

    other = tools.add_worktree(tmp_path / "wt")
    place = doctor(other, within)["repository"]
    assert place["common_dir"] == str(tools.path / ".git")
    assert place["git_dir"] == str(tools.path / ".git/worktrees/wt")
