"""``git toolcache status``: what is known of every tool."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from gitcache import exits
from gitcache.cli.as_json import document, moment
from gitcache.cli.escapes import printable
from gitcache.cli.running_words import length_words, run_words
from gitcache.cli.summary import age_words
from gitcache.cli.table import cell, print_table
from gitcache.core.outcome import Passed, exit_status, name_of
from gitcache.core.tool import ToolName
from gitcache.engine.context import Context
from gitcache.engine.overview import PLACES, Overview, Place, overview
from gitcache.engine.running_now import RunningNow
from gitcache.quick.streams import Streams


def execute(as_json: bool) -> int:
    """Show every tool's standing on the standard output."""
    context = Context.of_this_process()
    found = overview(context)
    streams = Streams()
    for warning in found.warnings:
        streams.say(f"warning: {warning}")
    if as_json:
        streams.write("stdout", document(_to_json(found)))
    else:
        _show(found, context, streams)
    return exits.PASSED


def _show(found: Overview, context: Context, streams: Streams) -> None:
    if found.tools:
        print_table(_table(found, context), streams, context.environ)
    else:
        streams.say("toolcache: no tool is declared or detected here")
    for run in found.running:
        streams.say(f"toolcache: {_run_words(run, context)}")


def _run_words(run: RunningNow, context: Context) -> str:
    """Return a run for people: ``test runs in ../wt3 (pid 4121, 2m in, 3 following): 1 failed``."""
    followers = "" if run.followers is None else f", {run.followers} following"
    place = run_words(run.worktree, run.pid, run.since, context, followers)
    line = f": {run.last_line}" if run.last_line else ""
    return printable(f"{run.tool} runs in {place}{line}")


def _table(found: Overview, context: Context) -> Table:
    """Return a table with a row a tool and a column a content."""
    table = Table(box=None, pad_edge=False)
    for title in ("tool", *PLACES):
        table.add_column(title)
    for tool in found.tools:
        cells = (_cell(found, tool, place, context) for place in PLACES)
        table.add_row(cell(tool), *cells)
    return table


def _cell(found: Overview, tool: ToolName, place: Place, context: Context) -> Text:
    entry = found.known.get((tool, place))
    run = found.run_on(tool, place)
    if entry is None and run is not None:
        return cell(f"running {length_words(run.since, context)}", "yellow")
    if entry is None:
        return cell("unknown", "dim")
    style = "green" if isinstance(entry.verdict, Passed) else "red"
    words = f"{name_of(entry.verdict)} {age_words(entry.started_at, context)}"
    return cell(words, style)


def _to_json(found: Overview) -> dict[str, Any]:
    """Return ``{"tools": [{"tool", "working_tree", "index", "head"}], "running": […]}``."""
    return {
        "tools": [
            {"tool": tool}
            | {_JSON_NAMES[place]: _standing_to_json(found, tool, place) for place in PLACES}
            for tool in found.tools
        ],
        "running": [_run_to_json(each) for each in found.running],
    }


def _run_to_json(run: RunningNow) -> dict[str, Any]:
    return {
        "tool": run.tool,
        "key": run.key,
        "worktree": run.worktree,
        "user": run.user,
        "pid": run.pid,
        "since": moment(run.since),
        "followers": run.followers,
        "last_line": run.last_line,
    }


_JSON_NAMES = {"working tree": "working_tree", "index": "index", "HEAD": "head"}


def _standing_to_json(found: Overview, tool: ToolName, place: Place) -> dict[str, Any]:
    entry = found.known.get((tool, place))
    if entry is None:
        return {"outcome": "running" if found.run_on(tool, place) else "unknown"}
    return {
        "outcome": name_of(entry.verdict),
        "exit_status": exit_status(entry.verdict),
        "key": entry.key,
        "ran_at": moment(entry.started_at),
        "duration_s": entry.duration,
    }
