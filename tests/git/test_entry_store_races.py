"""The store beside other processes: writers, collectors of objects, and a killer."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.repository import Repo
from tests.support.storer import SHARED, key_of, own_blob, read, start_storer

WRITERS = tuple("abcdefgh")


def finish(processes: list[subprocess.Popen[bytes]]) -> list[bytes]:
    """Wait for *processes*, all of which must succeed, and return their outputs."""
    outputs = [process.communicate(timeout=100)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return outputs


def blob_of(repo: Repo, name: str) -> bytes:
    stored = read(repo.path, key_of(name))
    assert stored is not None, name
    assert stored.blob is not None, name
    return stored.blob


def test_eight_writers_of_one_key_lose_no_line(repo: Repo) -> None:
    finish([start_storer(repo.path, writer, SHARED, 6) for writer in WRITERS])

    lines = blob_of(repo, SHARED).decode().splitlines()
    assert len(lines) == 48
    for writer in WRITERS:
        mine = [line for line in lines if line.startswith(writer)]
        assert mine == [f"{writer} {number}" for number in range(6)]
    repo.git("fsck", "--strict")


def test_eight_writers_of_their_own_keys_lose_none(repo: Repo) -> None:
    finish([start_storer(repo.path, writer, "own", 6) for writer in WRITERS])

    for writer in WRITERS:
        for number in range(6):
            assert blob_of(repo, f"{writer} {number}") == own_blob(writer, number)
    assert len(repo.keys()) == 48


def test_collectors_of_objects_and_refs_take_nothing_away(repo: Repo, tmp_path: Path) -> None:
    """``gc --prune=now`` removes objects that had no ref when it looked, whatever comes later."""
    stop, rounds = tmp_path / "stop", tmp_path / "rounds"
    loop = 'while [ ! -e "$0" ]; do git gc --quiet --prune=now; git pack-refs --all; echo; done'
    with open(rounds, "wb") as output:
        collector = subprocess.Popen(
            ["sh", "-c", loop, stop], cwd=repo.path, stdout=output, stderr=subprocess.DEVNULL
        )
    try:
        finish([start_storer(repo.path, writer, "own", 40) for writer in "ab"])
        finish([start_storer(repo.path, writer, SHARED, 15) for writer in "ab"])
    finally:
        stop.touch()
        collector.wait(60)

    assert rounds.read_text().count("\n") >= 3
    for writer in "ab":
        for number in range(40):
            assert blob_of(repo, f"{writer} {number}") == own_blob(writer, number)
    assert len(blob_of(repo, SHARED).splitlines()) == 30
    assert repo.git("fsck", "--strict", "--no-dangling") == ""
    repo.git("gc", "--quiet", "--prune=now")
    assert len(repo.keys()) == 81


@pytest.mark.parametrize("whom", ["writer", "writer and its git"])
def test_writer_that_is_killed_leaves_whole_entries_or_none(repo: Repo, whom: str) -> None:
    moments = random.Random(whom)
    for number in range(20):
        writer = f"killed{number}"
        process = start_storer(repo.path, writer, "own", 1000)
        assert process.stdout is not None
        process.stdout.readline()
        with suppress(subprocess.TimeoutExpired):
            process.wait(moments.uniform(0, 0.03))
        if whom == "writer":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert blob_of(repo, f"{writer} 0") == own_blob(writer, 0)
        for later in range(1, 1000):
            stored = read(repo.path, key_of(f"{writer} {later}"))
            if stored is None:
                break
            assert stored.blob == own_blob(writer, later)

    assert repo.git("fsck", "--strict", "--no-dangling") == ""
    repo.git("gc", "--quiet", "--prune=now")
    finish([start_storer(repo.path, "after", "own", 2)])
