"""``git toolcache lookup``: answer from the store only."""

from __future__ import annotations

from gitcache import exits
from gitcache.cli.as_json import answer_to_json, document, miss_to_json
from gitcache.cli.console import Console
from gitcache.cli.display import Show
from gitcache.core.outcome import Passed
from gitcache.engine.answers import hit_answer
from gitcache.engine.context import Context
from gitcache.engine.front import Finding, Hit, Unkeyed, find, find_in_commit
from gitcache.engine.resolve import Request
from gitcache.engine.uses import note_use
from gitcache.errors import RepositoryError, UsageError


def execute(
    tool: str | None,
    behind: tuple[str, ...] | None,
    revision: str | None,
    as_json: bool,
    quiet: bool,
    show: Show,
    raw: bool,
    noted: bool,
) -> int:
    """Show what is stored for a tool, or for the command *behind* ``--``, and return 0, 1 or 2.

    With *noted*, what is stored is also told in the note on the commit whose content it is of.
    """
    if tool is None and behind is None:
        raise UsageError("lookup takes the name of a tool, or a command behind --")
    context = Context.of_this_process()
    console = Console(context, show, quiet, as_json, raw=raw)
    finding = _find(Request(tool, behind or ()), revision, context)
    if isinstance(finding, Hit):
        answer = hit_answer(finding.question, finding.entry)
        console.answered(answer)
        if as_json:
            console.streams.write("stdout", document(answer_to_json(answer, raw)))
        if noted:
            from gitcache.engine.commit_notes import note_hit  # its imports cost, and few need it

            note_hit(finding, context, console)
        note_use(answer, context)
        return exits.PASSED if isinstance(answer.outcome, Passed) else exits.FAILED
    if isinstance(finding, Unkeyed):
        raise RepositoryError(finding.reason)
    if not quiet:
        console.streams.say(f"toolcache: {finding.question.plan.tool.name}: {finding.reason}")
    if as_json:
        console.streams.write("stdout", document(miss_to_json(finding)))
    return exits.NO_ENTRY


def _find(request: Request, revision: str | None, context: Context) -> Finding:
    if revision is None:
        return find(request, context)
    return find_in_commit(request, revision, context)
