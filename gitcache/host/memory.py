"""Holds a tool within a memory limit, and tells the failure of what holds it from the tool's own.

The limit is kept by a scope of the user's service manager (``systemd-run --user --scope``), else by
a control group below our own, where that is ours to divide. Where neither can be, the tool runs
without a limit, and the reason is told.

Between the wrapper and the tool stands :mod:`gitcache.host.limited_start`, which announces itself.
What is printed before is the wrapper's; where the announcement never comes, no tool was started,
and so there is no verdict, whatever status the wrapper gives.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from gitcache.core.launchers import program_names
from gitcache.core.limits import Machine
from gitcache.core.output import Stream
from gitcache.host import limited_start
from gitcache.host.call import Call
from gitcache.host.flow import OnOutput
from gitcache.host.limited_start import escaped
from gitcache.host.program import find_program

_WRAPPER: Final = "systemd-run"

_CHANGED: Final = (
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "INVOCATION_ID",
    "LC_CTYPE",
)
"""Variables that the tool gets as its settings say, whatever the wrapper needs or does.

The first two lead to the service manager. systemd-run sets the third
(https://github.com/systemd/systemd/blob/main/src/run/run.c), Python the last one (PEP 538).
"""

WRAPPER_FAILURES: Final = (
    ("failed to connect to", "main: bus_connect_transport fails"),
    ("failed to start transient", "start_transient_scope: the manager refuses the unit"),
    ("failed to mangle scope name", "start_transient_scope"),
    ("failed to execute", "start_transient_scope: execvpe fails"),
    ("failed to find executable", "main: the command is not there"),
    ("failed to create bus message", "bus_log_create_error"),
    ("failed to parse bus message", "bus_log_parse_error"),
    ("could not watch job", "start_transient_scope: bus_wait_for_jobs_new fails"),
    ("job for ", "bus_wait_for_jobs: the job of the unit failed or was cancelled"),
    ("unknown assignment", "bus_append_unit_property: the version is too old for a property"),
    ("failed to parse ", "bus_append_unit_property: a value is not taken"),
    ("unrecognized option", "getopt: the version is too old for an option"),
    ("interactive authentication required", "polkit refuses"),
    ("access denied", "the manager refuses the caller"),
    ("permission denied", "the bus or the control group is closed to the caller"),
    ("no medium found", "neither XDG_RUNTIME_DIR nor a bus address leads anywhere"),
)
"""What systemd-run says when it fails, in lower case, and where in its source.

https://github.com/systemd/systemd/blob/v257/src/run/run.c and src/shared/bus-unit-util.c. The rows
choose the line that is quoted; that no tool was started is known without them.
"""

_MOST_HELD: Final = 1 << 20
"""Bytes of a wrapper's output that are held back; more is no message."""

_EMPTYING: Final = 2.0
"""Seconds for which a control group may still hold dying processes before it is left behind."""


@dataclass(frozen=True, slots=True)
class Unlimited:
    """No limit holds, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Limited:
    """A limit holds for what is started by the call."""

    call: Call
    by: str
    """What keeps it: ``systemd-run`` or ``cgroup``."""

    announcement: str


def this_machine() -> Machine:
    """Return the size of this machine."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if hasattr(os, "sched_getaffinity"):
        return Machine(memory, len(os.sched_getaffinity(0)))
    return Machine(memory, os.cpu_count() or 1)


@contextmanager
def limited(
    call: Call, memory: int, environ: Mapping[str, str], groups: Path = Path(limited_start.GROUPS)
) -> Iterator[Limited | Unlimited]:
    """Yield *call*, changed so that what it starts takes no more than *memory* bytes.

    Args:
        call: what is started.
        memory: bytes, without swap.
        environ: the caller's own variables, which lead to the service manager.
        groups: where control groups of version 2 are.
    """
    if _WRAPPER in program_names(call.argv):
        yield Unlimited(f"the command is {_WRAPPER} already")
        return
    program = find_program(call.argv[0], call.cwd, call.environ)
    if program is None or not sys.executable:
        yield Unlimited("there is nothing to start")
        return
    runtime = _runtime_folder(environ)
    wrapper = shutil.which(_WRAPPER, path=environ.get("PATH"))
    if wrapper is not None and os.path.exists(f"{runtime}/systemd/private"):
        yield _in_scope(call, program, memory, wrapper, {**environ, "XDG_RUNTIME_DIR": runtime})
        return
    why = f"{_WRAPPER} is not there" if wrapper is None else "no service manager of the user runs"
    with _group(memory, groups) as group:
        if group is None:
            yield Unlimited(f"{why}, and no control group is ours to divide")
        else:
            yield _in_group(call, program, group)


def _runtime_folder(environ: Mapping[str, str]) -> str:
    """Return where the user's service manager listens (pam_systemd(8), sd_bus_open_user(3))."""
    return environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"


def _in_scope(
    call: Call, program: Path, memory: int, wrapper: str, environ: Mapping[str, str]
) -> Limited:
    unit = f"toolcache-{os.urandom(8).hex()}.scope"
    announcement = _announcement()
    words = (
        *(wrapper, "--user", "--scope", "--quiet", "--collect", f"--unit={unit}"),
        *(f"--property=MemoryMax={memory}", "--property=MemorySwapMax=0", "--"),
        *_start(call, program, announcement, unit),
    )
    leading = {name: environ[name] for name in _CHANGED[:2] if name in environ}
    wrapped = replace(call, argv=words, environ={**call.environ, **leading})
    return Limited(wrapped, _WRAPPER, announcement)


def _in_group(call: Call, program: Path, group: Path) -> Limited:
    announcement = _announcement()
    words = _start(call, program, announcement, str(group))
    return Limited(replace(call, argv=words), "cgroup", announcement)


def _announcement() -> str:
    """Return a line that no tool prints by chance."""
    return f"toolcache-{os.urandom(16).hex()}"


def _start(call: Call, program: Path, announcement: str, group: str) -> tuple[str, ...]:
    """Return the words that become the tool of *call* behind the *announcement*."""
    changes = (
        f"{name}={call.environ[name]}" if name in call.environ else name for name in _CHANGED
    )
    words = (announcement, group, *changes, "--", str(program), *call.argv)
    return (sys.executable, "-I", "-S", limited_start.__file__, *map(escaped, words))


@contextmanager
def _group(memory: int, groups: Path) -> Iterator[Path | None]:
    """Yield a new control group with that limit, or None where we may make none."""
    parent = next(filter(_is_ours_to_divide, _own_groups(groups)), None)
    if parent is None:
        yield None
        return
    group = parent / f"toolcache-{os.urandom(8).hex()}"
    try:
        group.mkdir()
        (group / "memory.max").write_text(str(memory))
    except OSError:
        with suppress(OSError):
            group.rmdir()
        yield None
        return
    for name, text in (("memory.swap.max", "0"), ("memory.oom.group", "1")):
        with suppress(OSError):  # a kernel without swap, or before 4.19
            (group / name).write_text(text)
    try:
        yield group
    finally:
        _remove(group)


def _own_groups(groups: Path) -> Iterator[Path]:
    """Yield our own control group and the one above it."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        if line.startswith("0::/"):
            own = groups / line.removeprefix("0::/")
            yield own
            if own != groups:
                yield own.parent


def _is_ours_to_divide(group: Path) -> bool:
    """Return whether a child of *group* can limit its memory and we may move a process into it.

    https://docs.kernel.org/admin-guide/cgroup-v2.html, "Delegation Containment"
    """
    try:
        controllers = (group / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False
    may_write = os.access(group, os.W_OK) and os.access(group / "cgroup.procs", os.W_OK)
    return "memory" in controllers and may_write


def _remove(group: Path) -> None:
    """Kill what is left in *group* and remove it."""
    with suppress(OSError):  # a kernel before 5.14; its processes have been killed as a group
        (group / "cgroup.kill").write_text("1")
    end = monotonic() + _EMPTYING
    while monotonic() < end:
        try:
            return group.rmdir()
        except OSError as error:
            if error.errno != errno.EBUSY:
                return None
        sleep(0.01)
    return None


class Announced:
    """Passes a tool's output on from the announcement on, and holds back what stands before it.

    Which pipe is read first is chance, so both streams are held back. What is held when the process
    ends is passed on by :meth:`close`.
    """

    def __init__(self, announcement: str, on_output: OnOutput) -> None:
        self._line = announcement.encode("ascii")
        self._on_output = on_output
        self._held: list[tuple[Stream, bytes]] = []
        self._given_up = False
        self.has_come = False
        """Whether the tool was started."""

    def __call__(self, stream: Stream, data: bytes) -> None:
        """Take *data* that has come on *stream*."""
        if self.has_come or self._given_up:
            self._on_output(stream, data)
            return
        self._held.append((stream, data))
        if self._find(stream):
            self.has_come = True
            self._pass_on()
        elif sum(len(each) for _, each in self._held) > _MOST_HELD:
            self._given_up = True
            self._pass_on()

    def close(self) -> None:
        """Pass on what is still held."""
        self._pass_on()

    def _find(self, stream: Stream) -> bool:
        """Return whether the announcement is on *stream*; what it is and stands before goes."""
        data = b"".join(each for on, each in self._held if on == stream)
        _, line, behind = data.partition(self._line)
        end = behind.find(b"\n")
        if not line or end < 0:
            return False
        others = [(on, each) for on, each in self._held if on != stream]
        self._held = [*others, (stream, behind[end + 1 :])]
        return True

    def _pass_on(self) -> None:
        held, self._held = self._held, []
        for stream, data in held:
            if data:
                self._on_output(stream, data)

    def wrapper_failure(self, by: str, status: int) -> str:
        """Return why no tool was started, in one clause.

        Args:
            by: what should have started it.
            status: the status with which that ended.
        """
        text = b"".join(each for _, each in self._held).decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        known = [line for line in lines if _is_known(line)]
        told = (known or lines or [f"it ended with status {status}"])[-1]
        return f"the memory limit could not be set by {by}: {told}"


def _is_known(line: str) -> bool:
    return any(words in line.lower() for words, _ in WRAPPER_FAILURES)
