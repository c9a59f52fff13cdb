"""``git toolcache log``: commits down, tools across."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Within
from tests.support.calls import declare
from tests.support.repository import Repo
from tests.support.stored import contradicting, entry_on, lay, tree_of
from tests.support.terminal import toolcache_at_terminal


@pytest.fixture
def marked(repo: Repo) -> Repo:
    """Return a repository with two commits of its tools, and every kind of mark."""
    declare(repo, {"test": "true", "typecheck": "true"})
    repo.commit("tools [bold]for[/bold] \x1b[31mall")
    repo.write("a.txt", "changed\n")
    repo.commit("changed")
    lay(
        repo,
        entry_on(tree_of(repo)),
        entry_on(tree_of(repo), "typecheck", status=2),
        contradicting(entry_on(tree_of(repo, "HEAD^"))),
    )
    return repo


def test_commits_are_rows_and_tools_are_columns(marked: Repo, within: Within) -> None:
    done = within(marked.path, "log")
    ids = [each[:9] for each in marked.git("rev-list", "HEAD").split()]
    assert (done.status, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines() == [
        "commit     subject                             test  typecheck",
        f"{ids[0]}  changed                              ✓        ✗",
        f"{ids[1]}  tools [bold]for[/bold] \\x1b[31mall   ~        ·",
        f"{ids[2]}  first                                ·        ·",
    ]


def test_document_tells_every_mark(marked: Repo, within: Within) -> None:
    told = within(marked.path, "log", "--json", "--graph", "-n", "2").json
    entry = entry_on(tree_of(marked))
    assert [each["commit"] for each in told] == marked.git("rev-list", "-n2", "HEAD").split()
    assert told[0]["subject"] == "changed"
    assert list(told[0]["tools"]) == ["test", "typecheck"]
    assert told[0]["tools"]["test"] == {
        "outcome": "passed",
        "exit_status": 0,
        "key": entry.key,
        "ran_at": "1970-01-01T00:00:01Z",
        "flaky": False,
    }
    assert told[0]["tools"]["typecheck"]["exit_status"] == 2
    assert told[1]["tools"]["test"]["flaky"]
    assert told[1]["tools"]["typecheck"] is None


def test_ranges_and_counts_are_taken(marked: Repo, within: Within) -> None:
    for words, count in ((["HEAD^..HEAD"], 1), (["--max-count=2"], 2), (["HEAD", "^HEAD~2"], 2)):
        assert len(within(marked.path, "log", "--json", *words).json) == count
    assert within(marked.path, "log", "--json", "HEAD..HEAD").json == []
    empty = within(marked.path, "log", "HEAD..HEAD")
    assert (empty.stdout, empty.stderr) == (b"", b"toolcache: there is no commit to show\n")


def test_graph_stands_before_the_commits(marked: Repo, within: Within) -> None:
    marked.git("checkout", "--quiet", "-b", "other", "HEAD^")
    marked.commit("other")
    marked.git("merge", "--quiet", "--no-ff", "-m", "merged", "main")
    lines = within(marked.path, "log", "--graph").stdout.decode().splitlines()
    assert [line.split("  ")[0].rstrip() for line in lines[1:3]] == ["*", "|\\"]
    assert sum("✓" in line for line in lines) == 2  # the merge has the content of main


def test_signs_are_plain_where_the_encoding_has_no_others(marked: Repo) -> None:
    done = marked.toolcache("log", env={"PYTHONIOENCODING": "ascii"})
    marks = [line.split()[-2:] for line in done.stdout.decode("ascii").splitlines()[1:]]
    assert marks == [["+", "x"], ["~", "."], [".", "."]]


def test_what_names_no_commit_is_fatal(marked: Repo, within: Within) -> None:
    done = within(marked.path, "log", "nosuch")
    assert (done.status, done.stdout) == (128, b"")
    assert done.stderr == b"fatal: 'nosuch' names no commits\n"


def test_settings_of_a_user_change_nothing(marked: Repo, within: Within) -> None:
    before = within(marked.path, "log", "--graph")
    for name, value in {
        "log.showSignature": "true",
        "color.ui": "always",
        "core.pager": "false",
        "diff.external": "false",
        "log.date": "relative",
        "format.pretty": "fuller",
        "alias.rev-list": "!false",
    }.items():
        marked.git("config", name, value)
    assert within(marked.path, "log", "--graph") == before


def test_every_verb_of_a_look_leaves_the_repository_alone(marked: Repo, within: Within) -> None:
    before = marked.traces()
    within(marked.path, "log")
    assert marked.traces() == before


def test_terminal_gets_colours_and_subjects_that_fit(marked: Repo) -> None:
    shown = toolcache_at_terminal(marked, "log", env={"COLUMNS": "50"}).stdout
    lines = shown.decode().splitlines()
    assert [line[11:33] for line in lines[1:]] == [
        "changed               ",
        "tools [bold]for[/bold…",
        "first                 ",
    ]
    assert lines[1].endswith("\x1b[32m✓\x1b[0m        \x1b[31m✗\x1b[0m")
    plain = toolcache_at_terminal(marked, "log", env={"NO_COLOR": "1"}).stdout
    assert b"\x1b" not in plain
