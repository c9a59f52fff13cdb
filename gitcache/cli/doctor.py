"""``git toolcache doctor``: how all is that decides whether results are found here.

The facts are a table, a row each, and what is wrong stands below it with the command that mends it.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator
from platform import python_version

from rich.table import Table

from gitcache import __version__, exits
from gitcache.cli.as_json import document
from gitcache.cli.doctor_json import health_to_json, outlook
from gitcache.cli.escapes import printable
from gitcache.cli.summary import age_words
from gitcache.cli.table import cell, print_table
from gitcache.core.units import format_bytes
from gitcache.engine.complaints import Complaint, complaints
from gitcache.engine.context import Context
from gitcache.engine.doctor import examine
from gitcache.engine.health import Health, ToolHealth
from gitcache.engine.hit_cost import HitCost
from gitcache.quick.streams import Streams

_Row = tuple[str, str]
"""A title and what stands behind it; an empty title goes on with the row above."""


def execute(as_json: bool) -> int:
    """Show how all is here on the standard output."""
    context = Context.of_this_process()
    health = examine(context)
    wrong = complaints(health, context)
    streams = Streams()
    if as_json:
        streams.write("stdout", document(health_to_json(health, wrong)))
        return exits.PASSED
    print_table(_table(_rows(health, context)), streams, context.environ)
    streams.write("stdout", "".join(map(_warning, wrong)).encode())
    return exits.PASSED


def _warning(complaint: Complaint) -> str:
    return printable(f"warning: {complaint.text}") + f"\n  {printable(complaint.command)}\n"


def _table(rows: Iterable[_Row]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for title, text in rows:
        table.add_row(cell(title, "bold"), cell(text))
    return table


def _rows(health: Health, context: Context) -> Iterator[_Row]:
    yield from _programs(health)
    yield from _snapshot(health)
    yield from _locks(health)
    yield from _slots(health, context)
    yield from _hooks(health)
    yield from _settings(health)
    yield from _store(health)
    if health.cost is not None:
        yield from _cost(health.cost)


def _programs(health: Health) -> Iterator[_Row]:
    programs = health.programs
    yield "program", f"git-toolcache {__version__}"
    yield "python", f"{python_version()} in {sys.executable or 'an unknown place'}"
    yield "git", f"{programs.git} in {programs.git_path or 'an unknown place'}"
    yield "libgit2", f"{programs.libgit2}, by pygit2 {programs.pygit2}"


def _snapshot(health: Health) -> Iterator[_Row]:
    engine = health.engine
    if engine is None:
        yield "snapshot", f"none: {health.blindness}"
        return
    hands = {"pygit2": "pygit2, in memory,", "git": "git, with an index aside,"}
    eye, hand = "git status tells what changed", hands[engine.hand]
    yield "snapshot", f"{eye}; {hand} makes the tree, since {engine.why}"
    if engine.converts:
        yield "", "git converts changed files on a copy of the index"
    if why := engine.why_no_private_index:
        yield "private index", f"none: {why}"
    else:
        yield "private index", "a copy of the index, in which git keeps what it learns"
    if engine.features:
        yield "git's own", ", ".join(engine.features)


def _locks(health: Health) -> Iterator[_Row]:
    fault = health.lock_fault
    yield "lock", f"none: {fault}" if fault else f"flock in {health.folder}"
    shared = health.why_shared
    yield "runtime folder", f"{health.runtime_folder}: {shared or 'of this user alone'}"


def _slots(health: Health, context: Context) -> Iterator[_Row]:
    for each in health.slots:
        limit = str(each.limit) if each.limit else "any number"
        less = f", {each.limit_now} while memory is short" if each.limit_now < each.limit else ""
        waiting = f", {len(each.waiting)} waiting" if each.waiting else ""
        yield f"slots of {each.tool}", f"{limit}{less}, {len(each.holding)} taken{waiting}"
        for what, owners in (("held", each.holding), ("wanted", each.waiting)):
            for owner in owners:
                who = f"pid {owner.pid} ({owner.user}) in {owner.worktree}"
                yield "", f"{what} by {who}, {age_words(owner.since, context)}"
    yield "memory pressure", f"{health.pressure:.1f}%"


def _hooks(health: Health) -> Iterator[_Row]:
    yield "hooks", str(health.hooks.folder) + ("" if health.hooks.is_there else ", not there")
    for each in health.hooks.hooks:
        calls = "calls" if each.calls_us else "does not call"
        off = "" if each.is_executable else ", not executable"
        yield "", f"{each.name} {calls} git toolcache{off}"
    for setting in health.git_settings:
        yield "git config", f"{setting.name}={setting.value} ({setting.scope})"


def _settings(health: Health) -> Iterator[_Row]:
    if health.settings_error:
        yield "settings", f"{health.settings_file}, which is wrong"
    else:
        yield "settings", health.settings_file or "no file: tools are detected"
    for each in health.tools:
        yield f"tool {each.tool.name}", _tool_words(each)
        yield from (("", f"{name} is withheld: {path}") for name, path in each.mentioned.items())


def _tool_words(tool: ToolHealth) -> str:
    if tool.plan is None:
        return f"from {tool.tool.origin}: {tool.fault}"
    _, words = outlook(tool)
    return f"{shlex.join(tool.plan.argv)}, from {tool.tool.origin}: {words}"


def _store(health: Health) -> Iterator[_Row]:
    store = health.store
    form = "in tables" if store.storage == "reftable" else "packed"
    yield "refs", f"{store.refs}: {store.loose} loose, {store.packed} {form}"
    if store.unusable:
        yield (
            "",
            f"{store.unusable} of the {store.read} that were read can't be used by this version",
        )
    yield "size of results", format_bytes(store.disk_bytes)
    parts = ", ".join(f"{name} {format_bytes(size)}" for name, size in health.usage.items())
    total = format_bytes(sum(health.usage.values()))
    yield "size of toolcache/", f"{total}: {parts}" if parts else total


def _cost(cost: HitCost) -> Iterator[_Row]:
    yield f"a hit of {cost.tool}", f"{_ms(cost.total)}, the medians of {cost.rounds} rounds"
    yield "  python", _ms(cost.python_start)
    for step in cost.steps:
        yield f"  {step.name}", _ms(step.seconds)
    yield "git status alone", _ms(cost.git_status)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:6.1f} ms"
