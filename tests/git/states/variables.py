"""What a hook, an alias or a person exports: which index, which repository, which objects."""

from __future__ import annotations

import shutil

from tests.git.states.state import BlindState, State, beside, writing
from tests.support.repository import Repo


def index_of_a_hook(repo: Repo) -> State:
    """``git commit FILE`` runs its hook with a temporary index, named relative to the top."""
    _stage_aside(repo, ".git/next-index-1.lock")
    env = {"GIT_INDEX_FILE": ".git/next-index-1.lock", "GIT_PREFIX": "sub/"}
    return State(here=repo, env=env, edit=writing(repo, "a.txt", "again\n"))


def index_that_is_the_lock(repo: Repo) -> State:
    """``git commit --all`` runs its hook with the lock as the index."""
    _stage_aside(repo, ".git/index.lock")
    env = {"GIT_INDEX_FILE": ".git/index.lock"}
    return State(here=repo, env=env, edit=writing(repo, "a.txt", "again\n"))


def index_elsewhere(repo: Repo) -> State:
    """An index outside of the git folder, named in full."""
    other = _stage_aside(repo, "../other-index")
    return State(
        here=repo, env={"GIT_INDEX_FILE": other}, edit=writing(repo, "sub/b.txt", "again\n")
    )


def index_elsewhere_seen_from_a_subfolder(repo: Repo) -> State:
    """A relative name counts from the worktree's top, wherever the caller stands."""
    _stage_aside(repo, ".git/other-index")
    env = {"GIT_INDEX_FILE": ".git/other-index"}
    return State(here=repo, env=env, folder="sub", edit=writing(repo, "sub/b.txt", "again\n"))


def index_of_a_hook_in_a_linked_worktree(repo: Repo) -> State:
    """In a linked worktree a hook gets the git folder and the index in full."""
    there = repo.add_worktree(beside(repo, "linked"))
    git_dir = repo.path / ".git/worktrees/linked"
    shutil.copy2(git_dir / "index", git_dir / "index.lock")
    env = {"GIT_DIR": str(git_dir), "GIT_INDEX_FILE": str(git_dir / "index.lock")}
    there.write("a.txt", "staged\n")
    there.git("add", "a.txt", env={"GIT_INDEX_FILE": env["GIT_INDEX_FILE"]})
    there.write("sub/b.txt", "edited\n")
    return State(here=there, env=env, edit=writing(there, "a.txt", "again\n"))


def index_that_is_not_there(repo: Repo) -> State:
    """The variable names an index that does not exist: everything is new."""
    env = {"GIT_INDEX_FILE": ".git/nothing"}
    return State(here=repo, env=env, edit=writing(repo, "a.txt", "edited\n"))


def index_flagged_elsewhere(repo: Repo) -> BlindState:
    """A file is taken on trust by the index that the variable names, and not by the usual one."""
    other = _stage_aside(repo, "../other-index")
    env = {"GIT_INDEX_FILE": other}
    repo.git("update-index", "--assume-unchanged", "sub/b.txt", env=env)
    return BlindState(
        here=repo,
        env=env,
        edit=writing(repo, "new.txt", "new\n"),
        overlooked=writing(repo, "sub/b.txt", "overlooked\n"),
    )


def git_dir_by_variable(repo: Repo) -> State:
    """A hook at the top: the git folder is named relative to it."""
    repo.write("a.txt", "edited\n")
    return State(here=repo, env={"GIT_DIR": ".git"}, edit=writing(repo, "a.txt", "again\n"))


def git_dir_by_variable_from_a_subfolder(repo: Repo) -> State:
    """Both folders are named relative to where the caller stands."""
    repo.write("a.txt", "edited\n")
    env = {"GIT_DIR": "../.git", "GIT_WORK_TREE": ".."}
    return State(here=repo, env=env, folder="sub", edit=writing(repo, "a.txt", "again\n"))


def git_dir_of_another_repository(repo: Repo) -> State:
    """The variables name another repository, whose index and HEAD know other files."""
    other = _make_other(repo)
    env = {"GIT_DIR": str(other.path / ".git"), "GIT_WORK_TREE": str(repo.path)}
    repo.write("a.txt", "edited\n")
    return State(here=repo, env=env, edit=writing(repo, "a.txt", "again\n"))


def git_dir_of_another_repository_alone(repo: Repo) -> State:
    """Without a worktree named, the caller's folder is the worktree."""
    other = _make_other(repo)
    env = {"GIT_DIR": str(other.path / ".git")}
    return State(here=repo, env=env, edit=writing(repo, "other.txt", "edited\n"))


def work_tree_elsewhere(repo: Repo) -> State:
    """The caller stands in one folder and means another."""
    tree = beside(repo, "tree")
    shutil.copytree(repo.path / "sub", tree / "sub")
    env = {"GIT_DIR": str(repo.path / ".git"), "GIT_WORK_TREE": str(tree)}
    return State(here=repo, env=env, edit=lambda: (tree / "sub/b.txt").write_text("edited\n"))


def common_dir_by_variable(repo: Repo) -> State:
    """The git folder and the shared one are named apart."""
    there = repo.add_worktree(beside(repo, "linked"))
    env = {
        "GIT_DIR": str(repo.path / ".git/worktrees/linked"),
        "GIT_COMMON_DIR": str(repo.path / ".git"),
        "GIT_WORK_TREE": str(there.path),
    }
    there.write("a.txt", "edited\n")
    return State(here=there, env=env, edit=writing(there, "a.txt", "again\n"))


def quarantine(repo: Repo) -> State:
    """A receiving hook: HEAD's objects lie in a folder that may be thrown away."""
    incoming = repo.path / ".git/objects/tmp_objdir-incoming-1"
    incoming.mkdir()
    env = {
        "GIT_OBJECT_DIRECTORY": str(incoming),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(repo.path / ".git/objects"),
    }
    repo.write("a.txt", "received\n")
    repo.write("received/new.txt", "received\n")
    repo.git("add", "--all", env=env)
    repo.git("commit", "--quiet", "--message", "received", env=env)
    repo.write("received/new.txt", "edited\n")
    seen = {**env, "GIT_QUARANTINE_PATH": str(incoming)}
    return State(here=repo, env=seen, edit=writing(repo, "a.txt", "edited\n"))


def quarantine_by_relative_names(repo: Repo) -> State:
    """The same, with names relative to the worktree's top."""
    state = quarantine(repo)
    env = {
        "GIT_OBJECT_DIRECTORY": ".git/objects/tmp_objdir-incoming-1",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": ".git/objects",
    }
    return State(here=repo, env=env, edit=state.edit)


def variables_that_change_how_git_speaks(repo: Repo) -> State:
    """Variables of a person who looks at git closely."""
    repo.write("[a]*.txt", "new\n")
    repo.write("a.txt", "edited\n")
    env = {
        "GIT_TRACE": "1",
        "GIT_TRACE_SETUP": "1",
        "GIT_TRACE2": "1",
        "GIT_PAGER": "false",
        "GIT_EXTERNAL_DIFF": "false",
        "GIT_DIFF_OPTS": "-u0",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_TEMPLATE_DIR": "/nowhere",
        "GIT_OPTIONAL_LOCKS": "1",
        "GIT_FLUSH": "1",
        "GIT_INDEX_VERSION": "4",
        "LC_ALL": "tr_TR.UTF-8",
        "CLICOLOR_FORCE": "1",
    }
    return State(here=repo, env=env, edit=writing(repo, "[a]*.txt", "edited\n"))


def variables_that_change_patterns(repo: Repo) -> State:
    """Pathspecs that mean another case, or another kind of pattern."""
    repo.write("A.txt", "new\n")
    repo.write("a.txt", "edited\n")
    repo.write("[ab].txt", "new\n")
    env = {"GIT_ICASE_PATHSPECS": "1", "GIT_NOGLOB_PATHSPECS": "1"}
    return State(here=repo, env=env, edit=writing(repo, "A.txt", "edited\n"))


def _stage_aside(repo: Repo, name: str) -> str:
    """Make another index with a staged change, and edit another file; return its full name."""
    path = repo.path / name
    shutil.copy2(repo.path / ".git/index", path)
    repo.write("a.txt", "staged aside\n")
    repo.write("staged.txt", "staged aside\n")
    repo.git("add", "a.txt", "staged.txt", env={"GIT_INDEX_FILE": str(path)})
    repo.write("sub/b.txt", "edited\n")
    (repo.path / "staged.txt").unlink()
    return str(path)


def _make_other(repo: Repo) -> Repo:
    """Make another repository, which tracks ``other.txt`` and would ignore it too."""
    other = Repo.init(beside(repo, "other"))
    other.write("other.txt", "other\n")
    other.commit()
    (other.path / ".git/info").mkdir(exist_ok=True)
    (other.path / ".git/info/exclude").write_text("sub/\n")
    return other
