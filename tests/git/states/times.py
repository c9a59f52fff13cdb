"""What ``stat`` says and what it does not: touched files, racy edits, edits within one tick."""

from __future__ import annotations

import os

from tests.git.states.state import LONG_AGO, State, set_config, settle, writing
from tests.support.index_file import record_stat
from tests.support.repository import Repo


def settled(repo: Repo) -> State:
    """Nothing has changed for long."""
    settle(repo)
    return State(here=repo, edit=writing(repo, "a.txt", "b\n"))


def untracked_edited_in_the_same_tick(repo: Repo) -> State:
    """A new file whose edit keeps its size and its time."""
    path = repo.write("new.txt", "new\n")
    os.utime(path, (LONG_AGO, LONG_AGO))

    def edit() -> None:
        repo.write("new.txt", "old\n")
        os.utime(path, (LONG_AGO, LONG_AGO))

    return State(here=repo, edit=edit)


def edited_in_the_same_tick(repo: Repo) -> State:
    """A changed file whose next edit keeps its size and its time."""
    path = repo.write("a.txt", "longer\n")
    os.utime(path, (LONG_AGO, LONG_AGO))

    def edit() -> None:
        repo.write("a.txt", "edited\n")
        os.utime(path, (LONG_AGO, LONG_AGO))

    return State(here=repo, edit=edit)


def replaced_in_the_same_tick(repo: Repo) -> State:
    """A changed file whose place another one takes, of the same size and time."""
    path = repo.write("a.txt", "longer\n")
    other = repo.path.parent / "other.txt"
    other.write_text("edited\n")
    for each in (path, other):
        os.utime(each, (LONG_AGO, LONG_AGO))
    return State(here=repo, edit=lambda: other.replace(path))


def touched(repo: Repo) -> State:
    """A file with another time and the same content: the tree is HEAD's."""
    settle(repo)
    os.utime(repo.path / "a.txt", (LONG_AGO + 60, LONG_AGO + 60))
    return State(here=repo, edit=writing(repo, "a.txt", "b\n"))


def all_touched(repo: Repo) -> State:
    """Every file has another time than the index says, and one has another content."""
    settle(repo)
    for name in ("a.txt", "sub/b.txt"):
        os.utime(repo.path / name, (LONG_AGO + 60, LONG_AGO + 60))
    repo.write("a.txt", "b\n")
    return State(here=repo, edit=writing(repo, "sub/b.txt", "c\n"))


def racy_edit(repo: Repo) -> State:
    """An edit that ``stat`` does not show, of a file as young as the index.

    Git compares the content then; a copy of the index with a younger time would lose the edit.
    """
    _edit_behind_stat(repo)
    os.utime(repo.path / ".git/index", (LONG_AGO, LONG_AGO))
    return State(here=repo, edit=writing(repo, "a.txt", "c\n"))


def racy_edit_beside_another(repo: Repo) -> State:
    """A racy edit, and a change that everybody sees."""
    state = racy_edit(repo)
    repo.write("sub/b.txt", "edited\n")
    repo.write("new.txt", "new\n")
    return state


def same_size_and_time(repo: Repo) -> State:
    """An edit that only the file's ``ctime`` shows."""
    _edit_behind_stat(repo, ctime=LONG_AGO - 60)
    return State(here=repo, edit=writing(repo, "a.txt", "c\n"))


def same_size_and_time_where_git_may_overlook_it(repo: Repo) -> State:
    """An edit that only ``ctime`` shows, where the user's git does not look at it.

    The key may not follow that wish: the referee too is told to look.
    """
    set_config(repo, {"core.trustctime": "false", "core.checkStat": "minimal"})
    return same_size_and_time(repo)


def _edit_behind_stat(repo: Repo, *, ctime: int | None = None) -> None:
    """Edit ``a.txt`` and let the index say that this is what was added."""
    path = repo.write("a.txt", "b\n")
    os.utime(path, (LONG_AGO, LONG_AGO))
    record_stat(repo.path / ".git/index", path, "a.txt", ctime=ctime)
