"""The process between us and a tool: it starts the tool, and ends all that the tool has started.

It is the tool's parent, adopts what the tool orphans, and lives in a session of its own, so that
neither a terminal nor our own end reaches it. It talks with its caller over one socket. When the
caller is gone, by whatever death, that socket ends, and the supervisor ends the tool's whole tree.
The tool's output never passes through it: it only hands the pipes on and lets go of them.

What the caller says: ``start`` (once, first), ``end SIGNAL GRACE``, ``kill``, ``stop``,
``continue``, ``sweep SECONDS GRACE``. What it hears: ``forked PID TICKS``, then ``started`` or
``failed WHERE ERRNO``, ``ended STATUS DURATION``, ``left (PID NAME)…``, and ``gone``, behind which
nothing of the tool is left, or nothing that can be ended. Durations are in seconds, a status is
that of wait(2), ticks are :attr:`~gitcache.host.process_tree.Process.started`.

This is the whole program of its process, whose start every run waits for, so it is kept free of
modules whose import takes long.
"""

from __future__ import annotations

import errno
import os
import select
import time

from gitcache.host import process_tree
from gitcache.host.channel import Channel, Message

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Sequence
else:
    import _signal as signal

_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP)
"""What must not end the supervisor before the tool: who means the tool, tells the caller."""

_KEPT_IGNORED = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
"""What ``nohup`` and ``&`` in a script make ignored, and what stays so for the tool."""

_LAST_GRACE = 1.0
"""Seconds for a tool to end by itself once its caller is gone: half of what was promised."""

_STRAGGLE = 0.2
"""Seconds for which what a tool started may outlive it before it is taken to have heard nothing."""

_AGAIN = 0.05
"""Seconds between two attempts at killing all that is left."""

_UNENDING = 0.8
"""Seconds after which what can't be killed (another user's, or stuck in the kernel) is left alone:
within the one second behind the grace."""

_FAILED = 255
"""The status of a child that could not become the tool; nobody sees it."""


def main(descriptor: int) -> None:
    """Serve the caller at the other end of the socket *descriptor*, and end this process."""
    os.set_inheritable(descriptor, False)
    _Supervisor(Channel(descriptor)).serve()
    os._exit(0)  # there is nothing to tidy up, and the caller waits


class _Supervisor:
    """One tool's life, from the caller's word to the last of its processes."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._kept = [each for each in _KEPT_IGNORED if signal.getsignal(each) is signal.SIG_IGN]
        self._adopts = process_tree.adopt_orphans() and process_tree.find(os.getpid()) is not None
        self._tool = 0
        """The tool's pid, session and group; 0 before its start."""

        self._runs = False
        """Whether the tool itself has not ended."""

        self._started = 0.0
        self._linger = 0.0
        """Seconds for which the tool may go on without a caller."""

        self._is_childless = True
        self._asked = 0
        """The signal by which the tool was asked to end; 0: it was not."""

        self._leak_grace = 0.0
        self._due: dict[Callable[[], None], float] = {}
        """What is to be done, and when."""

        self._is_over = False

    def serve(self) -> None:
        """Do what the caller says until the tool and all that it started are gone."""
        wakeup = _wake_up_on_children()
        poll = select.poll()
        poll.register(wakeup, select.POLLIN)
        poll.register(self._channel.descriptor, select.POLLIN)
        while not self._is_over:
            for descriptor, _ in poll.poll(self._milliseconds_to_wait()):
                if descriptor == wakeup:
                    os.read(wakeup, 4096)
                elif not self._hear():
                    poll.unregister(descriptor)
                    self._do_without_caller()
            self._reap()
            self._do_what_is_due()

    def _hear(self) -> bool:
        """Obey what the caller says; return whether it is there."""
        messages = self._channel.receive()
        for message in messages or ():
            self._obey(message)
        return messages is not None

    def _obey(self, message: Message) -> None:
        match message:
            case [b"start", linger, *call]:
                self._linger = float(linger)
                self._start(call)
            case [b"end", number, grace]:
                self._end(int(number), float(grace))
            case [b"kill"]:
                self._kill()
            case [b"stop" | b"continue" as word]:
                self._tell_all(signal.SIGSTOP if word == b"stop" else signal.SIGCONT)
            case [b"sweep", seconds, grace]:
                self._leak_grace = float(grace)
                self._plan(self._report_left, float(seconds))

    def _start(self, call: Message) -> None:
        reader, writer = os.pipe()
        wait, go = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(go)
            _become_the_tool(call, self._kept, wait, writer)
        os.close(writer)
        os.close(wait)
        _let_go_of_standard_descriptors()
        child = process_tree.find(pid)
        self._channel.send(b"forked", b"%d" % pid, b"%d" % (child.started if child else 0))
        os.write(go, b"\n")
        os.close(go)
        problem = os.read(reader, 64)  # ends when the tool's program has taken over
        os.close(reader)
        if problem:
            os.waitpid(pid, 0)
            self._channel.send(b"failed", *problem.split())
            self._is_over = True
            return
        self._tool, self._runs, self._started = pid, True, time.monotonic()
        self._channel.send(b"started")

    def _end(self, number: int, grace: float) -> None:
        """Ask the tool to end, and kill all of it after *grace* seconds.

        A terminal's signals go to the group, as a terminal sends them; SIGTERM goes to everything,
        as a service manager sends it. What is stopped hears nothing before it goes on.
        """
        self._asked = number
        if number == signal.SIGTERM:
            self._tell_all(number)
        else:
            self._tell_group(number)
        self._tell_all(signal.SIGCONT)
        self._plan(self._kill, grace)

    def _do_without_caller(self) -> None:
        if self._tool:
            self._plan(lambda: self._end(signal.SIGTERM, _LAST_GRACE), self._linger)
        else:
            self._is_over = True

    def _reap(self) -> None:
        """Take the status of all children that have ended."""
        status = None
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                status = ended[1] if ended[0] == self._tool else status
            self._is_childless = False
        except ChildProcessError:
            self._is_childless = True
        if status is not None:
            self._note_end(status)

    def _note_end(self, status: int) -> None:
        self._runs = False
        duration = time.monotonic() - self._started
        self._channel.send(b"ended", b"%d" % status, b"%r" % duration)
        if self._asked and self._asked != signal.SIGTERM:
            self._plan(self._tell_the_deaf, _STRAGGLE)

    def _is_something_left(self) -> bool:
        if not self._is_childless:
            return True
        return not self._adopts and _is_group(self._tool)

    def _left(self) -> list[process_tree.Process]:
        return process_tree.descendants(os.getpid()) if self._adopts else []

    def _tell_the_deaf(self) -> None:
        """Ask those to end that the signal to the group did not reach, or not move."""
        for each in self._left():
            if each.group != self._tool or process_tree.ignores(each, self._asked):
                process_tree.send(each, signal.SIGTERM)

    def _tell_all(self, number: int) -> None:
        """Send the signal *number* to the tool and to all that it started."""
        is_group_told = self._tell_group(number)
        for each in self._left():
            if not (is_group_told and each.group == self._tool):
                process_tree.send(each, number)

    def _tell_group(self, number: int) -> bool:
        """Signal the tool's group, if it can't be another's by now; return whether it was told."""
        if not self._tool or not (self._runs or not self._adopts):
            return False
        try:
            os.killpg(self._tool, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _report_left(self) -> None:
        """Tell the caller what has outlived the tool, and end it."""
        left = self._left()
        fields = (field for each in left for field in (b"%d" % each.pid, each.name))
        self._channel.send(b"left", *fields)
        self._end(signal.SIGTERM, self._leak_grace)

    def _kill(self) -> None:
        """Kill all that is left, again and again until nothing is."""
        self._tell_group(signal.SIGKILL)
        if self._adopts:
            process_tree.kill_descendants(os.getpid())
        self._due.pop(self._kill, None)
        self._plan(self._kill, _AGAIN)
        self._plan(self._give_up, _UNENDING)

    def _give_up(self) -> None:
        self._channel.send(b"gone")
        self._is_over = True

    def _plan(self, act: Callable[[], None], seconds: float) -> None:
        """Do *act* in so many *seconds*, unless it is to be done earlier anyway."""
        moment = time.monotonic() + seconds
        self._due[act] = min(moment, self._due.get(act, moment))

    def _do_what_is_due(self) -> None:
        for act, moment in sorted(self._due.items(), key=lambda each: each[1]):
            if moment <= time.monotonic() and self._due.pop(act, None) is not None:
                act()
        if self._tool and not self._runs and not self._is_something_left():
            self._give_up()

    def _milliseconds_to_wait(self) -> int | None:
        """Return how long nothing is due; None: for ever."""
        moments = list(self._due.values())
        if not self._adopts and self._tool and not self._runs:
            moments.append(time.monotonic() + _AGAIN)  # nobody tells when the group is gone
        if not moments:
            return None
        return max(0, int((min(moments) - time.monotonic()) * 1000) + 1)


def _wake_up_on_children() -> int:
    """Ignore what would end us too early; return a descriptor to read when a child has ended."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return reader


def _let_go_of_standard_descriptors() -> None:
    """Leave the tool alone with its pipes, so that they end with it."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(null, descriptor)
    os.close(null)


def _become_the_tool(call: Message, kept_ignored: Sequence[int], wait: int, problems: int) -> None:
    """Turn this child into the tool, or tell on *problems* where and why that failed; never return.

    Args:
        call: the folder; how many files may be the program, and these; how many words, and these;
            the variables as ``NAME=value``.
        kept_ignored: signals that stay ignored; all others get their default.
        wait: a pipe that holds something once the caller can find this process by itself; it ends
            with nothing in it when the supervisor is gone before that.
        problems: a pipe that an exec closes.
    """
    where = b"start"
    try:
        os.setsid()
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN if number in kept_ignored else signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        process_tree.die_with_parent()
        if not os.read(wait, 1):
            os._exit(_FAILED)
        folder, count, *rest = call
        files, rest = rest[: int(count)], rest[int(count) :]
        argv, variables = rest[1 : int(rest[0]) + 1], rest[int(rest[0]) + 1 :]
        where = b"folder"
        os.chdir(folder)
        where = b"program"
        _execute(files, argv, dict(each.split(b"=", 1) for each in variables))
    except OSError as error:
        os.write(problems, b"%s %d" % (where, error.errno or 0))
    finally:
        os._exit(_FAILED)


def _execute(files: Sequence[bytes], argv: list[bytes], environ: dict[bytes, bytes]) -> None:
    """Execute the first of *files* that is there; raise as execvp(3) fails."""
    problem: OSError | None = None
    for file in files:
        try:
            os.execve(file, argv, environ)  # noqa: S606 - that no shell is in between is the point
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            problem = problem or error
    raise problem or FileNotFoundError(errno.ENOENT, "")


def _is_group(group: int) -> bool:
    """Return whether a process of *group* is left."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
