"""``git toolcache explain``: why a run would hit or miss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitcache import exits
from gitcache.cli.as_json import document, moment
from gitcache.cli.escapes import printable
from gitcache.cli.miss_words import miss_words, since_words
from gitcache.core.differences import Difference
from gitcache.core.entry import Entry
from gitcache.core.outcome import exit_status, name_of
from gitcache.core.withheld import hint_to_pass
from gitcache.engine.context import Context
from gitcache.engine.explain import (
    ExplainedHit,
    ExplainedMiss,
    Explanation,
    Nearest,
    explain,
    mentioned,
    plan_of,
)
from gitcache.engine.front import Hit, Question, Unkeyed
from gitcache.engine.resolve import Request
from gitcache.errors import UsageError
from gitcache.quick.streams import Streams


def execute(tool: str | None, behind: tuple[str, ...] | None, as_json: bool) -> int:
    """Explain a tool, or the command *behind* ``--``, on the standard output."""
    if tool is None and behind is None:
        raise UsageError("explain takes the name of a tool, or a command behind --")
    context = Context.of_this_process()
    explanation = explain(Request(tool, behind or ()), context)
    streams = Streams()
    if as_json:
        streams.write("stdout", document(explanation_to_json(explanation, context)))
    else:
        lines = "".join(f"{printable(line)}\n" for line in _lines(explanation, context))
        streams.write("stdout", lines.encode())
    return exits.PASSED


def _lines(explanation: Explanation, context: Context) -> Iterator[str]:
    """Yield the lines for a person: the answer, what differs, what is withheld."""
    plan = plan_of(explanation)
    match explanation:
        case ExplainedHit(Hit(_, entry)):
            yield f"{plan.tool.name} would hit: {since_words(entry, plan.top, context)}"
        case Unkeyed(_, reason):
            yield f"{plan.tool.name} has no key: {reason}"
        case ExplainedMiss(_, Nearest(entry, differences)):
            yield f"{plan.tool.name} would miss; since {since_words(entry, plan.top, context)}:"
            for each in differences:
                yield f"  {_difference_words(each)}"
                yield from (f"    {path}" for path in each.paths)
        case ExplainedMiss():
            yield f"{plan.tool.name} would miss: {miss_words(explanation, context)}"
    if left_out := _left_out(explanation):
        yield "changed files that its inputs leave out:"
        yield from (f"    {path}" for path in left_out)
    if withheld := plan.environment.withheld:
        yield f"variables that are set and not passed: {', '.join(withheld)}"
    if names := mentioned(plan, context):
        yield "of these, tracked files mention:"
        yield from (f"    {name} in {path}" for name, path in names.items())
        yield f"  {hint_to_pass(tuple(names), plan.tool)}"


def _difference_words(difference: Difference) -> str:
    """Return *difference* with both its values, where a person can read them."""
    before, after = difference.before, difference.after
    if difference.name == "tree" or (before is None and after is None):
        return difference.text
    return f"{difference.text}: {before or 'none'} → {after or 'none'}"


def explanation_to_json(explanation: Explanation, context: Context) -> dict[str, Any]:
    """Return *explanation* as JSON values, under the names of an answer where it has them."""
    plan = plan_of(explanation)
    question, reasons, entry, differences = _parts(explanation)
    return {
        "tool": plan.tool.name,
        "argv": list(plan.argv),
        "directory": plan.directory,
        "key": question.key if question else None,
        "tree": question.inputs.tree if question else None,
        "would": _would(explanation),
        "reasons": list(reasons),
        "nearest": _entry_to_json(entry) if entry else None,
        "differences": [_difference_to_json(each) for each in differences],
        "left_out": list(_left_out(explanation)),
        "withheld": list(plan.environment.withheld),
        "mentioned": mentioned(plan, context),
    }


def _parts(
    explanation: Explanation,
) -> tuple[Question | None, tuple[str, ...], Entry | None, tuple[Difference, ...]]:
    """Return the question, the reasons, the nearest entry and how it differs."""
    match explanation:
        case ExplainedHit(Hit(question, entry)):
            return question, (), entry, ()
        case Unkeyed(_, reason):
            return None, (reason,), None, ()
        case ExplainedMiss(miss, Nearest(entry, differences)):
            return miss.question, explanation.reasons, entry, differences
        case ExplainedMiss(miss):
            return miss.question, explanation.reasons, None, ()


def _left_out(explanation: Explanation) -> tuple[str, ...]:
    match explanation:
        case ExplainedHit(_, left_out) | ExplainedMiss(_, Nearest(_, _, left_out)):
            return left_out
    return ()


def _would(explanation: Explanation) -> str:
    match explanation:
        case ExplainedHit():
            return "hit"
        case ExplainedMiss():
            return "miss"
        case Unkeyed():
            return "run_unkeyed"


def _entry_to_json(entry: Entry) -> dict[str, Any]:
    return {
        "key": entry.key,
        "outcome": name_of(entry.verdict),
        "exit_status": exit_status(entry.verdict),
        "ran_at": moment(entry.started_at),
        "ran_in": entry.ran_in.to_json(),
    }


def _difference_to_json(difference: Difference) -> dict[str, Any]:
    return {
        "input": difference.name,
        "part": difference.part or None,
        "text": difference.text,
        "before": difference.before,
        "after": difference.after,
        "paths": list(difference.paths),
    }
