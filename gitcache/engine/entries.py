"""Single entries: found by a tool's name or a key, and forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from gitcache.core.entry import Entry, decode
from gitcache.core.key import Key
from gitcache.engine.context import Context
from gitcache.engine.detected_tools import all_tools
from gitcache.engine.front import Hit, Unkeyed, find
from gitcache.engine.resolve import Request
from gitcache.errors import NoEntryError, RepositoryError, UsageError
from gitcache.git.entry_store import EntryStore
from gitcache.git.look import Look, looking_from
from gitcache.host.folder import DiskFolder

_KEY_START: Final = re.compile(r"[0-9a-f]{4,64}")
"""What is taken for the beginning of a key; shorter ones are too easily a mistake."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed from the store."""

    keys: tuple[Key, ...]


def entry_of(what: str, context: Context) -> Entry:
    """Return the entry of a tool on the caller's content, or of a key given by its beginning.

    Raises:
        NoEntryError: there is none.
        ToolcacheError: there is no repository or no such tool, or the settings are wrong.
    """
    with looking_from(context.cwd, context.environ) as look:
        if not _is_tool(what, look) and _KEY_START.fullmatch(what):
            return _entry_of_key(_only_key(what, look), look)
    match find(Request(what), context):
        case Hit(_, entry):
            return entry
        case Unkeyed(_, reason):
            raise RepositoryError(reason)
        case miss:
            raise NoEntryError(f"nothing is stored for {what} on this content: {miss.reason}")


def forget(whats: Iterable[str], everything: bool, context: Context) -> Forgotten:
    """Remove entries from the store in one transaction.

    Args:
        whats: names of tools, whose entries for the caller's content go, or beginnings of keys.
        everything: every entry of the tools that *whats* name; of all tools where it names none.
        context: the caller's surroundings.

    Raises:
        NoEntryError: there is nothing to forget under one of the names.
        ToolcacheError: there is no repository or no such tool, or the settings are wrong.
    """
    names = tuple(whats)
    if not names and not everything:
        raise UsageError("forget takes tools, keys, or --all")
    with looking_from(context.cwd, context.environ) as look:
        store = EntryStore(look.repository)
        if everything:
            keys = _keys_of_tools(names, store)
        else:
            keys = {_key_named(name, look, context) for name in names}
        store.forget(keys)
    return Forgotten(tuple(sorted(keys)))


def _is_tool(name: str, look: Look) -> bool:
    return any(tool.name == name for tool in all_tools(DiskFolder(look.repository.top)))


def _only_key(start: str, look: Look) -> Key:
    """Return the one stored key that begins with *start*."""
    keys = [key for key in EntryStore(look.repository).all_keys() if key.startswith(start)]
    if not keys:
        raise NoEntryError(f"no stored key begins with {start}")
    if len(keys) > 1:
        raise UsageError(f"{len(keys)} stored keys begin with {start}; give more of it")
    return keys[0]


def _entry_of_key(key: Key, look: Look) -> Entry:
    stored = EntryStore(look.repository).read(key, look.objects)
    if stored is None or stored.blob is None:
        raise NoEntryError(f"the entry {key} can't be read")
    try:
        return decode(stored.blob)
    except ValueError as error:
        raise NoEntryError(f"the entry {key} can't be used: {error}") from error


def _key_named(name: str, look: Look, context: Context) -> Key:
    """Return the stored key that *name*, a tool's name or a key's beginning, stands for."""
    if not _is_tool(name, look) and _KEY_START.fullmatch(name):
        return _only_key(name, look)
    finding = find(Request(name), context)
    if isinstance(finding, Unkeyed):
        raise RepositoryError(finding.reason)
    key = finding.question.key
    if EntryStore(look.repository).read(key, look.objects) is None:
        raise NoEntryError(f"nothing is stored for {name} on this content")
    return key


def _keys_of_tools(names: tuple[str, ...], store: EntryStore) -> set[Key]:
    """Return the keys of every entry of the tools *names*; all keys where it is empty."""
    if not names:
        return set(store.all_keys())
    return {
        key
        for key, stored in store.entries()
        if stored.blob is not None and _tool_in(stored.blob) in names
    }


def _tool_in(blob: bytes) -> str | None:
    try:
        return decode(blob).inputs.tool
    except ValueError:
        return None
