"""Modes, symbolic links, and files, folders and links in each other's place."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

from tests.git.states.state import Refusal, State, link, set_config, writing
from tests.support.repository import Repo


def made_executable(repo: Repo) -> State:
    """A file that can now be started."""
    (repo.path / "a.txt").chmod(0o755)
    return State(here=repo, edit=lambda: (repo.path / "a.txt").chmod(0o644))


def no_longer_executable(repo: Repo) -> State:
    """A program that has lost its bit, and a new one."""
    repo.write("run.sh", "echo\n").chmod(0o755)
    repo.commit()
    (repo.path / "run.sh").chmod(0o644)
    repo.write("new.sh", "echo\n").chmod(0o755)
    return State(here=repo, edit=lambda: (repo.path / "new.sh").chmod(0o644))


def executable_for_the_group_only(repo: Repo) -> State:
    """A bit that git does not keep: only the owner's counts."""
    (repo.path / "a.txt").chmod(0o654)
    repo.write("new.sh", "echo\n").chmod(0o654)
    return State(here=repo, edit=lambda: (repo.path / "a.txt").chmod(0o754))


def executable_in_the_index_only(repo: Repo) -> State:
    """A bit that is staged and not on the disk."""
    repo.git("update-index", "--chmod=+x", "a.txt")
    return State(here=repo, edit=lambda: (repo.path / "a.txt").chmod(0o755))


def modes_do_not_count(repo: Repo) -> State:
    """``core.fileMode=false``: the index's bits stay, and new files have none."""
    repo.write("run.sh", "echo\n").chmod(0o755)
    repo.commit()
    set_config(repo, {"core.fileMode": "false"})
    (repo.path / "run.sh").chmod(0o644)
    (repo.path / "a.txt").chmod(0o755)
    repo.write("new.sh", "echo\n").chmod(0o755)
    return State(here=repo, edit=writing(repo, "run.sh", "true\n"))


def modes_do_not_count_but_were_staged(repo: Repo) -> State:
    """``core.fileMode=false`` and a bit given by ``git add --chmod``, edited since."""
    set_config(repo, {"core.fileMode": "false"})
    repo.write("new.sh", "echo\n")
    repo.git("add", "--chmod=+x", "new.sh")
    repo.write("new.sh", "edited\n")
    return State(here=repo, edit=lambda: repo.git("update-index", "--chmod=-x", "new.sh"))


def links(repo: Repo) -> State:
    """New links to a file, to a folder, to nothing and to themselves."""
    link(repo, "to-file", "a.txt")
    link(repo, "to-folder", "sub")
    link(repo, "to-nothing", "nowhere/at/all")
    link(repo, "to-itself", "to-itself")
    link(repo, "outward", "../../..")
    return State(here=repo, edit=lambda: link(repo, "to-nothing", "elsewhere"))


def link_turned_to_a_name_as_long(repo: Repo) -> State:
    """A new link whose target changes and keeps its length."""
    link(repo, "link", "one")
    return State(here=repo, edit=lambda: link(repo, "link", "two"))


def modes_that_cease_to_count(repo: Repo) -> State:
    """A new program, and then ``core.fileMode=false``: no file changes, and the tree does."""
    repo.write("new.sh", "echo\n").chmod(0o755)
    return State(here=repo, edit=lambda: set_config(repo, {"core.fileMode": "false"}))


def link_turned(repo: Repo) -> State:
    """A tracked link to another file of the same content."""
    repo.write("same.txt", "a\n")
    link(repo, "link", "a.txt")
    repo.commit()
    link(repo, "link", "same.txt")
    return State(here=repo, edit=lambda: link(repo, "link", "sub"))


def links_as_files(repo: Repo) -> State:
    """``core.symlinks=false``: a tracked link is a file that holds its target."""
    link(repo, "link", "a.txt")
    repo.commit()
    set_config(repo, {"core.symlinks": "false"})
    (repo.path / "link").unlink()
    repo.write("link", "sub/b.txt")
    return State(here=repo, edit=writing(repo, "link", "nowhere"))


def file_becomes_link(repo: Repo) -> State:
    """A link where a file was, with the same bytes behind it."""
    repo.write("same.txt", "a\n")
    repo.commit()
    link(repo, "a.txt", "same.txt")
    return State(here=repo, edit=lambda: link(repo, "a.txt", "sub/b.txt"))


def link_becomes_file(repo: Repo) -> State:
    """A file where a link was, whose content is the link's target."""
    link(repo, "link", "a.txt")
    repo.commit()
    (repo.path / "link").unlink()
    repo.write("link", "a.txt")
    return State(here=repo, edit=writing(repo, "link", "a\n"))


def file_becomes_folder(repo: Repo) -> State:
    """A folder where a file was."""
    (repo.path / "a.txt").unlink()
    repo.write("a.txt/within.txt", "a\n")
    return State(here=repo, edit=writing(repo, "a.txt/more.txt", "more\n"))


def folder_becomes_file(repo: Repo) -> State:
    """A file where a folder was."""
    shutil.rmtree(repo.path / "sub")
    repo.write("sub", "b\n")
    return State(here=repo, edit=writing(repo, "sub", "c\n"))


def folder_becomes_link_to_the_same_files(repo: Repo) -> State:
    """A link where a folder was, behind which the folder's files are found."""
    (repo.path / "sub").rename(repo.path / "moved")
    link(repo, "sub", "moved")
    return State(here=repo, edit=writing(repo, "moved/b.txt", "edited\n"))


def folder_becomes_link_outward(repo: Repo) -> State:
    """A link where a folder was, behind which the folder's files are found outside."""
    shutil.move(repo.path / "sub", repo.path.parent / "outside")
    link(repo, "sub", "../outside")
    return State(here=repo, edit=writing(repo, "a.txt", "edited\n"))


def folder_becomes_link_to_itself(repo: Repo) -> State:
    """A link that leads nowhere but to itself: git can't ask for the folder's files behind it.

    Its status says nothing of them then; ``git add`` puts the link in the folder's place.
    """
    shutil.rmtree(repo.path / "sub")
    link(repo, "sub", "sub")
    return State(here=repo, edit=writing(repo, "a.txt", "edited\n"))


def folder_with_a_staged_file_becomes_link_to_itself(repo: Repo) -> State:
    """The same where the index holds another file there than HEAD."""
    repo.git("update-index", "--chmod=+x", "sub/b.txt")
    return folder_becomes_link_to_itself(repo)


def link_becomes_folder(repo: Repo) -> State:
    """A folder where a link to a folder was."""
    link(repo, "link", "sub")
    repo.commit()
    (repo.path / "link").unlink()
    repo.write("link/b.txt", "b\n")
    return State(here=repo, edit=writing(repo, "link/b.txt", "c\n"))


def file_becomes_empty_folder(repo: Repo) -> State:
    """An empty folder where a file was: the file is gone."""
    (repo.path / "a.txt").unlink()
    (repo.path / "a.txt").mkdir()
    return State(here=repo, edit=writing(repo, "a.txt/within.txt", "a\n"))


def file_staged_under_a_folder(repo: Repo) -> State:
    """The index holds a file where the disk has a folder, and HEAD has nothing."""
    repo.write("swap", "file\n")
    repo.git("add", "swap")
    (repo.path / "swap").unlink()
    repo.write("swap/within.txt", "within\n")
    return State(here=repo, edit=writing(repo, "swap/within.txt", "edited\n"))


def folder_staged_under_a_file(repo: Repo) -> State:
    """The index holds a folder where the disk has a file, and HEAD has nothing."""
    repo.write("swap/within.txt", "within\n")
    repo.git("add", "swap")
    shutil.rmtree(repo.path / "swap")
    repo.write("swap", "file\n")
    return State(here=repo, edit=writing(repo, "swap", "edited\n"))


def file_folder_and_file_again(repo: Repo) -> State:
    """HEAD has a file, the index a folder, the disk the file again with another content."""
    (repo.path / "a.txt").unlink()
    repo.write("a.txt/within.txt", "within\n")
    repo.git("add", "--all")
    shutil.rmtree(repo.path / "a.txt")
    repo.write("a.txt", "edited\n")
    return State(here=repo, edit=writing(repo, "a.txt", "a\n"))


def folder_file_and_folder_again(repo: Repo) -> State:
    """HEAD has a folder, the index a file, the disk the folder again with one more file."""
    shutil.rmtree(repo.path / "sub")
    repo.write("sub", "file\n")
    repo.git("add", "--all")
    (repo.path / "sub").unlink()
    repo.write("sub/b.txt", "b\n")
    repo.write("sub/c.txt", "c\n")
    return State(here=repo, edit=writing(repo, "sub/c.txt", "d\n"))


def pipes_and_sockets(repo: Repo) -> State:
    """Things that are no file, which git passes over."""
    os.mkfifo(repo.path / "pipe")
    _make_socket(repo.path / "socket")
    return State(here=repo, edit=writing(repo, "new.txt", "new\n"))


def socket_in_place_of_an_untracked_file(repo: Repo) -> State:
    """A new file that a pipe takes the place of."""
    path = repo.write("new.txt", "new\n")

    def edit() -> None:
        path.unlink()
        os.mkfifo(path)

    return State(here=repo, edit=edit)


def pipe_over_a_tracked_file(repo: Repo) -> Refusal:
    """A pipe where a tracked file was: ``git add`` fails on it, and reading it would hang."""
    path = repo.path / "a.txt"
    path.unlink()
    os.mkfifo(path)
    return Refusal(here=repo, names="a.txt", cure=path.unlink)


def socket_over_a_tracked_file(repo: Repo) -> Refusal:
    """A socket where a tracked file was: ``git add`` fails on it."""
    path = repo.path / "sub/b.txt"
    path.unlink()
    _make_socket(path)
    return Refusal(here=repo, names="sub/b.txt", cure=path.unlink)


def _make_socket(path: Path) -> None:
    """Leave a socket; its name is bound from its folder, since a bound name is short."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)
