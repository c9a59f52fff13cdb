"""A listener that takes nothing more holds up the tool, and neither signals nor deadlines."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitcache.core.outcome import Exited
from gitcache.core.output import Stream
from gitcache.host.call import Call, Ended
from gitcache.host.process import run_process
from tests.support.repository import Repo


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    for each in (reader, writer):
        try:
            os.close(each)
        except OSError:
            continue


def run_into(writer: int, cwd: Path, *argv: str, timeout: float | None = None) -> Ended:
    """Run *argv* with a listener that writes its standard output to *writer*."""

    def on_output(stream: Stream, data: bytes) -> None:
        if stream == "stdout":
            os.write(writer, data)

    call = Call(argv, cwd, dict(os.environ), timeout=timeout, grace=0.5)
    result = run_process(call, on_output, {"stdout": writer})
    assert isinstance(result, Ended)
    return result


def test_timeout_holds_while_nobody_reads(pipe: tuple[int, int], tmp_path: Path) -> None:
    result = run_into(pipe[1], tmp_path, "yes", timeout=0.3)
    assert result.timed_out
    assert result.leak is None


def test_slow_reader_gets_every_byte(pipe: tuple[int, int], tmp_path: Path) -> None:
    reader, writer = pipe
    seen = hashlib.sha256()
    total = 0

    def read() -> None:
        nonlocal total
        while data := os.read(reader, 7001):
            seen.update(data)
            total += len(data)

    thread = threading.Thread(target=read)
    thread.start()
    result = run_into(writer, tmp_path, "sh", "-c", "yes | head -c 3000000")
    os.close(writer)
    thread.join()
    assert result.exit == Exited(0)
    assert total == 3_000_000
    assert seen.hexdigest() == hashlib.sha256(b"y\n" * 1_500_000).hexdigest()


def test_reader_that_comes_after_the_tools_end_gets_the_rest(
    pipe: tuple[int, int], tmp_path: Path
) -> None:
    reader, writer = pipe
    taken: list[bytes] = []

    def read_when_it_is_gone() -> None:
        while not (tmp_path / "gone").exists():
            threading.Event().wait(0.01)
        while data := os.read(reader, 1 << 16):
            taken.append(data)

    thread = threading.Thread(target=read_when_it_is_gone)
    thread.start()
    script = "yes | head -c 100000; touch gone"
    result = run_into(writer, tmp_path, "sh", "-c", script)
    os.close(writer)
    thread.join()
    assert result.leak is None
    assert len(b"".join(taken)) == 100_000


def test_reader_that_goes_away_does_not_hold_up_the_tool(
    pipe: tuple[int, int], tmp_path: Path
) -> None:
    reader, writer = pipe
    os.close(reader)
    taken: list[bytes] = []
    call = Call(("sh", "-c", "yes | head -c 300000"), tmp_path, dict(os.environ))
    result = run_process(call, lambda _, data: taken.append(data), {"stdout": writer})
    assert isinstance(result, Ended)
    assert len(b"".join(taken)) == 300_000


def test_signal_ends_us_while_nobody_reads(repo: Repo) -> None:
    words = [sys.executable, "-m", "gitcache", "run", "--", "sh", "-c", "echo $$ >&2; exec yes"]
    with subprocess.Popen(
        words, cwd=repo.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, b"")
        tool = next(int(line) for line in lines if line.strip().isdigit())
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == -signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(tool, 0)
    assert repo.keys() == []
