"""``run --bisect``: statuses as ``git bisect run`` takes them, and a bisection with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gitcache.cli.bisect import status_of
from gitcache.core.outcome import (
    Failed,
    Interrupted,
    Killed,
    NotStarted,
    NoVerdict,
    Outcome,
    Passed,
    TimedOut,
    Unstable,
    WrapperFailed,
)
from tests.cli.conftest import Within
from tests.support.calls import declare, start
from tests.support.repository import Repo


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        ([Passed()], 0),
        ([Failed(1)], 1),
        ([Failed(124)], 124),
        ([Failed(125)], 125),  # the tool itself says that it can't tell
        ([Failed(139)], 1),  # git would end the search
        ([Failed(255)], 1),
        ([Killed(9, 137)], 125),
        ([TimedOut(1.0)], 125),
        ([NotStarted(126, "")], 125),
        ([NotStarted(127, "")], 125),
        ([Unstable(0, ("a",))], 125),
        ([Unstable(1, ("a",))], 125),
        ([NoVerdict(0, "ran no test")], 125),
        ([WrapperFailed("no limit could be set")], 125),
        ([Interrupted(15)], 125),
        ([Passed(), Passed()], 0),
        ([Passed(), Failed(3)], 3),
        ([TimedOut(1.0), Failed(3)], 3),
        ([Passed(), TimedOut(1.0)], 125),
    ],
)
def test_each_end_has_the_status_that_git_takes_for_it(
    outcomes: list[Outcome], status: int
) -> None:
    assert status_of(outcomes) == status


@pytest.mark.parametrize(
    ("script", "plain", "bisected"),
    [
        ("exit 0", 0, 0),
        ("exit 3", 3, 3),
        ("exit 200", 200, 1),
        ("kill -SEGV $$", 139, 1),
        ("kill -KILL $$", 137, 125),
        ("exit 130", 130, 125),
        ("exit 127", 127, 125),
        ("echo moved >a.txt; exit 1", 1, 125),
    ],
)
def test_a_run_and_its_hit_end_alike(
    repo: Repo, within: Within, script: str, plain: int, bisected: int
) -> None:
    for words, status in (((), plain), (("--bisect",), bisected), (("--bisect",), bisected)):
        ran = within(repo.path, "run", *words, "--", "sh", "-c", script)
        assert ran.status == status
        repo.git("checkout", "--quiet", ".")


def test_a_timeout_is_no_verdict(repo: Repo, within: Within) -> None:
    words = ("--timeout=0.2s", "--", "sleep", "300")
    assert within(repo.path, "run", *words).status == 124
    assert within(repo.path, "run", "--bisect", *words).status == 125


def test_what_is_wrong_with_a_commit_is_no_verdict_and_told(repo: Repo, within: Within) -> None:
    unknown = within(repo.path, "run", "--bisect", "check")
    assert (unknown.status, within(repo.path, "run", "check").status) == (125, 128)
    assert unknown.stderr.startswith(b"fatal: there is no tool 'check' here\n")
    repo.write("toolcache.toml", "tools = 1\n")
    wrong = within(repo.path, "run", "--bisect", "test")
    assert wrong.status == 125
    assert wrong.stderr.startswith(b"fatal: toolcache.toml: ")


def test_bad_usage_ends_the_search(repo: Repo, within: Within) -> None:
    assert within(repo.path, "run", "--bisect").status == 129
    assert within(repo.path, "run", "--bisect", "--nosuch", "test").status == 129


def test_an_interruption_ends_us_by_its_signal(repo: Repo) -> None:
    words = ("run", "--bisect", "--", "sh", "-c", "echo ready; exec sleep 300")
    with start(repo, *words) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == -signal.SIGINT


def bisection(repo: Repo, good: str, *words: str) -> str:
    """Return what ``git bisect run`` says of the commits since *good*, tested by *words*."""
    repo.git("bisect", "start", "HEAD", good)
    done = subprocess.run(
        ["git", "bisect", "run", "git", "toolcache", "run", "--bisect", *words],
        cwd=repo.path,
        env=os.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=100,
    )
    said = (done.stdout + done.stderr).decode()
    repo.git("bisect", "reset")
    return said


@pytest.fixture
def found_by_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let git find this very program as ``git toolcache``."""
    program = tmp_path / "programs" / "git-toolcache"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gitcache "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


@pytest.mark.usefixtures("found_by_git")
def test_git_finds_the_bad_commit_past_commits_that_say_nothing(repo: Repo) -> None:
    """Of eight commits one has no settings, one no program, one hangs, and the fifth is bad."""
    commits = []
    for number in range(8):
        declare(repo, {"test": "./check"}, 'timeout = "30s"')
        repo.write("check", f"#!/bin/sh\necho {number}; exit {139 if number >= 4 else 0}\n")
        (repo.path / "check").chmod(0o755)
        if number == 2:
            (repo.path / "toolcache.toml").write_text("tools = 1\n")
        elif number == 3:
            (repo.path / "check").chmod(0o644)
        elif number == 6:
            declare(repo, {"test": "kill -KILL $$"})
        commits.append(repo.commit(f"number {number}"))
    said = bisection(repo, commits[0], "test")
    assert "There are only 'skip'ped commits left to test." in said
    for number in (2, 3, 4):
        assert commits[number] in said
    first_bad = bisection(repo, commits[3], "test")
    assert f"{commits[4]} is the first bad commit" in first_bad


@pytest.mark.usefixtures("found_by_git")
def test_a_bisection_again_is_answered_from_the_store(repo: Repo, tmp_path: Path) -> None:
    commits = []
    for number in range(6):
        repo.write("check", f"#!/bin/sh\necho ran >>'{tmp_path}/ran'; [ {number} -lt 3 ]\n")
        (repo.path / "check").chmod(0o755)
        commits.append(repo.commit(f"number {number}"))
    for _ in range(2):
        said = bisection(repo, commits[0], "-q", "--", "./check")
        assert f"{commits[3]} is the first bad commit" in said
    assert len((tmp_path / "ran").read_text().split()) <= 3
