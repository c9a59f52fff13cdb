"""The one place where an exception becomes a line and a number.

Whatever a person can cause ends here as ``fatal: …`` and ``hint: …`` on the standard error. Only a
fault of this program itself shows more, and only when asked to.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType

from gitcache import exits
from gitcache.cli.signals import die_by
from gitcache.errors import ToolcacheError

_DEBUG = "GIT_TOOLCACHE_DEBUG"


class _ToldToEndError(BaseException):
    """A signal has told us to end; what is open is closed on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def answer(words: Sequence[str]) -> int:
    """Return the status with which the command line *words* ends."""
    _occupy_standard_descriptors()
    _take_signals_as_usual()
    return guarded(lambda: _dispatch(words))


def guarded(act: Callable[[], int]) -> int:
    """Return what *act* returns, or the status of the error that it ends with."""
    try:
        return act()
    except ToolcacheError as error:
        _say("fatal", error.message)
        if error.hint:
            _say("hint", error.hint)
        return error.status
    except KeyboardInterrupt:
        return die_by(signal.SIGINT)
    except _ToldToEndError as told:
        return die_by(told.number)
    except BrokenPipeError:
        return die_by(signal.SIGPIPE)
    except OSError as error:
        _say("fatal", str(error))
        return exits.FATAL
    except Exception as error:
        if os.environ.get(_DEBUG):
            raise
        _say("fatal", f"internal error: {type(error).__name__}: {error}")
        _say("hint", f"{_DEBUG}=1 shows where; please report it")
        return exits.NO_VERDICT


def _dispatch(words: Sequence[str]) -> int:
    """Answer a plain ``run`` by the small front, and all else by typer."""
    from gitcache.cli import front

    options = front.read(words)
    if options is not None:
        from gitcache.cli.run import execute

        return execute(options, words)
    from gitcache.cli.app import answer_by_typer

    return answer_by_typer(words)


def _say(kind: str, text: str) -> None:
    """Print one line of ours; a closed standard error is no reason to stop."""
    try:
        sys.stderr.write(f"{kind}: {text}\n")
        sys.stderr.flush()
    except OSError:
        return


def _occupy_standard_descriptors() -> None:
    """Open the null device wherever a standard descriptor is closed, as git does.

    Otherwise the next file or pipe that we open takes its place, and what we print goes into it.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def _take_signals_as_usual() -> None:
    """Make signals do what we count on; what the caller ignores beside stays ignored.

    A child's end is told by ``SIGCHLD``: blocked, it would never come; ignored, the kernel would
    keep the child's status to itself (wait(2), NOTES).
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _unwind)


def _unwind(number: int, _: FrameType | None) -> None:
    """Leave by way of all that must be cleaned up."""
    raise _ToldToEndError(number)
