"""``git toolcache explain``: for people on the standard output, or whole as JSON."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Within
from tests.support.calls import declare
from tests.support.repository import Repo

DIGITS = re.compile(r"\d+\.\ds")


def trees_stored(repo: Repo) -> int:
    listed = repo.git("cat-file", "--batch-all-objects", "--batch-check=%(objecttype)")
    return listed.split().count("tree")


def test_no_look_and_no_run_leaves_a_tree_behind_in_a_sparse_index(repo: Repo) -> None:
    declare(repo, {"test": "true"}, 'ignored_inputs = ["*.local"]')
    for name in ("in/one.txt", "out/deep/two.txt", "pyproject.toml"):
        repo.write(name, "")
    repo.commit("folders")
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    repo.write("in/one.txt", "edited\n")
    before = trees_stored(repo)
    for verb in ("explain", "lookup", "run", "run", "status", "doctor"):
        assert (
            repo.toolcache(verb, *([] if verb in ("status", "doctor") else ["test"])).status != 128
        )
        assert trees_stored(repo) == before, verb


@pytest.fixture
def tools(repo: Repo) -> Repo:
    declare(repo, {"test": "exit 0", "lint": "exit 1"})
    repo.commit("tools")
    return repo


def lines(repo: Repo, within: Within, *words: str) -> list[str]:
    """Return the lines but the last, which tells the variables; ages are ``N``."""
    done = within(repo.path, "explain", *words)
    assert (done.status, done.stderr) == (0, b"")
    *told, withheld = DIGITS.sub("N", done.stdout.decode()).splitlines()
    assert withheld.startswith("variables that are set and not passed: ")
    return told


@pytest.fixture(autouse=True)
def withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "secret")


def test_a_first_miss_a_hit_and_a_failure_are_told(tools: Repo, within: Within) -> None:
    assert lines(tools, within, "test") == ["test would miss: no entry for this tool yet"]
    within(tools.path, "run", "--keep-going", "test", "lint")
    assert lines(tools, within, "test") == ["test would hit: the pass N ago here"]
    assert lines(tools, within, "lint") == ["lint would hit: the failure N ago here"]


def test_differences_and_files_are_listed(tools: Repo, within: Within, tmp_path: Path) -> None:
    other = tools.add_worktree(tmp_path / "wt2")
    within(other.path, "run", "test")
    tools.write("a.txt", "edited\n")
    tools.write("n\x1bw.txt", "new\n")
    assert lines(tools, within, "test", "--", "-x") == [
        "test would miss; since the pass N ago in ../wt2:",
        "  argv changed: /bin/sh -c 'exit 0' → /bin/sh -c 'exit 0 \"$@\"' sh -x",
        "  2 files changed",
        "    a.txt",
        "    n\\x1bw.txt",
    ]


def test_a_variable_is_told_by_its_name_and_never_by_its_value(
    tools: Repo, within: Within, monkeypatch: pytest.MonkeyPatch
) -> None:
    within(tools.path, "run", "test")
    monkeypatch.setenv("CI", "sesame")
    done = within(tools.path, "explain", "test")
    assert b"  variable CI is now set\n" in done.stdout
    assert b"not passed: DATABASE_URL" in done.stdout
    for words in (["explain", "test"], ["explain", "--json", "test"]):
        shown = within(tools.path, *words).stdout
        assert b"sesame" not in shown
        assert b"secret" not in shown


def test_withheld_variable_that_a_tracked_file_mentions_is_pointed_out(
    tools: Repo, within: Within
) -> None:
    tools.write("src/app.py", "os.environ['DATABASE_URL']\n")
    tools.commit()
    told = within(tools.path, "explain", "test").stdout.decode().splitlines()
    assert told[-3:] == [
        "of these, tracked files mention:",
        "    DATABASE_URL in src/app.py",
        '  DATABASE_URL is set but not passed; env = ["DATABASE_URL"] in [tools.test] passes it',
    ]
    document = within(tools.path, "explain", "--json", "test").json
    assert document["mentioned"] == {"DATABASE_URL": "src/app.py"}


def test_a_command_behind_a_double_dash_is_explained(repo: Repo, within: Within) -> None:
    within(repo.path, "run", "--", "true")
    assert lines(repo, within, "--", "false") == [
        "command would miss: no entry for this command yet"
    ]
    assert lines(repo, within, "--", "true") == ["command would hit: the pass N ago here"]


def test_a_tool_without_a_key_says_why(repo: Repo, within: Within) -> None:
    declare(repo, {"test": "exit 0"}, "isolated = true")
    reason = "the setting isolated is not taken into account yet"
    assert lines(repo, within, "test") == [f"test has no key: {reason}"]
    told = within(repo.path, "explain", "--json", "test").json
    assert (told["would"], told["key"], told["reasons"]) == ("run_unkeyed", None, [reason])


def test_the_document_of_a_miss_has_all(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    (key,) = tools.keys()
    tree = tools.git("rev-parse", "HEAD^{tree}")
    tools.write("a.txt", "edited\n")
    told = within(tools.path, "explain", "--json", "test").json
    nearest, ran_in = told.pop("nearest"), {"worktree": str(tools.path)}
    assert ran_in.items() <= nearest.pop("ran_in").items()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", nearest.pop("ran_at"))
    assert nearest == {"key": key, "outcome": "passed", "exit_status": 0}
    assert "DATABASE_URL" in told.pop("withheld")
    assert told.pop("key") not in (key, None)
    after = tools.snapshot().tree
    assert told.pop("tree") == after
    assert told == {
        "tool": "test",
        "argv": ["/bin/sh", "-c", "exit 0"],
        "directory": ".",
        "would": "miss",
        "reasons": ["no entry", "1 file changed"],
        "left_out": [],
        "mentioned": {},
        "differences": [
            {
                "input": "tree",
                "part": None,
                "text": "1 file changed",
                "before": tree,
                "after": after,
                "paths": ["a.txt"],
            }
        ],
    }


def test_the_document_of_a_hit_has_no_differences(tools: Repo, within: Within) -> None:
    within(tools.path, "run", "test")
    told = within(tools.path, "explain", "--json", "test").json
    assert (told["would"], told["reasons"], told["differences"]) == ("hit", [], [])
    assert told["nearest"]["key"] == told["key"] == tools.keys()[0]


def test_the_document_of_a_first_miss_has_no_nearest(tools: Repo, within: Within) -> None:
    told = within(tools.path, "explain", "--json", "test").json
    assert (told["would"], told["reasons"], told["nearest"]) == ("miss", ["no entry"], None)


def test_nothing_runs_and_nothing_is_written(tools: Repo, within: Within) -> None:
    declare(tools, {"test": "touch ran"})
    before = tools.traces()
    within(tools.path, "explain", "test")
    assert not (tools.path / "ran").exists()
    assert tools.traces() == before


def test_without_a_repository_or_tool_it_is_fatal(
    repo: Repo, within: Within, tmp_path: Path
) -> None:
    done = within(tmp_path, "explain", "--", "true")
    assert (done.status, done.stderr) == (128, b"fatal: not a git repository\n")
    done = within(repo.path, "explain", "nosuch")
    assert (done.status, done.stdout) == (128, b"")
