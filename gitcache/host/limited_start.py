"""Becomes the tool within its memory limit: a program of its own, started by its path.

It is the last step between ``systemd-run`` or a control group and the tool. It announces itself on
the standard error, so that what comes before is known to be the wrapper's and not the tool's, takes
back what the wrapper did to the environment, and executes the tool with its own first word.

Only the standard library's core is there (``python -I -S``), and nothing here costs time.
"""

from __future__ import annotations

import os
import signal
import sys

GROUPS = "/sys/fs/cgroup"
"""Where control groups of version 2 are (cgroups(7))."""


def main(words: list[str]) -> None:
    """Become the tool.

    Args:
        words: the announcement; the control group to join, a folder, or the name of the unit that
            we should be in; changes of the environment up to ``--``, ``NAME=VALUE`` or ``NAME``
            alone to unset it; the program's path; the tool's own words. Escaped by
            :func:`escaped`.
    """
    announcement, group, *rest = map(_unescaped, words)
    end = rest.index("--")
    for change in rest[:end]:
        name, equals, value = change.partition("=")
        os.environ.pop(name, None)
        if equals:
            os.environ[name] = value
    program, argv = rest[end + 1], rest[end + 2 :]
    _take_signals_as_usual()
    if group.startswith("/"):
        _write(f"{group}/cgroup.procs", "0")  # 0 is the writer itself (cgroups(7))
    else:
        _let_all_die_together(group)
    os.write(2, os.fsencode(announcement) + b"\n")
    try:
        os.execv(program, argv)  # noqa: S606 - no shell is wanted
    except OSError as error:
        os.write(2, os.fsencode(f"{argv[0]}: can't be executed: {error.strerror}\n"))
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


def escaped(word: str) -> str:
    """Return *word* without a ``$``, which a newer ``systemd-run`` replaces by a variable.

    https://www.freedesktop.org/software/systemd/man/latest/systemd-run.html (--expand-environment)
    """
    return word.replace("%", "%25").replace("$", "%24")


def _unescaped(word: str) -> str:
    return word.replace("%24", "$").replace("%25", "%")


def _take_signals_as_usual() -> None:
    """Undo what Python does to signals when it starts."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _let_all_die_together(unit: str) -> None:
    """Ask the kernel to kill the whole tool where it kills one process of it for want of memory.

    A runner that lives on without one of its workers would tell of a failure, and its output need
    not tell why. Where the group can't be found or changed, the marks in the output are all there
    is.
    """
    try:
        with open("/proc/self/cgroup") as groups:
            paths = [line[3:].rstrip("\n") for line in groups if line.startswith("0::")]
        for path in paths:
            if path.endswith(f"/{unit}"):
                _write(f"{GROUPS}{path}/memory.oom.group", "1")
    except OSError:
        return


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
