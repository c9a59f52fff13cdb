"""Shared runs in adversity: killed processes, full disks, no locks, clocks, other users."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from gitcache.core.key import Key
from gitcache.engine import execution, follow, hearing, own_run, runner, turn
from gitcache.engine.running import address_of
from gitcache.git.repository import find_repository
from gitcache.host import broadcast, following, live_log
from tests.support.calls import FULL_DISK, Process, context_in, shell
from tests.support.clocks import clocks_read
from tests.support.held import held_open, is_released
from tests.support.no_flock import can_refuse, without_flock
from tests.support.repository import Repo
from tests.support.shared import (
    Tool,
    await_err,
    await_out,
    calling,
    ended,
    runner_of,
    until,
)
from tests.support.unprivileged import NOBODY


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    return Tool.below(tmp_path)


def status_of(pid: int, name: str) -> str:
    """Return what the system tells of the process *pid* under *name*."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(each.partition(":")[2].split()[0] for each in lines if each.startswith(f"{name}:"))


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no variables can be read")
@pytest.mark.parametrize("next_is", ["the same", "another in another worktree"])
def test_next_runner_ends_what_a_killed_runner_and_its_supervisor_left(
    repo: Repo, tool: Tool, tmp_path: Path, next_is: str
) -> None:
    other = repo.add_worktree(tmp_path / "other")
    first, inside = tmp_path / "first", tmp_path / "inside"
    left = f"setsid sh -c 'trap \"\" TERM; echo $GIT_TOOLCACHE_INSIDE >{inside}; sleep 300; :' &"
    words = tool.words(
        f"test -e {first} && exit 3; touch {first}; exec 9>{tmp_path}/held; {left} echo $PPID; "
        "sleep 300"
    )
    with held_open(tmp_path / "held") as reader:
        with calling(repo, "run", *words) as caller:
            assert caller.stdout is not None
            supervisor = int(caller.stdout.readline())
            until(lambda: inside.exists() and inside.read_text().endswith("\n"))
            pid = runner_of(repo)
            for each in (caller.pid, pid):
                os.kill(each, signal.SIGSTOP)
            until(lambda: status_of(pid, "State") == "T")
            for each in (caller.pid, supervisor, pid):
                os.kill(each, signal.SIGKILL)
        key = inside.read_text().partition(":")[0]
        foreign = {"GIT_TOOLCACHE_INSIDE": f"{key}:another-run"}
        with subprocess.Popen(["sleep", "300"], env=foreign) as bystander:
            if next_is == "the same":
                assert repo.toolcache("run", *words).status == 3
            else:
                assert other.toolcache("run", "--", "true").status == 0
            assert is_released(reader)
            assert bystander.poll() is None
            bystander.kill()
    assert list((repo.path / ".git/toolcache/locks").iterdir()) == []
    repository = find_repository(repo.path, os.environ)
    address = address_of(repository, Key(key), context_in(repo.path))
    assert address is not None
    assert not address.exists()


def test_caller_gets_all_output_where_the_disk_is_full(repo: Repo) -> None:
    """The log has no room for most of it, so the rest comes with the answer."""
    flood = "for n in $(seq 20000); do echo out $n; done; echo aside >&2; exit 3"
    script = f"{FULL_DISK}; toolcache run -- sh -c '{flood}'"
    status, stdout, stderr = shell(repo, script)
    assert status == 3
    assert stdout == b"".join(b"out %d\n" % number for number in range(1, 20001))
    assert b"\naside\n" in stderr
    assert (
        stderr.count(b"warning: the output could not be kept while the tool ran; its rest follows")
        == 1
    )
    assert repo.git("fsck") == ""


@pytest.mark.skipif(not can_refuse(), reason="no way to take flock away here")
def test_file_system_without_locks_runs_each_call_by_itself(repo: Repo, tool: Tool) -> None:
    argv = without_flock(errno.ENOLCK, [sys.executable, "-m", "gitcache"])
    argv += ["run", *tool.words("echo out; exit 3")]
    done = subprocess.run(argv, cwd=repo.path, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (3, b"out\n")
    warnings = [each for each in done.stderr.decode().splitlines() if each.startswith("warning: ")]
    unshared = f"the run can't be shared with other callers: {os.strerror(errno.ENOLCK)}"
    assert warnings == [f"warning: {unshared}"]
    assert repo.toolcache("run", *tool.words("echo out; exit 3")).is_hit


@pytest.mark.parametrize(
    "module", [broadcast, following, live_log, execution, follow, hearing, own_run, runner, turn]
)
def test_clock_that_is_set_decides_nothing(module: ModuleType) -> None:
    """The only one read is for the words of who runs since when."""
    assert clocks_read(module) - {"now"} == set()


GROUP = 4242
"""A group that no user of the machine is in."""


READS = "dac_read_search"
"""The capability to read everything (capabilities(7)): the interpreter may lie in a closed home."""

AS_OTHER = ["setpriv", f"--reuid={NOBODY}", f"--regid={GROUP}", "--clear-groups"]
AS_OTHER += [f"--inh-caps=-all,+{READS}", f"--ambient-caps=-all,+{READS}"]


@contextmanager
def calling_as(user: int, place: Path, *words: str) -> Iterator[Process]:
    """Start git toolcache as *user*, who is in the group."""
    home = place / str(user)
    argv = [*(AS_OTHER if user else []), sys.executable, "-m", "gitcache", *words]
    process = subprocess.Popen(
        argv,
        cwd=place / "repo",
        env={**os.environ, "HOME": str(home), "GIT_CONFIG_GLOBAL": str(home / ".gitconfig")},
        umask=0o027,
        bufsize=0,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def can_run_as_other() -> bool:
    """Return whether this test may start our program as another user."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return False
    argv = [*AS_OTHER, sys.executable, "-c", "import gitcache"]
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


@pytest.fixture
def shared_place() -> Iterator[Path]:
    """Return a folder that every user may reach, with a group's repository and a home for each."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        repo = Repo.init(folder / "repo", "--shared=group")
        repo.write("a.txt", "a\n")
        repo.commit()
        for path in (repo.path, *repo.path.rglob("*")):
            os.chown(path, -1, GROUP)
            mode = path.stat().st_mode
            path.chmod(mode | (mode & 0o700) >> 3 | (0o2000 if path.is_dir() else 0))
        for user in (0, NOBODY):
            home = folder / str(user)
            home.mkdir()
            settings = Path(os.environ["GIT_CONFIG_GLOBAL"]).read_text()
            (home / ".gitconfig").write_text(f"{settings}[safe]\n\tdirectory = *\n")
            for path in (home, home / ".gitconfig"):
                os.chown(path, user, GROUP)
        yield folder


@pytest.mark.parametrize(("first", "second"), [(0, NOBODY), (NOBODY, 0)])
def test_two_users_of_a_groups_repository_wait_for_each_other(
    shared_place: Path, first: int, second: int
) -> None:
    """Also the second run of each, when the folders of the first are there."""
    if not can_run_as_other():
        pytest.skip("only root can be another user, by setpriv")
    tool = Tool.below(shared_place)
    for path in (tool.folder, tool.gate):
        path.chmod(0o777)
    for one, two in ((first, second), (second, first)):
        words = ("run", *tool.words(f"umask 0; echo {one}; cat {tool.gate}; exit 3"))
        with calling_as(one, shared_place, *words) as runs:
            await_out(runs, b"%d\n" % one)
            (tool.folder / "runs").chmod(0o666)
            with calling_as(two, shared_place, *words) as waits:
                await_err(waits, "toolcache: waiting for ")
                tool.open()
                ran, told = ended(runs), ended(waits)
        assert (ran.status, ran.warnings) == (3, [])
        assert (told.status, told.source, told.warnings) == (3, "hit", [])
        assert told.stdout == b"%d\nthrough\n" % one
    assert tool.runs == 2
