"""Sparse worktrees: part of the tree is not on the disk, and git knows it."""

from __future__ import annotations

from tests.git.states.state import BlindState, State, set_config, writing
from tests.support.referee import Referee
from tests.support.repository import Repo

_BEYOND = Referee(options=("--sparse",))
"""Plain ``git add`` passes over, or refuses, what lies beyond the patterns."""


def cone(repo: Repo) -> BlindState:
    """One folder is checked out; a second one joins."""
    _make_sparse(repo)
    return BlindState(
        here=repo,
        edit=writing(repo, "in/one.txt", "edited\n"),
        overlooked=lambda: repo.git("sparse-checkout", "add", "out"),
    )


def cone_given_up(repo: Repo) -> BlindState:
    """One folder is checked out; then all are."""
    _make_sparse(repo)
    return BlindState(
        here=repo,
        edit=writing(repo, "in/one.txt", "edited\n"),
        overlooked=lambda: repo.git("sparse-checkout", "disable"),
    )


def cone_edited(repo: Repo) -> BlindState:
    """Edited, new, staged and removed files within the cone."""
    _make_sparse(repo)
    repo.write("in/one.txt", "edited\n")
    repo.write("in/new.txt", "new\n")
    (repo.path / "in/two.txt").unlink()
    repo.write("a.txt", "staged\n")
    repo.git("add", "a.txt")
    return BlindState(
        here=repo,
        edit=writing(repo, "in/new.txt", "edited\n"),
        overlooked=lambda: repo.git("sparse-checkout", "add", "out"),
    )


def patterns(repo: Repo) -> BlindState:
    """The worktree's files are chosen by patterns of files."""
    _make_sparse(repo, "--no-cone", "/*", "!/out/", "!two.txt")
    repo.write("in/one.txt", "edited\n")
    return BlindState(
        here=repo,
        edit=writing(repo, "in/one.txt", "again\n"),
        overlooked=lambda: repo.git("sparse-checkout", "set", "--no-cone", "/*", "!/out/"),
    )


def sparse_index(repo: Repo) -> BlindState:
    """The index holds folders beyond the cone as one entry each."""
    _make_sparse(repo, "--cone", "--sparse-index", "in")
    return BlindState(
        here=repo,
        edit=writing(repo, "in/one.txt", "edited\n"),
        overlooked=lambda: repo.git("sparse-checkout", "add", "out"),
    )


def sparse_index_edited(repo: Repo) -> BlindState:
    """Edited, new and removed files with such an index."""
    _make_sparse(repo, "--cone", "--sparse-index", "in")
    repo.write("in/one.txt", "edited\n")
    repo.write("in/new.txt", "new\n")
    (repo.path / "in/two.txt").unlink()
    repo.git("add", "in/new.txt")
    return BlindState(
        here=repo,
        edit=writing(repo, "in/new.txt", "edited\n"),
        overlooked=lambda: repo.git("sparse-checkout", "add", "out"),
    )


def edited_beyond_the_cone(repo: Repo) -> State:
    """A file beyond the cone is there and edited: git's status sees it."""
    _make_sparse(repo)
    repo.write("out/one.txt", "edited\n")
    edit = writing(repo, "out/one.txt", "again\n")
    return State(here=repo, edit=edit, referee=_BEYOND, is_whole=False)


def edited_beyond_the_cone_of_a_sparse_index(repo: Repo) -> State:
    """The same where the index holds the folder beyond the cone as one entry."""
    _make_sparse(repo, "--cone", "--sparse-index", "in")
    repo.write("out/one.txt", "edited\n")
    edit = writing(repo, "out/one.txt", "again\n")
    return State(here=repo, edit=edit, referee=_BEYOND, is_whole=False)


def new_beyond_the_cone(repo: Repo) -> State:
    """A new file beyond the cone: plain ``git add`` refuses it, the tool sees it."""
    _make_sparse(repo)
    repo.write("out/new.txt", "new\n")
    repo.write("in/new.txt", "new\n")
    edit = writing(repo, "out/new.txt", "edited\n")
    return State(here=repo, edit=edit, referee=_BEYOND, is_whole=False)


def expected_beyond_the_cone(repo: Repo) -> BlindState:
    """Git was told that files beyond the cone may be there, and so does not see them."""
    _make_sparse(repo)
    set_config(repo, {"sparse.expectFilesOutsideOfPatterns": "true"})
    repo.write("out/one.txt", "edited\n")
    return BlindState(
        here=repo,
        edit=writing(repo, "in/one.txt", "edited\n"),
        overlooked=writing(repo, "out/one.txt", "again\n"),
    )


def staged_beyond_the_cone(repo: Repo) -> State:
    """A commit ago, a file beyond the cone was another: the index differs from HEAD there."""
    repo.write("out/one.txt", "old\n")
    repo.commit()
    _make_sparse(repo)
    repo.git("reset", "--quiet", "--soft", "HEAD~1")
    return State(here=repo, edit=writing(repo, "in/one.txt", "edited\n"), is_whole=False)


def sparse_in_a_linked_worktree(repo: Repo) -> BlindState:
    """Only the linked worktree is sparse, by its own configuration."""
    _fill(repo)
    there = repo.add_worktree(repo.path.parent / "linked")
    there.git("sparse-checkout", "set", "--cone", "in")
    assert (repo.path / "out/one.txt").exists()
    return BlindState(
        here=there,
        edit=writing(there, "in/one.txt", "edited\n"),
        overlooked=lambda: there.git("sparse-checkout", "add", "out"),
    )


def full_beside_a_sparse_worktree(repo: Repo) -> State:
    """The full worktree beside such a one."""
    _fill(repo)
    there = repo.add_worktree(repo.path.parent / "linked")
    there.git("sparse-checkout", "set", "--cone", "in")
    return State(here=repo, edit=writing(repo, "out/one.txt", "edited\n"))


def sparse_in_name_only(repo: Repo) -> State:
    """Patterns that let everything in: the worktree is full."""
    _make_sparse(repo, "--no-cone", "/*")
    return State(here=repo, edit=writing(repo, "out/one.txt", "edited\n"), is_whole=False)


def _make_sparse(repo: Repo, *words: str) -> None:
    """Check out ``in`` alone, or what *words* choose."""
    _fill(repo)
    repo.git("sparse-checkout", "set", *(words or ("--cone", "in")))


def _fill(repo: Repo) -> None:
    for name in ("in/one.txt", "in/two.txt", "out/one.txt", "out/deep/two.txt", "other/one.txt"):
        repo.write(name, f"{name}\n")
    repo.commit()
