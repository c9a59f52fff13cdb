"""Runs within a memory limit: real hogs, what is stored, what is told, what is in the key."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.calls import FIRST, declare
from tests.support.limiter import (
    MEMORY_GROUPS,
    WITH_GROUP,
    Limiter,
    refusing,
)
from tests.support.repository import Ran, Repo

HOG = f"{sys.executable} -c 'len(bytearray(400 << 20))'"


@pytest.fixture
def limiter(tmp_path: Path) -> Limiter:
    return Limiter.below(tmp_path / "limiter")


def run(repo: Repo, limiter: Limiter, *words: str) -> Ran:
    return repo.toolcache("run", *words, env=limiter.environ)


def test_a_hog_is_not_stored_and_runs_again_at_once_with_a_higher_limit(
    repo: Repo, limiter: Limiter
) -> None:
    declare(repo, {"test": f"{HOG} && echo done"}, 'memory = "200MiB"')
    for _ in range(2):
        ran = run(repo, limiter, "--json", "test")
        assert (ran.status, ran.json["outcome"], ran.json["cause"]) == (1, "killed", "MemoryError")
        assert (ran.json["source"], ran.json["stored"]) == ("run", False)
    assert repo.keys() == []
    declare(repo, {"test": f"{HOG} && echo done"}, 'memory = "2GiB"')
    for source in ("run", "hit"):
        ran = run(repo, limiter, "--json", "test")
        assert (ran.status, ran.json["outcome"], ran.json["source"]) == (0, "passed", source)
        assert ran.json["output"] == [{"stream": "stdout", "text": "done\n"}]
    assert len(repo.keys()) == 1


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Path]:
    """Return a control group of version 1 that does not exist yet and may be made."""
    group = MEMORY_GROUPS / f"toolcache-test-{os.getpid()}-{tmp_path.name}"
    if not os.access(MEMORY_GROUPS / "cgroup.procs", os.W_OK):
        pytest.skip("control groups of version 1 are not ours to make")
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text(str(1 << 30))
    except OSError as error:
        pytest.skip(f"the kernel limits no memory here: {error}")
    finally:
        with suppress(OSError):
            group.rmdir()
    yield group
    with suppress(OSError):
        group.rmdir()


def test_a_hog_that_the_kernel_kills_is_not_stored_and_runs_again_at_once(
    repo: Repo, tmp_path: Path, group: Path
) -> None:
    script = WITH_GROUP.replace("$GROUP", str(group))
    limiter = Limiter.below(tmp_path / "limiter", script)
    touch = "x = bytearray(400 << 20); x[::4096] = bytes(len(x) // 4096)"
    repo.write("hog.py", touch)
    declare(repo, {"test": f"exec {sys.executable} hog.py"}, 'memory = "100MiB"')
    ran = run(repo, limiter, "--json", "test")
    assert (ran.json["outcome"], ran.json["signal"], ran.status) == ("killed", 9, 137)
    assert repo.keys() == []
    group.rmdir()
    declare(repo, {"test": f"exec {sys.executable} hog.py"}, 'memory = "2GiB"')
    assert run(repo, limiter, "--json", "test").json["outcome"] == "passed"
    assert len(repo.keys()) == 1


def test_a_wrapper_that_fails_gives_no_verdict_and_the_next_run_runs(
    repo: Repo, tmp_path: Path
) -> None:
    declare(repo, {"test": f"touch {tmp_path}/started"}, 'memory = "1GiB"')
    refusal = "Failed to start transient scope unit: no"
    broken = Limiter.below(tmp_path / "broken", refusing(refusal))
    ran = run(repo, broken, "--json", "test")
    assert (ran.status, ran.json["outcome"], ran.json["exit_status"]) == (125, "no_verdict", 125)
    assert ran.json["cause"] == f"the memory limit could not be set by systemd-run: {refusal}"
    assert ran.json["output"] == [{"stream": "stderr", "text": f"{refusal}\n"}]
    assert f"test was not run: {ran.json['cause']}; nothing is stored" in ran.summary
    assert repo.keys() == []
    assert not (tmp_path / "started").exists()
    assert run(repo, Limiter.below(tmp_path / "whole"), "test").status == 0
    assert len(repo.keys()) == 1


def test_a_tool_that_fails_as_the_wrapper_would_is_stored(repo: Repo, limiter: Limiter) -> None:
    declare(repo, {"test": "echo Failed to connect to bus: no >&2; exit 1"}, 'memory = "1GiB"')
    for source in ("run", "hit"):
        ran = run(repo, limiter, "--json", "test")
        assert (ran.status, ran.json["outcome"], ran.json["source"]) == (1, "failed", source)


def test_who_asks_is_told_who_limits_and_nobody_else_is(repo: Repo, limiter: Limiter) -> None:
    declare(repo, {"test": "true"}, 'memory = "3GiB"\nworkers = 2')
    assert run(repo, limiter, "-v", "--force", "test").stderr.startswith(
        FIRST + b"toolcache: limited by systemd-run to 3GiB; workers it is told: 2, "
        b"heap of each: 1GiB\n"
    )
    alone = repo.toolcache("run", "-v", "--force", "test", env={"PATH": os.environ["PATH"]})
    assert alone.stderr.decode().startswith("toolcache: no memory limit: ")
    for ran in (run(repo, limiter, "--force", "test"), repo.toolcache("run", "--force", "test")):
        assert b"limit" not in ran.stderr


def test_limits_asked_for_are_in_the_key_and_what_they_came_to_is_in_the_entry(
    repo: Repo, limiter: Limiter
) -> None:
    declare(repo, {"test": "true"}, 'memory = "3GiB"\nworkers = 2\ninputs = ["a.txt"]')
    run(repo, limiter, "test")
    entry = repo.toolcache("show", "--json", "test").json
    assert entry["inputs"]["limits"] == {"memory": "3221225472", "workers": "2"}
    assert entry["limited_to"] == {
        "memory": "3221225472",
        "workers": "2",
        "heap": "1073741824",
        "by": "systemd-run",
    }
    assert b"limited to" in repo.toolcache("show", "test").stdout
    declare(repo, {"test": "true"}, 'memory = "4GiB"\nworkers = 2\ninputs = ["a.txt"]')
    assert repo.toolcache("explain", "test").stdout.count(b"limit memory changed") == 1


def test_who_can_not_limit_shares_with_who_can(repo: Repo, limiter: Limiter) -> None:
    declare(repo, {"test": "echo $NODE_OPTIONS"}, 'memory = "25%"')
    first = run(repo, limiter, "--json", "test").json
    again = repo.toolcache("run", "--json", "test").json
    assert (first["source"], again["source"]) == ("run", "hit")
    assert first["key"] == again["key"]
    assert "--max-old-space-size=" in again["output"][0]["text"]


def test_hints_are_for_a_limit_or_for_who_asks(repo: Repo) -> None:
    script = "echo $CARGO_BUILD_JOBS,$MAKEFLAGS,$NODE_OPTIONS,$GOMEMLIMIT"
    for more, seen in (
        ("", ",,,"),
        ('memory = "1GiB"', ",,,"),  # nobody here keeps it
        ("workers = 3", "3,-j3,,"),
        ('heap = "1GiB"', ",,--max-old-space-size=1024,1024MiB"),
        ('workers = 3\nset_env = { CARGO_BUILD_JOBS = "9" }', "9,-j3,,"),
        ('heap = "1GiB"\nset_env = { NODE_OPTIONS = "" }', ",,,1024MiB"),
    ):
        declare(repo, {"test": script}, more)
        environ = {"PATH": os.environ["PATH"]}
        assert repo.toolcache("run", "test", env=environ).stdout.decode() == f"{seen}\n"


def test_git_config_limits_what_the_settings_leave_open(repo: Repo, limiter: Limiter) -> None:
    declare(repo, {"test": "true", "lint": "true"}, 'memory = "2GiB"')
    repo.git("config", "toolcache.memory", "auto")
    for words, asked in ((("test",), "auto"), (("lint",), "2147483648")):
        run(repo, limiter, *words)
        entry = json.loads(repo.toolcache("show", "--json", *words).stdout)
        assert entry["inputs"]["limits"] == {"memory": asked}
    repo.git("config", "toolcache.memory", "1073741824")
    assert run(repo, limiter, "--", "true").status == 0
    assert repo.toolcache("lookup", "test").status == 2
    for switched in ("off", "read"):
        before = limiter.words.count("--property=MemoryMax=1073741824")
        ran = repo.toolcache("run", "test", env={**limiter.environ, "GIT_TOOLCACHE": switched})
        assert ran.status == 0
        assert limiter.words.count("--property=MemoryMax=1073741824") == before + 1


def test_a_wrong_wish_in_git_config_is_an_error_and_nothing_runs(repo: Repo) -> None:
    repo.git("config", "toolcache.memory", "lots")
    for words in (("run", "--", "echo", "ran"), ("lookup", "--", "echo", "ran")):
        ran = repo.toolcache(*words)
        assert (ran.status, ran.stdout) == (128, b"")
        assert ran.stderr.decode().splitlines() == [
            'fatal: git config: toolcache.memory: takes an amount such as "4GiB", a share such as '
            '"25%", "auto" or bytes, not "lots"'
        ]
