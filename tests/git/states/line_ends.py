"""Line ends, ``ident`` and encodings: where git stores other bytes than the disk holds."""

from __future__ import annotations

import os

from tests.git.states.state import (
    LONG_AGO,
    BlindState,
    State,
    set_config,
    settle,
    writing,
)
from tests.support.referee import Referee
from tests.support.repository import Repo


def crlf_on_disk_as_set(repo: Repo) -> State:
    """``core.autocrlf=true`` and the CRLF that git wrote; one file is edited, one is new."""
    _check_out(repo, {"core.autocrlf": "true"})
    repo.write("sub/b.txt", "edited\r\n")
    repo.write("new.txt", "new\r\n")
    return State(here=repo, edit=writing(repo, "new.txt", "edited\r\n"), is_whole=False)


def crlf_on_disk_as_set_or_not(repo: Repo) -> BlindState:
    """``core.autocrlf=true`` and the CRLF that git wrote; LF in its place is the same tree."""
    _check_out(repo, {"core.autocrlf": "true"})
    edit = writing(repo, "sub/b.txt", "edited\r\n")
    return BlindState(here=repo, edit=edit, overlooked=writing(repo, "a.txt", "a\n"))


def setting_in_other_words(repo: Repo) -> BlindState:
    """``yes`` is another word for true, and the name's case does not matter."""
    _check_out(repo, {"CORE.AUTOCRLF": "yes"})
    edit = writing(repo, "sub/b.txt", "edited\r\n")
    return BlindState(here=repo, edit=edit, overlooked=writing(repo, "a.txt", "a\n"))


def setting_without_a_value(repo: Repo) -> BlindState:
    """A name without a value means true."""
    config = repo.path / ".git/config"
    config.write_text(config.read_text() + "[core]\n\tautocrlf\n")
    edit = writing(repo, "sub/b.txt", "edited\r\n")
    return BlindState(here=repo, edit=edit, overlooked=writing(repo, "a.txt", "a\r\n"))


def crlf_in_a_file_whose_name_is_no_text(repo: Repo) -> BlindState:
    """``core.autocrlf=input`` and files whose names are no UTF-8, tracked and new."""
    set_config(repo, {"core.autocrlf": "input"})
    tracked, new = (os.fsdecode(name) for name in (b"tracked\xff", b"new\xfe\n"))
    repo.write(tracked, "tracked\n")
    repo.commit()
    repo.write(new, "new\r\n")
    return BlindState(
        here=repo,
        edit=writing(repo, new, "edited\r\n"),
        overlooked=writing(repo, tracked, "tracked\r\n"),
    )


def crlf_left_on_disk(repo: Repo) -> BlindState:
    """``core.autocrlf`` was switched off after git wrote CRLF: git sees nothing changed."""
    _check_out(repo, {"core.autocrlf": "true"})
    settle(repo)
    repo.git("config", "--unset", "core.autocrlf")
    return BlindState(
        here=repo, edit=writing(repo, "a.txt", "edited\n"), overlooked=lambda: _rewrite_as_lf(repo)
    )


def crlf_taken_in(repo: Repo) -> BlindState:
    """``core.autocrlf=input``: a tracked file gets CRLF on the disk and stays what it was."""
    set_config(repo, {"core.autocrlf": "input"})
    repo.write("sub/b.txt", "b\r\n")
    return BlindState(
        here=repo,
        edit=writing(repo, "sub/b.txt", "edited\r\n"),
        overlooked=writing(repo, "a.txt", "a\r\n"),
    )


def crlf_taken_in_from_new_files(repo: Repo) -> BlindState:
    """``core.autocrlf=input``: a new file's CRLF is not in the tree."""
    set_config(repo, {"core.autocrlf": "input"})
    repo.write("new.txt", "new\r\n")
    return BlindState(
        here=repo,
        edit=writing(repo, "new.txt", "edited\r\n"),
        overlooked=writing(repo, "new.txt", "new\n"),
    )


def crlf_taken_in_from_edited_files(repo: Repo) -> BlindState:
    """``text=auto``: an edited file's CRLF is not in the tree."""
    repo.write(".gitattributes", "* text=auto\n")
    repo.commit()
    repo.write("a.txt", "edited\r\n")
    return BlindState(
        here=repo,
        edit=writing(repo, "a.txt", "again\r\n"),
        overlooked=writing(repo, "a.txt", "edited\n"),
    )


def crlf_staged_and_taken_in(repo: Repo) -> BlindState:
    """``text``: a staged file whose line ends on the disk change after it was added."""
    repo.write(".gitattributes", "*.txt text\n")
    repo.write("new.txt", "new\n")
    repo.git("add", "--all")
    return BlindState(
        here=repo,
        edit=writing(repo, "new.txt", "edited\n"),
        overlooked=writing(repo, "new.txt", "new\r\n"),
    )


def line_ends_by_attribute(repo: Repo) -> BlindState:
    """``eol=crlf`` and ``eol=lf``: either line end on the disk is one in the tree."""
    repo.write(".gitattributes", "*.bat eol=crlf\n*.sh eol=lf\n")
    repo.write("run.bat", "echo\r\n")
    repo.write("run.sh", "echo\n")
    repo.commit()
    return BlindState(
        here=repo,
        edit=writing(repo, "run.bat", "edited\r\n"),
        overlooked=writing(repo, "run.sh", "echo\r\n"),
    )


def line_ends_by_the_old_attribute(repo: Repo) -> BlindState:
    """``crlf`` is what ``text`` and ``eol`` were called before."""
    repo.write(".gitattributes", "*.txt crlf=input\n")
    repo.commit()
    edit = writing(repo, "a.txt", "edited\r\n")
    return BlindState(here=repo, edit=edit, overlooked=writing(repo, "a.txt", "a\r\n"))


def line_ends_of_the_system(repo: Repo) -> BlindState:
    """``core.eol=crlf`` for text, where the disk holds LF."""
    set_config(repo, {"core.eol": "crlf"})
    repo.write(".gitattributes", "*.txt text\n")
    repo.commit()
    return BlindState(
        here=repo,
        edit=writing(repo, "a.txt", "edited\n"),
        overlooked=writing(repo, "a.txt", "a\r\n"),
    )


def mixed_line_ends(repo: Repo) -> State:
    """``core.autocrlf=true``, files with both line ends, a lone CR, and a binary one."""
    set_config(repo, {"core.autocrlf": "true", "core.safecrlf": "false"})
    repo.write("mixed.txt", "one\r\ntwo\nthree\r\n")
    repo.write("lone.txt", "one\rtwo\n")
    repo.write("binary", b"\0one\r\ntwo\r\n")
    return State(here=repo, edit=writing(repo, "binary", b"\0one\ntwo\r\n"), is_whole=False)


def crlf_in_the_index(repo: Repo) -> State:
    """CRLF is in the index, then ``text=auto``: git keeps CRLF in such a file when it is edited."""
    repo.write("crlf.txt", "one\r\ntwo\r\n")
    repo.commit()
    set_config(repo, {"core.autocrlf": "true"})
    repo.write("crlf.txt", "one\r\nedited\r\n")
    return State(here=repo, edit=writing(repo, "crlf.txt", "one\r\nagain\r\n"))


def crlf_in_the_index_and_attributes_added(repo: Repo) -> State:
    """CRLF is in the index, ``* text=auto`` comes later; one file is edited, one is touched."""
    for name in ("one.txt", "two.txt", "three.txt"):
        repo.write(name, f"{name}\r\n")
    repo.commit()
    settle(repo)
    repo.write(".gitattributes", "* text=auto\n")
    repo.write("one.txt", "edited\r\n")
    os.utime(repo.path / "two.txt", (LONG_AGO + 60, LONG_AGO + 60))
    return State(here=repo, edit=writing(repo, "three.txt", "edited\r\n"))


def crlf_in_the_index_and_text_for_sure(repo: Repo) -> State:
    """CRLF is in the index, ``text`` comes later: a touched file would be normalised."""
    for name in ("one.txt", "two.txt", "three.txt"):
        repo.write(name, f"{name}\r\n")
    repo.commit()
    settle(repo)
    repo.write(".gitattributes", "*.txt text\n")
    repo.write("one.txt", "edited\r\n")
    os.utime(repo.path / "two.txt", (LONG_AGO + 60, LONG_AGO + 60))
    edit = writing(repo, "three.txt", "edited\r\n")
    return State(here=repo, edit=edit, is_whole=False)


def setting_that_changes(repo: Repo) -> State:
    """``core.autocrlf`` comes after a new file: the tree moves, and no file of the worktree."""
    repo.write("new.txt", "new\r\n")
    return State(here=repo, edit=lambda: set_config(repo, {"core.autocrlf": "input"}))


def line_ends_in_a_conflict(repo: Repo) -> State:
    """An unmerged file with CRLF on the disk and in our side: git keeps it."""
    repo.write("crlf.txt", "base\r\n")
    repo.commit()
    repo.git("switch", "--quiet", "--create", "theirs")
    repo.write("crlf.txt", "theirs\r\n")
    repo.commit()
    repo.git("switch", "--quiet", "main")
    repo.write("crlf.txt", "ours\r\n")
    repo.commit()
    repo.git("-c", "alias.stops=!git merge -q theirs >/dev/null || true", "stops")
    repo.write(".gitattributes", "* text=auto\n")
    repo.write("crlf.txt", "resolved\r\n")
    return State(here=repo, edit=writing(repo, "crlf.txt", "again\r\n"))


def settings_by_the_environment(repo: Repo) -> State:
    """``git -c core.autocrlf=input toolcache …`` with a new file of CRLF."""
    repo.write("new.txt", "new\r\n")
    env = {"GIT_CONFIG_PARAMETERS": "'core.autocrlf'='input'"}
    return State(here=repo, env=env, edit=writing(repo, "new.txt", "edited\r\n"), is_whole=False)


def line_ends_that_git_will_not_change(repo: Repo) -> BlindState:
    """``core.safecrlf=true`` makes ``git add`` refuse a change of line ends that it could do.

    The content is certain: it is what git adds without that safeguard.
    """
    set_config(repo, {"core.autocrlf": "input", "core.safecrlf": "true"})
    repo.write("new.txt", "new\r\n")
    return BlindState(
        here=repo,
        referee=Referee(config=("core.safecrlf=false",)),
        edit=writing(repo, "new.txt", "edited\r\n"),
        overlooked=writing(repo, "new.txt", "new\n"),
    )


def _check_out(repo: Repo, settings: dict[str, str]) -> None:
    """Set *settings* and let git write all files anew."""
    set_config(repo, settings)
    for name in ("a.txt", "sub/b.txt"):
        (repo.path / name).unlink()
    repo.git("checkout", "--quiet", "--", ".")
    assert (repo.path / "a.txt").read_bytes() == b"a\r\n"


def _rewrite_as_lf(repo: Repo) -> None:
    repo.write("a.txt", "a\n")
