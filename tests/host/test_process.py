"""A tool's process: what it gets, what is heard of it, and how it ends."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import gitcache
from gitcache.core.leak import Leak, LeftProcess
from gitcache.core.outcome import Exited, Signalled
from gitcache.core.output import Stream
from gitcache.host.call import Call, Ended, NeverStarted
from gitcache.host.process import run_process
from gitcache.host.process_tree import find
from tests.support.held import held_open, is_released

ENVIRON = {"PATH": "/usr/local/bin:/usr/bin:/bin"}

COUNT_SIGNALS = """
import signal
asked = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
signal.pthread_sigmask(signal.SIG_BLOCK, asked)
print("ready", flush=True)
print(int(signal.sigwait(asked)), signal.sigtimedwait(asked, 0.2))
"""

SURVIVE_ONE_SIGNAL = """
import signal
asked = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
signal.pthread_sigmask(signal.SIG_BLOCK, asked)
print("ready", flush=True)
signal.sigwait(asked)
print("got", flush=True)
signal.sigwait({signal.SIGUSR1})
"""

CLEAN_UP_SLOWLY = """
import signal, sys
asked = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
signal.pthread_sigmask(signal.SIG_BLOCK, asked)
print("ready", flush=True)
signal.sigwait(asked)
print("cleaning", flush=True)
signal.sigtimedwait({signal.SIGUSR1}, 0.3)
print("clean", flush=True)
sys.exit(5)
"""

BECOME_A_DAEMON = """
import os
if os.fork():
    os.wait()
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
null = os.open(os.devnull, os.O_RDWR)
for descriptor in range(3):
    os.dup2(null, descriptor)
os.execvp("sleep", ["sleep", "300"])
"""

HOP = """
import os
while not os.fork():
    os.setsid()
"""
"""Goes on from child to child, each in a session of its own, and never stays to be found."""

ROOT = str(Path(gitcache.__file__).parents[1])

DEAF = ("sh", "-c", 'trap "" TERM; sleep 300')
"""A tool that ignores the polite signal, as does all that it starts."""


class Listener:
    """Keeps the output of a process, and acts when it is ready."""

    def __init__(self) -> None:
        self.stdout = b""
        self.stderr = b""
        self.order: list[Stream] = []

    def __call__(self, stream: Stream, data: bytes) -> None:
        self.order.append(stream)
        if stream == "stdout":
            self.stdout += data
        else:
            self.stderr += data


class SupervisorKiller(Listener):
    """Kills the process whose pid the tool tells: its parent."""

    def __call__(self, stream: Stream, data: bytes) -> None:
        super().__call__(stream, data)
        os.kill(int(data), signal.SIGKILL)


def children() -> set[str]:
    """Return the pids of this process's children, dead ones too."""
    tasks = Path("/proc/self/task").iterdir()
    return {pid for task in tasks for pid in (task / "children").read_text().split()}


def ran(cwd: Path, *argv: str, **options: Any) -> tuple[Ended | NeverStarted, Listener]:
    listener = options.pop("listener", None) or Listener()
    return run_process(Call(argv, cwd, ENVIRON, **options), listener), listener


def ended(cwd: Path, *argv: str, **options: Any) -> tuple[Ended, Listener]:
    result, listener = ran(cwd, *argv, **options)
    assert isinstance(result, Ended)
    return result, listener


@contextmanager
def ignoring(number: int) -> Iterator[None]:
    """Ignore a signal in this process, and so in those that it starts."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(number, before)


def test_every_byte_value_arrives_on_its_own_stream(tmp_path: Path) -> None:
    script = r"""
        import sys
        sys.stdout.buffer.write(bytes(range(256)))
        sys.stderr.buffer.write(bytes(reversed(range(256))))
    """
    _, heard = ended(tmp_path, sys.executable, "-Sc", script.replace("\n        ", "\n"))
    assert heard.stdout == bytes(range(256))
    assert heard.stderr == bytes(range(255, -1, -1))


def test_chunks_come_in_the_order_in_which_the_tool_prints_them(tmp_path: Path) -> None:
    reader, writer = os.pipe()

    class Answering(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            os.write(writer, b"go on\n")

    with open(reader, "rb") as stdin, open(writer, "wb"):
        script = "echo a; read x; echo b >&2; read x; echo c; read x; echo d >&2"
        _, heard = ended(tmp_path, "sh", "-c", script, stdin=stdin, listener=Answering())
    assert heard.order == ["stdout", "stderr", "stdout", "stderr"]
    assert (heard.stdout, heard.stderr) == (b"a\nc\n", b"b\nd\n")


def test_a_thousand_lines_on_two_streams_keep_their_order(tmp_path: Path) -> None:
    """The tool goes on when a line was heard, since nothing tells what two pipes hold in turn."""
    reader, writer = os.pipe()

    class Answering(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            lines.append(data)
            os.write(writer, b"\n")

    lines: list[bytes] = []
    script = (
        "i=0; while [ $i -lt 1000 ]; do echo $i >&$((i * i % 7 % 2 + 1)); i=$((i+1)); read x; done"
    )
    with open(reader, "rb") as stdin, open(writer, "wb"):
        ended(tmp_path, "sh", "-c", script, stdin=stdin, listener=(heard := Answering()))
    assert lines == [b"%d\n" % number for number in range(1000)]
    assert heard.order == [("stdout", "stderr")[n * n % 7 % 2] for n in range(1000)]


def test_every_status_of_a_process_is_told_as_it_is(tmp_path: Path) -> None:
    statuses = [ended(tmp_path, "sh", "-c", f"exit {n}")[0].exit for n in range(256)]
    assert statuses == [Exited(n) for n in range(256)]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_death_by_a_signal_is_no_status(tmp_path: Path, number: int) -> None:
    result, _ = ended(tmp_path, "sh", "-c", f"kill -{int(number)} $$")
    assert result.exit == Signalled(number)
    assert result.interrupted_by is None
    assert not result.timed_out


def test_what_is_not_there_or_not_executable_never_starts(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    (tmp_path / "script").write_text("#!/nowhere/sh\n")
    (tmp_path / "script").chmod(0o755)
    (tmp_path / "no-format").write_text("echo hello\n")
    (tmp_path / "no-format").chmod(0o755)
    results = {
        word: ran(tmp_path, word)[0]
        for word in ("nosuch", "./nosuch", "./script", "./plain", "./no-format", "./", "a\0b")
    }
    assert {word: each.status for word, each in results.items() if isinstance(each, NeverStarted)}
    assert results == {
        "nosuch": NeverStarted(127, "nosuch: command not found"),
        "./nosuch": NeverStarted(127, "./nosuch: command not found"),
        "./script": NeverStarted(127, "./script: command not found"),
        "./plain": NeverStarted(126, "./plain: can't be executed: Permission denied"),
        "./no-format": NeverStarted(126, "./no-format: can't be executed: Exec format error"),
        "./": NeverStarted(126, "./: can't be executed: Permission denied"),
        "a\0b": NeverStarted(126, "a\0b: can't be executed: embedded null byte"),
    }


def test_standard_input_is_the_null_device_unless_a_file_is_given(tmp_path: Path) -> None:
    assert ended(tmp_path, "cat")[1].stdout == b""
    (tmp_path / "input").write_bytes(b"given\0")
    with open(tmp_path / "input", "rb") as stdin:
        assert ended(tmp_path, "cat", stdin=stdin)[1].stdout == b"given\0"


def test_tool_has_a_session_of_its_own_and_none_of_our_descriptors(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.set_inheritable(reader, True)
    os.set_inheritable(writer, True)
    script = (
        "import os\n"
        "def is_open(fd):\n"
        "    try: return bool(os.fstat(fd))\n"
        "    except OSError: return False\n"
        "print(os.getsid(0) == os.getpgid(0) == os.getpid(), list(filter(is_open, range(256))))"
    )
    try:
        _, heard = ended(tmp_path, sys.executable, "-Sc", script)
    finally:
        os.close(reader)
        os.close(writer)
    assert heard.stdout == b"True [0, 1, 2]\n"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the kernel tells no masks")
def test_tool_starts_with_default_handlers_and_an_empty_mask(tmp_path: Path) -> None:
    _, heard = ended(tmp_path, "grep", "-E", "Sig(Blk|Ign)", "/proc/self/status")
    masks = [int(line.split()[1], 16) for line in heard.stdout.splitlines()]
    # The C library's own two signals, 32 and 33, are ignored in all that GNU make starts.
    assert [mask & ~(0b11 << 31) for mask in masks] == [0, 0]


def test_timeout_ends_the_tool(tmp_path: Path) -> None:
    result, _ = ended(tmp_path, "sleep", "300", timeout=0.2)
    assert result.timed_out
    assert result.exit == Signalled(signal.SIGTERM)
    assert 0.2 <= result.duration < 60


def test_a_tool_that_ignores_the_polite_signal_is_killed_after_the_grace(tmp_path: Path) -> None:
    result, _ = ended(tmp_path, *DEAF, timeout=0.1, grace=0.2)
    assert result.timed_out
    assert result.exit == Signalled(signal.SIGKILL)
    assert 0.3 <= result.duration < 60


@pytest.mark.parametrize("redirection", ["", ">&2", ">/dev/null 2>&1"])
def test_what_the_tool_leaves_behind_is_ended_and_named(tmp_path: Path, redirection: str) -> None:
    fifo = tmp_path / "fifo"
    with held_open(fifo) as reader:
        script = f"sleep 300 {redirection} 9>{fifo} & echo $!"
        result, heard = ended(tmp_path, "sh", "-c", script)
        assert is_released(reader)
    assert result.exit == Exited(0)
    assert result.leak == Leak((LeftProcess(int(heard.stdout), "sleep"),))
    assert result.duration < 60


@pytest.mark.parametrize("how", ["setsid", "setsid and deaf", "daemon", "hopping"])
def test_what_left_the_tools_group_is_ended_too(tmp_path: Path, how: str) -> None:
    script = {
        "setsid": "setsid sh -c 'echo >&8; exec sleep 300' & read x <&8",
        "setsid and deaf": "trap '' TERM; setsid sh -c 'echo >&8; exec sleep 300' & read x <&8",
        "daemon": f"exec {sys.executable} -Sc '{BECOME_A_DAEMON}'",
        "hopping": f"exec {sys.executable} -Sc '{HOP}'",
    }[how]
    os.mkfifo(tmp_path / "ready")
    with held_open(tmp_path / "fifo") as reader:
        script = f"exec 8<>ready 9>fifo; {script}"
        result, _ = ended(tmp_path, "sh", "-c", script)
        assert is_released(reader)
    assert result.exit == Exited(0)
    assert result.leak is not None


@pytest.mark.parametrize("deaf", ["the tool", "its child", "a child in a session of its own"])
def test_timeout_ends_all_whoever_does_not_listen(tmp_path: Path, deaf: str) -> None:
    script = {
        "the tool": "trap '' TERM; sleep 300",
        "its child": "(trap '' TERM; sleep 300; true) & wait",
        "a child in a session of its own": "setsid sh -c 'trap \"\" TERM; sleep 300; true' & wait",
    }[deaf]
    with held_open(tmp_path / "fifo") as reader:
        script = f"exec 9>fifo; echo so far; {script}"
        result, heard = ended(tmp_path, "sh", "-c", script, timeout=0.3, grace=0.5)
        assert is_released(reader)
    assert (result.timed_out, result.leak) == (True, None)
    assert heard.stdout == b"so far\n"


@pytest.mark.parametrize(("timeout", "leak"), [(0.3, None), (None, Leak())])
def test_what_somebody_else_holds_open_keeps_nobody_waiting(
    tmp_path: Path, timeout: float | None, leak: Leak | None
) -> None:
    """A process that the tool did not start has its pipe, and nobody can or may end that."""
    reader, writer = os.pipe()
    holders: list[int] = []

    class Holder(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            holders.append(os.open(f"/proc/{int(data)}/fd/1", os.O_WRONLY))
            if timeout is None:
                os.close(writer)  # on which the tool waits

    with open(reader, "rb") as stdin:
        options = {"stdin": stdin, "timeout": timeout, "listener": Holder()}
        result, _ = ended(tmp_path, "sh", "-c", "echo $$; read x", **options)
    assert (result.timed_out, result.leak) == (timeout is not None, leak)
    for each in (*holders, *([] if timeout is None else [writer])):
        os.close(each)


def test_the_grace_is_for_all_that_the_tool_started(tmp_path: Path) -> None:
    """The tool itself goes at once, its child has something to tidy up first."""
    child = f"{sys.executable} -Sc '{CLEAN_UP_SLOWLY}' >tidied 2>&1"
    script = f"{child} & until grep -q ready tidied; do :; done 2>/dev/null; echo ready; wait"

    class Killer(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            os.kill(os.getpid(), signal.SIGTERM)

    result, _ = ended(tmp_path, "sh", "-c", script, grace=600.0, listener=Killer())
    assert result.exit == Signalled(signal.SIGTERM)
    assert (tmp_path / "tidied").read_text() == "ready\ncleaning\nclean\n"


def test_interrupt_does_not_wait_for_those_that_can_not_hear_it(tmp_path: Path) -> None:
    """What a script starts in the background ignores SIGINT; what is in a session is not told."""

    class Killer(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            os.kill(os.getpid(), signal.SIGINT)

    with held_open(tmp_path / "fifo") as reader:
        script = "exec 9>fifo; sleep 300 & setsid sh -c 'echo; exec sleep 300' & wait"
        result, _ = ended(tmp_path, "sh", "-c", script, grace=600.0, listener=Killer())
        assert is_released(reader)
    assert result.interrupted_by == signal.SIGINT


def test_a_tool_whose_supervisor_is_killed_was_killed(tmp_path: Path) -> None:
    with held_open(tmp_path / "fifo") as reader:
        script = "exec 9>fifo; trap '' TERM HUP; sleep 300 & echo $PPID; wait"
        result, _ = ended(tmp_path, "sh", "-c", script, listener=SupervisorKiller())
        assert is_released(reader)
    assert (result.exit, result.leak) == (Signalled(signal.SIGKILL), None)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets us adopt orphans")
@pytest.mark.parametrize("how", ["setsid", "setsid and deaf", "daemon", "hopping"])
def test_what_left_the_group_of_a_tool_whose_supervisor_is_killed_ends_too(
    tmp_path: Path, how: str
) -> None:
    escape = {
        "setsid": "setsid sh -c 'echo >&8; exec sleep 300' & read x <&8",
        "setsid and deaf": "setsid sh -c 'trap \"\" TERM; echo >&8; sleep 300; :' & read x <&8",
        "daemon": f"{sys.executable} -Sc '{BECOME_A_DAEMON}'",
        "hopping": f"{sys.executable} -Sc '{HOP}'",
    }[how]
    os.mkfifo(tmp_path / "ready")
    before = children()
    with held_open(tmp_path / "fifo") as reader:
        script = f"exec 8<>ready 9>fifo; {escape}; echo $PPID; read x <&8"
        result, _ = ended(tmp_path, "sh", "-c", script, listener=SupervisorKiller())
        assert is_released(reader)
    assert (result.exit, result.leak) == (Signalled(signal.SIGKILL), None)
    assert children() == before


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets us adopt orphans")
def test_what_others_started_outlives_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    """What the caller started before, in whatever session, and what that orphans meanwhile."""
    os.mkfifo(tmp_path / "orphan")
    os.mkfifo(tmp_path / "told")
    orphan = "setsid sh -c 'echo $$ >told; exec sleep 300' & read x <orphan; exit"
    with (
        subprocess.Popen(["sleep", "300"], start_new_session=True) as other,
        subprocess.Popen(["sh", "-c", orphan], cwd=tmp_path) as parent,
    ):
        pid = int((tmp_path / "told").read_text())
        wait = f"until [ $(cut -d' ' -f3 /proc/{parent.pid}/stat) = Z ]; do :; done"
        script = f"echo >orphan; {wait}; echo $PPID; sleep 300"
        result, _ = ended(tmp_path, "sh", "-c", script, listener=SupervisorKiller())
        assert result.exit == Signalled(signal.SIGKILL)
        assert other.poll() is None
        assert find(pid) is not None
        os.kill(pid, signal.SIGKILL)
        other.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets us adopt orphans")
@pytest.mark.parametrize("listener", [Listener, SupervisorKiller])
def test_orphans_are_not_ours_once_the_tool_is_gone(
    tmp_path: Path, listener: type[Listener]
) -> None:
    ended(tmp_path, "sh", "-c", "echo $PPID; exit", listener=listener())
    with subprocess.Popen(["sh", "-c", "sleep 300 & echo $!"], stdout=subprocess.PIPE) as shell:
        assert shell.stdout is not None
        pid = int(shell.stdout.readline())
        shell.wait()
        orphan = find(pid)
        os.kill(pid, signal.SIGKILL)
    assert orphan is not None
    assert orphan.parent != os.getpid()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets us adopt orphans")
def test_an_error_of_the_listener_ends_all_where_the_supervisor_is_killed(tmp_path: Path) -> None:
    def broken(stream: Stream, data: bytes) -> None:
        os.kill(int(data), signal.SIGKILL)
        raise ValueError("broken")

    os.mkfifo(tmp_path / "ready")
    with held_open(tmp_path / "fifo") as reader:
        escape = "setsid sh -c 'echo >&8; exec sleep 300' & read x <&8"
        script = f"exec 8<>ready 9>fifo; {escape}; echo $PPID; wait"
        with pytest.raises(ValueError, match="broken"):
            run_process(Call(("sh", "-c", script), tmp_path, ENVIRON), broken)
        assert is_released(reader)


def test_what_is_left_ends_even_if_the_supervisor_is_killed(tmp_path: Path) -> None:
    """The leak itself does it, when it is asked to end."""
    leak = "(trap 'kill -KILL $PPID' TERM; echo; while :; do sleep 1; done) & read x <&8"
    os.mkfifo(tmp_path / "ready")
    with held_open(tmp_path / "fifo") as reader:
        script = f"exec 8<>ready 9>fifo; {leak.replace('echo', 'echo >&8')}; exit 3"
        result, _ = ended(tmp_path, "sh", "-c", script)
        assert is_released(reader)
    assert result.exit == Exited(3)
    assert result.leak is not None


def test_a_supervisor_that_does_not_answer_holds_nobody_up(tmp_path: Path) -> None:
    """The tool stops it when it is asked to end, so that nobody kills anything after the grace."""
    with held_open(tmp_path / "fifo") as reader:
        stop = "trap 'kill -STOP $PPID' TERM; echo; while :; do wait; done"
        script = f"exec 9>fifo; (trap '' TERM; exec sleep 300) & {stop}"
        result, _ = ended(tmp_path, "sh", "-c", script, timeout=0.5, grace=0.5)
        assert is_released(reader)
    assert (result.exit, result.timed_out) == (Signalled(signal.SIGKILL), True)


@pytest.mark.parametrize("how", ["timeout", "SIGTERM", "SIGINT"])
def test_a_supervisor_that_was_stopped_goes_on_for_the_end(tmp_path: Path, how: str) -> None:
    class Killer(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            if how != "timeout":
                os.kill(os.getpid(), signal.Signals[how])

    timeout = 0.3 if how == "timeout" else None
    with held_open(tmp_path / "fifo") as reader:
        script = "exec 9>fifo; kill -STOP $PPID; echo; exec sleep 300"
        options = {"timeout": timeout, "grace": 600.0, "listener": Killer()}
        result, _ = ended(tmp_path, "sh", "-c", script, **options)
        assert is_released(reader)
    number = signal.SIGINT if how == "SIGINT" else signal.SIGTERM
    assert (result.exit, result.timed_out) == (Signalled(number), how == "timeout")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("who", ["the tool", "a child in a session of its own"])
def test_what_stopped_itself_goes_on_for_the_end(tmp_path: Path, number: int, who: str) -> None:
    """With all of the grace ahead; the listener waits until it is stopped."""
    stop = "echo $$; kill -STOP $$"
    script = {
        "the tool": stop,
        "a child in a session of its own": f"setsid sh -c '{stop}' & wait",
    }[who]

    class Killer(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            while (process := find(int(data))) is not None and process.state != b"T":
                continue
            os.kill(os.getpid(), number)

    with held_open(tmp_path / "fifo") as reader:
        script = f"exec 9>fifo; {script}"
        result, _ = ended(tmp_path, "sh", "-c", script, grace=600.0, listener=Killer())
        assert is_released(reader)
    assert result.exit == Signalled(number)


def test_a_tool_that_stopped_itself_goes_on_at_its_timeout(tmp_path: Path) -> None:
    options = {"timeout": 0.3, "grace": 600.0}
    result, _ = ended(tmp_path, "sh", "-c", "kill -STOP $$", **options)
    assert (result.exit, result.timed_out) == (Signalled(signal.SIGTERM), True)


def test_an_error_of_the_listener_ends_the_tool(tmp_path: Path) -> None:
    def broken(stream: Stream, data: bytes) -> None:
        raise ValueError("broken")

    with held_open(tmp_path / "fifo") as reader:
        call = Call(("sh", "-c", "exec 9>fifo; echo; sleep 300 & wait"), tmp_path, ENVIRON)
        with pytest.raises(ValueError, match="broken"):
            run_process(call, broken)
        assert is_released(reader)


def test_orphans_that_end_while_the_tool_runs_are_buried(tmp_path: Path) -> None:
    script = "for i in 1 2 3; do (true &); done; echo $PPID; read x"
    reader, writer = os.pipe()
    children: list[list[str]] = []

    class Counter(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            listing = Path(f"/proc/{int(data)}/task/{int(data)}/children")
            while len(listing.read_text().split()) > 1:
                continue
            children.append(listing.read_text().split())
            os.close(writer)

    with open(reader, "rb") as stdin:
        result, _ = ended(tmp_path, "sh", "-c", script, stdin=stdin, listener=Counter())
    assert [len(each) for each in children] == [1]
    assert result.leak is None


def test_tool_may_linger_without_its_caller(tmp_path: Path) -> None:
    for name in ("go-on", "done"):
        os.mkfifo(tmp_path / name)
    program = (
        "import os\n"
        "from pathlib import Path\n"
        "from gitcache.host.call import Call\n"
        "from gitcache.host.process import run_process\n"
        "words = ('sh', '-c', 'echo ready >done; read x <go-on; echo alive >done')\n"
        "run_process(Call(words, Path('.'), dict(os.environ), linger=600.0), print)"
    )
    words = [sys.executable, "-c", program]
    with subprocess.Popen(words, cwd=tmp_path, env={**ENVIRON, "PYTHONPATH": ROOT}) as caller:
        assert (tmp_path / "done").read_text() == "ready\n"
        caller.kill()
    (tmp_path / "go-on").write_text("\n")
    assert (tmp_path / "done").read_text() == "alive\n"


def test_a_slow_listener_is_no_leak_and_loses_nothing(tmp_path: Path) -> None:
    class Slow(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            select.select([], [], [], 0.3)

    script = "head -c 60000 /dev/zero; head -c 60000 /dev/zero >&2"
    result, heard = ended(tmp_path, "sh", "-c", script, listener=Slow())
    assert (len(heard.stdout), len(heard.stderr)) == (60000, 60000)
    assert result.leak is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_to_us_reaches_the_tool_exactly_once(tmp_path: Path, number: int) -> None:
    handler = signal.getsignal(number)

    class Killer(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            if data == b"ready\n":
                os.kill(os.getpid(), number)

    result, heard = ended(tmp_path, sys.executable, "-Sc", COUNT_SIGNALS, listener=Killer())
    assert heard.stdout == b"ready\n%d None\n" % number
    assert result.interrupted_by == number
    assert result.exit == Exited(0)
    assert signal.getsignal(number) is handler


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (signal.SIGINT, signal.SIGINT),
        (signal.SIGINT, signal.SIGTERM),
        (signal.SIGTERM, signal.SIGINT),
        (signal.SIGHUP, signal.SIGTERM),
    ],
)
def test_a_second_signal_kills_at_once(tmp_path: Path, first: int, second: int) -> None:
    class Killer(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            os.kill(os.getpid(), first if data == b"ready\n" else second)

    result, heard = ended(
        tmp_path, sys.executable, "-Sc", SURVIVE_ONE_SIGNAL, grace=600.0, listener=Killer()
    )
    assert heard.stdout == b"ready\ngot\n"
    assert result.exit == Signalled(signal.SIGKILL)
    assert result.interrupted_by == first


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (signal.SIGTERM, signal.SIGTERM),
        (signal.SIGHUP, signal.SIGHUP),
        (signal.SIGTERM, signal.SIGHUP),
    ],
)
def test_a_signal_that_comes_doubled_leaves_the_tool_its_grace(
    tmp_path: Path, first: int, second: int
) -> None:
    """timeout(1) sends SIGTERM twice, a closing terminal SIGHUP twice, a logout both."""

    class Doubler(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            os.kill(os.getpid(), first if data == b"ready\n" else second)

    result, heard = ended(
        tmp_path, sys.executable, "-Sc", CLEAN_UP_SLOWLY, grace=600.0, listener=Doubler()
    )
    assert heard.stdout == b"ready\ncleaning\nclean\n"
    assert result.exit == Exited(5)
    assert result.interrupted_by == first


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path, number: int) -> None:
    class Killer(Listener):
        def __call__(self, stream: Stream, data: bytes) -> None:
            super().__call__(stream, data)
            os.kill(os.getpid(), number)

    with ignoring(number):
        result, _ = ended(tmp_path, "sh", "-c", f"kill -{number:d} $$; echo on", listener=Killer())
    assert (result.exit, result.interrupted_by) == (Exited(0), None)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGPIPE, signal.SIGUSR1])
def test_no_other_signal_is_ignored_by_the_tool(tmp_path: Path, number: int) -> None:
    with ignoring(number):
        result, _ = ended(tmp_path, "sh", "-c", f"kill -{number:d} $$")
    assert result.exit == Signalled(number)


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    folder = Path("/dev/fd")
    before = len(os.listdir(folder))
    ended(tmp_path, "true")
    ran(tmp_path, "nosuch")
    assert len(os.listdir(folder)) == before


def test_program_is_found_along_the_path_that_the_tool_gets(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "hello"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho from here\n")
    program.chmod(0o755)
    listener = Listener()
    run_process(Call(("hello",), tmp_path, {"PATH": f"{program.parent}:/bin"}), listener)
    assert listener.stdout == b"from here\n"
    assert shutil.which("hello") is None
