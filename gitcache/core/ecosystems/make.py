"""Makefiles: which of their targets are tools.

That ``check`` runs the tests and ``all`` builds is
https://www.gnu.org/prep/standards/html_node/Standard-Targets.html.
"""

from collections.abc import Mapping

from gitcache.core.ecosystems.documents import plain
from gitcache.core.ecosystems.ecosystem import (
    BUILD,
    TEST,
    Ecosystem,
    Found,
    Missing,
    Project,
    found,
    marked_by,
    spelled,
)
from gitcache.core.makefile import MAKEFILES, targets_of
from gitcache.core.tool import ToolName

_USUAL: Mapping[ToolName, str] = {TEST: "check", BUILD: "all"}
"""Tool → the target that GNU's coding standards have for it.

Projects also use these names for more than that, so they are no definition of the tool.
"""


def _define(project: Project, marker: str, name: ToolName) -> Found | None:
    target = spelled(name, targets_of(plain(project.read(marker))))
    return found(f"make {target}", marker) if target else None


def _guess(project: Project, marker: str, name: ToolName) -> Found | Missing:
    target = _USUAL.get(name)
    if target in targets_of(plain(project.read(marker))):
        return found(f"make {target}", marker)
    return Missing(f"{marker} has no {name} target")


MAKE = Ecosystem(marked_by(*MAKEFILES), _guess, _define)
