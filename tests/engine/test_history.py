"""A mark tells what was found on the content of a commit, and nothing else does."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from gitcache.core.key import TreeId
from gitcache.core.tool import ToolName
from gitcache.engine.history import COUNT, History, history
from gitcache.engine.selected_trees import SelectedTrees
from gitcache.errors import SettingsError
from gitcache.git.look import looking_from
from tests.support.calls import context_in, declare
from tests.support.repository import Repo
from tests.support.stored import contradicting, entry_on, lay, tree_of, with_inputs


def told(repo: Repo, *revisions: str, count: int | None = None, graph: bool = False) -> History:
    return history(revisions, count, graph, context_in(repo.path))


def marks(repo: Repo, *revisions: str) -> list[dict[str, int]]:
    """Return tool → exit status of each commit, the newest first."""
    return [
        {tool: mark.exit_status for tool, mark in each.marks.items()}
        for each in told(repo, *revisions).commits
    ]


@pytest.fixture
def three(repo: Repo) -> Repo:
    """Return a repository with three commits of different content."""
    for text in ("second", "third"):
        repo.write("a.txt", text)
        repo.commit(text)
    return repo


def test_each_commit_has_the_verdicts_on_its_content(three: Repo) -> None:
    lay(three, entry_on(tree_of(three, "HEAD^")), entry_on(tree_of(three), "lint", status=3))
    assert marks(three) == [{"lint": 3}, {"test": 0}, {}]


def test_newest_verdict_counts(three: Repo) -> None:
    tree = tree_of(three)
    lay(three, *(entry_on(tree, status=status, at=at) for status, at in ((1, 1), (0, 3), (2, 2))))
    assert marks(three)[0] == {"test": 0}


def test_commits_with_the_same_content_share_their_marks(three: Repo) -> None:
    three.commit("empty")
    lay(three, entry_on(tree_of(three)))
    assert marks(three) == [{"test": 0}, {"test": 0}, {}, {}]


def test_run_on_changes_marks_the_commit_that_they_became(three: Repo) -> None:
    tree, head = tree_of(three), tree_of(three, "HEAD^")
    lay(three, replace(entry_on(tree), head_tree=head, changes_total=1))
    assert marks(three) == [{"test": 0}, {}, {}]


def test_contradictory_attempts_are_flaky(three: Repo) -> None:
    lay(three, contradicting(entry_on(tree_of(three))))
    (mark,) = told(three).commits[0].marks.values()
    assert mark.is_flaky


def test_what_tells_of_less_marks_nothing(three: Repo) -> None:
    entry = entry_on(tree_of(three))
    lay(
        three,
        replace(with_inputs(entry, argv=("test", "-k", "one")), extra=("-k", "one")),
        with_inputs(entry, tool="command"),
        with_inputs(entry, blind_spots={"sparse": "0"}),
    )
    assert marks(three)[0] == {}


def test_tools_are_those_of_the_worktree_and_those_with_marks(three: Repo) -> None:
    declare(three, {"zeta": "true", "alpha": "true"})
    lay(three, *(entry_on(tree_of(three), tool) for tool in ("old", "beta", "alpha")))
    lay(three, entry_on("1" * 40, "elsewhere"))
    assert told(three).tools == ("zeta", "alpha", "beta", "old")


def test_without_a_range_the_last_commits_of_head_are_listed(three: Repo) -> None:
    for number in range(COUNT):
        three.commit(f"number {number}")
    assert len(told(three).commits) == COUNT
    assert len(told(three, "HEAD").commits) == COUNT + 3
    assert len(told(three, count=COUNT + 1).commits) == COUNT + 1
    assert [each.subject for each in told(three, "HEAD~2..HEAD~1").commits] == ["number 18"]


def test_graph_has_lines_between_commits(three: Repo) -> None:
    three.git("checkout", "--quiet", "-b", "other", "HEAD^")
    three.commit("other")
    three.git("merge", "--quiet", "--no-ff", "-m", "merged", "main")
    found = told(three, graph=True)
    assert [line.graph.strip() for line in found.lines][:2] == ["*", "|\\"]
    assert len(found.commits) == 5
    assert {line.graph for line in told(three).lines} == {""}


def test_before_the_first_commit_there_is_no_history(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    repo = Repo.init(tmp_path_factory.mktemp("new") / "repo")
    assert told(repo) == History(())


def test_commits_of_a_shallow_clone_have_marks(
    three: Repo, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("clone") / "shallow"
    three.git("clone", "--quiet", "--depth=2", f"file://{three.path}", str(path))
    lay(Repo(path), entry_on(tree_of(three)))
    assert marks(Repo(path)) == [{"test": 0}, {}]


def test_wrong_settings_are_told(three: Repo) -> None:
    three.write("toolcache.toml", "tools = 1\n")
    with pytest.raises(SettingsError):
        told(three)


def test_history_leaves_no_trace(three: Repo) -> None:
    lay(three, entry_on(tree_of(three)))
    before = three.traces()
    told(three)
    assert three.traces() == before


@pytest.fixture
def selecting(repo: Repo) -> Repo:
    """Return a repository whose tool looks at ``sub`` only, which changes at every other commit."""
    declare(repo, {"test": "true"}, 'inputs = ["sub"]')
    for number in range(4):
        repo.write("a.txt", f"{number}\n")
        repo.write("sub/b.txt", f"{number // 2}\n")
        repo.commit(f"number {number}")
    return repo


def selected(repo: Repo, at_once: int) -> dict[str, str]:
    """Return tree → what ``test`` selects of it, for the last four commits."""
    trees = [TreeId(tree_of(repo, f"HEAD~{back}")) for back in range(4)]
    with looking_from(repo.path, os.environ) as look:
        found = SelectedTrees(look, {ToolName("test")}, at_once).of(trees)
    return {tree: each[ToolName("test")] for tree, each in found.items()}


def sub_tree(repo: Repo, revision: str) -> str:
    """Return the id of the tree that holds the folder ``sub`` of *revision* alone."""
    sub = repo.git("rev-parse", f"{revision}:sub")
    return repo.git("mktree", stdin=f"040000 tree {sub}\tsub\n".encode())


def test_inputs_mark_every_commit_where_they_select_the_same(selecting: Repo) -> None:
    tree = sub_tree(selecting, "HEAD")
    lay(selecting, replace(entry_on(tree), head_tree=tree_of(selecting), changes_total=2))
    assert marks(selecting, "HEAD~4..HEAD") == [{"test": 0}, {"test": 0}, {}, {}]


def test_real_run_with_inputs_marks_both_commits(selecting: Repo) -> None:
    assert selecting.toolcache("run", "test").status == 0
    assert marks(selecting, "HEAD~4..HEAD") == [{"test": 0}, {"test": 0}, {}, {}]


def test_inputs_are_those_of_each_commit(selecting: Repo) -> None:
    declare(selecting, {"test": "true"}, 'inputs = ["a.txt"]')
    selecting.commit("other inputs")
    lay(selecting, entry_on(sub_tree(selecting, "HEAD")))
    assert marks(selecting, "HEAD~3..HEAD") == [{}, {"test": 0}, {"test": 0}]


def test_selections_are_kept_and_completed_at_the_next_go(selecting: Repo) -> None:
    trees = [tree_of(selecting, f"HEAD~{back}") for back in range(4)]
    expected = {tree: sub_tree(selecting, tree) for tree in trees}
    assert selected(selecting, 3) == {tree: expected[tree] for tree in trees[:3]}
    assert selected(selecting, 1) == expected
    assert selected(selecting, 0) == expected


def test_run_on_the_commit_marks_it_where_its_selection_is_not_known(selecting: Repo) -> None:
    lay(selecting, replace(entry_on("1" * 40), head_tree=tree_of(selecting)))
    assert marks(selecting, "HEAD~2..HEAD") == [{"test": 0}, {}]


def test_inputs_that_select_nothing_and_wrong_settings_mark_nothing(repo: Repo) -> None:
    repo.write("toolcache.toml", "tools = 1\n")
    repo.commit("wrong")
    declare(repo, {"test": "true"}, 'inputs = ["nosuch"]')
    repo.commit("nothing")
    declare(repo, {"test": "true"})
    lay(repo, entry_on(tree_of(repo, "HEAD^^")))
    assert marks(repo) == [{}, {}, {"test": 0}]
