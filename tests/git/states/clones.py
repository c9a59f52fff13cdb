"""Repositories that lack, borrow or replace objects."""

from __future__ import annotations

from tests.git.states.state import (
    BlindState,
    State,
    beside,
    changed,
    set_config,
    writing,
)
from tests.support.repository import Repo


def shallow(repo: Repo) -> State:
    """A clone without history."""
    repo.commit("second")
    return changed(_clone(repo, "--depth=1"))


def shallow_with_a_new_root(repo: Repo) -> State:
    """A repository that was cut short after the fact."""
    for number in range(3):
        repo.write("a.txt", f"{number}\n")
        repo.commit()
    oid = repo.git("rev-parse", "HEAD")
    (repo.path / ".git/shallow").write_text(f"{oid}\n")
    return changed(repo)


def borrowed_objects(repo: Repo) -> State:
    """A clone that has no objects of its own."""
    there = _clone(repo, "--shared")
    assert (there.path / ".git/objects/info/alternates").exists()
    return changed(there)


def borrowed_twice(repo: Repo) -> State:
    """A clone of a clone, each of which borrows from its origin, by a relative name at last."""
    middle = _clone(repo, "--shared", name="middle")
    there = _clone(middle, "--shared", name="far")
    info = middle.path / ".git/objects/info/alternates"
    info.write_text("../../../repo/.git/objects\n")
    return changed(there)


def borrowed_by_variable(repo: Repo) -> State:
    """The caller's variables say where HEAD's objects lie."""
    there = _clone(repo, "--shared")
    (there.path / ".git/objects/info/alternates").unlink()
    env = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": str(repo.path / ".git/objects")}
    there.write("a.txt", "edited\n")
    there.write("sub/new.txt", "new\n")
    return State(here=there, env=env, edit=writing(there, "a.txt", "again\n"))


def partial_without_blobs(repo: Repo) -> State:
    """A clone that fetches old contents when they are asked for."""
    return changed(_clone_partly(repo, "--filter=blob:none"))


def partial_without_blobs_at_an_older_commit(repo: Repo) -> State:
    """HEAD is a commit whose contents were never fetched, while the disk has the newer ones."""
    there = _clone_partly(repo, "--filter=blob:none")
    there.git("reset", "--quiet", "--soft", "HEAD~1")
    return changed(there)


def partial_without_blobs_and_files(repo: Repo) -> State:
    """No content was ever fetched, since nothing is checked out: all files are gone."""
    there = _clone_partly(repo, "--filter=blob:none", "--no-checkout")
    there.git("read-tree", "HEAD")
    return State(here=there, edit=writing(there, "a.txt", "edited\n"))


def partial_without_trees_and_sparse(repo: Repo) -> BlindState:
    """A clone without trees, of which only the top is checked out."""
    there = _clone_partly(repo, "--filter=tree:0", "--sparse")
    there.write("a.txt", "edited\n")
    there.write("new.txt", "new\n")
    return BlindState(
        here=there,
        edit=writing(there, "new.txt", "edited\n"),
        overlooked=lambda: there.git("sparse-checkout", "add", "sub"),
    )


def partial_without_blobs_and_sparse(repo: Repo) -> State:
    """A clone without contents beyond a cone, and a change in a folder of the cone."""
    there = _clone_partly(repo, "--filter=blob:none", "--sparse")
    there.git("sparse-checkout", "set", "--cone", "--sparse-index", "sub")
    there.write("sub/b.txt", "edited\n")
    (there.path / "a.txt").unlink()
    return State(here=there, edit=writing(there, "sub/new.txt", "new\n"), is_whole=False)


def partial_whose_origin_is_gone(repo: Repo) -> State:
    """A clone without contents that it does not need; nobody could give them any more."""
    there = _clone_partly(repo, "--filter=blob:none")
    repo.path.rename(beside(repo, "gone"))
    return changed(there)


def replaced_commit(repo: Repo) -> State:
    """HEAD's commit is replaced by its parent for whoever looks."""
    repo.write("a.txt", "second\n")
    repo.commit()
    repo.git("replace", "HEAD", "HEAD~1")
    return changed(repo)


def replaced_tree(repo: Repo) -> State:
    """HEAD's tree is replaced by its parent's."""
    repo.write("many/0.txt", "second\n")
    repo.commit()
    repo.git("replace", "HEAD^{tree}", "HEAD~1^{tree}")
    repo.write("new.txt", "new\n")
    return State(here=repo, edit=writing(repo, "many/0.txt", "edited\n"))


def replaced_commit_and_clean(repo: Repo) -> State:
    """The same commit, with nothing changed since."""
    repo.write("a.txt", "second\n")
    repo.commit()
    repo.git("replace", "HEAD", "HEAD~1")
    return State(here=repo, edit=writing(repo, "a.txt", "a\n"))


def grafted_commit(repo: Repo) -> State:
    """HEAD has other parents for whoever looks."""
    repo.commit("second")
    repo.git("replace", "--graft", "HEAD")
    return changed(repo)


def _clone(repo: Repo, *options: str, name: str = "clone") -> Repo:
    """Clone *repo* as from far away, except where the clone borrows objects."""
    path = beside(repo, name)
    url = str(repo.path) if "--shared" in options else f"file://{repo.path}"
    repo.git("clone", "--quiet", *options, url, str(path))
    return Repo(path)


def _clone_partly(repo: Repo, *options: str) -> Repo:
    """Clone *repo* without some objects, after another commit that changed every file."""
    set_config(repo, {"uploadpack.allowFilter": "true", "uploadpack.allowAnySHA1InWant": "true"})
    for name in ("a.txt", "sub/b.txt", "far/c.txt"):
        repo.write(name, f"second {name}\n")
    repo.commit("second")
    return _clone(repo, *options)
