"""Starts a tool within the limits of its settings: the memory that it may take, what it is told.

Whatever can't be done here costs the limit and one line for those who ask, never the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from gitcache.core.limits import Limits, hinted_variables, limits_on, memory_on
from gitcache.core.outcome import status_of
from gitcache.core.units import format_bytes
from gitcache.engine.context import Context
from gitcache.engine.events import Reporter
from gitcache.engine.resolve import Plan
from gitcache.host.call import Call, Ended, NeverStarted
from gitcache.host.flow import OnOutput
from gitcache.host.memory import Announced, Limited, Unlimited, limited, this_machine


@dataclass(frozen=True, slots=True)
class LimitedCall:
    """What is started in place of the tool, so that its limits hold."""

    call: Call
    on_output: OnOutput
    announced: Announced | None = None
    """What tells whether the tool was started; None: nothing stands before it."""

    limited_to: Mapping[str, str] = field(default_factory=dict)
    """What the limits that were asked for came to, by name."""

    def close(self, result: Ended | NeverStarted) -> str | None:
        """Pass on what is held back; return why the tool was not started, None where it was."""
        if self.announced is None:
            return None
        failure = None
        if isinstance(result, Ended) and not self.announced.has_come:
            status = status_of(result.exit)
            failure = self.announced.wrapper_failure(self.limited_to["by"], status)
        self.announced.close()
        return failure


@contextmanager
def limited_call(
    call: Call, plan: Plan, context: Context, on_output: OnOutput, reporter: Reporter
) -> Iterator[LimitedCall]:
    """Yield what starts *call* within the limits that the settings of *plan* ask for."""
    options = plan.tool.options
    machine = this_machine()
    if options.memory is None:
        yield _told(call, plan, on_output, limits_on(machine, options, None))
        return
    memory = memory_on(options.memory, machine)
    with limited(call, memory, context.environ) as place:
        match place:
            case Unlimited(reason):
                reporter.detail(f"no memory limit: {reason}")
                yield _told(call, plan, on_output, limits_on(machine, options, None))
            case Limited(inner, by, announcement):
                limits = limits_on(machine, options, memory)
                reporter.detail(f"limited by {by} to {_words(limits)}")
                announced = Announced(announcement, on_output)
                start = _told(inner, plan, announced, limits)
                told = {**start.limited_to, "by": by}
                yield replace(start, announced=announced, limited_to=told)


def _told(call: Call, plan: Plan, on_output: OnOutput, limits: Limits) -> LimitedCall:
    """Return *call* with the variables that tell the tool of *plan* its *limits*."""
    variables = hinted_variables(limits, plan.tool.options, plan.argv, call.environ)
    told = {
        name: str(value)
        for name, value in (
            ("memory", limits.memory),
            ("workers", limits.workers),
            ("heap", limits.heap),
        )
        if value is not None
    }
    changed = replace(call, environ={**call.environ, **variables})
    return LimitedCall(changed, on_output, limited_to=told)


def _words(limits: Limits) -> str:
    memory, heap = format_bytes(limits.memory or 0), format_bytes(limits.heap or 0)
    return f"{memory}; workers it is told: {limits.workers}, heap of each: {heap}"
