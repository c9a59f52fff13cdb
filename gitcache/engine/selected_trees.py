"""What tools with ``inputs`` select of commits: the trees under which their verdicts lie.

Settings are those of each commit; commits with the same settings files share one look at them. To
select costs some processes of git for a tree, so at one go it is done for some trees only, and kept
for the next one. A tree of which that is not known yet is marked by runs on the commit itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from gitcache.core.content import Snapshot
from gitcache.core.key import TreeId, digest, is_oid
from gitcache.core.settings import OWN_FILE, SHARED_FILE
from gitcache.core.tool import Options, ToolName
from gitcache.engine.declared_tools import parse_settings
from gitcache.errors import RepositoryError, SettingsError
from gitcache.git.look import Look
from gitcache.git.memo import MemoFolder
from gitcache.git.plumbing import Git
from gitcache.git.selection import select
from gitcache.git.tree_folder import TreeFolder

AT_ONCE: Final = 24
"""Selections made at one go: a list of the usual length is complete, and takes about a second."""

_KEPT: Final = 10_000
"""Selections that are kept for one list of pathspecs: a long history of them, in a megabyte."""

Inputs = Mapping[ToolName, tuple[str, ...]]
"""Tool → the pathspecs that its settings declare."""


class SelectedTrees:
    """The selections of *tools* in one repository."""

    def __init__(self, look: Look, tools: Collection[ToolName], at_once: int = AT_ONCE) -> None:
        self._look = look
        self._tools = tools
        self._left = at_once
        self._memos = MemoFolder(look.repository.common_dir / "toolcache" / "memo" / "history")

    def of(self, trees: Sequence[TreeId]) -> dict[TreeId, dict[ToolName, TreeId]]:
        """Return each of *trees* → tool → what it selects, as far as that is known or made now."""
        selected: dict[TreeId, dict[ToolName, TreeId]] = {}
        wanted: dict[tuple[str, ...], list[tuple[TreeId, ToolName]]] = {}
        for tree, inputs in self._inputs(trees):
            for tool in inputs:
                wanted.setdefault(inputs[tool], []).append((tree, tool))
        for pathspecs, places in wanted.items():
            known = self._selected(pathspecs, [tree for tree, _ in places])
            for tree, tool in places:
                if tree in known:
                    selected.setdefault(tree, {})[tool] = known[tree]
        return selected

    def _inputs(self, trees: Sequence[TreeId]) -> Iterator[tuple[TreeId, Inputs]]:
        """Yield each of *trees* whose settings declare inputs of our tools, with these."""
        known: dict[tuple[bytes, ...], Inputs] = {}
        for tree, files in _settings_files(self._look.repository.git, trees):
            if files not in known:
                known[files] = self._declared(tree)
            if known[files]:
                yield tree, known[files]

    def _declared(self, tree: TreeId) -> Inputs:
        try:
            found = parse_settings(TreeFolder(self._look.objects, tree))
        except SettingsError:
            return {}
        inputs = {name: each.over(Options()).inputs for name, each in found.tools.items()}
        return {name: each for name, each in inputs.items() if each and name in self._tools}

    def _selected(self, pathspecs: tuple[str, ...], trees: list[TreeId]) -> dict[TreeId, TreeId]:
        """Return tree → what *pathspecs* select of it; without trees where that is nothing."""
        name = f"selection-{digest(*pathspecs)}"
        memo = self._memos.read(name)
        new = {}
        for tree in dict.fromkeys(trees):
            if tree not in memo and self._left > 0:
                self._left -= 1
                with suppress(RepositoryError):
                    new[str(tree)] = self._select(pathspecs, tree)
        if new:
            memo = dict([*memo.items(), *new.items()][-_KEPT:])
            self._memos.write(name, memo)
        found = ((tree, memo.get(tree)) for tree in trees)
        return {
            tree: TreeId(each) for tree, each in found if isinstance(each, str) and is_oid(each)
        }

    def _select(self, pathspecs: tuple[str, ...], tree: TreeId) -> str:
        snapshot = Snapshot(tree, None, tree)
        try:
            return select(self._look.repository, snapshot, pathspecs, MemoFolder(None)).tree
        except SettingsError:
            return ""


def _settings_files(
    git: Git, trees: Sequence[TreeId]
) -> Iterator[tuple[TreeId, tuple[bytes, ...]]]:
    """Yield each of *trees* with what tells its settings files from those of others."""
    names = "".join(f"{tree}:{file}\n" for tree in trees for file in (OWN_FILE, SHARED_FILE))
    answer = git.run(
        "cat-file", "--buffer", "--batch-check=%(objectname)", stdin=names.encode("ascii")
    )
    files = [b"" if line.endswith(b" missing") else line for line in answer.split(b"\n")]
    for place, tree in enumerate(trees):
        yield tree, (files[2 * place], files[2 * place + 1])
