"""Submodules: the tree holds a commit, which moves, comes and goes."""

from __future__ import annotations

import shutil

from tests.git.states.library import add_submodule, make_library
from tests.git.states.state import Refusal, State, writing
from tests.support.repository import Repo


def submodule(repo: Repo) -> State:
    """A submodule at the commit that the tree names."""
    lib = add_submodule(repo)
    return State(here=repo, edit=lambda: lib.git("checkout", "--quiet", "HEAD~1"))


def submodule_moved(repo: Repo) -> State:
    """A submodule at another commit than the index names."""
    lib = add_submodule(repo)
    lib.git("checkout", "--quiet", "HEAD~1")
    return State(here=repo, edit=writing(repo, "a.txt", "edited\n"))


def submodule_moved_and_staged(repo: Repo) -> State:
    """A submodule's new commit is staged, and it moves back on the disk."""
    lib = add_submodule(repo)
    lib.git("checkout", "--quiet", "HEAD~1")
    repo.git("add", "lib")
    return State(here=repo, edit=lambda: lib.git("checkout", "--quiet", "main"))


def submodule_with_a_commit_of_its_own(repo: Repo) -> State:
    """A submodule with a commit that exists nowhere else."""
    lib = add_submodule(repo)
    lib.write("lib.txt", "own\n")
    lib.commit("own")
    return State(here=repo, edit=lambda: lib.commit("another"))


def submodule_ignored_by_its_settings(repo: Repo) -> State:
    """``ignore=all`` in ``.gitmodules``, and a moved submodule: ``git add`` sees it."""
    lib = add_submodule(repo)
    repo.git("config", "--file", ".gitmodules", "submodule.lib.ignore", "all")
    repo.commit()
    lib.git("checkout", "--quiet", "HEAD~1")
    return State(here=repo, edit=lambda: lib.git("checkout", "--quiet", "main"))


def submodule_removed_from_the_disk(repo: Repo) -> State:
    """The submodule's folder is gone."""
    add_submodule(repo)
    shutil.rmtree(repo.path / "lib")
    return State(here=repo, edit=lambda: (repo.path / "lib").mkdir(), is_whole=False)


def submodule_removed_by_git(repo: Repo) -> State:
    """The submodule was removed with its entry in ``.gitmodules``."""
    add_submodule(repo)
    repo.git("rm", "--quiet", "lib")
    return State(here=repo, edit=writing(repo, "lib", "a file now\n"))


def submodule_forgotten_by_the_index(repo: Repo) -> State:
    """The submodule is there, but the index was told to forget it: a nested repository."""
    lib = add_submodule(repo)
    repo.git("rm", "--quiet", "--cached", "lib")
    return State(here=repo, edit=lambda: lib.git("checkout", "--quiet", "HEAD~1"))


def submodule_becomes_a_file(repo: Repo) -> State:
    """A file where the submodule was."""
    add_submodule(repo)
    shutil.rmtree(repo.path / "lib")
    repo.write("lib", "a file now\n")
    return State(here=repo, edit=writing(repo, "lib", "edited\n"))


def submodule_becomes_a_link(repo: Repo) -> State:
    """A link to a folder where the submodule was."""
    add_submodule(repo)
    shutil.rmtree(repo.path / "lib")
    (repo.path / "lib").symlink_to("sub")
    return State(here=repo, edit=writing(repo, "sub/b.txt", "edited\n"))


def folder_becomes_a_submodule(repo: Repo) -> State:
    """A nested repository where tracked files were; they are within it."""
    nested = Repo(repo.path / "sub")
    nested.git("init", "--quiet")
    nested.commit()
    return State(here=repo, edit=writing(repo, "a.txt", "edited\n"), is_whole=False)


def submodule_newly_added(repo: Repo) -> State:
    """A submodule that is staged and not committed."""
    make_library(repo)
    repo.git("submodule", "--quiet", "add", "../lib", "lib")
    lib = Repo(repo.path / "lib")
    return State(here=repo, edit=lambda: lib.git("checkout", "--quiet", "HEAD~1"))


def submodule_in_conflict(repo: Repo) -> State:
    """Both sides moved the submodule."""
    lib = add_submodule(repo)
    for branch in ("ours", "theirs"):
        repo.git("switch", "--quiet", "--create", branch, "main")
        lib.git("checkout", "--quiet", "main")
        lib.write("lib.txt", f"{branch}\n")
        lib.commit(branch)
        repo.commit(branch)
    repo.git("merge", "--quiet", "--strategy=ours", "--no-commit", "ours")
    _put_in_conflict(repo, "lib")
    return State(here=repo, edit=lambda: lib.git("checkout", "--quiet", "HEAD~1"))


def submodule_whose_repository_is_broken(repo: Repo) -> Refusal:
    """The submodule's ``.git`` leads nowhere; the repository around it must not answer for it."""
    lib = add_submodule(repo)
    good = (lib.path / ".git").read_text()
    lib.write(".git", "gitdir: ../.git/modules/gone\n")
    return Refusal(here=repo, names="lib", cure=writing(lib, ".git", good))


def gitlink_without_gitmodules(repo: Repo) -> State:
    """A commit in the tree without a line in ``.gitmodules``, and nothing on the disk."""
    oid = "1" * 40
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{oid},ghost")
    repo.git("commit", "--quiet", "--message", "ghost")
    (repo.path / "ghost").mkdir()
    return State(here=repo, edit=(repo.path / "ghost").rmdir, is_whole=False)


def look_from_within_a_submodule(repo: Repo) -> State:
    """The submodule itself is the worktree; its git folder lies in the outer one's."""
    lib = add_submodule(repo)
    lib.write("new.txt", "new\n")
    return State(here=lib, edit=writing(lib, "lib.txt", "edited\n"))


def _put_in_conflict(repo: Repo, name: str) -> None:
    """Give the index three sides of the gitlink *name*."""
    sides = [repo.git("rev-parse", f"{branch}:{name}") for branch in ("main", "theirs", "ours")]
    lines = [f"0 {'0' * 40}\t{name}"]
    lines += [f"160000 {oid} {stage}\t{name}" for stage, oid in enumerate(sides, 1)]
    repo.git("update-index", "--index-info", stdin="\n".join(lines).encode() + b"\n")
