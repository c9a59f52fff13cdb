"""Repositories and indexes of other forms, and those that borrow their objects."""

from __future__ import annotations

from tests.git.states.state import (
    BlindState,
    Refusal,
    State,
    beside,
    changed,
    program,
    set_config,
    writing,
)
from tests.support.index_file import set_checksum
from tests.support.repository import Repo


def index_of_version_4(repo: Repo) -> State:
    """Names are compressed in the index."""
    _add_some(repo)
    repo.git("update-index", "--index-version", "4")
    return changed(repo)


def split_index(repo: Repo) -> State:
    """The index is a shared file and a small one over it."""
    _add_some(repo)
    repo.git("update-index", "--split-index")
    return changed(repo)


def split_index_by_setting(repo: Repo) -> State:
    """The same by configuration, with changes in the small file."""
    set_config(repo, {"core.splitIndex": "true"})
    _add_some(repo)
    repo.write("many/1.txt", "staged\n")
    repo.git("add", "many/1.txt")
    repo.git("rm", "--quiet", "many/2.txt")
    return changed(repo)


def untracked_cache(repo: Repo) -> State:
    """The index remembers which files are untracked."""
    repo.write("known.txt", "untracked\n")
    repo.git("update-index", "--force-untracked-cache")
    repo.git("status")
    return changed(repo)


def many_files(repo: Repo) -> State:
    """``feature.manyFiles``: compressed names and the untracked cache at once."""
    set_config(repo, {"feature.manyFiles": "true"})
    _add_some(repo)
    repo.git("status")
    return changed(repo)


def checksum_skipped(repo: Repo) -> State:
    """``index.skipHash``: a newer git leaves the checksum's place empty."""
    set_config(repo, {"index.skipHash": "true"})
    set_checksum(repo.path / ".git/index", bytes(20))
    return changed(repo)


def watched(repo: Repo) -> State:
    """A file system monitor's hook says which files have changed."""
    _watch(repo, "a.txt", "new.txt", "many/0.txt", "many/new.txt")
    _add_some(repo)
    repo.git("status")
    return changed(repo)


def watched_by_one_that_says_all(repo: Repo) -> State:
    """A monitor's hook that knows nothing and so names everything."""
    _watch(repo, "/")
    repo.git("status")
    return changed(repo)


def watched_by_one_that_fails(repo: Repo) -> State:
    """A monitor's hook that ends with an error: git looks by itself."""
    _watch(repo)
    program(repo.path / ".git/hooks/monitor", "exit 1")
    return changed(repo)


def sha256(repo: Repo) -> State:
    """A repository whose object ids are longer."""
    return changed(_make_sha256(repo))


def sha256_and_clean(repo: Repo) -> State:
    """The same, with nothing changed."""
    there = _make_sha256(repo)
    return State(here=there, edit=writing(there, "a.txt", "edited\n"))


def sha256_and_unborn(repo: Repo) -> State:
    """The same, before the first commit: the empty tree has another name."""
    there = Repo.init(beside(repo, "long"), "--object-format=sha256")
    return State(here=there, edit=writing(there, "a.txt", "new\n"))


def sha256_mixed(repo: Repo) -> State:
    """The same with links, modes, removals, folders and conversion."""
    there = _make_sha256(repo)
    (there.path / "sub/b.txt").unlink()
    (there.path / "sub").rmdir()
    there.write("sub", "a file now\n")
    (there.path / "link").symlink_to("a.txt")
    there.write("run.sh", "echo\n").chmod(0o755)
    there.write(".gitattributes", "*.crlf text\n")
    there.write("new.crlf", "new\r\n")
    return State(here=there, edit=writing(there, "new.crlf", "edited\r\n"), is_whole=False)


def sha256_with_hooks(repo: Repo) -> State:
    """A hook that runs whenever an index is written: it hears nothing of a look."""
    there = _make_sha256(repo)
    state = changed(there)
    heard = beside(repo, "heard")
    program(there.path / ".git/hooks/post-index-change", f"touch {heard}")
    return state


def sha256_with_a_flag(repo: Repo) -> BlindState:
    """The same with a file taken on trust."""
    there = _make_sha256(repo)
    there.git("update-index", "--assume-unchanged", "a.txt")
    return BlindState(
        here=there,
        edit=writing(there, "sub/b.txt", "edited\n"),
        overlooked=writing(there, "a.txt", "overlooked\n"),
    )


def sha256_with_a_nested_repository(repo: Repo) -> State:
    """A nested repository of the same form."""
    there = _make_sha256(repo)
    nested = Repo.init(there.path / "nest", "--object-format=sha256")
    nested.commit()
    return State(here=there, edit=lambda: nested.commit("more"))


def sha1_within_sha256(repo: Repo) -> Refusal:
    """A nested repository of the other form: its commit's id fits into no tree of this one."""
    there = _make_sha256(repo)
    nested = Repo.init(there.path / "nest", "--object-format=sha1")
    nested.commit()
    return Refusal(here=there, names="nest", cure=writing(there, ".gitignore", "nest/\n"))


def configuration_of_the_worktree(repo: Repo) -> State:
    """``extensions.worktreeConfig``: a setting that converts, in one worktree only."""
    repo.git("config", "extensions.worktreeConfig", "true")
    there = repo.add_worktree(beside(repo, "linked"))
    there.git("config", "--worktree", "core.autocrlf", "input")
    there.git("config", "--worktree", "core.fileMode", "false")
    there.write("a.txt", "edited\r\n").chmod(0o755)
    there.write("new.sh", "new\n").chmod(0o755)
    return State(here=there, edit=writing(there, "a.txt", "again\r\n"), is_whole=False)


def configuration_of_another_worktree(repo: Repo) -> State:
    """The other worktree's setting does not hold here."""
    state = configuration_of_the_worktree(repo)
    assert state.here != repo
    repo.write("a.txt", "edited\r\n")
    repo.write("new.sh", "new\n").chmod(0o755)
    return State(here=repo, edit=writing(repo, "a.txt", "edited\n"))


def _add_some(repo: Repo) -> None:
    """Commit a folder of files."""
    for number in range(5):
        repo.write(f"many/{number}.txt", f"{number}\n")
    repo.commit("some")


def _watch(repo: Repo, *changed: str) -> None:
    """Install a monitor's hook that says *changed*, in version 2 of its protocol."""
    said = "".join(f"{name}\\0" for name in changed)
    hook = program(repo.path / ".git/hooks/monitor", f"printf 'token\\0{said}'")
    set_config(repo, {"core.fsmonitor": str(hook), "core.fsmonitorHookVersion": "2"})
    repo.git("update-index", "--fsmonitor")


def _make_sha256(repo: Repo) -> Repo:
    there = Repo.init(beside(repo, "long"), "--object-format=sha256")
    there.write("a.txt", "a\n")
    there.write("sub/b.txt", "b\n")
    there.commit("first")
    return there
