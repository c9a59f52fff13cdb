"""The options and arguments of the verbs, as typer declares them; those of one verb stand there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer

from gitcache.cli.completion import tool_names
from gitcache.cli.display import SHOW_TAKES, Show, parse_show
from gitcache.cli.front import parse_timeout, parse_waiting

_T = TypeVar("_T")


def _checked(parse: Callable[[str], _T], text: str) -> _T:
    try:
        return parse(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _show(text: str) -> Show:
    return _checked(parse_show, text)


def _seconds(text: str) -> float:
    return _checked(parse_timeout, text)


def _waiting(text: str) -> float:
    return _checked(parse_waiting, text)


Json = Annotated[bool, typer.Option("--json", help="One JSON document on the standard output.")]
Raw = Annotated[
    bool, typer.Option("--raw", help="Keep colours that we asked a tool for, everywhere.")
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No summary of ours.")]
Wait = Annotated[
    Any,
    typer.Option(
        parser=_waiting, metavar="TIME", help="How long another's run is waited for, or none."
    ),
]
Joined = Annotated[str | None, typer.Argument(metavar="TOOL", autocompletion=tool_names)]
Tools = Annotated[list[str] | None, typer.Argument(metavar="TOOL", autocompletion=tool_names)]


Force = Annotated[bool, typer.Option("--force", help="Run in spite of an entry.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Tell how the tool is run.")]
Output = Annotated[
    Any, typer.Option(parser=_show, metavar="WHAT", help=f"Output shown: {SHOW_TAKES}.")
]
Timeout = Annotated[
    Any, typer.Option(parser=_seconds, metavar="TIME", help="Such as 90s, 30m, 2h or none.")
]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="Run the other tools after a red one.")
]
Stdin = Annotated[bool, typer.Option("--stdin", help="Pass the standard input, and count it.")]
Loose = Annotated[bool, typer.Option("--loose", help="Pass every variable once; store nothing.")]
Interactive = Annotated[
    bool, typer.Option("--interactive", help="Give the tool your terminal; store nothing.")
]
Full = Annotated[
    bool, typer.Option("--full", help="The whole command, not what failed last first.")
]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", help="Run in spite of a stored failure.")
]
NoWait = Annotated[
    bool, typer.Option("--no-wait", help="Start nothing that is running elsewhere: 125.")
]
Background = Annotated[
    bool, typer.Option("--background", help="Start it and return; wait and attach join.")
]
Foreground = Annotated[
    bool, typer.Option("--foreground", help="Run in this process; others only wait for it.")
]
Bisect = Annotated[
    bool, typer.Option("--bisect", help="For git bisect run: 125 without a verdict.")
]
