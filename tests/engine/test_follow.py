"""A run belongs to its key: callers in several processes share it, and any of them may go."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.calls import Process
from tests.support.held import held_open, is_released
from tests.support.repository import Repo

TOP = Path(__file__).parents[2]


@contextmanager
def caller(repo: Repo, *words: str) -> Iterator[Process]:
    """Start a caller in *repo*; end it where the test has not."""
    environ = {**os.environ, "PYTHONPATH": str(TOP)}
    argv = [sys.executable, "-P", "-m", "tests.support.sharer", *words]
    process = subprocess.Popen(
        argv, cwd=repo.path, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def callers(repo: Repo, count: int, *words: str) -> Iterator[list[Process]]:
    if count == 0:
        yield []
        return
    with caller(repo, *words) as first, callers(repo, count - 1, *words) as rest:
        yield [first, *rest]


def ended(process: Process) -> tuple[int, dict[str, Any], bytes]:
    """Return the status of *process*, what it was told, and its tool's standard error."""
    stdout, stderr = process.communicate()
    assert stdout, stderr
    return process.returncode, json.loads(stdout.splitlines()[-1]), stderr


def await_line(process: Process, line: bytes) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == line


def runs(repo: Repo) -> int:
    """Return how often :func:`tool` has run."""
    return len((repo.path / ".git" / "runs").read_text().splitlines())


def tool(text: str) -> tuple[str, ...]:
    """Return a command that keeps count of its runs, then does *text*."""
    return ("sh", "-c", f"echo >> .git/runs; {text}")


def leaves_nothing(repo: Repo) -> bool:
    folder = repo.path / ".git" / "toolcache"
    return not list((folder / "running").iterdir()) and not list((folder / "locks").iterdir())


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """Return a FIFO; a tool that reads it waits until somebody writes to it."""
    path = tmp_path / "gate"
    os.mkfifo(path)
    return path


def test_callers_of_one_key_share_one_run_and_all_its_bytes(repo: Repo, gate: Path) -> None:
    words = tool(f"echo begun; echo aside >&2; cat {gate}; printf 'end\\377'; exit 7")
    with caller(repo, *words) as starter:
        await_line(starter, b"begun\n")
        with callers(repo, 4, *words) as others:
            for each in others:
                await_line(each, b"begun\n")
            gate.write_text("through\n")
            status, told, stderr = ended(starter)
            assert (status, told["source"], told["outcome"]) == (7, "run", "failed")
            assert stderr == b"aside\n"
            for each in others:
                status, told, stderr = ended(each)
                assert (status, told["source"], told["stored"]) == (7, "followed", True)
                assert (stderr, told["warnings"]) == (b"aside\n", [])
    assert runs(repo) == 1
    assert len(repo.keys()) == 1
    assert leaves_nothing(repo)


def test_run_goes_on_when_its_starter_is_killed(repo: Repo, gate: Path) -> None:
    words = tool(f"echo begun; cat {gate}")
    with caller(repo, *words) as starter:
        await_line(starter, b"begun\n")
        with callers(repo, 2, *words) as others:
            for each in others:
                await_line(each, b"begun\n")
            starter.kill()
            starter.wait()
            gate.write_text("through\n")
            assert [ended(each)[1]["stdout"] for each in others] == ["begun\nthrough\n"] * 2
    assert runs(repo) == 1


def test_killed_runner_is_replaced_by_one_other(repo: Repo, tmp_path: Path, gate: Path) -> None:
    first = tmp_path / "first"
    words = tool(f"echo begun; test -e {first} || {{ touch {first}; exec cat {gate}; }}")
    with callers(repo, 3, *words) as all_of_them:
        for each in all_of_them:
            await_line(each, b"begun\n")
        (owner,) = (repo.path / ".git/toolcache/locks").glob("*.owner")
        os.kill(json.loads(owner.read_text())["pid"], signal.SIGKILL)
        told = [ended(each) for each in all_of_them]
    assert [status for status, _, _ in told] == [0, 0, 0]
    assert runs(repo) == 2
    assert len(repo.keys()) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_lets_one_of_several_callers_go(repo: Repo, gate: Path, number: int) -> None:
    words = tool(f"trap 'echo heard' INT TERM HUP; echo begun; cat {gate}")
    with callers(repo, 2, *words) as (one, other):
        for each in (one, other):
            await_line(each, b"begun\n")
        one.send_signal(number)
        assert one.wait() == -number
        gate.write_text("through\n")
        assert ended(other)[1]["stdout"] == "begun\nthrough\n"
    assert len(repo.keys()) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_to_the_only_caller_reaches_the_tool_and_ends_both(
    repo: Repo, tmp_path: Path, number: int
) -> None:
    with held_open(tmp_path / "held") as reader:
        script = f"exec 9>{tmp_path}/held; trap 'echo heard; exit 3' INT TERM; echo begun; "
        words = tool(script + "while :; do sleep 0.05; done")
        with caller(repo, *words) as only:
            await_line(only, b"begun\n")
            only.send_signal(number)
            status, told, _ = ended(only)
            assert (status, told["outcome"]) == (-number, "interrupted")
            assert told["stdout"] == "begun\nheard\n"
        assert is_released(reader)
    assert repo.keys() == []


def test_tool_ends_soon_after_its_last_caller_was_killed(repo: Repo, tmp_path: Path) -> None:
    with held_open(tmp_path / "held") as reader:
        script = (
            f"exec 9>{tmp_path}/held; trap '' TERM INT; echo begun; sleep 300 & wait; sleep 300"
        )
        with caller(repo, *tool(script + "wait; sleep 300")) as only:
            await_line(only, b"begun\n")
            only.kill()
        assert is_released(reader)
    assert repo.keys() == []


def test_forced_run_of_a_stored_verdict_is_shared_too(repo: Repo) -> None:
    words = tool("echo out")
    for source in ("run", "hit"):
        with caller(repo, *words) as process:
            assert ended(process)[1]["source"] == source
    with caller(repo, "--force", *words) as process:
        assert ended(process)[1]["source"] == "run"
    assert runs(repo) == 2


def test_large_output_reaches_a_slow_reader_whole(repo: Repo) -> None:
    script = "import sys; sys.stdout.write('x' * 5_000_000); sys.stderr.write('y' * 300_000)"
    with caller(repo, sys.executable, "-Sc", script) as process:
        stdout, stderr = process.communicate()
    assert stdout.startswith(b"x" * 5_000_000)
    assert stderr == b"y" * 300_000


def test_tool_that_does_not_start_is_told_like_any_run(repo: Repo) -> None:
    with caller(repo, "no-such-program") as process:
        status, told, _ = ended(process)
    assert (status, told["outcome"], told["stored"]) == (127, "not_started", False)


def test_store_without_a_place_for_locks_is_run_alone_with_a_warning(repo: Repo) -> None:
    folder = repo.path / ".git" / "toolcache"
    folder.mkdir(exist_ok=True)
    (folder / "locks").write_text("no folder")
    with caller(repo, "sh", "-c", "echo out") as process:
        status, told, _ = ended(process)
    assert (status, told["source"], told["stdout"]) == (0, "run", "out\n")
    assert [each.partition(":")[0] for each in told["warnings"]] == [
        "the run can't be shared with other callers"
    ]
