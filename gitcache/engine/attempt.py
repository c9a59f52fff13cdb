"""One start of the tool's process: from a plan to what came of it.

This is the seam behind which a run happens: a plan goes in, events come out, and an attempt is
returned. It knows nothing of keys and of the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from gitcache import exits
from gitcache.core.colours import legible
from gitcache.core.kill_marks import sign_of_a_kill
from gitcache.core.leak import Leak
from gitcache.core.outcome import (
    Failed,
    Interrupted,
    NotStarted,
    NoVerdict,
    Outcome,
    Passed,
    TimedOut,
    WrapperFailed,
    classify,
    exit_status,
    status_of,
)
from gitcache.core.output import Output, OutputBuffer, Stream
from gitcache.core.untested import RAN_NO_TEST, ran_no_test
from gitcache.engine.context import Context
from gitcache.engine.events import Reporter
from gitcache.engine.limited_call import limited_call
from gitcache.engine.resolve import Plan
from gitcache.host.call import Call, Ended, NeverStarted
from gitcache.host.process import run_process
from gitcache.host.standard_input import InputCopy


@dataclass(frozen=True, slots=True)
class Provision:
    """What a run gets from whoever runs it, and no key tells."""

    variables: Mapping[str, str] = field(default_factory=dict)
    """What is added to the tool's variables."""

    orders: int | None = None
    """Whence signals come, as in :class:`~gitcache.host.process.Call`."""


ALONE: Final = Provision()


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of one start."""

    outcome: Outcome
    output: Output
    started_at: float
    """Seconds since the epoch."""

    duration: float
    """Seconds."""

    leak: Leak | None = None
    """What outlived the tool."""
    limited_to: Mapping[str, str] = field(default_factory=dict)
    """What the limits that were asked for came to, by name."""


def attempt(
    plan: Plan,
    context: Context,
    reporter: Reporter,
    stdin: InputCopy | None = None,
    provision: Provision = ALONE,
    is_shown: bool = True,
) -> Attempt:
    """Start the tool of *plan*, let *reporter* hear its output, and return what came of it.

    Args:
        plan: what is started.
        context: the surroundings of the call.
        reporter: hears the output.
        stdin: what the tool reads; None: nothing.
        provision: what a run gets from whoever runs it.
        is_shown: whether *reporter* hears the output.
    """
    buffer = OutputBuffer()

    def on_output(stream: Stream, data: bytes) -> None:
        buffer.add(stream, data)
        if is_shown:
            reporter.output(stream, data)

    if is_shown:
        reporter.starting(plan)
    started_at = context.now()
    options = plan.tool.options
    call = Call(
        argv=plan.argv,
        cwd=plan.cwd,
        environ={**plan.environment.passed, **provision.variables},
        timeout=options.timeout,
        grace=options.grace,
        stdin=stdin.file if stdin else None,
        pty=options.pty,
        orders=provision.orders,
    )
    with limited_call(call, plan, context, on_output, reporter) as start:
        outlets = reporter.outlets() if is_shown else {}
        result = run_process(start.call, start.on_output, outlets)
        failure = start.close(result)
    match result:
        case NeverStarted(status, reason):
            return Attempt(NotStarted(status, reason), buffer.result(), started_at, 0.0)
        case Ended() as ended:
            output = buffer.result()
            outcome = _outcome(ended, plan, output, failure)
            return Attempt(
                outcome, output, started_at, ended.duration, ended.leak, start.limited_to
            )


def _outcome(ended: Ended, plan: Plan, output: Output, failure: str | None) -> Outcome:
    """Return what *ended* means; what we did to the tool comes before what it made of it.

    Args:
        ended: the end of the process.
        plan: what was started.
        output: what it printed.
        failure: why the tool itself was not started; None: it was.
    """
    options = plan.tool.options
    if ended.interrupted_by is not None:
        return Interrupted(ended.interrupted_by)
    if ended.timed_out:
        return TimedOut(options.timeout or 0.0)
    if failure is not None:
        return WrapperFailed(failure)
    status = status_of(ended.exit)
    told = legible(output, plan.terminal)
    looks_for_marks = status != 0 and options.kill_marks
    mark = sign_of_a_kill(status, plan.argv, told) if looks_for_marks else None
    outcome = classify(ended.exit, mark)
    if isinstance(outcome, Passed) and ran_no_test(plan.argv, output, plan.terminal):
        return NoVerdict(exit_status(outcome), RAN_NO_TEST)
    if ended.leak is not None and options.leak == "fail" and isinstance(outcome, Passed):
        return Failed(exits.FAILED)
    return outcome
