"""Submodules: the tree holds a commit, the disk may hold anything."""

from __future__ import annotations

import os
import shutil

from tests.git.states.state import BlindState, Refusal, State, beside, set_config, writing
from tests.support.repository import Repo


def submodule(repo: Repo) -> State:
    """A submodule at the commit that the tree names."""
    lib = _add_submodule(repo)
    return State(here=repo, edit=lambda: lib.git("checkout", "--quiet", "HEAD~1"))


def submodule_moved(repo: Repo) -> State:
    """A submodule at another commit than the index names."""
    lib = _add_submodule(repo)
    lib.git("checkout", "--quiet", "HEAD~1")
    return State(here=repo, edit=writing(repo, "a.txt", "edited\n"))


def submodule_moved_and_staged(repo: Repo) -> State:
    """A submodule's new commit is staged, and it moves back on the disk."""
    lib = _add_submodule(repo)
    lib.git("checkout", "--quiet", "HEAD~1")
    repo.git("add", "lib")
    return State(here=repo, edit=lambda: lib.git("checkout", "--quiet", "main"))


def submodule_with_a_commit_of_its_own(repo: Repo) -> State:
    """A submodule with a commit that exists nowhere else."""
    lib = _add_submodule(repo)
    lib.write("lib.txt", "own\n")
    lib.commit("own")
    return State(here=repo, edit=lambda: lib.commit("another"))


def submodule_edited(repo: Repo) -> BlindState:
    """An edit within a submodule: git sees that there is one, not which."""
    lib = _add_submodule(repo)
    lib.write("lib.txt", "edited\n")
    return _blind(repo, lib, "lib.txt")


def submodule_to_be_edited(repo: Repo) -> BlindState:
    """A clean submodule that gets its first edit."""
    return _blind(repo, _add_submodule(repo), "lib.txt")


def submodule_with_a_new_file(repo: Repo) -> BlindState:
    """A new file within a submodule."""
    lib = _add_submodule(repo)
    lib.write("new.txt", "new\n")
    return _blind(repo, lib, "new.txt")


def submodule_with_a_staged_edit(repo: Repo) -> BlindState:
    """An edit within a submodule that is staged there."""
    lib = _add_submodule(repo)
    lib.write("lib.txt", "staged\n")
    lib.git("add", "lib.txt")
    return _blind(repo, lib, "lib.txt")


def submodule_moved_and_edited(repo: Repo) -> BlindState:
    """A submodule at another commit, with an edit."""
    lib = _add_submodule(repo)
    lib.git("checkout", "--quiet", "HEAD~1")
    lib.write("lib.txt", "edited\n")
    return _blind(repo, lib, "lib.txt")


def submodule_with_a_file_taken_on_trust(repo: Repo) -> BlindState:
    """Within a submodule too git may be told to overlook a file."""
    lib = _add_submodule(repo)
    lib.git("update-index", "--assume-unchanged", "lib.txt")
    return _blind(repo, lib, "lib.txt")


def submodule_of_a_submodule_edited(repo: Repo) -> BlindState:
    """An edit two submodules deep, while the first is clean by itself."""
    lib = _add_submodule(repo, _make_library(repo, with_inner=True))
    lib.git("submodule", "--quiet", "update", "--init")
    return _blind(repo, Repo(lib.path / "inner"), "lib.txt")


def submodule_ignored_by_its_settings(repo: Repo) -> State:
    """``ignore=all`` in ``.gitmodules``, and a moved submodule: ``git add`` sees it."""
    lib = _add_submodule(repo)
    repo.git("config", "--file", ".gitmodules", "submodule.lib.ignore", "all")
    repo.commit()
    lib.git("checkout", "--quiet", "HEAD~1")
    return State(here=repo, edit=lambda: lib.git("checkout", "--quiet", "main"))


def submodule_ignored_by_the_user(repo: Repo) -> BlindState:
    """``ignore=all`` in the user's own settings, and an edit within the submodule."""
    lib = _add_submodule(repo)
    set_config(repo, {"submodule.lib.ignore": "all", "diff.ignoreSubmodules": "all"})
    lib.git("checkout", "--quiet", "HEAD~1")
    lib.write("lib.txt", "edited\n")
    return _blind(repo, lib, "lib.txt")


def submodule_that_is_not_active(repo: Repo) -> BlindState:
    """A submodule that the settings call inactive, and which is there."""
    lib = _add_submodule(repo)
    set_config(repo, {"submodule.lib.active": "false"})
    return _blind(repo, lib, "lib.txt")


def submodule_not_yet_there(repo: Repo) -> BlindState:
    """An empty folder where the submodule would be: the same tree, and not the same content."""
    _add_submodule(repo)
    repo.git("submodule", "--quiet", "deinit", "--force", "lib")
    return BlindState(
        here=repo,
        edit=lambda: (repo.path / "lib").rmdir(),
        overlooked=lambda: repo.git("submodule", "--quiet", "update", "--init"),
    )


def submodule_replaced_by_files(repo: Repo) -> BlindState:
    """Files and no ``.git`` where the submodule would be: git looks at none of them."""
    _add_submodule(repo)
    repo.git("submodule", "--quiet", "deinit", "--force", "lib")
    repo.write("lib/lib.txt", "2\n")
    return _blind(repo, Repo(repo.path / "lib"), "lib.txt")


def submodule_replaced_by_a_first_file(repo: Repo) -> BlindState:
    """An empty folder where the submodule would be gets a file, in a folder of its own."""
    _add_submodule(repo)
    repo.git("submodule", "--quiet", "deinit", "--force", "lib")
    return _blind(repo, Repo(repo.path / "lib"), "deep/new.txt")


def submodule_replaced_by_odd_files(repo: Repo) -> BlindState:
    """The same with names that are no text, a link, a program, a pipe and an empty folder."""
    _add_submodule(repo)
    repo.git("submodule", "--quiet", "deinit", "--force", "lib")
    repo.write(os.fsdecode(b"lib/\xff\n"), "odd\n")
    repo.write("lib/run.sh", "echo\n").chmod(0o755)
    (repo.path / "lib/link").symlink_to("nowhere")
    (repo.path / "lib/empty").mkdir()
    os.mkfifo(repo.path / "lib/pipe")
    return _blind(repo, Repo(repo.path / "lib"), os.fsdecode(b"\xff\n"))


def submodule_taken_on_trust(repo: Repo) -> BlindState:
    """A submodule marked as unchanged: git does not see that it moves."""
    lib = _add_submodule(repo)
    repo.git("update-index", "--assume-unchanged", "lib")
    return BlindState(
        here=repo,
        edit=writing(repo, "a.txt", "edited\n"),
        overlooked=lambda: lib.git("checkout", "--quiet", "HEAD~1"),
    )


def submodule_removed_from_the_disk(repo: Repo) -> State:
    """The submodule's folder is gone."""
    _add_submodule(repo)
    shutil.rmtree(repo.path / "lib")
    return State(here=repo, edit=lambda: (repo.path / "lib").mkdir(), is_whole=False)


def submodule_removed_by_git(repo: Repo) -> State:
    """The submodule was removed with its entry in ``.gitmodules``."""
    _add_submodule(repo)
    repo.git("rm", "--quiet", "lib")
    return State(here=repo, edit=writing(repo, "lib", "a file now\n"))


def submodule_forgotten_by_the_index(repo: Repo) -> State:
    """The submodule is there, but the index was told to forget it: a nested repository."""
    lib = _add_submodule(repo)
    repo.git("rm", "--quiet", "--cached", "lib")
    return State(here=repo, edit=lambda: lib.git("checkout", "--quiet", "HEAD~1"))


def submodule_becomes_a_file(repo: Repo) -> State:
    """A file where the submodule was."""
    _add_submodule(repo)
    shutil.rmtree(repo.path / "lib")
    repo.write("lib", "a file now\n")
    return State(here=repo, edit=writing(repo, "lib", "edited\n"))


def submodule_becomes_a_link(repo: Repo) -> State:
    """A link to a folder where the submodule was."""
    _add_submodule(repo)
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
    _make_library(repo)
    repo.git("submodule", "--quiet", "add", "../lib", "lib")
    lib = Repo(repo.path / "lib")
    return State(here=repo, edit=lambda: lib.git("checkout", "--quiet", "HEAD~1"))


def submodule_in_conflict(repo: Repo) -> State:
    """Both sides moved the submodule."""
    lib = _add_submodule(repo)
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
    lib = _add_submodule(repo)
    good = (lib.path / ".git").read_text()
    lib.write(".git", "gitdir: ../.git/modules/gone\n")
    return Refusal(here=repo, names="lib", cure=writing(lib, ".git", good))


def submodule_with_its_own_git_folder(repo: Repo) -> BlindState:
    """A submodule whose git folder lies in it, as a plain clone that was added."""
    _make_library(repo)
    repo.git("clone", "--quiet", "../lib", "lib")
    repo.commit()
    return _blind(repo, Repo(repo.path / "lib"), "lib.txt")


def gitlink_without_gitmodules(repo: Repo) -> State:
    """A commit in the tree without a line in ``.gitmodules``, and nothing on the disk."""
    oid = "1" * 40
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{oid},ghost")
    repo.git("commit", "--quiet", "--message", "ghost")
    (repo.path / "ghost").mkdir()
    return State(here=repo, edit=(repo.path / "ghost").rmdir, is_whole=False)


def look_from_within_a_submodule(repo: Repo) -> State:
    """The submodule itself is the worktree; its git folder lies in the outer one's."""
    lib = _add_submodule(repo)
    lib.write("new.txt", "new\n")
    return State(here=lib, edit=writing(lib, "lib.txt", "edited\n"))


def submodules_in_a_linked_worktree(repo: Repo) -> BlindState:
    """A linked worktree whose submodule is not there yet."""
    _add_submodule(repo)
    there = repo.add_worktree(beside(repo, "linked"))
    return BlindState(
        here=there,
        edit=writing(there, "a.txt", "edited\n"),
        overlooked=lambda: there.git("submodule", "--quiet", "update", "--init"),
    )


def _blind(repo: Repo, lib: Repo, name: str) -> BlindState:
    """Return the state in which *name* within *lib* is edited behind git's back."""
    return BlindState(
        here=repo,
        edit=writing(repo, "a.txt", "edited\n"),
        overlooked=writing(lib, name, "overlooked\n"),
    )


def _make_library(repo: Repo, *, with_inner: bool = False) -> str:
    """Make a repository beside *repo* and return its name as seen from there."""
    lib = Repo.init(beside(repo, "lib"))
    for number in (1, 2):
        lib.write("lib.txt", f"{number}\n")
        lib.commit(f"{number}")
    if not with_inner:
        return "../lib"
    outer = Repo.init(beside(repo, "outer"))
    outer.git("submodule", "--quiet", "add", "../lib", "inner")
    outer.commit("with a submodule")
    return "../outer"


def _add_submodule(repo: Repo, url: str = "") -> Repo:
    """Commit a submodule at ``lib`` and return it."""
    repo.git("submodule", "--quiet", "add", url or _make_library(repo), "lib")
    repo.commit("with a submodule")
    return Repo(repo.path / "lib")


def _put_in_conflict(repo: Repo, name: str) -> None:
    """Give the index three sides of the gitlink *name*."""
    sides = [repo.git("rev-parse", f"{branch}:{name}") for branch in ("main", "theirs", "ours")]
    lines = [f"0 {'0' * 40}\t{name}"]
    lines += [f"160000 {oid} {stage}\t{name}" for stage, oid in enumerate(sides, 1)]
    repo.git("update-index", "--index-info", stdin="\n".join(lines).encode() + b"\n")
