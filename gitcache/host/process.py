"""Runs a tool's process: has it started, listens to its pipes, has it ended in time.

The tool gets a session and process group of its own, two pipes (or a pseudo-terminal), the null
device (or a given file) as its standard input, and none of our descriptors. Between it and us
stands a supervisor (:mod:`gitcache.host.supervisor`), which ends all that the tool started, also
when we are killed. The tool's end is the end of its process: output that still comes is taken for a
moment, and what then still runs or holds a pipe is a leak. Signals that reach us are passed on
once; after a grace period everything is killed.

One loop waits for all of it (:class:`_Watch`): output, the supervisor, signals and deadlines.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import IO, Final, cast

from gitcache import exits
from gitcache.core.leak import Leak
from gitcache.core.outcome import Signalled
from gitcache.core.output import Stream
from gitcache.errors import NoVerdictError
from gitcache.host.call import Call, Ended, NeverStarted
from gitcache.host.flow import Flow, OnOutput
from gitcache.host.incoming_signals import IncomingSignals, incoming_signals, stop_as_told
from gitcache.host.orphans import Orphans, adopted_orphans
from gitcache.host.program import find_program
from gitcache.host.supervised import Supervised
from gitcache.host.terminal import PseudoTerminal, pseudo_terminal

_DRAIN: Final = 0.2
"""Seconds for which output is still taken after the tool's own end."""

_LEAK_GRACE: Final = 1.0
"""Seconds at most between asking what outlived its tool to end and killing it."""

_OVERDUE: Final = 1.0
"""Seconds after which a supervisor that should have ended everything is taken for dead itself."""

_SUPERVISE: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from gitcache.host.supervisor import main; main(int(sys.argv[2]))"
)
"""The supervisor's program, for an interpreter that knows of no installed package."""


def run_process(
    call: Call, on_output: OnOutput, outlets: Mapping[Stream, int] = MappingProxyType({})
) -> Ended | NeverStarted:
    """Run *call* to its end and hand its output to *on_output* as it comes.

    Must be called from the main thread, where signals arrive.

    Args:
        call: what is started.
        on_output: takes the output.
        outlets: the descriptors to which it writes what comes on a stream. While one has no room,
            that stream waits, and signals and deadlines don't.

    Raises:
        NoVerdictError: the supervisor can't be started.
    """
    try:
        files = _files(call)
        words, environ = _words(call), _variables(call)
    except ValueError as error:
        return NeverStarted(exits.NOT_EXECUTABLE, f"{call.argv[0]}: can't be executed: {error}")
    with (
        incoming_signals() as signals,
        pseudo_terminal(call.pty) as terminal,
        _supervisor(call.stdin, terminal) as (supervisor, socket_),
        adopted_orphans(supervisor.pid) as orphans,
    ):
        tool = Supervised(socket_)
        tool.start(call.cwd.absolute(), files, words, environ, call.linger)
        pipes = terminal.read_alone() if terminal else _pipes(supervisor)
        end = _End(supervisor, tool, orphans)
        wakeups = {signals.descriptor: signals.calm, socket_: tool.hear}
        if call.orders is not None:
            wakeups[call.orders] = partial(signals.take_from, call.orders)
        flow = Flow(pipes, wakeups, on_output, outlets)
        try:
            return _Watch(call, end, tool, flow, signals).until_the_end()
        except BaseException:
            tool.kill()
            end.at_last()
            raise
        finally:
            flow.close()


def _pipes(supervisor: subprocess.Popen[bytes]) -> Mapping[Stream, IO[bytes]]:
    pipes = {"stdout": supervisor.stdout, "stderr": supervisor.stderr}
    return cast(Mapping[Stream, IO[bytes]], pipes)


@contextmanager
def _supervisor(
    stdin: IO[bytes] | None, terminal: PseudoTerminal | None
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Yield a new supervisor and our end of its socket; leave when the supervisor has ended."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            process = _start_supervisor(theirs.fileno(), stdin, terminal)
        with process:
            try:
                yield process, ours.fileno()
            finally:
                ours.close()  # it ends what is left, and itself


def _start_supervisor(
    descriptor: int, stdin: IO[bytes] | None, terminal: PseudoTerminal | None
) -> subprocess.Popen[bytes]:
    """Start a supervisor that holds the socket *descriptor* and the tool's three streams."""
    outputs = terminal.theirs if terminal else subprocess.PIPE
    package = str(Path(__file__).parents[2])
    flags = ["-I", "-S", *(["-B"] if sys.dont_write_bytecode or sys.pycache_prefix else [])]
    try:
        return subprocess.Popen(
            [sys.executable, *flags, "-c", _SUPERVISE, package, str(descriptor)],
            cwd="/",
            stdin=stdin or subprocess.DEVNULL,
            stdout=outputs,
            stderr=outputs,
            bufsize=0,
            pass_fds=(descriptor,),
            start_new_session=True,
        )
    except OSError as error:
        raise NoVerdictError(f"no process can be started: {error.strerror}") from error


def _files(call: Call) -> list[bytes]:
    """Return the files of which the first that is there is executed.

    A search along ``PATH`` of the child's own would go on behind a file that can't be executed, and
    the key holds what was found here. Where nothing was found, the search says why.
    """
    word = call.argv[0]
    if "/" in word:
        return [os.fsencode(word)]
    found = find_program(word, call.cwd.absolute(), call.environ)
    if found is not None:
        return [os.fsencode(found)]
    return [os.fsencode(Path(each, word)) for each in os.get_exec_path(call.environ)]


def _words(call: Call) -> list[bytes]:
    """Return the argv; ValueError where no process can have it."""
    return [_without_nul(os.fsencode(each)) for each in call.argv]


def _variables(call: Call) -> dict[bytes, bytes]:
    """Return the variables; ValueError where no process can have them."""
    if any("=" in name for name in call.environ):
        raise ValueError("illegal environment variable name")
    return {
        _without_nul(os.fsencode(name)): _without_nul(os.fsencode(value))
        for name, value in call.environ.items()
    }


def _without_nul(data: bytes) -> bytes:
    if b"\0" in data:
        raise ValueError("embedded null byte")
    return data


@dataclass(frozen=True, slots=True)
class _End:
    """How all of a tool is ended where its supervisor does not do it."""

    supervisor: subprocess.Popen[bytes]
    tool: Supervised
    orphans: Orphans

    def may_come(self) -> None:
        """Let a supervisor go on that somebody has stopped: it is about to hear of the end."""
        self.supervisor.send_signal(signal.SIGCONT)

    def at_last(self) -> None:
        """Wait for a supervisor that was told to kill everything, no longer than it may take."""
        self.may_come()
        with suppress(subprocess.TimeoutExpired):
            self.supervisor.wait(_OVERDUE)
        if self.supervisor.returncode != 0:
            self.without_supervisor()

    def without_supervisor(self) -> None:
        """End the tool where its supervisor is dead or does not answer."""
        self.supervisor.kill()
        with suppress(subprocess.TimeoutExpired):
            self.supervisor.wait(_OVERDUE)  # what it leaves behind comes to us with its end
        self.tool.kill_without_supervisor()
        self.orphans.kill_all()


class _Watch:
    """Waits for one tool: the loop, and what was asked of the tool so far."""

    def __init__(
        self,
        call: Call,
        end: _End,
        tool: Supervised,
        flow: Flow,
        signals: IncomingSignals,
    ) -> None:
        self._call = call
        self._end = end
        self._tool = tool
        self._flow = flow
        self._signals = signals
        self._began = monotonic()
        self._timed_out = False
        self._passed_on: int | None = None
        """The signal that was passed on."""

        self._overdue_at: float | None = None
        """When all must be gone; None: nobody has asked it to end."""

        self._stopped = 0.0
        """Seconds for which we and the tool were stopped."""

    def until_the_end(self) -> Ended | NeverStarted:
        """Wait for the process and for what it prints, and have what it leaves behind ended."""
        while not self._is_ended() and not self._is_overdue():
            self._obey_signals()
            self._keep_deadline()
            self._flow.wait_until(_earliest(self._deadline(), self._overdue_at))
        if self._tool.failure is not None:
            return _never_started(self._call, *self._tool.failure)
        if self._tool.is_lost or self._is_overdue():
            self._end_without_supervisor()
        leak = self._wind_up()
        return Ended(
            exit=self._tool.exit or Signalled(signal.SIGKILL),
            duration=max(0.0, (self._tool.duration or self._time_so_far()) - self._stopped),
            timed_out=self._timed_out,
            interrupted_by=self._signals.first_asking,
            leak=leak,
        )

    def _time_so_far(self) -> float:
        """Return the seconds since the tool's start, of which nobody tells the end."""
        return monotonic() - (self._tool.started_at or self._began)

    def _is_ended(self) -> bool:
        """Whether the tool has ended; once it was asked to, whether all that it started has."""
        if self._tool.is_gone or self._tool.is_lost or self._tool.failure is not None:
            return True
        return self._tool.exit is not None and self._overdue_at is None

    def _is_overdue(self) -> bool:
        return self._overdue_at is not None and monotonic() >= self._overdue_at

    def _wind_up(self) -> Leak | None:
        """Take the last of the output; return what is left of a tool that ended by itself."""
        was_asked = self._overdue_at is not None
        end = monotonic() + _DRAIN
        self._flow.drain(_DRAIN, self._is_interrupted)
        is_pipe_held = self._flow.is_open and not self._flow.is_held_up
        self._flow.stop_listening()
        if not self._tool.is_gone and not self._tool.is_lost and not self._is_overdue():
            self._sweep(max(0.0, end - monotonic()))
        if was_asked or not (self._tool.left or is_pipe_held):
            return None
        return Leak(self._tool.left)

    def _sweep(self, seconds: float) -> None:
        """Have what is left ended, after so many *seconds* for it to end by itself."""
        grace = min(self._call.grace, _LEAK_GRACE)
        self._tool.sweep(seconds, grace)
        self._end.may_come()
        self._overdue_at = monotonic() + seconds + grace + _OVERDUE
        while not self._is_ended() and not self._is_overdue():
            self._obey_signals()
            self._flow.wait_until(self._overdue_at)
        if not self._tool.is_gone:
            self._end_without_supervisor()

    def _obey_signals(self) -> None:
        for number in self._signals.fresh():
            if number == signal.SIGTSTP:
                self._stop()
            elif self._tool.exit is None and self._overdue_at is None:
                self._passed_on = number
                self._ask_to_end(number)
            elif self._is_urgent(number):
                self._tool.kill()
                self._end.may_come()
                self._overdue_at = monotonic() + _OVERDUE

    def _is_urgent(self, number: int) -> bool:
        """Whether a signal that comes while all is being ended means: at once.

        The second Ctrl-C does. Not what comes doubled: SIGHUP by a terminal and a shell, SIGTERM by
        timeout(1).
        """
        if self._passed_on is None or number == signal.SIGINT:
            return True
        return number not in (signal.SIGHUP, self._passed_on)

    def _is_interrupted(self) -> bool:
        """Obey the signals, and return whether nobody waits any longer for who takes the output."""
        self._obey_signals()
        return self._timed_out or self._signals.first_asking is not None

    def _deadline(self) -> float | None:
        """Return when the tool's time is over; None: it is being ended anyway, or has no limit."""
        if self._call.timeout is None or self._overdue_at is not None:
            return None
        started_at = self._tool.started_at or self._began + _OVERDUE
        return started_at + self._call.timeout + self._stopped

    def _keep_deadline(self) -> None:
        deadline = self._deadline()
        if deadline is not None and monotonic() >= deadline:
            self._timed_out = True
            self._ask_to_end(signal.SIGTERM)

    def _ask_to_end(self, number: int) -> None:
        self._tool.end(number, self._call.grace)
        self._end.may_come()
        self._overdue_at = monotonic() + self._call.grace + _OVERDUE

    def _stop(self) -> None:
        """Stop with all of the tool, as Ctrl-Z asks; that time counts for no deadline."""
        before = monotonic()
        self._tool.stop()
        stop_as_told()
        self._tool.go_on()
        stopped = monotonic() - before
        self._stopped += stopped
        self._overdue_at = None if self._overdue_at is None else self._overdue_at + stopped

    def _end_without_supervisor(self) -> None:
        """End the tool, and say so where it never was one.

        Raises:
            NoVerdictError: the supervisor never got to start the tool, and nobody interrupted us.
        """
        self._end.without_supervisor()
        if not self._tool.is_forked and not self._is_interrupted():
            said = stderr.read() if (stderr := self._end.supervisor.stderr) else b""
            lines = said.decode("utf-8", "replace").splitlines() or ["it says nothing"]
            raise NoVerdictError(f"the tool's supervisor did not start: {lines[-1]}")


def _never_started(call: Call, where: bytes, number: int) -> NeverStarted:
    """Return what the failure *number* (an errno) means that came before the tool did."""
    program, why = call.argv[0], os.strerror(number)
    if where == b"folder":
        return NeverStarted(exits.NOT_EXECUTABLE, f"{program}: can't be run in {call.cwd}: {why}")
    if number in (errno.ENOENT, errno.ENOTDIR):
        return NeverStarted(exits.NOT_FOUND, f"{program}: command not found")
    return NeverStarted(exits.NOT_EXECUTABLE, f"{program}: can't be executed: {why}")


def _earliest(*moments: float | None) -> float | None:
    return min((each for each in moments if each is not None), default=None)
