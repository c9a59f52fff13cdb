"""Filter drivers: programs that git runs between the disk and the tree."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from tests.git.states.state import (
    LONG_AGO,
    BlindState,
    Refusal,
    State,
    beside,
    program,
    set_config,
    settle,
    writing,
)
from tests.support.repository import Repo

_UPPER = "exec tr a-z A-Z"
_LOWER = "exec tr A-Z a-z"


def filtered(repo: Repo) -> BlindState:
    """The tree holds capitals, the disk small letters; files are edited, new and untouched."""
    _set_filter(repo)
    repo.write("tracked.up", "tracked\n")
    repo.write("edited.up", "edited\n")
    repo.commit()
    repo.write("edited.up", "again\n")
    repo.write("new.up", "new\n")
    return BlindState(
        here=repo,
        edit=writing(repo, "new.up", "newer\n"),
        overlooked=writing(repo, "tracked.up", "Tracked\n"),
    )


def filtered_and_touched(repo: Repo) -> BlindState:
    """A filtered file with another time and the same content, as large-file drivers have them."""
    _set_filter(repo)
    repo.write("tracked.up", "tracked\n")
    repo.commit()
    settle(repo)
    os.utime(repo.path / "tracked.up", (LONG_AGO + 60, LONG_AGO + 60))
    return BlindState(
        here=repo,
        edit=writing(repo, "tracked.up", "edited\n"),
        overlooked=writing(repo, "tracked.up", "TRACKED\n"),
    )


def filtered_into_a_pointer(repo: Repo) -> BlindState:
    """Large-file storage: the tree holds a pointer, the disk the content or the pointer itself."""
    clean = (
        'text=$(cat); case "$text" in pointer*) echo "$text";; *) echo "pointer ${#text}";; esac'
    )
    _set_filter(repo, clean=clean, smudge="cat")
    repo.write("big.up", "content of a big file\n")
    repo.commit()
    return BlindState(
        here=repo,
        edit=writing(repo, "big.up", "other content\n"),
        overlooked=writing(repo, "big.up", "pointer 21\n"),
    )


def filtered_new_and_edited_alike(repo: Repo) -> BlindState:
    """A new file whose edit the filter takes away again."""
    _set_filter(repo, clean="exec sed s/secret/public/", smudge="exec cat")
    repo.write("new.up", "secret\n")
    return BlindState(
        here=repo,
        edit=writing(repo, "new.up", "other\n"),
        overlooked=writing(repo, "new.up", "public\n"),
    )


def filtered_by_a_long_running_process(repo: Repo) -> BlindState:
    """A driver that is one process for all files, as large-file storage is."""
    process = shlex.join([sys.executable, "-m", "tests.support.upper_filter"])
    set_config(repo, {"filter.up.process": process, "filter.up.required": "true"})
    repo.write(".gitattributes", "*.up filter=up\n")
    repo.write("one.up", "one\n")
    repo.write("two.up", "two\n")
    return BlindState(
        here=repo,
        env={"PYTHONPATH": str(Path(__file__).parents[3])},
        edit=writing(repo, "two.up", "edited\n"),
        overlooked=writing(repo, "one.up", "One\n"),
    )


def filtered_by_name(repo: Repo) -> State:
    """A filter that is told the file's name."""
    _set_filter(repo, clean='sed "s|^|$1: |"', arguments=" %f")
    repo.write("sub/new.up", "new\n")
    repo.write("it's here.up", "new\n")
    return State(here=repo, edit=writing(repo, "sub/new.up", "edited\n"), is_whole=False)


def filter_that_fails(repo: Repo) -> State:
    """A filter that fails and is not required: git takes the file as it is."""
    _set_filter(repo, clean="cat; exit 1")
    repo.write("new.up", "new\n")
    return State(here=repo, edit=writing(repo, "new.up", "edited\n"))


def filter_that_is_required_and_fails(repo: Repo) -> Refusal:
    """A filter that fails and is required: ``git add`` refuses the file."""
    _set_filter(repo, clean="exit 1")
    set_config(repo, {"filter.up.required": "true"})
    path = repo.write("new.up", "new\n")
    return Refusal(here=repo, names="new.up", cure=path.unlink)


def filter_that_is_required_and_fails_on_a_tracked_file(repo: Repo) -> Refusal:
    """A filter that fails on the edit of one tracked file among others."""
    _set_filter(repo)
    for name in ("one.up", "two.up", "three.up"):
        repo.write(name, f"{name}\n")
    repo.commit()
    _set_filter(repo, clean='text=$(cat); [ "$text" = bad ] && exit 1; echo "$text" | tr a-z A-Z')
    set_config(repo, {"filter.up.required": "true"})
    repo.write("one.up", "good\n")
    path = repo.write("two.up", "bad\n")
    return Refusal(here=repo, names="two.up", cure=path.unlink)


def filter_that_is_required_and_not_there(repo: Repo) -> Refusal:
    """A required filter whose program is not installed."""
    repo.write(".gitattributes", "*.up filter=up\n")
    set_config(repo, {"filter.up.clean": "no-such-program", "filter.up.required": "true"})
    path = repo.write("new.up", "new\n")
    return Refusal(here=repo, names="new.up", cure=path.unlink)


def filter_whose_program_changes(repo: Repo) -> State:
    """The program behind a filter becomes another: the tree moves, and no file of the worktree."""
    _set_filter(repo)
    repo.write("new.up", "new\n")
    script = beside(repo, "clean")
    return State(here=repo, edit=lambda: program(script, "exec tr a-z 0-9"), is_whole=False)


def filter_that_is_not_defined(repo: Repo) -> State:
    """An attribute that names a driver which the configuration does not know."""
    repo.write(".gitattributes", "*.txt filter=unknown\n")
    repo.write("new.txt", "new\n")
    return State(here=repo, edit=writing(repo, "new.txt", "edited\n"))


def filter_added_with_files_untouched(repo: Repo) -> State:
    """A driver for files that are in the tree as they are, and that git has no reason to read."""
    repo.write("old.up", "old\n")
    repo.commit()
    settle(repo)
    _set_filter(repo)
    return State(here=repo, edit=writing(repo, "old.up", "new\n"), is_whole=False)


def filter_added_and_files_touched(repo: Repo) -> State:
    """The same, and a file has another time: what it would be stored as is no more what it is."""
    state = filter_added_with_files_untouched(repo)
    os.utime(repo.path / "old.up", (LONG_AGO + 60, LONG_AGO + 60))
    return state


def filter_that_only_smudges(repo: Repo) -> State:
    """A driver for one direction: what is on the disk goes into the tree."""
    _set_filter(repo, clean="cat")
    repo.git("config", "--unset", "filter.up.clean")
    repo.write("new.up", "new\n")
    return State(here=repo, edit=writing(repo, "new.up", "edited\n"))


def filtered_with_line_ends(repo: Repo) -> BlindState:
    """A driver and line ends together, in a file whose index has CRLF."""
    repo.write("crlf.up", "one\r\n")
    repo.commit()
    _set_filter(repo)
    repo.write(".gitattributes", "*.up filter=up text=auto\n")
    repo.write("crlf.up", "two\r\n")
    return BlindState(
        here=repo,
        edit=writing(repo, "crlf.up", "three\r\n"),
        overlooked=writing(repo, "crlf.up", "Two\r\n"),
    )


def filter_of_the_caller_only(repo: Repo) -> State:
    """A driver that only the caller's variables define."""
    repo.write(".gitattributes", "*.up filter=up\n")
    repo.write("new.up", "new\n")
    clean = program(beside(repo, "clean"), _UPPER)
    env = {"GIT_CONFIG_PARAMETERS": f"'filter.up.clean'='{clean}'"}
    return State(here=repo, env=env, edit=writing(repo, "new.up", "edited\n"), is_whole=False)


def filtered_and_removed(repo: Repo) -> BlindState:
    """A filtered file that is gone from the disk, beside one that is not."""
    _set_filter(repo)
    for name in ("gone.up", "kept.up"):
        repo.write(name, "text\n")
    repo.commit()
    (repo.path / "gone.up").unlink()
    return BlindState(
        here=repo,
        edit=writing(repo, "kept.up", "edited\n"),
        overlooked=writing(repo, "kept.up", "TEXT\n"),
    )


def big_file(repo: Repo) -> State:
    """A tracked file of 4 MB with one byte changed, and a new one."""
    repo.write("big.bin", _BIG)
    repo.commit()
    repo.write("big.bin", _BIG[:-1] + b"\1")
    repo.write("new.bin", b"\2" + _BIG)
    return State(here=repo, edit=writing(repo, "new.bin", b"\3" + _BIG))


def big_file_in_one_stream(repo: Repo) -> State:
    """Files above ``core.bigFileThreshold``, which git neither converts nor holds in memory."""
    set_config(repo, {"core.bigFileThreshold": "1m", "core.autocrlf": "input"})
    repo.write("big.txt", _BIG_TEXT)
    repo.write("big.bin", _BIG)
    return State(here=repo, edit=writing(repo, "big.txt", b"\r\n" + _BIG_TEXT), is_whole=False)


_BIG = bytes(range(256)) * (1 << 14)
_BIG_TEXT = b"a line of a big file\r\n" * 100_000


def _set_filter(repo: Repo, clean: str = _UPPER, smudge: str = _LOWER, arguments: str = "") -> None:
    """Define the filter ``up``, for the files ``*.up``."""
    repo.write(".gitattributes", "*.up filter=up\n")
    scripts = {"clean": clean, "smudge": smudge}
    for name, script in scripts.items():
        path = program(beside(repo, name), script)
        set_config(repo, {f"filter.up.{name}": f"{path}{arguments}"})
