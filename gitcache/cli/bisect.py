"""``run --bisect``: statuses as ``git bisect run`` takes them.

Git takes 0 for good, 1 to 127 but 125 for bad, 125 for a commit that can't be tested, and anything
else for the end of the search (git-bisect(1), "Bisect run"). So a verdict is 0 or 1 to 124, and
every end without one is 125: a kill, a timeout, a program that is not there, content that moved, a
commit whose settings are wrong or that has no such tool. Only what is the same for every commit
ends the search: bad usage, and an interruption, which ends us by its signal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from gitcache import exits
from gitcache.core.outcome import Failed, Outcome, Passed
from gitcache.errors import NoVerdictError, ToolcacheError, UsageError


def status_of(outcomes: Iterable[Outcome]) -> int:
    """Return the status for the *outcomes* of all tools that were asked: one that failed is bad."""
    statuses = [_status(each) for each in outcomes]
    bad = (each for each in statuses if each not in (exits.PASSED, exits.NO_VERDICT))
    return next(bad, exits.NO_VERDICT if exits.NO_VERDICT in statuses else exits.PASSED)


def _status(outcome: Outcome) -> int:
    match outcome:
        case Passed():
            return exits.PASSED
        case Failed(status):
            return status if status <= exits.NO_VERDICT else exits.FAILED
    return exits.NO_VERDICT


@contextmanager
def errors_without_verdict() -> Iterator[None]:
    """Let what stops a call on this commit be no verdict on it.

    Raises:
        NoVerdictError: something stopped the call.
    """
    try:
        yield
    except (UsageError, BrokenPipeError):
        raise
    except ToolcacheError as error:
        raise NoVerdictError(error.message, error.hint) from error
    except OSError as error:
        raise NoVerdictError(str(error)) from error
