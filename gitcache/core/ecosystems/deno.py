"""Deno projects: the tasks of deno.json, else deno's own subcommands.

Sources: https://docs.deno.com/runtime/reference/cli/ (``test``, ``lint``, ``check``, ``audit``) and
https://docs.deno.com/runtime/reference/cli/task/. A task is a text or an object.
"""

from gitcache.core.ecosystems.documents import jsonc_object, mapping
from gitcache.core.ecosystems.ecosystem import (
    AUDIT,
    BUILD,
    LINT,
    TEST,
    TYPECHECK,
    Ecosystem,
    Found,
    Missing,
    Project,
    found,
    marked_by,
    spelled,
    usual,
)
from gitcache.core.tool import ToolName

_USUAL = usual({TEST: "deno test", LINT: "deno lint", TYPECHECK: "deno check", AUDIT: "deno audit"})


def _define(project: Project, marker: str, name: ToolName) -> Found | None:
    tasks = mapping(jsonc_object(project.read(marker)).get("tasks"))
    task = spelled(name, {task for task, command in tasks.items() if command})
    return found(f"deno task {task}", marker) if task else None


def _guess(project: Project, marker: str, name: ToolName) -> Found | Missing:
    if name == BUILD:
        return Missing(f"{marker} has no build task")
    return _USUAL(project, marker, name)


DENO = Ecosystem(marked_by("deno.json", "deno.jsonc"), _guess, _define)
