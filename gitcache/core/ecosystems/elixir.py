"""Elixir projects: mix's own tasks, and those of credo, dialyxir and mix_audit where they are used.

Sources: https://hexdocs.pm/mix/Mix.html, https://hexdocs.pm/hex/Mix.Tasks.Hex.Audit.html,
https://hexdocs.pm/credo, https://hexdocs.pm/dialyxir, https://hexdocs.pm/mix_audit.
"""

import re

from gitcache.core.ecosystems.documents import plain
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
    marked_by,
    usual,
)
from gitcache.core.tool import ToolName

_COMMENT = re.compile(r"#.*")
_DEPENDENCY = re.compile(r"\{\s*:(credo|dialyxir|mix_audit)\b")


def _guess(project: Project, marker: str, name: ToolName) -> Found | Missing:
    used = set(_DEPENDENCY.findall(_COMMENT.sub("", plain(project.read(marker)))))
    commands = {
        TEST: "mix test",
        BUILD: "mix compile",
        LINT: "mix credo" if "credo" in used else "mix format --check-formatted",
        AUDIT: "mix deps.audit" if "mix_audit" in used else "mix hex.audit",
    }
    if "dialyxir" in used:
        commands[TYPECHECK] = "mix dialyzer"
    return usual(commands)(project, marker, name)


ELIXIR = Ecosystem(marked_by("mix.exs"), _guess)
