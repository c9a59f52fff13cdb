"""The command line as typer reads it: every verb with its words, each handed to its own file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Final

import typer

from gitcache import __version__, exits
from gitcache.cli import doctor as doctor_verb
from gitcache.cli import explain as explain_verb
from gitcache.cli import forget as forget_verb
from gitcache.cli import init as init_verb
from gitcache.cli import join as join_verbs
from gitcache.cli import log as log_verb
from gitcache.cli import lookup as lookup_verb
from gitcache.cli import run as run_verb
from gitcache.cli import show as show_verb
from gitcache.cli import stats as stats_verb
from gitcache.cli import status as status_verb
from gitcache.cli.completion import tool_names
from gitcache.cli.display import FULL
from gitcache.cli.front import RunOptions, split
from gitcache.cli.join import Joining
from gitcache.cli.options import (
    Background,
    Bisect,
    Force,
    Foreground,
    Full,
    Interactive,
    Joined,
    Json,
    KeepGoing,
    Loose,
    NoWait,
    Output,
    Quiet,
    Raw,
    RetryFailed,
    Stdin,
    Timeout,
    Tools,
    Verbose,
    Wait,
)
from gitcache.errors import UsageError

PROGRAM = "git toolcache"
SCRIPT = "git-toolcache"

app = typer.Typer(
    name=SCRIPT,
    help="The result of a tool (test, lint, build, …) for exactly the content you have: at once"
    " where any worktree has run it, run once where none has.",
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.command(
    epilog="Words behind -- are added to the one tool's argv, or are the command itself. The exit"
    " status is the tool's own; 124 its timeout passed, 125 no verdict, 126 not executable, 127 not"
    " found, 128 fatal before anything ran, 129 bad usage.",
    options_metavar="[OPTIONS] TOOL... [-- EXTRA...] | -- COMMAND...",
)
def run(
    context: typer.Context,
    tools: Tools = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    output: Output = "full",
    timeout: Timeout = None,
    keep_going: KeepGoing = False,
    stdin: Stdin = False,
    loose: Loose = False,
    raw: Raw = False,
    interactive: Interactive = False,
    full: Full = False,
    retry_failed: RetryFailed = False,
    wait: Wait = None,
    no_wait: NoWait = False,
    background: Background = False,
    foreground: Foreground = False,
    bisect: Bisect = False,
) -> int:
    """Give the result of tools, or of a command behind --."""
    return run_verb.execute(
        RunOptions(
            tools=tuple(tools or ()),
            behind=context.obj,
            force=force,
            as_json=json,
            quiet=quiet,
            verbose=verbose,
            show=output,
            timeout=timeout,
            keep_going=keep_going,
            pass_stdin=stdin,
            loose=loose,
            raw=raw,
            interactive=interactive,
            bisect=bisect,
            full=full,
            retry_failed=retry_failed,
            background=background,
            foreground=foreground,
            no_wait=no_wait,
            wait=wait,
        )
    )


@app.command(
    epilog="Exit status: as of run; 125 where nothing is stored and nothing runs.",
    options_metavar="[OPTIONS] TOOL [-- EXTRA...] | -- COMMAND...",
)
def wait(
    context: typer.Context,
    tool: Joined = None,
    json: Json = False,
    quiet: Quiet = False,
    output: Output = "none",
    raw: Raw = False,
    wait: Wait = None,
) -> int:
    """Wait for the run of a tool on this content, start none, and give its result."""
    joined = Joining(tool, context.obj, json, quiet, output, raw, wait)
    return join_verbs.execute("wait", joined)


@app.command(
    epilog="Exit status: as of run; 125 where nothing is stored and nothing runs.",
    options_metavar="[OPTIONS] TOOL [-- EXTRA...] | -- COMMAND...",
)
def attach(
    context: typer.Context,
    tool: Joined = None,
    json: Json = False,
    quiet: Quiet = False,
    raw: Raw = False,
    wait: Wait = None,
) -> int:
    """Show the run of a tool on this content from its start, start none, and give its result."""
    joined = Joining(tool, context.obj, json, quiet, FULL, raw, wait)
    return join_verbs.execute("attach", joined)


@app.command(
    epilog="Exit status: 0 a stored pass, 1 a stored failure, 2 nothing is stored.",
    options_metavar="[OPTIONS] TOOL [-- EXTRA...]",
)
def lookup(
    context: typer.Context,
    tool: Annotated[str | None, typer.Argument(autocompletion=tool_names)] = None,
    rev: Annotated[
        str | None, typer.Option(metavar="REV", help="The content of a commit instead.")
    ] = None,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Only the exit status.")] = False,
    output: Output = "none",
    raw: Raw = False,
    note: Annotated[
        bool, typer.Option("--note", help="Write the answer into the note on its commit, too.")
    ] = False,
) -> int:
    """Answer from the store only."""
    return lookup_verb.execute(tool, context.obj, rev, json, quiet, output, raw, note)


@app.command(options_metavar="[OPTIONS] TOOL [-- EXTRA...] | -- COMMAND...")
def explain(
    context: typer.Context,
    tool: Annotated[str | None, typer.Argument(autocompletion=tool_names)] = None,
    json: Json = False,
) -> int:
    """Tell why a run would hit or miss: the nearest entry and what differs, files included."""
    return explain_verb.execute(tool, context.obj, json)


@app.command()
def show(
    what: Annotated[str, typer.Argument(metavar="TOOL|KEY", autocompletion=tool_names)],
    json: Json = False,
    raw: Raw = False,
) -> int:
    """Show one entry whole: of a tool on this content, or of a key or its beginning."""
    return show_verb.execute(what, json, raw)


@app.command()
def status(json: Json = False) -> int:
    """Show what is known of every tool, for the working tree, the index and HEAD."""
    return status_verb.execute(json)


@app.command(
    epilog="✓ passed, ✗ failed, ~ flaky, · unknown. A mark is what the newest run found on exactly"
    " the content of that commit, or on what the tool's inputs select of it, in whatever"
    " environment; whether a run would hit today, lookup tells."
)
def log(
    revisions: Annotated[list[str] | None, typer.Argument(metavar="RANGE")] = None,
    count: Annotated[
        int | None,
        typer.Option("-n", "--max-count", metavar="N", min=0, help="At most N commits."),
    ] = None,
    graph: Annotated[bool, typer.Option("--graph", help="Draw how the commits descend.")] = False,
    json: Json = False,
) -> int:
    """Show commits with a mark for each tool: of a range as git takes it, or the last of HEAD."""
    return log_verb.execute(tuple(revisions or ()), count, graph, json)


@app.command()
def forget(
    what: Annotated[
        list[str] | None, typer.Argument(metavar="TOOL|KEY", autocompletion=tool_names)
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Every entry of the tools; of all tools if none is named.")
    ] = False,
    json: Json = False,
) -> int:
    """Remove entries: of tools on this content, of keys, or all."""
    return forget_verb.execute(tuple(what or ()), all_, json)


@app.command()
def init(json: Json = False) -> int:
    """Write a settings file with the tools that are found here; it overwrites nothing."""
    return init_verb.execute(json)


@app.command()
def doctor(json: Json = False) -> int:
    """Show how all is that decides whether results are found here, and what mends it."""
    return doctor_verb.execute(json)


@app.command()
def stats(
    json: Json = False,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write one page with charts.")
    ] = None,
) -> int:
    """Show what was hit and missed, what that saved, and which test files are flaky."""
    return stats_verb.execute(json, html)


@app.command("help")
def help_(
    context: typer.Context,
    verb: Annotated[str | None, typer.Argument()] = None,
) -> int:
    """Explain a verb, or list all."""
    return answer_by_typer([verb, "-h"] if verb else ["-h"])


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> int | None:
    """Handle what stands before any verb."""
    if version:
        typer.echo(f"git-toolcache {__version__}")
        raise typer.Exit()
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(exits.USAGE)
    return None


def answer_by_typer(words: Sequence[str]) -> int:
    """Return the status with which *words* end.

    typer drops ``--`` and joins what stands on its sides, so the words behind it go past typer.

    Raises:
        UsageError: the words are not understood.
    """
    before, behind = split(words)
    if behind is not None and not _TAKE_WORDS_BEHIND.intersection(before[:1]):
        raise UsageError(
            "only run, lookup, explain, wait and attach take words behind --", hint=_help_on(before)
        )
    command = typer.main.get_command(app)
    name = SCRIPT if _is_about_completion(before) else PROGRAM
    try:
        status = command.main(list(before), prog_name=name, standalone_mode=False, obj=behind)
    except typer.TyperException as error:
        raise UsageError(_message(error), hint=_help_on(before)) from error
    except typer.Abort as error:
        raise UsageError("aborted") from error
    return status if isinstance(status, int) else exits.PASSED


_TAKE_WORDS_BEHIND: Final = frozenset({"run", "lookup", "explain", "wait", "attach"})


def _help_on(words: Sequence[str]) -> str:
    """Return the call that explains the verb of *words*, or all verbs where it has none."""
    verb = next((word for word in words if word in typer.main.get_group(app).commands), "")
    return f"{PROGRAM} help {verb}".rstrip()


def _is_about_completion(words: Sequence[str]) -> bool:
    """Return whether a shell asks, or the shell's set-up is asked for; both go by the script."""
    asked = {"--install-completion", "--show-completion"}
    return "_GIT_TOOLCACHE_COMPLETE" in os.environ or not asked.isdisjoint(words)


def _message(error: typer.TyperException) -> str:
    """Return typer's sentence without its full stop."""
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    return text.rstrip(".")
