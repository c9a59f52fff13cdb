"""What of a tool's output is shown, and how it is written."""

from __future__ import annotations

import os
import select

import pytest

from gitcache.cli.display import (
    FULL,
    Nothing,
    OnlyFailed,
    Show,
    Tail,
    parse_show,
    selected,
)
from gitcache.core.output import Chunk, Output
from gitcache.quick.streams import Streams
from tests.support.calls import FIRST_COMMAND, shell, start
from tests.support.repository import Repo

OUTPUT = Output((Chunk("stdout", b"1\n2\n"), Chunk("stderr", b"3\n"), Chunk("stdout", b"4")))


@pytest.mark.parametrize(
    ("text", "show"),
    [
        ("full", FULL),
        ("failed", OnlyFailed()),
        ("none", Nothing()),
        ("tail:0", Tail(0)),
        ("tail:20", Tail(20)),
    ],
)
def test_each_word_asks_for_its_part(text: str, show: Show) -> None:
    assert parse_show(text) == show


@pytest.mark.parametrize(
    "text", ["", "all", "Full", "tail", "tail:", "tail:-1", "tail:1.5", "tail:x", "none ", "20"]
)
def test_any_other_word_is_refused_with_what_is_taken(text: str) -> None:
    with pytest.raises(ValueError, match=r"^takes full, failed, none or tail:N, not "):
        parse_show(text)


def test_failed_shows_all_of_a_failure_and_nothing_of_a_pass() -> None:
    assert selected(OUTPUT, OnlyFailed(), passed=True) == ()
    assert selected(OUTPUT, OnlyFailed(), passed=False) == OUTPUT.chunks


@pytest.mark.parametrize("passed", [True, False])
def test_the_others_do_not_ask_how_it_ended(passed: bool) -> None:
    assert selected(OUTPUT, FULL, passed) == OUTPUT.chunks
    assert selected(OUTPUT, Nothing(), passed) == ()
    assert selected(OUTPUT, Tail(0), passed) == ()
    assert selected(OUTPUT, Tail(3), passed) == (
        Chunk("stdout", b"2\n"),
        Chunk("stderr", b"3\n"),
        Chunk("stdout", b"4"),
    )
    assert selected(OUTPUT, Tail(99), passed) == OUTPUT.chunks


def test_each_chunk_goes_to_its_own_stream(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    streams = Streams()
    streams.write_chunks(OUTPUT.chunks)
    streams.say("a name \udcff")
    assert capfdbinary.readouterr() == (b"1\n2\n4", b"3\na name \\udcff\n")


def test_a_reader_that_goes_away_costs_neither_the_result_nor_a_traceback(repo: Repo) -> None:
    script = "toolcache run -- seq 100000 | head -1; echo ${PIPESTATUS[0]}"
    first, again = shell(repo, script), shell(repo, script)
    assert first[:2] == again[:2] == (0, b"1\n0\n")
    assert first[2].startswith(FIRST_COMMAND + b"toolcache: command passed after ")
    assert again[2].startswith(b"toolcache: command passed: hit, ran ")
    assert (first[2].count(b"\n"), again[2].count(b"\n")) == (2, 1)


def test_nobody_needs_to_read_our_own_lines(repo: Repo) -> None:
    script = "toolcache run -- seq 3 2>&1 >&3 3>&- | true; echo ${PIPESTATUS[0]}"
    assert shell(repo, f"exec 3>&1; {script}")[:2] == (0, b"1\n2\n3\n0\n")
    assert shell(repo, "toolcache run --json -- seq 3 | true; echo ${PIPESTATUS[0]}")[1] == b"0\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_a_closed_stream_takes_nothing_and_changes_nothing(repo: Repo, closed: str) -> None:
    repo.write("tool", "#!/bin/sh\necho out; echo err >&2; exit 3\n").chmod(0o755)
    for _ in range(2):
        status, stdout, stderr = shell(repo, f"toolcache run -- ./tool {closed}")
        assert status == 3
        assert stdout == (b"" if ">&-" in closed.split() else b"out\n")
        stderr = stderr.removeprefix(FIRST_COMMAND)
        assert stderr.startswith(b"" if "2>&-" in closed else b"err\ntoolcache: command failed")
    assert len(repo.keys()) == 1


def test_a_closed_standard_error_keeps_the_status_of_an_error(repo: Repo) -> None:
    assert shell(repo, "toolcache run nosuch 2>&-") == (128, b"", b"")
    assert shell(repo, "toolcache frobnicate 2>&- >&-") == (129, b"", b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
@pytest.mark.parametrize("words", ["run -- seq 3", "run --json -- seq 3", "status", "lookup -- x"])
def test_a_full_disk_behind_the_standard_output_is_told(repo: Repo, words: str) -> None:
    repo.write("toolcache.toml", '[tools.test]\ncommand = "true"\n')
    status, _, stderr = shell(repo, f"toolcache {words} >/dev/full")
    if words.startswith("lookup"):
        assert status == 2  # it prints nothing there
        return
    assert status == 0
    warning = b"warning: the standard output can't be written: No space left on device\n"
    assert stderr.count(warning) == 1
    assert b"internal error" not in stderr


def test_a_reader_that_does_not_block_us_gets_everything(repo: Repo) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    script = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 4000)"
    with start(repo, "run", "--", "python", "-c", script, stdout=writer) as process:
        os.close(writer)
        select.select([reader], [], [])
        with open(reader, "rb") as stdout:
            assert stdout.read() == bytes(range(256)) * 4000
        assert process.wait() == 0
