"""Runs a tool at the caller's own terminal: for a debugger, an editor, a question.

The tool is in our process group, as git's own editors and pagers are: the terminal sends Ctrl-C,
Ctrl-\\ and Ctrl-Z to all of it, and what else stands in the caller's pipeline goes on. Nothing of
it is heard. What comes to us alone (``kill``) is passed on to the tool's process. If the tool made
another group the terminal's foreground, that is undone, so that our last line does not stop us.
"""

from __future__ import annotations

import os
import select
import signal
import termios
from collections.abc import Iterator
from contextlib import chdir, contextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

from gitcache import exits
from gitcache.core.outcome import Exit, Exited, Signalled
from gitcache.host.call import Call, Ended, NeverStarted
from gitcache.host.program import find_program

_BY_KEY: Final = (signal.SIGINT, signal.SIGQUIT)
"""Signals that a terminal sends to its whole foreground group."""

_ASKING: Final = (*_BY_KEY, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask us to stop, unless a key sent them, which asks the tool."""

_READ_AT_ONCE: Final = 64
"""Signals taken in one go."""


def run_interactive(call: Call) -> Ended | NeverStarted:
    """Run *call* on our own standard streams to its end; its timeout does not count."""
    with _foreground() as terminal, _signals() as signals:
        started = monotonic()
        try:
            pid = _start(call)
        except (OSError, ValueError) as error:
            return _never_started(call.argv[0], error)
        watch = _Watch(pid, call.grace, terminal, signals)
        exit_ = watch.until_the_end()
        if terminal is not None and isinstance(exit_, Signalled):
            terminal.restore_modes()
        return Ended(exit_, monotonic() - started, interrupted_by=watch.interrupted_by(exit_))


def _start(call: Call) -> int:
    """Start the tool and return its pid; the descriptors that are ours alone close by themselves.

    Python ignores SIGPIPE and SIGXFSZ for itself, and a handler does not outlive exec (exec(3)).
    """
    word = call.argv[0]
    program = word if "/" in word else find_program(word, call.cwd, call.environ)
    if program is None:
        raise FileNotFoundError
    with chdir(call.cwd):
        return os.posix_spawn(
            program, call.argv, call.environ, setsigdef=(signal.SIGPIPE, signal.SIGXFSZ)
        )


def _never_started(program: str, error: OSError | ValueError) -> NeverStarted:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return NeverStarted(exits.NOT_FOUND, f"{program}: command not found")
    why = error.strerror if isinstance(error, OSError) else str(error)
    return NeverStarted(exits.NOT_EXECUTABLE, f"{program}: can't be executed: {why}")


@dataclass(frozen=True, slots=True)
class _Terminal:
    """Our controlling terminal, as it was before the tool."""

    descriptor: int
    modes: list[Any]

    @property
    def is_ours(self) -> bool:
        """Whether its keys reach us and the tool alike."""
        try:
            return os.tcgetpgrp(self.descriptor) == os.getpgrp()
        except OSError:
            return False

    def restore_modes(self) -> None:
        """Set the terminal as it was, for a tool that had no chance to."""
        with suppress(OSError, termios.error), _unstoppable():
            termios.tcsetattr(self.descriptor, termios.TCSADRAIN, self.modes)

    def take_back(self) -> None:
        """Be its foreground again."""
        with suppress(OSError), _unstoppable():
            os.tcsetpgrp(self.descriptor, os.getpgrp())


@contextmanager
def _foreground() -> Iterator[_Terminal | None]:
    """Yield our controlling terminal and take it back in the end; None where we have none."""
    try:
        descriptor = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        yield None
        return
    try:
        terminal = _Terminal(descriptor, termios.tcgetattr(descriptor))
        was_ours = terminal.is_ours
        yield terminal
        if was_ours:
            terminal.take_back()
    finally:
        os.close(descriptor)


@contextmanager
def _unstoppable() -> Iterator[None]:
    """Do to the terminal what would stop a group in its background (tcsetpgrp(3))."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTTOU,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _signals() -> Iterator[int]:
    """Yield a descriptor from which the numbers of the signals that come are read, a byte each.

    A signal that was ignored when we were started stays ignored.
    """
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    taken = [each for each in _ASKING if signal.getsignal(each) is not signal.SIG_IGN]
    previous = {each: signal.signal(each, lambda *_: None) for each in (*taken, signal.SIGCHLD)}
    previous_fd = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield reader
    finally:
        signal.set_wakeup_fd(previous_fd)
        for number, handler in previous.items():
            signal.signal(number, handler)
        os.close(reader)
        os.close(writer)


class _Watch:
    """Waits for one tool, and does what signals ask meanwhile."""

    def __init__(self, pid: int, grace: float, terminal: _Terminal | None, signals: int) -> None:
        self._pid = pid
        self._grace = grace
        self._terminal = terminal
        self._signals = signals
        self._passed_on: int | None = None
        self._kill_at: float | None = None
        self._by_key: set[int] = set()

    def until_the_end(self) -> Exit:
        """Return how the tool ended; whoever was asked to end and did not is killed."""
        while True:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                code = os.waitstatus_to_exitcode(status)
                return Signalled(-code) if code < 0 else Exited(code)
            patience = None if self._kill_at is None else max(0.0, self._kill_at - monotonic())
            if select.select([self._signals], [], [], patience)[0]:
                for number in os.read(self._signals, _READ_AT_ONCE):
                    self._obey(number)
            else:
                os.kill(self._pid, signal.SIGKILL)
                self._kill_at = None

    def _obey(self, number: int) -> None:
        """Pass the first signal on; let a second one kill at once. The pid is not waited for yet,
        so it is still the tool's."""
        if number not in _ASKING:
            return
        if number in _BY_KEY and self._terminal is not None and self._terminal.is_ours:
            self._by_key.add(number)
        elif self._passed_on is None:
            self._passed_on = number
            self._kill_at = monotonic() + self._grace
            os.kill(self._pid, number)
        else:
            os.kill(self._pid, signal.SIGKILL)

    def interrupted_by(self, exit_: Exit) -> int | None:
        """Return the signal that stopped us: what was passed on, or the key that ended the tool."""
        if self._passed_on is None and isinstance(exit_, Signalled):
            return exit_.signal if exit_.signal in self._by_key else None
        return self._passed_on
