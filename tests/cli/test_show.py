"""``git toolcache show``: one entry whole, by tool or by key."""

from __future__ import annotations

import json
import os
import pty
from pathlib import Path

import pytest

from tests.cli.conftest import Within
from tests.support.calls import declare, start
from tests.support.repository import Repo


@pytest.fixture
def stored(repo: Repo, within: Within) -> Repo:
    """Return a repository with an entry for each of two tools."""
    declare(repo, {"test": "echo out; echo err >&2; exit 3", "lint": "true"})
    repo.commit("tools")
    within(repo.path, "run", "--keep-going", "test", "lint")
    return repo


def facts(text: bytes) -> dict[str, str]:
    """Return the rows of the table: name to value."""
    rows = (line.split("  ", 1) for line in text.decode().splitlines() if "  " in line)
    return {name: value.strip() for name, value in rows}


def test_an_entry_is_shown_whole(stored: Repo, within: Within) -> None:
    done = within(stored.path, "show", "test")
    assert (done.status, done.stderr) == (0, b"err\n")
    assert done.stdout.endswith(b"\nout\n")
    told, keys = facts(done.stdout), stored.keys()
    assert told.pop("key") in keys
    assert told.pop("ran at").endswith("Z")
    assert told.pop("duration").endswith("s")
    assert told.pop("by").count(" on ") == 1
    assert told.pop("environment").startswith("platform, program")
    assert told.pop("written by").startswith("git-toolcache ")
    assert told == {
        "tool": "test",
        "outcome": "failed with status 3",
        "argv": "/bin/sh -c echo out; echo err >&2; exit 3",
        "directory": ".",
        "tree": stored.git("rev-parse", "HEAD^{tree}"),
        "worktree": str(stored.path),
        "HEAD": stored.git("rev-parse", "HEAD"),
        "changes over HEAD": "0",
        "attempts": "failed",
    }


def test_the_document_is_the_entry_itself(stored: Repo, within: Within) -> None:
    told = within(stored.path, "show", "--json", "test").json
    blob = stored.git("cat-file", "blob", f"refs/toolcache/{told['key']}")
    assert json.loads(blob) == told


def test_a_key_is_found_by_its_beginning(stored: Repo, within: Within) -> None:
    keys = stored.keys()
    assert len(keys) == 2
    for key in keys:
        whole = within(stored.path, "show", key)
        assert whole.status == 0
        assert facts(whole.stdout)["key"] == key
        assert within(stored.path, "show", key[:12]) == whole


def test_a_beginning_that_fits_several_keys_is_refused(repo: Repo, within: Within) -> None:
    blob = repo.git("hash-object", "-w", "--stdin")
    for end in "12":
        repo.git("update-ref", f"refs/toolcache/{'ab' * 31}a{end}", blob)
    done = within(repo.path, "show", "abab")
    assert (done.status, done.stdout) == (129, b"")
    assert done.stderr == b"fatal: 2 stored keys begin with abab; give more of it\n"
    done = within(repo.path, "show", "ab" * 31 + "a1")
    assert done.status == 2
    assert done.stderr.startswith(f"fatal: the entry {'ab' * 31}a1 can't be ".encode())


def test_what_is_not_stored_is_status_2(stored: Repo, within: Within) -> None:
    done = within(stored.path, "show", "0123abcd")
    assert (done.status, done.stderr) == (2, b"fatal: no stored key begins with 0123abcd\n")
    stored.write("a.txt", "changed")
    done = within(stored.path, "show", "test")
    assert done.status == 2
    assert done.stderr == b"fatal: nothing is stored for test on this content: no entry\n"


def test_a_name_that_is_neither_a_tool_nor_a_key_is_refused(stored: Repo, within: Within) -> None:
    for name in ("nosuch", "abc", "ABCD", "x" * 64):
        done = within(stored.path, "show", name)
        assert done.status == 128
        assert done.stderr.startswith(f"fatal: there is no tool '{name}' here\n".encode())


def test_a_tool_whose_name_looks_like_a_key_is_a_tool(repo: Repo, within: Within) -> None:
    declare(repo, {"facade": "echo here"})
    within(repo.path, "run", "facade")
    assert within(repo.path, "show", "facade").stdout.endswith(b"here\n")


def test_contradicting_attempts_are_listed(repo: Repo, within: Within, tmp_path: Path) -> None:
    words = ("--", "sh", "-c", f"test -e {tmp_path}/fixed")
    within(repo.path, "run", *words)
    (tmp_path / "fixed").touch()
    within(repo.path, "run", "--force", *words)
    assert within(repo.path, "run", *words).status == 0  # the newest verdict answers
    (key,) = repo.keys()
    assert facts(within(repo.path, "show", key).stdout)["attempts"] == "failed, passed"


def test_changes_and_a_cut_are_told(repo: Repo, within: Within) -> None:
    repo.write("a.txt", "changed")
    repo.write("new.txt", "new")
    within(repo.path, "run", "-q", "--", "head", "-c", str(2 << 20), "/dev/zero")
    (key,) = repo.keys()
    told = facts(within(repo.path, "show", key).stdout.split(b"\0")[0])
    assert (told["changes over HEAD"], told["output cut"]) == ("2", "1MiB")


def test_outside_a_repository_there_is_nothing_to_show(tmp_path: Path, within: Within) -> None:
    done = within(tmp_path, "show", "test")
    assert (done.status, done.stderr) == (128, b"fatal: not a git repository\n")


def test_foreign_bytes_never_command_the_terminal(tmp_path: Path, sealed: Path) -> None:
    """Argv and output hold a command that would set the title, and the output a colour."""
    repo = Repo.init(tmp_path / "w\x1b[2J")
    repo.commit("first")
    title = "\x1b]0;title\x07"
    ran = repo.toolcache("run", "--json", "--", "printf", "%s\x1b[31mred\x1b[0m", title, b"\xff")
    shown = on_a_terminal(repo, "show", ran.json["key"], env={"TERM": "xterm"})
    assert b"\x1b[31mred" in shown
    assert b"\x1b]" not in shown
    assert b"\x1b[2J" not in shown
    assert rb"w\x1b[2J" in shown.replace(b"\r\n", b"")


@pytest.mark.parametrize("env", [{"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colours_gets_none(repo: Repo, env: dict[str, str]) -> None:
    declare(repo, {"test": "true"})
    for words in ("run test", "run test", "status"):
        assert b"\x1b" not in on_a_terminal(repo, *words.split(), env=env)


def test_a_terminal_with_colours_gets_them(repo: Repo) -> None:
    declare(repo, {"test": "true"})
    for words in ("run test", "run test", "status"):
        shown = on_a_terminal(repo, *words.split(), env={"TERM": "xterm"})
        assert b"\x1b[32mpassed" in shown


def on_a_terminal(repo: Repo, *words: str, env: dict[str, str]) -> bytes:
    """Return what a terminal gets to see of git toolcache."""
    ours, theirs = pty.openpty()
    with start(repo, *words, stdout=theirs, stderr=theirs, env={**os.environ, **env}) as process:
        os.close(theirs)
        shown = b"".join(iter(lambda: _read(ours), b""))
        assert process.wait() == 0
    os.close(ours)
    return shown


def _read(terminal: int) -> bytes:
    """Return what is there; nothing at the end, which Linux tells as an error."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""
