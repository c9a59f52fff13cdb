"""The strict environment: which variables a tool sees, and which of them are in the key.

A variable that nobody keyed must not decide a verdict, so a tool sees what is declared and the
default list below, nothing else. The list is the documentation: a row is a name, or a prefix that
ends in ``*``. Precedence, highest first: ``set_env``, ``pass_env``, ``env``, the default list.

What launchers set differently in each call or worktree is neither passed nor keyed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from gitcache.core.key import digest
from gitcache.core.tool import Options

PASSED_AND_KEYED: Final = (
    # language, place and kind of machine
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "CI",
    # Python and its frameworks
    "PYTHON*",
    "PYTEST_*",
    "DJANGO_SETTINGS_MODULE",
    "FLASK_*",
    # Ruby, Node and what applications call themselves
    "RAILS_ENV",
    "RACK_ENV",
    "APP_ENV",
    "NODE_ENV",
    "NODE_OPTIONS",
    "NODE_PATH",
    # Rust and Go
    "RUSTFLAGS",
    "RUST_*",
    "CARGO_*",
    "GOFLAGS",
    "GOOS",
    "GOARCH",
    "CGO_*",
    # C and the linker
    "CC",
    "CXX",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "LD_LIBRARY_PATH",
    "DYLD_*",
    # Java, containers, reproducible builds
    "JAVA_HOME",
    "JAVA_TOOL_OPTIONS",
    "DOCKER_HOST",
    "SOURCE_DATE_EPOCH",
)
"""Variables that tools read for their verdict."""

PASSED_ONLY: Final = (
    # the person and their folders
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "XDG_*",
    # the way to the network
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "FTP_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "ftp_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_*",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    # installers and version managers: what they select is keyed by content
    "VIRTUAL_ENV",
    "CONDA_*",
    "UV_*",
    "PIP_*",
    "POETRY_*",
    "PYENV_*",
    "NVM_*",
    "VOLTA_HOME",
    "COREPACK_*",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOPATH",
    "GOCACHE",
    "GOMODCACHE",
    "PLAYWRIGHT_BROWSERS_PATH",
    # the desktop and the agent
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "SSH_AUTH_SOCK",
)
"""Variables that say where things are, not what they are; they win over the list above."""

FIXED: Final = {"TERM": "dumb"}
"""What every tool sees alike, whoever calls: its output goes to pipes, never to a terminal."""

FIXED_ON_PTY: Final = {"TERM": "xterm-256color", "PAGER": "cat", "GIT_PAGER": "cat"}
"""What every tool with ``pty`` sees instead: a terminal, at which nobody turns a pager's pages."""

SELECTORS: Final = ("PYENV_VERSION", "UV_PYTHON")
"""Variables of the list above that say which program runs, and so are in the key all the same."""

DISPLAY_ONLY: Final = (
    *("TERM", "COLORTERM", "COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "CLICOLOR*"),
)
"""The caller's terminal; never passed unless declared, not even in loose mode, but to a tool that
gets that terminal itself."""

LAUNCHERS: Final = (
    *("npm_*", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "INIT_CWD", "PWD", "OLDPWD", "SHLVL", "_"),
    *("PYTEST_CURRENT_TEST", "PYTEST_XDIST_*"),
)
"""What a launcher or shell sets anew for each call; passed only where declared, as above."""

GIT_LOCAL: Final = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_*",
    "GIT_CONFIG_VALUE_*",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_QUARANTINE_PATH",
)
"""Git's local variables (``git rev-parse --local-env-vars``) and those that go with them.

They point at the caller's repository, so no tool ever sees one, declared or not: a tool's own git
calls would write into the caller's index.
"""


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
        return {name: value for name, value in environ.items() if _matches(name, DISPLAY_ONLY)}
    return FIXED_ON_PTY if options.pty else FIXED


def _rule_for(name: str, options: Options) -> tuple[bool, bool]:
    """Return whether the variable *name* is passed, and whether it is keyed."""
    if is_git_local(name):
        return (False, False)
    if _matches(name, options.pass_env):
        return (True, False)
    if _matches(name, options.env):
        return (True, True)
    if is_of_one_call(name):
        return (False, False)
    if _matches(name, PASSED_ONLY):
        return (True, name in SELECTORS)
    if _matches(name, PASSED_AND_KEYED):
        return (True, True)
    return (options.env_mode == "loose", False)


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(
        name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
        for pattern in patterns
    )


def is_git_local(name: str) -> bool:
    """Return whether the variable *name* is one that no tool sees: see :data:`GIT_LOCAL`."""
    return _matches(name, GIT_LOCAL)


def is_of_one_call(name: str) -> bool:
    """Return whether *name* is the terminal's or a launcher's, set anew for each call."""
    return _matches(name, DISPLAY_ONLY + LAUNCHERS)


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
