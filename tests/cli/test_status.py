"""``git toolcache status``: every tool, for the working tree, the index and HEAD."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Within
from tests.support.calls import declare
from tests.support.repository import Repo


@pytest.fixture
def tools(repo: Repo) -> Repo:
    declare(repo, {"test": "grep -q a a.txt", "lint": "true"})
    repo.commit("tools")
    return repo


def outcomes(told: Any) -> list[list[str]]:
    places = ("working_tree", "index", "head")
    return [[tool[place]["outcome"] for place in places] for tool in told["tools"]]


def cells(text: bytes) -> list[list[str]]:
    """Return the table's words, without the ages."""
    return [
        [word for word in line.split() if word not in ("ago",) and not word.endswith("s")]
        for line in text.decode().splitlines()[1:]
    ]


def test_each_place_is_told_on_its_own(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    tools.write("a.txt", "b\n")
    tools.git("add", "a.txt")
    within(tools.path, "run", "test")
    tools.write("a.txt", "c\n")
    told = within(tools.path, "status", "--json").json
    assert [tool["tool"] for tool in told["tools"]] == ["test", "lint"]
    assert outcomes(told) == [["unknown", "failed", "passed"], ["unknown"] * 3]
    assert cells(within(tools.path, "status").stdout) == [
        ["test", "unknown", "failed", "passed"],
        ["lint", "unknown", "unknown", "unknown"],
    ]


def test_the_document_names_the_entry(tools: Repo, within: Within) -> None:
    run = within(tools.path, "run", "--json", "test").json
    told = within(tools.path, "status", "--json").json["tools"][0]
    assert told["tool"] == "test"
    assert told["working_tree"] == told["index"] == told["head"]
    assert told["head"] == {
        "outcome": "passed",
        "exit_status": 0,
        "key": run["key"],
        "ran_at": run["ran_at"],
        "duration_s": run["duration_s"],
    }


def test_tools_are_those_of_each_place(tools: Repo, within: Within) -> None:
    declare(tools, {"added": "true"})
    told = within(tools.path, "status", "--json").json
    assert [tool["tool"] for tool in told["tools"]] == ["added", "test", "lint"]


def test_the_table_has_no_escapes_unless_a_terminal_asks(
    tools: Repo, within: Within, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    within(tools.path, "run", "test")
    done = within(tools.path, "status")
    assert (done.status, done.stderr) == (0, b"")
    assert b"\x1b" not in done.stdout
    assert done.stdout.startswith(b"tool  working tree ")


def test_without_tools_one_line_says_so(repo: Repo, within: Within) -> None:
    done = within(repo.path, "status")
    assert (done.status, done.stdout) == (0, b"")
    assert done.stderr == b"toolcache: no tool is declared or detected here\n"
    assert within(repo.path, "status", "--json").json == {"tools": [], "running": []}


def test_before_the_first_commit_head_is_unknown(tmp_path: Path, within: Within) -> None:
    repo = Repo.init(tmp_path / "new")
    declare(repo, {"test": "true"})
    within(repo.path, "run", "test")
    done = within(repo.path, "status", "--json")
    assert done.status == 0
    assert outcomes(done.json) == [["passed", "unknown", "unknown"]]


def test_an_index_in_conflict_is_a_warning(tools: Repo, within: Within) -> None:
    tools.git("checkout", "--quiet", "-b", "other")
    tools.write("a.txt", "other a\n")
    tools.commit()
    tools.git("checkout", "--quiet", "main")
    tools.write("a.txt", "main a\n")
    tools.commit()
    _merge(tools)
    within(tools.path, "run", "test")
    done = within(tools.path, "status", "--json")
    assert (done.status, done.stderr) == (0, b"warning: index: the index is in conflict\n")
    assert outcomes(done.json) == [["passed", "unknown", "unknown"], ["unknown"] * 3]


def _merge(repo: Repo) -> None:
    """Merge a branch that is in conflict."""
    with pytest.raises(AssertionError, match="git"):
        repo.git("merge", "--quiet", "other")


def test_outside_a_repository_there_is_no_status(tmp_path: Path, within: Within) -> None:
    done = within(tmp_path, "status")
    assert (done.status, done.stderr) == (128, b"fatal: not a git repository\n")
