"""``git toolcache run --background``: starts runs that go on without their caller."""

from __future__ import annotations

from typing import Any

from gitcache import exits
from gitcache.cli.as_json import answer_to_json, document, moment
from gitcache.cli.console import Console
from gitcache.cli.front import RunOptions
from gitcache.cli.running_words import run_words
from gitcache.core.outcome import exit_status
from gitcache.core.tool import AD_HOC
from gitcache.engine.cached_run import start
from gitcache.engine.context import Context
from gitcache.engine.events import Answer, FollowedRun
from gitcache.engine.resolve import Request
from gitcache.engine.uses import note_use


def start_all(options: RunOptions, requests: list[Request]) -> int:
    """Start every tool whose result is not stored; return the first stored failure's status."""
    context = Context.of_this_process()
    console = Console(
        context, options.show, options.quiet, options.as_json, options.verbose, options.raw
    )
    status = exits.PASSED
    told: list[dict[str, Any]] = []
    answers: list[Answer] = []
    for request in requests:
        name = request.tool or AD_HOC
        match start(request, context, console):
            case Answer() as answer:
                status = status or exit_status(answer.outcome)
                answers.append(answer)
                told.append(answer_to_json(answer, options.raw))
            case run:
                if not options.quiet:
                    place = run_words(run.worktree, run.pid, run.since, context)
                    console.streams.say(f"toolcache: {name} runs in the background: {place}")
                told.append(_run_to_json(name, run))
    if options.as_json:
        console.streams.write("stdout", document(told if len(requests) > 1 else told[0]))
    for answer in answers:
        note_use(answer, context)
    return status


def _run_to_json(tool: str, run: FollowedRun) -> dict[str, Any]:
    return {
        "tool": tool,
        "source": "background",
        "pid": run.pid,
        "since": moment(run.since),
        "worktree": run.worktree,
    }
