"""Repositories within the worktree that are no submodules."""

from __future__ import annotations

import os

from tests.git.states.state import BlindState, Refusal, State, writing
from tests.support.repository import Repo


def nested(repo: Repo) -> State:
    """A nested repository with a commit: the tree holds that commit."""
    there = _nest(repo, "nest")
    return State(here=repo, edit=lambda: there.commit("more"))


def nested_and_edited(repo: Repo) -> BlindState:
    """An edit in a nested repository."""
    there = _nest(repo, "nest")
    there.write("in.txt", "edited\n")
    return _blind(repo, there, "in.txt")


def nested_and_to_be_edited(repo: Repo) -> BlindState:
    """A clean nested repository that gets a new file."""
    return _blind(repo, _nest(repo, "nest"), "new.txt")


def nested_deep(repo: Repo) -> BlindState:
    """A nested repository some folders down, with files beside it."""
    there = _nest(repo, "one/two/nest")
    repo.write("one/two/beside.txt", "beside\n")
    return _blind(repo, there, "in.txt")


def nested_in_nested(repo: Repo) -> BlindState:
    """A repository in a nested one: the outer's own snapshot holds its commit, not its files."""
    there = _nest(repo, "nest")
    within = _nest(there, "deeper")
    return _blind(repo, within, "in.txt")


def nested_with_an_odd_name(repo: Repo) -> BlindState:
    """Nested repositories whose names hold blanks, a quote and a newline, or are no text."""
    _nest(repo, os.fsdecode(b"bytes\xff")).write("in.txt", "edited\n")
    return _blind(repo, _nest(repo, 'odd "\nname '), "in.txt")


def nested_and_ignored(repo: Repo) -> State:
    """A nested repository that a rule hides: it is in no tree."""
    repo.write(".gitignore", "nest/\n")
    _nest(repo, "nest")
    return State(here=repo, edit=writing(repo, ".gitignore", ""))


def nested_with_hidden_files(repo: Repo) -> State:
    """A nested repository's own ignore rules hold within it."""
    there = _nest(repo, "nest")
    there.write(".gitignore", "*.log\n")
    there.commit()
    there.write("new.log", "new\n")
    return State(here=repo, edit=lambda: there.commit("more"))


def nested_and_bare(repo: Repo) -> State:
    """A bare repository in the worktree: its files are files as others are."""
    repo.git("init", "--quiet", "--bare", "--template=", "bare.git")
    return State(here=repo, edit=writing(repo, "bare.git/description", "edited\n"))


def nested_without_a_commit(repo: Repo) -> Refusal:
    """A nested repository before its first commit: ``git add`` refuses it."""
    there = Repo.init(repo.path / "nest")
    there.write("in.txt", "in\n")
    return Refusal(here=repo, names="nest", cure=lambda: there.commit("first"))


def nested_without_anything(repo: Repo) -> Refusal:
    """A nested repository before its first file: ``git add`` refuses it too."""
    there = Repo.init(repo.path / "nest")
    return Refusal(here=repo, names="nest", cure=lambda: there.commit("first"))


def nested_and_corrupt(repo: Repo) -> Refusal:
    """A nested repository whose commit is missing: what is in it can't be told."""
    there = _nest(repo, "nest")
    head = there.path / ".git/HEAD"
    good = head.read_text()
    head.write_text(f"{'1' * 40}\n")
    return Refusal(here=repo, names="nest", cure=lambda: head.write_text(good))


def nested_and_broken(repo: Repo) -> State:
    """Folders whose ``.git`` is no repository: a file of garbage, a dead end, an empty folder."""
    repo.write("garbage/.git", "garbage\n")
    repo.write("dead-end/.git", "gitdir: /nowhere/at/all\n")
    (repo.path / "hollow/.git").mkdir(parents=True)
    for folder in ("garbage", "dead-end", "hollow"):
        repo.write(f"{folder}/in.txt", "in\n")
    return State(here=repo, edit=writing(repo, "dead-end/in.txt", "edited\n"))


def nested_and_staged(repo: Repo) -> State:
    """A nested repository that was added, and has moved since."""
    there = _nest(repo, "nest")
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "nest")
    there.commit("more")
    return State(here=repo, edit=lambda: there.commit("again"))


def worktree_within(repo: Repo) -> BlindState:
    """A linked worktree of the same repository, in the worktree."""
    return _blind(repo, repo.add_worktree(repo.path / "within"), "a.txt")


def look_from_a_worktree_within(repo: Repo) -> State:
    """The look is from that linked worktree."""
    there = repo.add_worktree(repo.path / "within")
    there.write("new.txt", "new\n")
    return State(here=there, edit=writing(there, "new.txt", "edited\n"))


def look_from_a_nested_repository(repo: Repo) -> State:
    """The look is from a nested repository, which is a worktree of its own."""
    there = _nest(repo, "nest")
    there.write("in.txt", "edited\n")
    return State(here=there, edit=writing(there, "in.txt", "again\n"))


def _nest(repo: Repo, name: str) -> Repo:
    """Make a repository with one commit below *repo*."""
    there = Repo.init(repo.path / name)
    there.write("in.txt", "in\n")
    there.commit("nested")
    return there


def _blind(repo: Repo, nested: Repo, name: str) -> BlindState:
    """Return the state in which *name* within *nested* is edited behind git's back."""
    return BlindState(
        here=repo,
        edit=writing(repo, "a.txt", "edited\n"),
        overlooked=writing(nested, name, "overlooked\n"),
    )
