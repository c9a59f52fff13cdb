"""A memory limit: who keeps it, what the tool sees of it, and a wrapper's failure told apart."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from gitcache.core.outcome import Exited
from gitcache.core.output import Stream
from gitcache.host.call import Call, Ended, NeverStarted
from gitcache.host.limited_start import escaped
from gitcache.host.memory import (
    WRAPPER_FAILURES,
    Announced,
    Limited,
    Unlimited,
    limited,
    this_machine,
)
from gitcache.host.process import run_process
from tests.support.limiter import Limiter, refusing

GIB = 1 << 30
BASE = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


class Ran:
    """What came of a call within a limit."""

    def __init__(self, place: Limited | Unlimited, call: Call) -> None:
        self.heard: dict[Stream, bytes] = {"stdout": b"", "stderr": b""}
        self.place = place
        self.failure: str | None = None
        self.has_started = True
        if isinstance(place, Unlimited):
            self.result = run_process(call, self._hear)
            return
        announced = Announced(place.announcement, self._hear)
        self.result = run_process(place.call, announced)
        self.has_started = announced.has_come
        if isinstance(self.result, Ended) and isinstance(self.result.exit, Exited):
            self.failure = announced.wrapper_failure(place.by, self.result.exit.status)
        announced.close()

    def _hear(self, stream: Stream, data: bytes) -> None:
        self.heard[stream] += data

    @property
    def status(self) -> int:
        assert isinstance(self.result, Ended)
        assert isinstance(self.result.exit, Exited)
        return self.result.exit.status


def ran(
    cwd: Path,
    *argv: str,
    by: Mapping[str, str],
    environ: Mapping[str, str] = BASE,
    memory: int = GIB,
    groups: Path = Path("/nowhere"),
) -> Ran:
    """Run *argv* for a caller whose variables are *by*."""
    call = Call(argv, cwd, environ)
    with limited(call, memory, by, groups) as place:
        return Ran(place, call)


@pytest.fixture
def limiter(tmp_path: Path) -> Limiter:
    return Limiter.below(tmp_path / "limiter")


def test_the_wrapper_is_told_the_limit_and_a_name_of_its_own_each_time(
    limiter: Limiter, tmp_path: Path
) -> None:
    for _ in range(2):
        assert ran(tmp_path, "true", by=limiter.environ, memory=GIB).status == 0
    assert limiter.words.count("--property=MemoryMax=1073741824") == 2
    assert limiter.words.count("--property=MemorySwapMax=0") == 2
    assert {"--user", "--scope"} <= set(limiter.words)
    units = [word for word in limiter.words if word.startswith("--unit=toolcache-")]
    assert len(units) == len(set(units)) == 2


def test_the_tools_streams_and_status_are_its_own(limiter: Limiter, tmp_path: Path) -> None:
    done = ran(tmp_path, "sh", "-c", "echo out; echo err >&2; exit 7", by=limiter.environ)
    assert isinstance(done.place, Limited)
    assert (done.place.by, done.has_started, done.status) == ("systemd-run", True, 7)
    assert done.heard == {"stdout": b"out\n", "stderr": b"err\n"}


def test_every_word_arrives_as_it_was_and_none_is_a_variable_for_the_wrapper(
    limiter: Limiter, tmp_path: Path
) -> None:
    words = ["$HOME", "${HOME}", "$$", "%24", "%", "%25", "", "a b", "\n", "--", "NAME=x", "\udcff"]
    script = "import sys; sys.stdout.buffer.write(repr([*map(ascii, sys.argv[1:])]).encode())"
    done = ran(tmp_path, sys.executable, "-c", script, *words, by=limiter.environ)
    assert done.heard["stdout"].decode() == repr([*map(ascii, words)])
    assert not any("$" in word for word in limiter.words)
    assert escaped("$%24") == "%24%2524"


def test_the_first_word_stays_the_tools_own(limiter: Limiter, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "multi").symlink_to("/bin/sh")
    environ = {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}
    command = ("multi", "-c", "tr '\\0' '\\n' </proc/$$/cmdline | head -n 1")
    for by in (limiter.environ, {}):
        assert ran(tmp_path, *command, by=by, environ=environ).heard["stdout"] == b"multi\n"


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"XDG_RUNTIME_DIR": "/elsewhere", "LC_CTYPE": "C", "INVOCATION_ID": "its own"},
        {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/elsewhere", "LANG": "C.UTF-8", "PWD": "/x"},
    ],
)
def test_the_tools_variables_are_the_same_with_a_limit_and_without(
    limiter: Limiter, tmp_path: Path, more: dict[str, str]
) -> None:
    environ = {**BASE, **more}
    by = {**limiter.environ, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/bus"}
    seen = [
        sorted(ran(tmp_path, "env", by=caller, environ=environ).heard["stdout"].splitlines())
        for caller in (by, {})
    ]
    if "PWD" in more:  # the stand-in is a shell and can't leave it alone
        seen = [[line for line in lines if not line.startswith(b"PWD=")] for lines in seen]
    assert seen[0] == seen[1]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the kernel tells no masks")
def test_the_tool_starts_with_default_handlers_and_no_descriptor_of_ours(
    limiter: Limiter, tmp_path: Path
) -> None:
    command = ("sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status; ls /proc/$$/fd")
    for by in (limiter.environ, {}):
        lines = ran(tmp_path, *command, by=by).heard["stdout"].split()
        masks = [int(lines[place], 16) for place in (1, 3)]
        # The C library's own two signals, 32 and 33, are ignored in all that GNU make starts.
        assert [mask & ~(0b11 << 31) for mask in masks] == [0, 0]
        assert lines[4:] == [b"0", b"1", b"2"]


def test_a_limit_is_kept(limiter: Limiter, tmp_path: Path) -> None:
    hog = (sys.executable, "-c", "len(bytearray(400 << 20))")
    assert ran(tmp_path, *hog, by=limiter.environ, memory=2 * GIB).status == 0
    beyond = ran(tmp_path, *hog, by=limiter.environ, memory=200 << 20)
    assert (beyond.has_started, beyond.status) == (True, 1)
    assert beyond.heard["stderr"].endswith(b"\nMemoryError\n")


@pytest.mark.parametrize(
    "argv",
    [
        ("systemd-run", "--user", "--scope", "true"),
        ("/usr/bin/systemd-run", "true"),
        ("nice", "systemd-run", "true"),
        ("env", "A=1", "systemd-run", "true"),
        ("sh", "-c", "exec systemd-run --user true"),
    ],
)
def test_a_command_that_is_the_wrapper_already_is_left_alone(
    limiter: Limiter, tmp_path: Path, argv: tuple[str, ...]
) -> None:
    with limited(Call(argv, tmp_path, BASE), GIB, limiter.environ) as place:
        assert place == Unlimited("the command is systemd-run already")


def test_without_a_wrapper_or_a_manager_there_is_no_limit(limiter: Limiter, tmp_path: Path) -> None:
    without_wrapper = {**limiter.environ, "PATH": str(tmp_path)}
    without_manager = {**limiter.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    for by, why in (
        (without_wrapper, "systemd-run is not there"),
        (without_manager, "no service manager of the user runs"),
    ):
        done = ran(tmp_path, "sh", "-c", "exit 7", by=by)
        assert done.place == Unlimited(f"{why}, and no control group is ours to divide")
        assert done.status == 7
    assert limiter.words == []


def test_a_program_that_is_not_there_is_told_as_without_a_limit(
    limiter: Limiter, tmp_path: Path
) -> None:
    done = ran(tmp_path, "nosuch", by=limiter.environ)
    assert done.result == NeverStarted(127, "nosuch: command not found")


def test_a_program_that_can_not_be_executed_after_all_ends_as_in_a_shell(
    limiter: Limiter, tmp_path: Path
) -> None:
    for name, text, status in (("lost", "#!/nowhere/sh\n", 127), ("none", "echo\n", 126)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
        done = ran(tmp_path, f"./{name}", by=limiter.environ)
        assert (done.has_started, done.status) == (True, status)
        assert done.heard["stderr"].startswith(f"./{name}: can't be executed: ".encode())


REFUSALS = [
    "Failed to connect to bus: No medium found",
    "FAILED TO CONNECT TO BUS: NO SUCH FILE OR DIRECTORY",
    "Failed to connect to user scope bus via local transport: No such file or directory",
    "Failed to start transient scope unit: Unit toolcache-1.scope was already loaded",
    "Failed to start transient scope unit: Interactive authentication required.",
    "Job for toolcache-1.scope failed.",
    "Unknown assignment: MemoryMax=1G",
    "systemd-run: unrecognized option '--collect'",
]


@pytest.mark.parametrize("message", REFUSALS)
def test_a_known_refusal_of_the_wrapper_is_quoted(tmp_path: Path, message: str) -> None:
    script = refusing(f"Running as unit: x\n{message}\nSee journalctl for more.")
    limiter = Limiter.below(tmp_path / "limiter", script)
    done = ran(tmp_path, "sh", "-c", "touch started", by=limiter.environ)
    assert (done.has_started, done.status) == (False, 1)
    assert done.failure == f"the memory limit could not be set by systemd-run: {message}"
    assert message.encode() in done.heard["stderr"]
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (refusing("Une erreur inconnue", 3), "Une erreur inconnue"),
        ("exit 4", "it ended with status 4"),
        ("exit 0", "it ended with status 0"),
        ("echo 'toolcache-0123' >&2; exit 1", "toolcache-0123"),
    ],
)
def test_a_wrapper_that_starts_nothing_gives_no_verdict_whatever_it_says(
    tmp_path: Path, script: str, told: str
) -> None:
    limiter = Limiter.below(tmp_path / "limiter", script)
    done = ran(tmp_path, "true", by=limiter.environ)
    assert not done.has_started
    assert done.failure == f"the memory limit could not be set by systemd-run: {told}"


@pytest.mark.parametrize("message", REFUSALS)
def test_a_tool_that_says_the_same_was_started(
    limiter: Limiter, tmp_path: Path, message: str
) -> None:
    done = ran(tmp_path, "sh", "-c", 'echo "$1" >&2; exit 1', "sh", message, by=limiter.environ)
    assert (done.has_started, done.status) == (True, 1)
    assert done.heard["stderr"] == message.encode() + b"\n"


def test_known_failures_are_in_lower_case_and_have_a_source() -> None:
    assert all(words == words.lower() and where for words, where in WRAPPER_FAILURES)


class Heard:
    """What comes through an announcement, in order."""

    def __init__(self) -> None:
        self.chunks: list[tuple[Stream, bytes]] = []
        self.announced = Announced("toolcache-1f", lambda *chunk: self.chunks.append(chunk))


def test_an_announcement_is_found_in_pieces_and_behind_the_tools_own_output() -> None:
    heard = Heard()
    heard.announced("stdout", b"early\n")
    for piece in (b"wrapper\ntool", b"cache-1f", b"\r\nerr\n"):
        assert heard.chunks == []
        heard.announced("stderr", piece)
    assert heard.announced.has_come
    heard.announced("stdout", b"late\n")
    assert heard.chunks == [("stdout", b"early\n"), ("stderr", b"err\n"), ("stdout", b"late\n")]


def test_what_is_held_back_is_heard_at_the_end_or_when_it_is_too_much() -> None:
    heard = Heard()
    heard.announced("stderr", b"refused\n")
    heard.announced.close()
    heard.announced.close()
    assert heard.chunks == [("stderr", b"refused\n")]
    heard = Heard()
    for _ in range(17):
        heard.announced("stdout", b"x" * (1 << 16))
    assert sum(len(data) for _, data in heard.chunks) == 17 << 16
    assert not heard.announced.has_come


def test_a_machine_has_memory_and_processors() -> None:
    machine = this_machine()
    assert machine.memory > 1 << 26
    assert machine.processors >= 1


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    """Return a folder that looks like control groups of version 2 that are ours to divide."""
    if not any(line.startswith("0::/") for line in own_groups()):
        pytest.skip("the kernel tells of no control group of version 2")
    root = tmp_path / "groups"
    group = root / next(line for line in own_groups() if line.startswith("0::/"))[4:]
    group.mkdir(parents=True)
    (group / "cgroup.subtree_control").write_text("cpu memory pids\n")
    (group / "cgroup.procs").touch()
    return root


def own_groups() -> list[str]:
    path = Path("/proc/self/cgroup")
    return path.read_text().splitlines() if path.exists() else []


def made_in(groups: Path) -> list[Path]:
    return [*groups.rglob("toolcache-*")]


def test_a_control_group_is_made_and_joined_before_the_tool_starts(
    groups: Path, tmp_path: Path
) -> None:
    script = "cat groups/*toolcache-*/cgroup.procs groups/*toolcache-*/memory.max; exit 3"
    own = next(line for line in own_groups() if line.startswith("0::/"))[4:]
    script = script.replace("groups/*", f"groups/{own}/*").replace("*toolcache", "toolcache")
    done = ran(tmp_path, "sh", "-c", script, by={}, memory=GIB, groups=groups)
    assert isinstance(done.place, Limited)
    assert (done.place.by, done.has_started, done.status) == ("cgroup", True, 3)
    assert done.heard == {"stdout": b"01073741824", "stderr": b""}
    (group,) = made_in(groups)
    assert (group / "memory.swap.max").read_text() == "0"
    assert (group / "memory.oom.group").read_text() == "1"
    assert (group / "cgroup.kill").read_text() == "1"


def test_a_group_that_can_not_be_joined_gives_no_verdict(groups: Path, tmp_path: Path) -> None:
    call = Call(("true",), tmp_path, BASE)
    with limited(call, GIB, {}, groups) as place:
        (group,) = made_in(groups)
        (group / "cgroup.procs").mkdir()
        done = Ran(place, call)
    assert not done.has_started
    assert done.failure is not None
    assert done.failure.startswith("the memory limit could not be set by cgroup: IsADirectoryError")


@pytest.mark.parametrize("controllers", ["", "cpu pids\n"])
def test_a_group_without_the_memory_controller_is_not_ours_to_divide(
    groups: Path, tmp_path: Path, controllers: str
) -> None:
    for path in groups.rglob("cgroup.subtree_control"):
        path.write_text(controllers)
    assert isinstance(ran(tmp_path, "true", by={}, groups=groups).place, Unlimited)
    assert made_in(groups) == []


CALLER = dict(os.environ)
"""The variables before the tests seal them: they lead to the service manager."""


def manager_refuses() -> str:
    """Return why no scope can be had from a real service manager; empty where one can."""
    try:
        done = subprocess.run(
            ["systemd-run", "--user", "--scope", "--quiet", "true"],
            env=CALLER,
            capture_output=True,
            check=False,
            timeout=20,
        )
    except OSError as error:
        return str(error)
    return done.stderr.decode().strip() or f"status {done.returncode}" if done.returncode else ""


def test_a_real_service_manager_keeps_the_limit(tmp_path: Path) -> None:
    if why := manager_refuses():
        pytest.skip(f"no scope of a real service manager: {why}")
    hog = (sys.executable, "-c", "len(bytearray(400 << 20))")
    enough = ran(tmp_path, *hog, by=CALLER, memory=2 * GIB)
    assert isinstance(enough.place, Limited)
    assert (enough.place.by, enough.has_started, enough.status) == ("systemd-run", True, 0)
    assert enough.heard == {"stdout": b"", "stderr": b""}
    beyond = ran(tmp_path, *hog, by=CALLER, memory=100 << 20)
    assert beyond.has_started
    assert isinstance(beyond.result, Ended)
    assert beyond.result.exit != Exited(0)


def test_a_real_control_group_keeps_the_limit(tmp_path: Path) -> None:
    call = Call((sys.executable, "-c", "len(bytearray(400 << 20))"), tmp_path, BASE)
    with limited(call, 100 << 20, {}) as place:
        if isinstance(place, Unlimited):
            pytest.skip(f"no control group of version 2: {place.reason}")
        done = Ran(replace(place), call)
    assert done.has_started
    assert isinstance(done.result, Ended)
    assert done.result.exit != Exited(0)
