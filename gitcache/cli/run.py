"""``git toolcache run``: the result of tools, from the store or by running them."""

from __future__ import annotations

from collections.abc import Sequence

from gitcache import exits
from gitcache.cli.console import Console
from gitcache.cli.display import FULL
from gitcache.cli.front import RunOptions
from gitcache.cli.signals import die_by
from gitcache.core.outcome import Interrupted, exit_status
from gitcache.engine.cached_run import run
from gitcache.engine.context import Context
from gitcache.engine.events import Answer
from gitcache.engine.front import plan_only
from gitcache.engine.overheard import keep, overheard
from gitcache.engine.resolve import Request
from gitcache.engine.uses import note_use
from gitcache.errors import UsageError
from gitcache.quick.streams import Tape


def execute(options: RunOptions, words: Sequence[str] | None = None) -> int:
    """Answer every tool in turn and return the first red one's status.

    Stops at the first red one unless asked to keep going, and always at an interruption.

    Args:
        options: what is asked for.
        words: the command line that asks for it; None: not known.
    """
    if words is not None and _is_plain(options):
        return _execute_plain(options, words)
    requests = _requests(options)
    if options.background:
        from gitcache.cli.background import start_all  # few calls want it

        return start_all(options, requests)
    if options.bisect:
        from gitcache.cli import bisect  # few calls want it

        with bisect.errors_without_verdict():
            outcomes = [each.outcome for each in _answers(options, requests)]
        status = bisect.status_of(outcomes)
    else:
        outcomes = [each.outcome for each in _answers(options, requests)]
        status = next(filter(None, map(exit_status, outcomes)), exits.PASSED)
    signals = [each.signal for each in outcomes if isinstance(each, Interrupted)]
    return die_by(signals[0]) if signals else status


def _is_plain(options: RunOptions) -> bool:
    """Return whether *options* ask for one tool's stored result, if there is one, as it is."""
    others = (
        *(options.force, options.as_json, options.pass_stdin, options.loose, options.bisect),
        *(options.interactive, options.background, options.retry_failed),
    )
    return len(options.tools) < 2 and not any(others)


def _execute_plain(options: RunOptions, words: Sequence[str]) -> int:
    """Answer the one tool of *options*, so that its next call can have a quick answer."""
    [request] = _requests(options)
    context, tape = overheard(Context.of_this_process()), Tape()
    console = _console(options, context, tape)
    answer = run(request, context, console)
    if isinstance(answer.outcome, Interrupted):
        note_use(answer, context)
        return die_by(answer.outcome.signal)
    status = exit_status(answer.outcome)
    note_use(answer, context)
    if answer.source == "hit":
        keep(context, words, tape, answer)
    return status


def _console(options: RunOptions, context: Context, tape: Tape | None = None) -> Console:
    return Console(
        context,
        options.show,
        options.quiet,
        options.as_json,
        verbose=options.verbose,
        raw=options.raw,
        tape=tape,
    )


def _answers(options: RunOptions, requests: list[Request]) -> list[Answer]:
    """Return the answers that were had, and tell them in JSON where that is asked for."""
    context = Context.of_this_process()
    if len(requests) > 1:
        for request in requests:
            plan_only(request, context)  # a tool that does not exist is told before anything runs
    console = _console(options, context)
    answers: list[Answer] = []
    for request in requests:
        answers.append(run(request, context, console))
        if not options.as_json:
            note_use(answers[-1], context)
        is_interrupted = isinstance(answers[-1].outcome, Interrupted)
        if is_interrupted or (exit_status(answers[-1].outcome) and not options.keep_going):
            break
    if options.as_json:
        from gitcache.cli.as_json import answers_to_json, document  # few calls want it

        value = answers_to_json(answers, len(requests), options.raw)
        console.streams.write("stdout", document(value))
        for answer in answers:
            note_use(answer, context)
    return answers


def _requests(options: RunOptions) -> list[Request]:
    """Return what *options* ask for, one request a tool.

    Raises:
        UsageError: they don't go together.
    """
    if not options.tools and options.behind is None:
        raise UsageError(
            "run takes the name of a tool, or a command behind --",
            hint="git toolcache run test; git toolcache run -- COMMAND; git toolcache help run",
        )
    _check_interactive(options)
    _check_manner(options)
    if options.pass_stdin and len(options.tools) > 1:
        raise UsageError("--stdin goes with one tool, since the standard input can be read once")
    if options.behind is not None and len(options.tools) > 1:
        raise UsageError("extra words behind -- go with one tool")
    return [
        Request(
            tool=name,
            words=options.behind or (),
            force=options.force,
            full=options.full or options.bisect,
            retry_failed=options.retry_failed,
            timeout=options.timeout,
            pass_stdin=options.pass_stdin,
            loose=options.loose,
            interactive=options.interactive,
            manner="foreground" if options.foreground else "shared",
            wait=0.0 if options.no_wait else options.wait,
        )
        for name in (options.tools or (None,))
    ]


def _check_manner(options: RunOptions) -> None:
    """Refuse what contradicts itself: who runs the tool, and how long others are waited for."""
    if options.no_wait and options.wait is not None:
        raise UsageError("--no-wait does not go with --wait")
    others = {
        "--foreground": options.foreground,
        "--stdin": options.pass_stdin,
        "--loose": options.loose,
        "--interactive": options.interactive,
        "--bisect": options.bisect,
        "--output": options.show != FULL,
    }
    for name, is_given in others.items():
        if is_given and options.background:
            raise UsageError(f"--background leaves the run, so {name} does not go with it")


def _check_interactive(options: RunOptions) -> None:
    """Refuse what is about output that we hear, where the tool has the terminal to itself."""
    others = {
        "--json": options.as_json,
        "--output": options.show != FULL,
        "--raw": options.raw,
        "--stdin": options.pass_stdin,
        "--timeout": options.timeout is not None,
    }
    for name, is_given in others.items():
        if is_given and options.interactive:
            raise UsageError(
                f"--interactive gives the tool your terminal, so {name} does not go with it"
            )
