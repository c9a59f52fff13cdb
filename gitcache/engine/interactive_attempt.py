"""One start of the tool at the caller's own terminal, where nothing of it is heard.

A person sits there and says when it is enough, so no limit of the settings holds.
"""

from __future__ import annotations

from gitcache.core.outcome import Interrupted, NotStarted, classify
from gitcache.core.output import Output
from gitcache.engine.attempt import Attempt
from gitcache.engine.context import Context
from gitcache.engine.events import Reporter
from gitcache.engine.resolve import Plan
from gitcache.host.call import Call, NeverStarted
from gitcache.host.interactive import run_interactive


def interactive_attempt(plan: Plan, context: Context, reporter: Reporter) -> Attempt:
    """Start the tool of *plan* on our own standard streams and return what came of it."""
    reporter.starting(plan)
    if plan.tool.options.memory is not None:
        reporter.detail("no memory limit: the tool has the terminal to itself")
    started_at = context.now()
    call = Call(plan.argv, plan.cwd, plan.environment.passed, grace=plan.tool.options.grace)
    result = run_interactive(call)
    if isinstance(result, NeverStarted):
        return Attempt(NotStarted(result.status, result.reason), Output(), started_at, 0.0)
    if result.interrupted_by is not None:
        outcome = Interrupted(result.interrupted_by)
        return Attempt(outcome, Output(), started_at, result.duration)
    return Attempt(classify(result.exit), Output(), started_at, result.duration)
