"""Versions in words, for people: what the digests of a key's parts stood for.

They are told once for each digest and kept beside the store, under the digest, so that a later miss
can say ``node 20.1.0 → 22.0.0``. A key depends on none of it: where nothing is kept, the words are
only fewer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gitcache.core.differences import Versions
from gitcache.core.entry import Entry
from gitcache.core.key import KeyInputs, digest
from gitcache.engine.context import Context
from gitcache.engine.front import Question
from gitcache.engine.installed import Found, find_installed
from gitcache.errors import RepositoryError
from gitcache.git.memo import MemoFolder
from gitcache.host.installed import Unaccountable
from gitcache.host.package_versions import package_versions, program_version
from gitcache.host.program import chain_of

_KINDS: Final = ("program:", "python:", "node_modules", "dependencies:")
"""How the names of the parts begin that have versions."""

_NAMES_AT_MOST: Final = 5000
"""Packages of one part that are kept: large projects have two thousand."""

_KEPT: Final = 400
"""Digests whose versions are kept: a hundred changes of a project with four parts."""


def keep_versions(question: Question, context: Context) -> None:
    """Keep the versions of all that counts in *question* and is not known yet."""
    versions_of(question, question.inputs.environment, context)


def versions_between(
    entry: Entry, question: Question, context: Context
) -> dict[str, tuple[Versions, Versions]]:
    """Return the versions of *entry* and of *question*, for each part in which the two differ."""
    before, after = entry.inputs.environment, question.inputs.environment
    parts = [each for each in before.keys() & after if before[each] != after[each]]
    old = kept_versions(question, entry.inputs, parts)
    new = versions_of(question, old, context)
    return {each: (old[each], new[each]) for each in old if each in new}


def versions_of(question: Question, parts: Iterable[str], context: Context) -> dict[str, Versions]:
    """Return the versions of those of *parts* that *question* has, from the disk where need be."""
    environment = question.inputs.environment
    wanted = [each for each in parts if each in environment and each.startswith(_KINDS)]
    kept = kept_versions(question, question.inputs, wanted)
    missing = [each for each in wanted if each not in kept]
    if missing:
        kept.update(_told(question, missing, context))
    return kept


def kept_versions(
    question: Question, inputs: KeyInputs, parts: Iterable[str]
) -> dict[str, Versions]:
    """Return the versions that are kept for *parts* of *inputs* in the repository of *question*."""
    memos = _folder(question)
    found = {each: memos.read(_name(inputs, each)) for each in parts if each in inputs.environment}
    kept: dict[str, Versions] = {
        part: {str(name): str(version) for name, version in memo["versions"].items()}
        for part, memo in found.items()
        if isinstance(memo.get("versions"), dict)
    }
    return kept


def _told(question: Question, parts: Iterable[str], context: Context) -> dict[str, Versions]:
    """Return the versions of *parts* as the disk tells them, and keep them."""
    plan = question.plan
    chain = chain_of(plan.argv, plan.cwd, plan.environment.passed)
    try:
        found = find_installed(plan, chain, question.repository, question.snapshot, context)
    except (OSError, RepositoryError):
        return {}
    if isinstance(found, Unaccountable):
        return {}
    memos = _folder(question)
    told: dict[str, Versions] = {part: _versions_in(found, part) for part in parts}
    for part, versions in told.items():
        memos.write(_name(question.inputs, part), {"versions": dict(versions)})
    memos.keep_newest(_KEPT)
    return told


def _versions_in(found: Found, part: str) -> dict[str, str]:
    if part in found.programs:
        programs = [(part.partition(":")[2], found.programs[part])]
        folders = []
    else:
        installed = [each for each in found.packages if each.name == part]
        programs = [("python", each.files[0]) for each in installed if each.files]
        folders = [folder for each in installed for folder in each.folders]
    versions = {name: program_version(program, found.place) for name, program in programs}
    packages = [item for folder in folders for item in sorted(package_versions(folder).items())]
    return {
        **{name: version for name, version in versions.items() if version},
        **dict(packages[:_NAMES_AT_MOST]),
    }


def _name(inputs: KeyInputs, part: str) -> str:
    return digest(part, inputs.environment[part])


def _folder(question: Question) -> MemoFolder:
    return MemoFolder(question.repository.common_dir / "toolcache" / "versions")
