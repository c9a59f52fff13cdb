"""What is wrong with a :class:`Health`, each with the command that mends it.

A complaint is made only of what was found for certain. Its name stays, so that a program can wait
for it; its text is for people.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, assert_never

from gitcache.core.durations import format_duration
from gitcache.core.policy import why_unkeyed
from gitcache.core.settings import OWN_FILE
from gitcache.core.withheld import hint_to_pass
from gitcache.engine.context import Context
from gitcache.engine.front import Miss, Unkeyed
from gitcache.engine.health import Health, ToolHealth
from gitcache.engine.installed_digests import LEADS_TOO_FAR
from gitcache.git.entry_store import PREFIX
from gitcache.git.left_locks import LeftLock
from gitcache.host.key_lock import Unavailable
from gitcache.host.lock_probe import Closed, Lockable
from gitcache.host.package_manager import install_command
from gitcache.host.python_folders import KEPT_ELSEWHERE, UNREADABLE

MANY_LOOSE: Final = 1000
"""Loose refs from which git takes noticeably longer to list them: a file to open for each."""

_AHEAD: Final = 3600.0
"""Seconds by which a commit may be ahead of this clock: two machines are minutes apart at most."""


_OF_PYTHON: Final = frozenset({"pytest", "ruff", "mypy", "pyright", "pip-audit"})
"""Programs of detected tools whose Python package has their name."""

_OF_MACHINE: Final = frozenset({"make", "just", "npm", "cargo", "gradle", "composer"})
"""The same of the packages of most systems."""


_OF_PACKAGES: Final = (LEADS_TOO_FAR, KEPT_ELSEWHERE, UNREADABLE)
"""What reasons say that lie in what is installed."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something that is wrong here."""

    name: str
    text: str
    """One sentence without a full stop."""

    command: str
    """What mends it, for a POSIX shell in any folder of the worktree."""


def complaints(health: Health, context: Context) -> tuple[Complaint, ...]:
    """Return all that is wrong with *health*, what keeps results from being stored first."""
    sources = (
        _of_the_switch(health),
        _of_git(health, context),
        _of_settings(health),
        *(_of_tool(each, health, context) for each in health.tools),
        _of_unkeyed(health),
        _of_locks(health),
        _of_store(health),
        _of_hooks(health),
        *(_of_left_lock(each) for each in health.left_locks),
        _of_clock(health, context),
        _of_python(health),
    )
    return tuple(each for source in sources for each in source)


def _of_the_switch(health: Health) -> Iterator[Complaint]:
    effect = {"off": "the store is neither asked nor filled", "read": "no result is stored"}
    if health.use in effect:
        text = f"GIT_TOOLCACHE is {health.use}: {effect[health.use]}"
        yield Complaint("switched_off", text, "unset GIT_TOOLCACHE")


def _of_git(health: Health, context: Context) -> Iterator[Complaint]:
    if fault := health.programs.fault:
        text = f"{fault}: no result is stored"
        yield Complaint("git_too_old", text, install_command("git", context.environ))
    elif health.blindness:
        text = f"no snapshot can be taken, so no result is stored: {health.blindness}"
        yield Complaint("no_snapshot", text, "git status")


def _of_settings(health: Health) -> Iterator[Complaint]:
    if health.settings_error:
        yield Complaint("settings", health.settings_error, _edit(health))


def _of_tool(tool: ToolHealth, health: Health, context: Context) -> Iterator[Complaint]:
    """Yield what is wrong with one tool, beside what several of them share."""
    name = tool.tool.name
    if tool.plan is None:
        yield Complaint("tool", f"{name} can't be run: {tool.fault}", _mend_fault(tool, health))
        return
    if tool.program is None:
        text = f"{name} can't be run: {tool.plan.argv[0]} is not found"
        yield Complaint("program", text, _mend_program(tool.plan.argv[0], health, context))
    if isinstance(tool.finding, Miss) and tool.finding.is_damage:
        text = f"the result of {name} is lost: {tool.finding.reason}"
        yield Complaint("damaged_entry", text, f"git toolcache forget {name}")
    if tool.mentioned:
        places = ", ".join(f"{each} in {path}" for each, path in tool.mentioned.items())
        text = f"{name} may miss {places}: {hint_to_pass(tuple(tool.mentioned), tool.tool)}"
        yield Complaint("withheld", text, _edit(health))
    if tool.leftovers:
        lines = shlex.join(tool.leftovers)
        file = shlex.quote(str(health.repository.top / ".gitignore"))
        text = f"{name} leaves files that count as content: {', '.join(tool.leftovers)}"
        yield Complaint("leftovers", text, f"printf '%s\\n' {lines} >> {file}")


def _mend_fault(tool: ToolHealth, health: Health) -> str:
    """Return what mends a tool's fault, which lies in git's settings or in our own."""
    for each in health.git_settings:
        if each.scope != "command" and f"git config: {each.name}:" in tool.fault:
            return f"git config --{each.scope} --unset {each.name}"
    return _edit(health)


def _mend_program(word: str, health: Health, context: Context) -> str:
    """Return what brings the program *word* onto the PATH, as far as that is known."""
    top = health.repository.top
    for folder in (".venv", "venv"):
        if (top / folder / "bin" / word).is_file():
            return f". {shlex.quote(str(top / folder / 'bin' / 'activate'))}"
    if word in _OF_PYTHON:
        return f"python3 -m pip install {word}"
    return install_command(word, context.environ) if word in _OF_MACHINE else _edit(health)


def _edit(health: Health) -> str:
    """Return what opens the settings, or makes some to begin with."""
    if not health.settings_file:
        return "git toolcache init"
    file = shlex.quote(str(health.repository.top / health.settings_file))
    return f"$(git var GIT_EDITOR) {file}"


def _of_unkeyed(health: Health) -> Iterator[Complaint]:
    """Yield why tools have no key, each reason once: they often share it."""
    reasons: dict[str, list[ToolHealth]] = {}
    for each in health.tools:
        if isinstance(each.finding, Unkeyed):
            reasons.setdefault(each.finding.reason, []).append(each)
    for reason, tools in reasons.items():
        names = ", ".join(each.tool.name for each in tools)
        text = f"no result of {names} is stored: {reason}"
        if why_unkeyed(tools[0].tool.options) == reason:
            yield Complaint("not_stored", text, _edit(health))
        elif any(words in reason for words in _OF_PACKAGES):
            advice = f"dependencies in {OWN_FILE} names what counts in place of them"
            yield Complaint("not_stored", f"{text}; {advice}", _edit(health))
        else:
            yield Complaint("not_stored", text, "git status")


def _of_locks(health: Health) -> Iterator[Complaint]:
    alone = "callers that ask at the same time each run the tool"
    match health.lock:
        case Lockable():
            pass
        case Closed(reason, is_read_only):
            place = health.folder if health.folder.is_dir() else health.folder.parent
            command = _remount(place) if is_read_only else _open(place)
            yield Complaint("not_writable", f"{place}: {reason}: {alone}", command)
        case Unavailable(reason):
            text = f"{health.folder}: files can't be locked: {reason}: {alone}"
            top = health.repository.top
            command = f"git clone {shlex.quote(str(top))} ~/{shlex.quote(top.name)}"
            yield Complaint("no_lock", text, command)
        case other:
            assert_never(other)
    if health.why_shared:
        text = f"{health.runtime_folder}: {health.why_shared}: {alone}"
        yield Complaint("runtime_folder", text, _make_private(health.runtime_folder))


def _remount(place: Path) -> str:
    return f'sudo mount -o remount,rw "$(stat -c %m {shlex.quote(str(place))})"'


def _open(place: Path) -> str:
    """Return what lets us write in the folder *place*."""
    folder = shlex.quote(str(place))
    if _owner_of(place) == os.geteuid():
        return f"chmod -R u+rwX {folder}"
    return f'sudo chown -R "$(id -u)" {folder}'


def _make_private(folder: Path) -> str:
    """Return what gives us a runtime folder of our own."""
    if _owner_of(folder) != os.geteuid():
        return 'export XDG_RUNTIME_DIR="$(mktemp -d)"'
    words = "chmod 700" if folder.is_dir() and not folder.is_symlink() else "rm"
    return f"{words} {shlex.quote(str(folder))}"


def _owner_of(path: Path) -> int | None:
    try:
        return os.lstat(path).st_uid
    except OSError:
        return None


def _of_store(health: Health) -> Iterator[Complaint]:
    store = health.store
    if store.loose > MANY_LOOSE:
        text = f"{store.loose} results are loose refs, which slow git down"
        yield Complaint("loose_refs", text, "git pack-refs --all")
    if store.empty_files:
        text = f"{_files(store.empty_files)} empty, over which git gc fails"
        refs = shlex.quote(str(health.repository.common_dir / PREFIX))
        command = f"find {refs} -type f -empty ! -name '*.lock' -delete"
        yield Complaint("empty_refs", text, command)
    if store.broken_files:
        text = f"{_files(store.broken_files)} no ref that git can read"
        yield Complaint("broken_refs", text, f"rm {shlex.join(map(str, store.broken_files))}")
    if store.missing:
        text = f"{_count(len(store.missing), 'result')} lost: the objects are not there"
        yield Complaint("missing_objects", text, _delete(store.missing))
    if store.foreign:
        text = f"{_count(len(store.foreign), 'ref')} below {PREFIX} not ours: {store.foreign[0]}"
        yield Complaint("foreign_refs", text, _delete(store.foreign))


def _files(paths: tuple[Path, ...]) -> str:
    return _count(len(paths), "file") if len(paths) > 1 else f"{paths[0]} is"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun} is" if number == 1 else f"{number} {noun}s are"


def _delete(refs: tuple[str, ...]) -> str:
    """Return what deletes *refs* in one transaction, whatever they name."""
    return f"printf 'delete %s\\n' {shlex.join(refs)} | git update-ref --no-deref --stdin"


def _of_hooks(health: Health) -> Iterator[Complaint]:
    hooks = health.hooks
    folder = shlex.quote(str(hooks.folder))
    if hooks.setting is not None and not hooks.is_there:
        text = f"core.hooksPath names {hooks.folder}, which is not there: no hook runs"
        unset = f"git config --{hooks.setting.scope} --unset core.hooksPath"
        is_given = hooks.setting.scope == "command"
        yield Complaint("hooks_path", text, f"mkdir -p {folder}" if is_given else unset)
    for each in hooks.hooks:
        if each.calls_us and not each.is_executable:
            text = f"the hook {each.path} is not executable, so git passes over it"
            yield Complaint("hook", text, f"chmod +x {shlex.quote(str(each.path))}")


def _of_left_lock(lock: LeftLock) -> Iterator[Complaint]:
    text = (
        f"{lock.path} has lain there for {format_duration(lock.age)}: git can't write what it"
        " locks; remove it unless a git is still at work"
    )
    yield Complaint("left_lock", text, f"rm {shlex.quote(str(lock.path))}")


def _of_clock(health: Health, context: Context) -> Iterator[Complaint]:
    ahead = (health.head_time or 0.0) - context.now()
    if ahead > _AHEAD:
        text = f"HEAD was committed {format_duration(ahead)} from now: a clock is wrong"
        is_mac = sys.platform == "darwin"
        command = "sntp -sS time.apple.com" if is_mac else "timedatectl set-ntp true"
        yield Complaint("clock", text, f"sudo {command}")


def _of_python(health: Health) -> Iterator[Complaint]:
    if not health.is_compiled:
        folder = shlex.quote(str(Path(__file__).parents[1]))
        program = shlex.quote(sys.executable or "python3")
        text = "python finds no byte code of git toolcache, and compiles it at each call"
        yield Complaint("no_bytecode", text, f"{program} -m compileall -q {folder}")
