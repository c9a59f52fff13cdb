"""The hit path: from a request to the entry that answers it, or to the reasons why none does.

Everything up to here is asked of every call, so this module and what it imports stay light: no
pygit2 where the worktree is clean, and neither typer, rich nor filelock.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from gitcache.core.content import Snapshot
from gitcache.core.entry import Entry
from gitcache.core.habits import Habits
from gitcache.core.key import Key, KeyInputs, derive_key
from gitcache.core.limits import asked_limits
from gitcache.core.policy import NO_ENTRY, Unusable, Usable, judge, why_unkeyed
from gitcache.core.tool import Options
from gitcache.engine.context import Context
from gitcache.engine.declared_tools import Folder
from gitcache.engine.habits import known_habits, list_of
from gitcache.engine.installed import InstalledParts, installed_parts
from gitcache.engine.resolve import Plan, Request, make_plan
from gitcache.engine.wishes import with_wishes
from gitcache.errors import RepositoryError
from gitcache.git.config import Config, config_of
from gitcache.git.entry_store import EntryStore
from gitcache.git.ignored_files import ignored_parts, output_parts
from gitcache.git.look import Look, looking_from
from gitcache.git.memo import MemoFolder
from gitcache.git.plumbing import ObjectReader
from gitcache.git.repository import Repository, find_repository
from gitcache.git.selection import select
from gitcache.git.tree_folder import TreeFolder, holds
from gitcache.host.dirs import cache_folder
from gitcache.host.environment import Surroundings, capture
from gitcache.host.folder import DiskFolder
from gitcache.host.installed import Unaccountable
from gitcache.host.program import Chain, chain_of
from gitcache.host.standard_input import InputCopy
from gitcache.quick.trace import step


@dataclass(frozen=True, slots=True)
class Question:
    """A plan together with the content that it would run on: what a key is derived from."""

    plan: Plan
    repository: Repository
    snapshot: Snapshot
    """The content: the working tree's, the index's or a commit's.

    Without what the tool's :attr:`habits` leave out.
    """

    inputs: KeyInputs
    key: Key
    asked_ns: int = 0
    """A moment before the content was looked at, in nanoseconds since the epoch."""

    habits: Habits = field(default_factory=Habits)
    """What the tool's earlier runs left in the working tree."""

    places: tuple[Path, ...] = ()
    """The installed folders and files that count with their content."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry answers."""

    question: Question
    entry: Entry


@dataclass(frozen=True, slots=True)
class Miss:
    """Nothing stored answers."""

    question: Question
    reason: str
    is_damage: bool = False
    """Whether something lies under the key that should not: worth a warning."""


@dataclass(frozen=True, slots=True)
class Unkeyed:
    """There is a plan, and no key for it: nothing stored can answer and nothing can be stored."""

    plan: Plan
    reason: str


Finding = Hit | Miss | Unkeyed

_UNTELLABLE = (RepositoryError, OSError, ValueError, RecursionError)
"""Why what counts can't be told: ValueError and RecursionError come of names and files that no
program is made for (a path with a NUL, JSON a thousand deep)."""


def find(request: Request, context: Context, stdin: InputCopy | None = None) -> Finding:
    """Return what the store has for *request* on the content of the caller's working tree.

    Raises:
        ToolcacheError: the settings are wrong, or there is no such tool.
    """
    try:
        with looking_from(context.cwd, context.environ, listener=context.listener) as look:
            return find_in_worktree(request, look, context, stdin)
    except RepositoryError as error:
        plan = make_plan(request, DiskFolder(context.cwd), context.cwd, "", context.environ)
        return Unkeyed(plan, error.message)


def plan_only(request: Request, context: Context) -> Plan:
    """Return what *request* would start, without a look at the content.

    Raises:
        ToolcacheError: the settings are wrong, or there is no such tool.
    """
    try:
        repository = find_repository(context.cwd, context.environ)
    except RepositoryError:
        return make_plan(request, DiskFolder(context.cwd), context.cwd, "", context.environ)
    top = repository.top
    plan = make_plan(request, DiskFolder(top), top, repository.prefix, context.environ)
    return _wished(plan, lambda: config_of(repository.git))


def find_in_worktree(
    request: Request, look: Look, context: Context, stdin: InputCopy | None = None
) -> Finding:
    """Return what the store has for *request* on the working tree that *look* is at.

    Raises:
        ToolcacheError: the settings are wrong, or there is no such tool.
    """
    top, prefix = look.repository.top, look.repository.prefix
    folder = DiskFolder(top)
    if request.tool is None and not context.cwd.is_relative_to(top):
        plan = make_plan(request, folder, context.cwd, "", context.environ)
        return Unkeyed(plan, "the command runs outside the worktree")
    plan = make_plan(request, folder, top, prefix, context.environ)
    plan = _wished(plan, look.settings)
    step("the settings are read")
    if (reason := why_unkeyed(plan.tool.options)) is not None:
        return Unkeyed(plan, reason)
    try:
        habits = known_habits(plan, look.repository)
        snapshot = look.snapshot(habits.left_out, list_of(plan, look.repository).name)
        step("the snapshot is taken")
        question = replace(
            ask(plan, look.repository, snapshot, context, stdin),
            asked_ns=look.opened_ns,
            habits=habits,
        )
    except _UNTELLABLE as error:
        return Unkeyed(plan, str(error))
    step("the key is derived")
    return look_up(question, look.objects, context)


def _wished(plan: Plan, settings: Callable[[], Config]) -> Plan:
    """Return *plan* with the wishes in git's *settings*; where those can't be read, with none.

    The look at the content needs them too, and tells then what is wrong with them.
    """
    try:
        config = settings()
    except RepositoryError:
        return plan
    return with_wishes(plan, config)


def ask(
    plan: Plan,
    repository: Repository,
    snapshot: Snapshot,
    context: Context,
    stdin: InputCopy | None = None,
) -> Question:
    """Return the question whether *plan* has a verdict on *snapshot* in today's environment.

    Raises:
        OSError: something that counts can't be read.
        RepositoryError: something that counts can't be told for certain.
        SettingsError: the tool's ``inputs`` select nothing, or are no pathspecs.
    """
    memos = MemoFolder.of_index(repository.common_dir, repository.index)
    options = plan.tool.options
    selection = select(repository, snapshot, options.inputs, memos)
    chain = chain_of(plan.argv, plan.cwd, plan.environment.passed)
    installed = _installed(plan, chain, repository, snapshot, context)
    inputs = KeyInputs(
        tool=plan.tool.name,
        argv=plan.argv,
        directory=plan.directory,
        tree=selection.tree,
        environment={
            **capture(_surroundings(plan, chain, repository, snapshot, context, stdin)),
            **ignored_parts(repository, snapshot, options.ignored_inputs, memos),
            **output_parts(repository, plan.others_outputs, memos),
            **installed.parts,
        },
        blind_spots=selection.blind_spots,
        limits=asked_limits(options),
        terminal=plan.terminal,
    )
    key = derive_key(inputs)
    return Question(plan, repository, snapshot, inputs, key, places=installed.places)


def _installed(
    plan: Plan, chain: Chain, repository: Repository, snapshot: Snapshot, context: Context
) -> InstalledParts:
    """Return the parts of what is installed; RepositoryError where not all of it can count."""
    parts = installed_parts(plan, chain, repository, snapshot, context)
    if isinstance(parts, Unaccountable):
        raise RepositoryError(parts.reason)
    return parts


def look_up(question: Question, objects: ObjectReader, context: Context) -> Hit | Miss:
    """Return what the store has for *question*."""
    stored = EntryStore(question.repository).read(question.key, objects)
    if stored is None:
        return Miss(question, NO_ENTRY)
    if stored.blob is None:
        return Miss(question, "what is stored can't be read", is_damage=True)
    match judge(stored.blob, question.key, question.plan.tool.options, context.now()):
        case Usable(entry):
            return Hit(question, entry)
        case Unusable(reason, is_damage):
            return Miss(question, reason, is_damage)


def find_in_commit(request: Request, revision: str, context: Context) -> Finding:
    """Return what the store has for *request* on the content of the commit *revision*.

    Settings and detection are those of that commit.

    Raises:
        ToolcacheError: there is no repository, commit or tool of that name, or its settings are
            wrong.
    """
    with looking_from(context.cwd, context.environ) as look:
        snapshot = look.commit(revision)
        folder = TreeFolder(look.objects, snapshot.tree)
        return find_in_folder(request, folder, snapshot, look, context)


def find_in_folder(
    request: Request, folder: Folder, snapshot: Snapshot, look: Look, context: Context
) -> Finding:
    """Return what the store has for *request* on *snapshot*, whose top folder is *folder*."""
    top, prefix = look.repository.top, look.repository.prefix
    plan = make_plan(request, folder, top, prefix, context.environ)
    plan = _wished(plan, look.settings)
    if (reason := why_unkeyed(plan.tool.options)) is not None:
        return Unkeyed(plan, reason)
    try:
        question = ask(plan, look.repository, snapshot, context)
    except _UNTELLABLE as error:
        return Unkeyed(plan, str(error))
    return look_up(question, look.objects, context)


def _is_told(path: Path, repository: Repository, snapshot: Snapshot) -> bool:
    """Return whether *snapshot* tells the content of the file at *path*."""
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(repository.top):
        return False
    return holds(repository, snapshot, str(real.relative_to(repository.top)))


def _rules(options: Options) -> tuple[str, ...]:
    """Return what *options* say of variables that are in no key; nothing where they say nothing."""
    if options.env_mode == "strict" and not options.pass_env:
        return ()
    return (options.env_mode, *sorted(options.pass_env))


def _surroundings(
    plan: Plan,
    chain: Chain,
    repository: Repository,
    snapshot: Snapshot,
    context: Context,
    stdin: InputCopy | None,
) -> Surroundings:
    return Surroundings(
        files=chain.files,
        worktree=plan.top,
        keyed=plan.environment.keyed,
        cache=cache_folder(context.environ),
        now=context.now(),
        is_told=lambda path: _is_told(path, repository, snapshot),
        rules=_rules(plan.tool.options),
        fails_by_leak=plan.tool.options.leak == "fail",
        stdin_digest=stdin.digest if stdin else None,
    )
