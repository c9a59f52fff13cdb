"""Where the repository is and how the caller says so: variables, worktrees, branches, folders."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.git.states.state import Refusal, State, beside, program, set_config, writing
from tests.support.repository import Repo


def unborn_and_empty(repo: Repo) -> State:
    """No commit and no file."""
    there = Repo.init(beside(repo, "unborn"))
    return State(here=there, edit=writing(there, "new.txt", "new\n"))


def unborn_and_staged(repo: Repo) -> State:
    """No commit, staged files, one of them edited since, and a new one."""
    there = Repo.init(beside(repo, "unborn"))
    there.write("one.txt", "1\n")
    there.write("deep/two.txt", "2\n")
    there.git("add", "--all")
    there.write("one.txt", "edited\n")
    there.write("new.txt", "new\n")
    return State(here=there, edit=writing(there, "deep/two.txt", "edited\n"))


def unborn_branch_beside_a_born_one(repo: Repo) -> State:
    """A branch without a commit, with the files of another branch staged."""
    repo.git("switch", "--quiet", "--orphan", "new")
    repo.write("a.txt", "a\n")
    repo.git("add", "a.txt")
    return State(here=repo, edit=writing(repo, "a.txt", "edited\n"))


def detached(repo: Repo) -> State:
    """HEAD names a commit and no branch."""
    repo.write("a.txt", "second\n")
    repo.commit()
    repo.git("checkout", "--quiet", "--detach", "HEAD~1")
    repo.write("sub/b.txt", "edited\n")
    return State(here=repo, edit=writing(repo, "a.txt", "second\n"))


def head_moved_softly(repo: Repo) -> State:
    """HEAD is another commit than the index and the disk come from."""
    repo.write("a.txt", "second\n")
    repo.write("new.txt", "new\n")
    repo.commit()
    repo.git("reset", "--quiet", "--soft", "HEAD~1")
    return State(here=repo, edit=writing(repo, "new.txt", "edited\n"))


def head_moved_with_the_index(repo: Repo) -> State:
    """HEAD and the index are another commit than the disk comes from."""
    repo.write("a.txt", "second\n")
    repo.write("new.txt", "new\n")
    repo.commit()
    repo.git("reset", "--quiet", "--mixed", "HEAD~1")
    return State(here=repo, edit=writing(repo, "new.txt", "edited\n"))


def head_moves_under_the_same_files(repo: Repo) -> State:
    """The files stay as they are and become a commit; only then one is edited."""
    repo.write("a.txt", "second\n")

    def edit() -> None:
        repo.commit()
        repo.write("a.txt", "third!\n")

    return State(here=repo, edit=edit)


def refs_packed(repo: Repo) -> State:
    """No loose ref and no loose object."""
    repo.git("pack-refs", "--all")
    repo.git("repack", "-a", "-d", "--quiet")
    repo.write("a.txt", "edited\n")
    return State(here=repo, edit=writing(repo, "a.txt", "again\n"))


def linked_worktree(repo: Repo) -> State:
    """A second worktree, with its own changes; the first has others."""
    there = repo.add_worktree(beside(repo, "linked"))
    repo.write("a.txt", "edited in the first\n")
    there.write("a.txt", "edited\n")
    there.write("new.txt", "new\n")
    return State(here=there, edit=writing(there, "new.txt", "edited\n"))


def linked_worktree_on_a_branch(repo: Repo) -> State:
    """A second worktree whose branch has gone ahead."""
    repo.git("worktree", "add", "--quiet", "-b", "topic", str(beside(repo, "linked")))
    there = Repo(beside(repo, "linked"))
    there.write("a.txt", "topic\n")
    there.commit()
    there.git("rm", "--quiet", "sub/b.txt")
    return State(here=there, edit=writing(there, "sub/b.txt", "b\n"))


def subfolder(repo: Repo) -> State:
    """The caller stands in a subfolder: files beside and above it count."""
    repo.write("a.txt", "edited\n")
    repo.write("sub/new.txt", "new\n")
    repo.write("top.txt", "new\n")
    return State(here=repo, folder="sub", edit=writing(repo, "top.txt", "edited\n"))


def subfolder_that_git_does_not_know(repo: Repo) -> State:
    """The caller stands in an ignored folder."""
    repo.write(".gitignore", "build/\n")
    repo.write("build/out.txt", "out\n")
    repo.write("a.txt", "edited\n")
    return State(here=repo, folder="build", edit=writing(repo, "a.txt", "again\n"))


def subfolder_by_a_link(repo: Repo) -> State:
    """The caller has come to the worktree through a link."""
    beside(repo, "link").symlink_to("repo/sub")
    repo.write("a.txt", "edited\n")
    here = Repo(beside(repo, "link"))
    return State(here=here, edit=writing(repo, "a.txt", "again\n"))


def index_locked_by_somebody(repo: Repo) -> State:
    """Another process has the index locked."""
    (repo.path / ".git/index.lock").touch()
    repo.write("a.txt", "edited\n")
    return State(here=repo, edit=writing(repo, "a.txt", "again\n"))


def all_locked_by_somebody(repo: Repo) -> State:
    """Another process, or one that died, has locked whatever git locks."""
    for name in ("index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock"):
        (repo.path / ".git" / name).touch()
    (repo.path / ".git/refs/heads/main.lock").touch()
    repo.write("a.txt", "edited\n")
    return State(here=repo, edit=writing(repo, "a.txt", "again\n"))


def core_worktree(repo: Repo) -> State:
    """The configuration says that the worktree is elsewhere."""
    tree = beside(repo, "tree")
    shutil.copytree(repo.path / "sub", tree / "sub")
    (tree / "a.txt").write_text("edited\n")
    set_config(repo, {"core.worktree": "../../tree"})
    return State(here=repo, edit=lambda: (tree / "sub/b.txt").write_text("edited\n"))


def core_worktree_seen_from_there(repo: Repo) -> State:
    """The same, and the caller stands in that worktree, which has a file for its ``.git``."""
    core_worktree(repo)
    there = Repo(beside(repo, "tree"))
    there.write(".git", "gitdir: ../repo/.git\n")
    return State(here=there, folder="sub", edit=writing(there, "sub/b.txt", "edited\n"))


def git_dir_by_a_link(repo: Repo) -> State:
    """The git folder is a link to where it really is."""
    (repo.path / ".git").rename(beside(repo, "its.git"))
    (repo.path / ".git").symlink_to("../its.git")
    repo.write("a.txt", "edited\n")
    return State(here=repo, edit=writing(repo, "a.txt", "again\n"))


def place_with_an_odd_name(repo: Repo) -> State:
    """The way to the worktree holds what parts names elsewhere: blanks, colons, newlines."""
    there = Repo.init(_odd_place(repo))
    return _convert_and_change(there)


def place_with_an_odd_name_and_sha256(repo: Repo) -> State:
    """The same, in a repository of longer ids."""
    there = Repo.init(_odd_place(repo), "--object-format=sha256")
    return _convert_and_change(there)


def linked_worktree_at_a_place_with_an_odd_name(repo: Repo) -> State:
    """The same for a linked worktree, whose git folder is named as it is."""
    there = repo.add_worktree(_odd_place(repo))
    return _convert_and_change(there)


def git_dir_apart(repo: Repo) -> State:
    """``git init --separate-git-dir``."""
    there = Repo.init(beside(repo, "apart"), f"--separate-git-dir={beside(repo, 'its.git')}")
    there.write("a.txt", "a\n")
    there.commit()
    there.write("a.txt", "edited\n")
    return State(here=there, edit=writing(there, "a.txt", "again\n"))


def git_too_old(repo: Repo) -> Refusal:
    """A git from before 2.35, of which nobody knows whether its answers are these."""
    real = shutil.which("git")
    folder = beside(repo, "old")
    answer = (
        'for word; do case "$word" in version|--version) echo git version %s; exit;; esac; done'
    )
    tail = f'\nexec {real} "$@"'
    program(folder / "git", answer % "2.34.8" + tail)
    return Refusal(
        here=repo,
        env={"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
        names="2.34",
        cure=lambda: program(folder / "git", answer % "2.39.5" + tail),
    )


def bare(repo: Repo) -> Refusal:
    """A bare repository has no working tree, until it is said that this is one."""
    set_config(repo, {"core.bare": "true"})
    return Refusal(here=repo, names="bare", cure=lambda: set_config(repo, {"core.bare": "false"}))


def format_from_the_future(repo: Repo) -> Refusal:
    """An extension that no git knows yet."""
    set_config(repo, {"core.repositoryFormatVersion": "1", "extensions.fromTheFuture": "true"})
    return Refusal(
        here=repo,
        names="fromthefuture",
        cure=lambda: repo.git(
            *("config", "--file", ".git/config", "--unset", "extensions.fromTheFuture")
        ),
    )


def configuration_that_can_not_be_read(repo: Repo) -> Refusal:
    """A line in the configuration that git does not take."""
    config = repo.path / ".git/config"
    good = config.read_text()
    config.write_text(f"{good}[broken\n")
    return Refusal(here=repo, names="config", cure=lambda: config.write_text(good))


def _odd_place(repo: Repo) -> Path:
    """Return a place whose name is hard to pass on."""
    return beside(repo, '"odd": name\nwith\tall;')


def _convert_and_change(there: Repo) -> State:
    """Commit files with CRLF, then change them where CRLF is no more wanted."""
    there.write("kept.txt", "kept\r\n")
    there.write("a.txt", "a\r\n")
    there.commit()
    there.write(".gitattributes", "*.txt text=auto\n")
    there.write("a.txt", "edited\r\n")
    there.write("deep/new.txt", "new\r\n")
    edit = writing(there, "deep/new.txt", "edited\r\n")
    return State(here=there, edit=edit, is_whole=False)
