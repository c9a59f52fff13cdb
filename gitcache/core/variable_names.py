"""The names of variables by what they mean for a tool: the tables behind the strict environment.

The tables are the documentation: a row is a name, or a prefix that ends in ``*``. What becomes of a
variable is decided in :mod:`gitcache.core.variables`. Every hit asks here, so nothing is imported.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

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


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether *name* is one of *patterns*, of which some are prefixes that end in ``*``."""
    return any(
        name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
        for pattern in patterns
    )


def is_git_local(name: str) -> bool:
    """Return whether the variable *name* is one that no tool sees: see :data:`GIT_LOCAL`."""
    return matches(name, GIT_LOCAL)


def is_of_one_call(name: str) -> bool:
    """Return whether *name* is the terminal's or a launcher's, set anew for each call."""
    return matches(name, DISPLAY_ONLY + LAUNCHERS)


def is_passed_undeclared(name: str) -> bool:
    """Return whether every tool sees the variable *name*, whatever its settings declare."""
    return matches(name, PASSED_ONLY + PASSED_AND_KEYED) and not (
        is_git_local(name) or is_of_one_call(name)
    )
