"""Names that a line, a quote, a pattern or a sort order could get wrong."""

from __future__ import annotations

import os
from pathlib import Path

from tests.git.states.state import State, set_config, writing
from tests.support.referee import Referee
from tests.support.repository import Repo

ODD = (
    *(" leading", "trailing ", "two  blanks", "tab\tin", "\ttab", "new\nline", "\n", "line\n"),
    *("carriage\rin", "carriage\r", '"quoted"', '"', "'", "back\\slash", "\\n", "-dash", "--all"),
    *(":colon", ":(top)magic", ":!not", "#hash", "!bang", "*", "[a-z]", "a?", "~", "@", "$HOME"),
    *(
        "dot.",
        "..dots",
        "...",
        ".hidden",
        ".gitfoo",
        "HEAD",
        "C:",
        "nul",
        "a|b",
        "{b}",
        "\x01\x1b[0m",
    ),
    *("e\u0301", "\u00e9", "\U0001f600", "\u202e", "=", ",", ";", "%s", "\x7f"),
)


def odd_names(repo: Repo) -> State:
    """New files whose names have a meaning elsewhere."""
    for number, name in enumerate(ODD):
        repo.write(name, f"{number}\n")
    return State(here=repo, edit=writing(repo, "line\n", "edited\n"))


def odd_names_in_folders(repo: Repo) -> State:
    """New files in folders whose names have a meaning elsewhere."""
    for number, name in enumerate(ODD):
        repo.write(f"{name}/{name}", f"{number}\n")
    return State(here=repo, edit=writing(repo, "\n/\n", "edited\n"))


def odd_names_tracked(repo: Repo) -> State:
    """Tracked files with such names, each edited, staged or removed in turn."""
    for number, name in enumerate(ODD):
        repo.write(f"odd/{name}", f"{number}\n")
    repo.commit()
    for number, name in enumerate(ODD):
        if number % 3 == 0:
            (repo.path / "odd" / name).unlink()
        else:
            repo.write(f"odd/{name}", f"edited {number}\n")
        if number % 2 == 0:
            repo.git("--literal-pathspecs", "add", "--", f"odd/{name}")
    return State(here=repo, edit=writing(repo, "odd/carriage\r", "once more\n"))


def odd_names_moved(repo: Repo) -> State:
    """Files moved by git from odd names to other odd names."""
    for name in ODD:
        repo.write(f"odd/{name}", f"{name!r}\n" * 20)
    repo.commit()
    for name in ODD:
        repo.git("--literal-pathspecs", "mv", f"odd/{name}", f"odd/{name} -> {name}")
    return State(here=repo, edit=writing(repo, "odd/\n -> \n", "edited\n"))


def names_that_are_no_text(repo: Repo) -> State:
    """Names of bytes that are no UTF-8: one tracked and edited, one new, one removed, one link."""
    for name in (b"tracked\xff", b"gone\xfe", b"folder\xfd/\xfc"):
        repo.write(os.fsdecode(name), "bytes\n")
    repo.commit()
    repo.write(os.fsdecode(b"tracked\xff"), "edited\n")
    repo.write(os.fsdecode(b"new\xff\n"), "new\n")
    repo.write(os.fsdecode(b"folder\xfd/\xfb"), "new\n")
    (repo.path / os.fsdecode(b"gone\xfe")).unlink()
    (repo.path / "link").symlink_to(os.fsdecode(b"target\xff"))
    return State(here=repo, edit=writing(repo, os.fsdecode(b"folder\xfd/\xfb"), "edited\n"))


def names_in_the_order_of_trees(repo: Repo) -> State:
    """Names that sort otherwise as folders than as files."""
    for name in ("x/in", "x-", "x.", "x.a", "x0/in", "x=", "xa", "X", "x+/in"):
        repo.write(f"sorted/{name}", f"{name}\n")
    return State(here=repo, edit=writing(repo, "sorted/x.b", "new\n"))


def folder_sorted_among_files(repo: Repo) -> State:
    """``a``, ``a.`` and ``a0`` tracked; ``a`` becomes a folder, which moves it behind ``a.``."""
    for name in ("a", "a.", "a0"):
        repo.write(f"order/{name}", f"{name}\n")
    repo.commit()
    (repo.path / "order/a").unlink()
    repo.write("order/a/in", "in\n")
    return State(here=repo, edit=writing(repo, "order/a-", "new\n"))


def names_that_differ_in_case(repo: Repo) -> State:
    """Two names of one letter, and one that differs in its Unicode form only."""
    repo.write("Name.txt", "upper\n")
    repo.write("name.txt", "lower\n")
    repo.write("\u00c4", "composed\n")
    repo.write("A\u0308", "decomposed\n")
    repo.commit()
    repo.write("name.txt", "edited\n")
    return State(here=repo, edit=writing(repo, "A\u0308", "edited\n"))


def case_does_not_count(repo: Repo) -> State:
    """``core.ignoreCase=true`` with an edit, and an ignore rule in the other case."""
    set_config(repo, {"core.ignoreCase": "true"})
    repo.write(".gitignore", "*.LOG\n")
    repo.write("a.txt", "edited\n")
    repo.write("new.log", "new\n")
    return State(here=repo, edit=writing(repo, "new.txt", "new\n"))


def long_names(repo: Repo) -> State:
    """A component as long as the file system takes, and a path near the system's limit."""
    component = "n" * 255
    repo.write(component, "long\n")
    name = _long_path(repo)
    repo.write(name, "deep\n")
    return State(here=repo, edit=writing(repo, name, "edited\n"))


def long_names_tracked(repo: Repo) -> State:
    """A path near the system's limit that is tracked and edited."""
    name = _long_path(repo)
    repo.write(name, "deep\n")
    repo.commit()
    repo.write(name, "edited\n")
    return State(here=repo, edit=(repo.path / name).unlink)


def many_names(repo: Repo) -> State:
    """Enough changed files to fill a pipe in both directions."""
    for number in range(1100):
        repo.write(f"many/{number:04}-{'n' * 100}", f"{number}\n")
    return State(here=repo, edit=writing(repo, f"many/1099-{'n' * 100}", "edited\n"))


def git_s_own_name_for_windows(repo: Repo) -> State:
    """``git~1`` means ``.git`` on another system, so plain ``git add`` refuses it.

    The content is certain: it is what git adds without that safeguard.
    """
    repo.write("git~1", "new\n")
    referee = Referee(config=("core.protectNTFS=false",))
    return State(here=repo, referee=referee, edit=writing(repo, "git~1", "edited\n"))


def _long_path(repo: Repo) -> str:
    """Return a path that, with the repository's own in front, is just below 4,096 bytes."""
    room = 4_000 - len(os.fsencode(repo.path))
    return str(Path(*["d" * 99] * (room // 100), "file.txt"))
