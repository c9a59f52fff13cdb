"""Commits are listed as git lists them, whatever a user's settings make of its looks."""

from __future__ import annotations

import os

import pytest

from gitcache.errors import RepositoryError, UsageError
from gitcache.git.commit_list import ListLine, is_unborn, list_commits
from gitcache.git.repository import find_repository
from tests.support.repository import Repo


def listed(
    repo: Repo, *revisions: str, count: int | None = None, graph: bool = False
) -> tuple[ListLine, ...]:
    return list_commits(find_repository(repo.path, os.environ).git, revisions, count, graph)


def subjects(repo: Repo, *revisions: str, count: int | None = None) -> list[str]:
    found = (line.commit for line in listed(repo, *revisions, count=count))
    return [each.subject for each in found if each is not None]


@pytest.fixture
def forked(repo: Repo) -> Repo:
    """Return a repository whose main branch has a merge of another one."""
    repo.git("checkout", "--quiet", "-b", "other")
    repo.commit("of other")
    repo.git("checkout", "--quiet", "main")
    repo.commit("of main")
    repo.git("merge", "--quiet", "--no-ff", "-m", "merged", "other")
    return repo


def test_commits_are_told_with_their_trees(repo: Repo) -> None:
    repo.write("a.txt", "second\n")
    repo.commit("second\n\nwith a body")
    facts = [repo.git("log", "-1", f"--format={each}", "HEAD") for each in ("%H", "%T")]
    (line,) = listed(repo, "HEAD", count=1)
    assert line.commit is not None
    assert [line.commit.oid, line.commit.tree, line.commit.subject] == [*facts, "second"]


def test_revisions_are_those_of_git(forked: Repo) -> None:
    assert sorted(subjects(forked, "main")) == ["first", "merged", "of main", "of other"]
    assert sorted(subjects(forked, "other..main")) == ["merged", "of main"]
    assert subjects(forked, "main", "^main^1") == ["merged", "of other"]
    assert subjects(forked, "main", count=1) == ["merged"]
    assert subjects(forked, "main", count=0) == []
    assert subjects(forked, "main@{0}^{/of main}", count=1) == ["of main"]


def test_graph_is_gits(forked: Repo) -> None:
    drawn = forked.git("log", "--graph", "--format=%s").splitlines()
    lines = listed(forked, "HEAD", graph=True)
    ours = [f"{line.graph}{line.commit.subject if line.commit else ''}" for line in lines]
    assert [each.rstrip() for each in ours] == [each.rstrip() for each in drawn]
    assert drawn[1] == "|\\  "


@pytest.mark.parametrize(
    "setting",
    [
        ("log.showSignature", "true"),
        ("color.ui", "always"),
        ("log.date", "relative"),
        ("log.decorate", "full"),
        ("log.follow", "true"),
        ("log.diffMerges", "on"),
        ("log.mailmap", "true"),
        ("log.abbrevCommit", "true"),
        ("format.pretty", "fuller"),
        ("format.notes", "*"),
        ("notes.displayRef", "*"),
        ("core.quotePath", "true"),
        ("core.pager", "false"),
        ("pager.log", "false"),
        ("diff.external", "false"),
        ("core.abbrev", "4"),
        ("alias.log", "!false"),
        ("i18n.logOutputEncoding", "ISO-8859-1"),
    ],
)
def test_settings_of_a_user_change_nothing(forked: Repo, setting: tuple[str, str]) -> None:
    forked.git("notes", "add", "-m", "a note")
    forked.commit("späte Änderung")
    before = [listed(forked, "HEAD", graph=graph) for graph in (False, True)]

    forked.git("config", *setting)

    assert [listed(forked, "HEAD", graph=graph) for graph in (False, True)] == before
    assert subjects(forked, "HEAD", count=1) == ["späte Änderung"]


def test_any_subject_is_told(repo: Repo) -> None:
    facts = repo.git("cat-file", "commit", "HEAD").encode().split(b"\n\n")[0]
    commit = facts + b"\n\n\x01a\tb\x01\rc \xff\n"
    oid = repo.git("hash-object", "-w", "-t", "commit", "--stdin", stdin=commit)
    assert subjects(repo, oid, count=1) == ["\x01a\tb\x01\rc \ufffd"]


def test_what_names_no_commit_is_refused(repo: Repo) -> None:
    for revision in ("nosuch", "HEAD..nosuch", "a" * 40):
        with pytest.raises(RepositoryError):
            listed(repo, revision)


@pytest.mark.parametrize("word", ["--output=x", "-p", "--", ""])
def test_option_is_no_revision(repo: Repo, word: str) -> None:
    with pytest.raises(UsageError, match="is no revision"):
        listed(repo, word)
    assert not (repo.path / "x").exists()


def test_head_is_unborn_before_the_first_commit(tmp_path_factory: pytest.TempPathFactory) -> None:
    repo = Repo.init(tmp_path_factory.mktemp("new") / "repo")
    assert is_unborn(find_repository(repo.path, os.environ).git)
    repo.commit()
    assert not is_unborn(find_repository(repo.path, os.environ).git)
