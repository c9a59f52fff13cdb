"""The standard input of a run: withheld, with a warning where that may surprise, or passed."""

from __future__ import annotations

import os

import pytest

from tests.support.calls import FIRST_COMMAND, FULL_DISK, declare, shell, start
from tests.support.repository import Repo

WARNING = b"warning: the command does not see the standard input; --stdin passes it\n"


def test_waiting_data_is_told_for_a_command_and_not_read(repo: Repo) -> None:
    repo.write("input", "data\n")
    repo.commit()
    status, stdout, stderr = shell(repo, "{ toolcache run -- cat; cat; } <input")
    assert (status, stdout) == (0, b"data\n")  # the second cat, which still finds all of it
    assert stderr.startswith(WARNING + FIRST_COMMAND + b"toolcache: command passed after ")
    assert shell(repo, "toolcache run -- cat <input")[2].startswith(WARNING)  # on a hit too


def test_a_pipe_that_holds_data_is_told(repo: Repo) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"data\n")
    with start(repo, "run", "--", "cat", stdin=reader) as process:
        stdout, stderr = process.communicate()
    os.close(reader)
    os.close(writer)
    assert stdout == b""
    assert stderr.startswith(WARNING)


def test_nothing_is_said_where_nothing_waits(repo: Repo) -> None:
    repo.write("empty", "")
    script = "toolcache run -q -- cat"
    for redirection in ("</dev/null", "<empty", "<&-"):
        assert shell(repo, f"{script} {redirection}") == (0, b"", b"")
    assert shell(repo, f"true | {script}") == (0, b"", b"")


def test_nothing_is_said_for_a_tool_of_the_repository(repo: Repo) -> None:
    declare(repo, {"test": "cat"})
    assert shell(repo, "toolcache run -q test <toolcache.toml") == (0, b"", b"")


def test_passed_input_is_read_by_the_tool_and_counts(repo: Repo) -> None:
    words = ("run", "--stdin", "--json", "--", "cat")
    data = bytes(range(256)) * 2000
    answers = [
        repo.toolcache(*words, stdin=each).json
        for each in (b"one\n", b"two\n", b"one\n", b"", data)
    ]
    assert [each["source"] for each in answers] == ["run", "run", "hit", "run", "run"]
    shown = ["".join(chunk.get("text", "") for chunk in each["output"]) for each in answers[:4]]
    assert shown == ["one\n", "two\n", "one\n", ""]
    assert repo.toolcache("run", "--stdin", "-q", "--", "cat", stdin=data).stdout == data
    assert len(repo.keys()) == 4


def test_passed_input_that_is_empty_is_another_key_than_none(repo: Repo) -> None:
    assert not repo.toolcache("run", "--stdin", "--", "cat").is_hit
    assert not repo.toolcache("run", "--", "cat").is_hit
    assert repo.toolcache("run", "--stdin", "--", "cat").is_hit


def test_passed_input_reaches_a_tool_of_the_repository(repo: Repo) -> None:
    declare(repo, {"test": "wc -c"})
    assert repo.toolcache("run", "--stdin", "-q", "test", stdin=b"12345").stdout.strip() == b"5"


@pytest.mark.parametrize("use", ["off", "read"])
def test_input_is_passed_whatever_the_store_does(repo: Repo, use: str) -> None:
    ran = repo.toolcache(
        "run", "--stdin", "-q", "--", "cat", stdin=b"data", env={"GIT_TOOLCACHE": use}
    )
    assert (ran.status, ran.stdout, ran.stderr) == (0, b"data", b"")


def test_an_input_that_cannot_be_copied_is_told(repo: Repo) -> None:
    script = f"seq 100000 | ({FULL_DISK}; toolcache run --stdin -- cat)"
    assert shell(repo, script) == (
        128,
        b"",
        b"fatal: the standard input can't be copied: File too large\n",
    )
