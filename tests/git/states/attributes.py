"""Where attributes come from, and what becomes of the bytes when they change."""

from __future__ import annotations

import os
import shutil

from tests.git.states.state import (
    BlindState,
    State,
    link,
    set_config,
    settle,
    writing,
)
from tests.support.repository import Repo


def attributes_added_with_files_untouched(repo: Repo) -> State:
    """An attribute that would change what git stores, for files that git has no reason to read."""
    repo.write("crlf.txt", "one\r\n")
    repo.commit()
    settle(repo)
    repo.write(".gitattributes", "crlf.txt text\na.txt eol=crlf\n")
    return State(here=repo, edit=writing(repo, "crlf.txt", "two\r\n"), is_whole=False)


def attributes_removed_from_the_disk(repo: Repo) -> State:
    """A tracked file of attributes that is gone: it is gone from the index by ``git add`` too."""
    repo.write(".gitattributes", "*.txt text\n")
    repo.commit()
    (repo.path / ".gitattributes").unlink()
    repo.write("a.txt", "edited\r\n")
    return State(here=repo, edit=writing(repo, "a.txt", "again\r\n"), is_whole=False)


def attributes_left_out(repo: Repo) -> BlindState:
    """A tracked file of attributes that is left out: git takes it from the index."""
    repo.write("sub/.gitattributes", "*.txt text\n")
    repo.commit()
    repo.git("update-index", "--skip-worktree", "sub/.gitattributes")
    (repo.path / "sub/.gitattributes").unlink()
    return BlindState(
        here=repo,
        edit=writing(repo, "sub/b.txt", "again\r\n"),
        overlooked=writing(repo, "sub/b.txt", "b\r\n"),
    )


def attributes_in_a_folder(repo: Repo) -> State:
    """Attributes of a folder, and of a folder within that takes them back."""
    repo.write("sub/.gitattributes", "*.txt text\n")
    repo.write("sub/raw/.gitattributes", "*.txt -text\n")
    for name in ("top.txt", "sub/in.txt", "sub/raw/in.txt"):
        repo.write(name, "crlf\r\n")
    return State(here=repo, edit=writing(repo, "sub/raw/in.txt", "crlf\n"), is_whole=False)


def attributes_of_the_repository(repo: Repo) -> BlindState:
    """Attributes in ``info/attributes``, which no tree holds."""
    (repo.path / ".git/info").mkdir(exist_ok=True)
    (repo.path / ".git/info/attributes").write_text("*.txt text\n")
    repo.write("new.txt", "new\r\n")
    return BlindState(
        here=repo,
        edit=writing(repo, "new.txt", "edited\r\n"),
        overlooked=writing(repo, "a.txt", "a\r\n"),
    )


def attributes_of_the_repository_that_change(repo: Repo) -> State:
    """``info/attributes`` comes after a new file: the tree moves, and no file of the worktree."""
    repo.write("new.txt", "new\r\n")
    (repo.path / ".git/info").mkdir(exist_ok=True)
    path = repo.path / ".git/info/attributes"
    return State(here=repo, edit=lambda: path.write_text("*.txt text\n"))


def attributes_of_a_linked_worktree(repo: Repo) -> State:
    """The repository's own attributes hold in every worktree."""
    (repo.path / ".git/info").mkdir(exist_ok=True)
    (repo.path / ".git/info/attributes").write_text("*.txt text\n")
    there = repo.add_worktree(repo.path.parent / "linked")
    there.write("new.txt", "new\r\n")
    return State(here=there, edit=writing(there, "new.txt", "edited\r\n"), is_whole=False)


def attributes_of_the_user(repo: Repo) -> BlindState:
    """Attributes in a file that the user's configuration names."""
    rules = repo.path.parent / "my-attributes"
    rules.write_text("*.txt text\n")
    set_config(repo, {"core.attributesFile": str(rules)})
    repo.write("new.txt", "new\r\n")
    return BlindState(
        here=repo,
        edit=writing(repo, "new.txt", "edited\r\n"),
        overlooked=writing(repo, "new.txt", "new\n"),
    )


def attributes_of_the_user_that_change(repo: Repo) -> State:
    """The user's file of attributes changes: the tree moves, and no file of the worktree."""
    rules = repo.path.parent / "my-attributes"
    rules.write_text("")
    set_config(repo, {"core.attributesFile": str(rules)})
    repo.write("new.txt", "new\r\n")
    return State(here=repo, edit=lambda: rules.write_text("*.txt text\n"))


def attributes_of_the_user_in_xdg(repo: Repo) -> State:
    """The user's attributes in the place where git looks for them by itself."""
    folder = repo.path.parent / "xdg"
    (folder / "git").mkdir(parents=True)
    (folder / "git/attributes").write_text("*.txt text\n")
    repo.write("new.txt", "new\r\n")
    edit = writing(repo, "new.txt", "edited\r\n")
    return State(here=repo, env={"XDG_CONFIG_HOME": str(folder)}, edit=edit, is_whole=False)


def attributes_by_a_macro(repo: Repo) -> BlindState:
    """A macro of attributes, given to one file."""
    repo.write(".gitattributes", "[attr]prose text ident\nnew.txt prose\nraw.txt -prose\n")
    repo.write("new.txt", "new\r\n")
    repo.write("raw.txt", "raw\r\n")
    return BlindState(
        here=repo,
        edit=writing(repo, "raw.txt", "raw\n"),
        overlooked=writing(repo, "new.txt", "new\n"),
    )


def link_as_an_attribute_file(repo: Repo) -> State:
    """A file of attributes that is a link: git does not follow it."""
    repo.write("rules", "*.txt text\n")
    link(repo, ".gitattributes", "rules")
    repo.write("new.txt", "new\r\n")
    return State(here=repo, edit=writing(repo, "new.txt", "new\n"))


def folder_becomes_link_where_text_is_converted(repo: Repo) -> State:
    """A link to a file where a tracked folder was, beside a file that is converted."""
    _convert_all(repo)
    shutil.rmtree(repo.path / "sub")
    link(repo, "sub", "a.txt")
    return State(here=repo, edit=writing(repo, "a.txt", "again\r\n"), is_whole=False)


def swaps_where_text_is_converted(repo: Repo) -> State:
    """Files, folders and links in each other's place, beside a file that is converted."""
    for name in ("file", "folder/in", "link", "gone", "meant"):
        repo.write(name, f"{name}\n")
    repo.commit()
    _convert_all(repo)
    for name in ("file", "folder/in", "link", "gone"):
        (repo.path / name).unlink()
    (repo.path / "folder").rmdir()
    repo.write("file/in", "now a folder\r\n")
    repo.write("folder", "now a file\r\n")
    link(repo, "link", "file/in")
    repo.git("rm", "--cached", "--quiet", "meant")
    repo.write("meant", "back\r\n")
    repo.git("add", "--intent-to-add", "meant")
    return State(here=repo, edit=writing(repo, "file/in", "edited\r\n"), is_whole=False)


def nested_repository_where_text_is_converted(repo: Repo) -> State:
    """A nested repository, a submodule's place without one, and a file that is converted."""
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},ghost")
    repo.git("commit", "--quiet", "--message", "ghost")
    (repo.path / "ghost").mkdir()
    _convert_all(repo)
    nested = Repo.init(repo.path / "nest")
    nested.write("in.txt", "in\r\n")
    nested.commit()
    return State(here=repo, edit=lambda: nested.commit("more"), is_whole=False)


def odd_names_where_text_is_converted(repo: Repo) -> State:
    """Converted files whose names hold line ends, quotes and bytes that are no text."""
    names = ('"', "new\nline", "carriage\r", ":(top)x", "-dash", "tab\t", os.fsdecode(b"\xff"))
    for name in names[::2]:
        repo.write(name, "tracked\n")
    repo.commit()
    _convert_all(repo)
    for name in names:
        repo.write(name, "edited\r\n")
    return State(here=repo, edit=writing(repo, "carriage\r", "again\r\n"), is_whole=False)


def conflict_where_text_is_converted(repo: Repo) -> State:
    """Unmerged files beside one that is converted, one of them removed from the disk."""
    for branch, base in (("theirs", "main"), ("ours", "main")):
        repo.git("switch", "--quiet", "--create", branch, base)
        repo.write("a.txt", f"{branch}\n")
        repo.write("sub/b.txt", f"{branch}\n")
        repo.commit()
    repo.git("-c", "alias.stops=!git merge -q theirs >/dev/null || true", "stops")
    _convert_all(repo)
    (repo.path / "sub/b.txt").unlink()
    return State(here=repo, edit=writing(repo, "sub/b.txt", "resolved\r\n"), is_whole=False)


def _convert_all(repo: Repo) -> None:
    """Let every text be converted, and edit one that is."""
    repo.write(".gitattributes", "* text=auto\n")
    repo.write("a.txt", "edited\r\n")
    repo.write("new.txt", "new\r\n")
