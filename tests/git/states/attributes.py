"""Where attributes come from, and what becomes of the bytes when they change."""

from __future__ import annotations

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
