"""What lies within submodules: git sees that something is there, at best."""

from __future__ import annotations

import os

from tests.git.states.library import add_submodule, make_library
from tests.git.states.state import BlindState, beside, set_config, writing
from tests.support.repository import Repo


def submodule_edited(repo: Repo) -> BlindState:
    """An edit within a submodule: git sees that there is one, not which."""
    lib = add_submodule(repo)
    lib.write("lib.txt", "edited\n")
    return _blind(repo, lib, "lib.txt")


def submodule_to_be_edited(repo: Repo) -> BlindState:
    """A clean submodule that gets its first edit."""
    return _blind(repo, add_submodule(repo), "lib.txt")


def submodule_with_a_new_file(repo: Repo) -> BlindState:
    """A new file within a submodule."""
    lib = add_submodule(repo)
    lib.write("new.txt", "new\n")
    return _blind(repo, lib, "new.txt")


def submodule_with_a_staged_edit(repo: Repo) -> BlindState:
    """An edit within a submodule that is staged there."""
    lib = add_submodule(repo)
    lib.write("lib.txt", "staged\n")
    lib.git("add", "lib.txt")
    return _blind(repo, lib, "lib.txt")


def submodule_moved_and_edited(repo: Repo) -> BlindState:
    """A submodule at another commit, with an edit."""
    lib = add_submodule(repo)
    lib.git("checkout", "--quiet", "HEAD~1")
    lib.write("lib.txt", "edited\n")
    return _blind(repo, lib, "lib.txt")


def submodule_with_a_file_taken_on_trust(repo: Repo) -> BlindState:
    """Within a submodule too git may be told to overlook a file."""
    lib = add_submodule(repo)
    lib.git("update-index", "--assume-unchanged", "lib.txt")
    return _blind(repo, lib, "lib.txt")


def submodule_of_a_submodule_edited(repo: Repo) -> BlindState:
    """An edit two submodules deep, while the first is clean by itself."""
    lib = add_submodule(repo, make_library(repo, with_inner=True))
    lib.git("submodule", "--quiet", "update", "--init")
    return _blind(repo, Repo(lib.path / "inner"), "lib.txt")


def submodule_ignored_by_the_user(repo: Repo) -> BlindState:
    """``ignore=all`` in the user's own settings, and an edit within the submodule."""
    lib = add_submodule(repo)
    set_config(repo, {"submodule.lib.ignore": "all", "diff.ignoreSubmodules": "all"})
    lib.git("checkout", "--quiet", "HEAD~1")
    lib.write("lib.txt", "edited\n")
    return _blind(repo, lib, "lib.txt")


def submodule_that_is_not_active(repo: Repo) -> BlindState:
    """A submodule that the settings call inactive, and which is there."""
    lib = add_submodule(repo)
    set_config(repo, {"submodule.lib.active": "false"})
    return _blind(repo, lib, "lib.txt")


def submodule_not_yet_there(repo: Repo) -> BlindState:
    """An empty folder where the submodule would be: the same tree, and not the same content."""
    add_submodule(repo)
    repo.git("submodule", "--quiet", "deinit", "--force", "lib")
    return BlindState(
        here=repo,
        edit=lambda: (repo.path / "lib").rmdir(),
        overlooked=lambda: repo.git("submodule", "--quiet", "update", "--init"),
    )


def submodule_replaced_by_files(repo: Repo) -> BlindState:
    """Files and no ``.git`` where the submodule would be: git looks at none of them."""
    add_submodule(repo)
    repo.git("submodule", "--quiet", "deinit", "--force", "lib")
    repo.write("lib/lib.txt", "2\n")
    return _blind(repo, Repo(repo.path / "lib"), "lib.txt")


def submodule_replaced_by_a_first_file(repo: Repo) -> BlindState:
    """An empty folder where the submodule would be gets a file, in a folder of its own."""
    add_submodule(repo)
    repo.git("submodule", "--quiet", "deinit", "--force", "lib")
    return _blind(repo, Repo(repo.path / "lib"), "deep/new.txt")


def submodule_replaced_by_odd_files(repo: Repo) -> BlindState:
    """The same with names that are no text, a link, a program, a pipe and an empty folder."""
    add_submodule(repo)
    repo.git("submodule", "--quiet", "deinit", "--force", "lib")
    repo.write(os.fsdecode(b"lib/\xff\n"), "odd\n")
    repo.write("lib/run.sh", "echo\n").chmod(0o755)
    (repo.path / "lib/link").symlink_to("nowhere")
    (repo.path / "lib/empty").mkdir()
    os.mkfifo(repo.path / "lib/pipe")
    return _blind(repo, Repo(repo.path / "lib"), os.fsdecode(b"\xff\n"))


def submodule_taken_on_trust(repo: Repo) -> BlindState:
    """A submodule marked as unchanged: git does not see that it moves."""
    lib = add_submodule(repo)
    repo.git("update-index", "--assume-unchanged", "lib")
    return BlindState(
        here=repo,
        edit=writing(repo, "a.txt", "edited\n"),
        overlooked=lambda: lib.git("checkout", "--quiet", "HEAD~1"),
    )


def submodule_with_its_own_git_folder(repo: Repo) -> BlindState:
    """A submodule whose git folder lies in it, as a plain clone that was added."""
    make_library(repo)
    repo.git("clone", "--quiet", "../lib", "lib")
    repo.commit()
    return _blind(repo, Repo(repo.path / "lib"), "lib.txt")


def submodules_in_a_linked_worktree(repo: Repo) -> BlindState:
    """A linked worktree whose submodule is not there yet."""
    add_submodule(repo)
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
