"""The strict environment: which variables a tool sees, and which of them are in the key.

A variable that nobody keyed must not decide a verdict, so a tool sees what is declared and the
default list (:mod:`gitcache.core.variable_names`), nothing else. Precedence, highest first:
``set_env``, ``pass_env``, ``env``, the default list.

What launchers set differently in each call or worktree is neither passed nor keyed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gitcache.core.key import digest
from gitcache.core.tool import Options
from gitcache.core.variable_names import (
    DISPLAY_ONLY,
    PASSED_AND_KEYED,
    PASSED_ONLY,
    SELECTORS,
    is_git_local,
    is_of_one_call,
    matches,
)

FIXED: Final = {"TERM": "dumb"}
"""What every tool sees alike, whoever calls: its output goes to pipes, never to a terminal."""

FIXED_ON_PTY: Final = {"TERM": "xterm-256color", "PAGER": "cat", "GIT_PAGER": "cat"}
"""What every tool with ``pty`` sees instead: a terminal, at which nobody turns a pager's pages."""


@dataclass(frozen=True, slots=True)
class ToolEnvironment:
    """The variables of one run."""

    passed: Mapping[str, str]
    """Name to value: all that the tool sees."""

    keyed: Mapping[str, str]
    """Name to value: those of :attr:`passed` that are in the key. An unset variable is absent."""

    withheld: tuple[str, ...]
    """Names that the caller has, the tool does not see, and a declaration would pass; sorted."""


def tool_environment(
    options: Options, environ: Mapping[str, str], at_terminal: bool = False
) -> ToolEnvironment:
    """Return what a tool with *options* sees of the caller's *environ*.

    Args:
        options: what the settings say of the tool.
        environ: the caller's variables.
        at_terminal: whether the tool gets the caller's own terminal; then it has no key.
    """
    passed: dict[str, str] = {}
    keyed: dict[str, str] = {}
    for name, value in environ.items():
        is_passed, is_keyed = _rule_for(name, options)
        if is_passed:
            passed[name] = value
        if is_keyed:
            keyed[name] = value
    set_env = dict(options.set_env)
    fixed = _fixed(options, environ, at_terminal)
    withheld = sorted(
        name
        for name in set(environ) - set(passed) - set(set_env) - set(fixed)
        if not is_git_local(name)
    )
    return ToolEnvironment({**fixed, **passed, **set_env}, {**keyed, **set_env}, tuple(withheld))


def _fixed(options: Options, environ: Mapping[str, str], at_terminal: bool) -> Mapping[str, str]:
    """Return the variables that stand for what the tool prints to."""
    if at_terminal:
        return {name: value for name, value in environ.items() if matches(name, DISPLAY_ONLY)}
    return FIXED_ON_PTY if options.pty else FIXED


def _rule_for(name: str, options: Options) -> tuple[bool, bool]:
    """Return whether the variable *name* is passed, and whether it is keyed."""
    if is_git_local(name):
        return (False, False)
    if matches(name, options.pass_env):
        return (True, False)
    if matches(name, options.env):
        return (True, True)
    if is_of_one_call(name):
        return (False, False)
    if matches(name, PASSED_ONLY):
        return (True, name in SELECTORS)
    if matches(name, PASSED_AND_KEYED):
        return (True, True)
    return (options.env_mode == "loose", False)


def without_git_local(environ: Mapping[str, str]) -> dict[str, str]:
    """Return *environ* without git's local variables, which mean the caller's repository."""
    return {name: value for name, value in environ.items() if not is_git_local(name)}


def variable_digest(name: str, value: str, worktree: str) -> str:
    """Return the digest under which the variable *name* with *value* is keyed.

    The worktree's own path within a value, such as a ``PYTHONPATH`` of ``/a/wt1/src``, counts as a
    placeholder, so that worktrees share results. Only whole path parts count: ``/a/wt1`` is not in
    ``/a/wt10``. The pieces around it are hashed one by one, so no value can spell the placeholder.
    """
    own_path = re.compile(rf"(?<![^\s:;,=\"'@]){re.escape(worktree)}(?=[/\s:;,\"']|$)")
    return digest(name, *own_path.split(value))
