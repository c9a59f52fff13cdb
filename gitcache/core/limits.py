"""The limits of a run: what was asked for, what that comes to on a machine, what a tool is told.

What was asked for is in the key, as it was asked for. What it comes to on a machine of some size is
recorded and never keyed, so that machines of different size share. Inside a memory limit a tool is
told how many workers fit into it and how much heap each of them may take; outside of one only what
was asked for. Never is a tool told workers and heap whose product is above the limit.

How a limit is enforced is the business of :mod:`gitcache.host.memory`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from gitcache.core.launchers import program_names
from gitcache.core.tool import AutoMemory, Bytes, MemoryLimit, MemoryShare, Options

_GIBIBYTE: Final = 1 << 30
_MEBIBYTE: Final = 1 << 20

_AUTO_PERCENT: Final = 25
"""Percent of the machine's memory that ``auto`` comes to: four runs side by side fill it."""

_AUTO_LEAST: Final = 2 * _GIBIBYTE
"""Bytes: with less, an ordinary test run of Node or Java does not come to its end."""

_AUTO_MOST: Final = 8 * _GIBIBYTE
"""Bytes: what needs more deserves a number of its own."""

_USUAL_HEAP: Final = _GIBIBYTE
"""Bytes for which one more worker is counted where nothing is said of the heap."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The size of a machine."""

    memory: int
    """Bytes."""

    processors: int
    """How many this process may use."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What was asked for, as it comes to on one machine."""

    memory: int | None = None
    """Bytes that the tool with all its processes may take; None: no limit."""

    workers: int | None = None
    """None: the tool is told nothing of them."""

    heap: int | None = None
    """Bytes for each worker; None: the tool is told nothing of it."""


def asked_limits(options: Options) -> dict[str, str]:
    """Return what *options* ask for, by name, as it is in the key; nothing where they ask none."""
    asked = {
        "memory": None if options.memory is None else spelled(options.memory),
        "workers": options.workers,
        "heap": options.heap,
    }
    return {name: str(value) for name, value in asked.items() if value is not None}


def spelled(limit: MemoryLimit) -> str:
    """Return the one spelling of *limit*: bytes, a share such as ``25%``, or ``auto``."""
    match limit:
        case Bytes(count):
            return str(count)
        case MemoryShare(percent):
            return f"{percent}%"
        case AutoMemory():
            return "auto"


def memory_on(limit: MemoryLimit, machine: Machine) -> int:
    """Return the bytes that *limit* comes to on *machine*, at least one."""
    match limit:
        case Bytes(count):
            return count
        case MemoryShare(percent):
            return max(1, machine.memory * percent // 100)
        case AutoMemory():
            share = machine.memory * _AUTO_PERCENT // 100
            return min(max(share, _AUTO_LEAST), _AUTO_MOST)


def limits_on(machine: Machine, options: Options, memory: int | None) -> Limits:
    """Return the limits of a tool with *options*.

    Args:
        machine: where it runs.
        options: its settings.
        memory: the bytes of the memory limit that holds; None: none does.
    """
    workers, heap = options.workers, options.heap
    if memory is None:
        return Limits(None, workers, heap)
    if workers is None:
        fitting = memory // heap if heap else memory // _USUAL_HEAP - 1
        workers = max(1, min(machine.processors, fitting))
    if heap is None:
        heap = memory // (workers + 1)  # the process that starts the workers takes one as well
    return Limits(memory, workers, min(heap, memory // workers))


class Hint(NamedTuple):
    """One variable by which a program is told its workers or the heap of each."""

    variable: str
    text: str
    """The value; ``{workers}`` and ``{mebibytes}`` stand for the numbers."""

    read_by: str
    source: str
    """Where it is documented."""

    where: Literal["always", "asked", "pnpm"] = "always"
    """``asked``: only where ``workers`` is set, ``pnpm``: only where the command starts pnpm."""

    @property
    def is_of_heap(self) -> bool:
        """Whether it tells the heap."""
        return "{mebibytes}" in self.text


_VITEST_3: Final = (
    "https://github.com/vitest-dev/vitest/blob/v3.2.4/packages/vitest/src/node/config/"
    "resolveConfig.ts"
)

HINTS: Final = (
    Hint("VITEST_MAX_WORKERS", "{workers}", "vitest 4", "https://vitest.dev/config/maxworkers"),
    Hint("VITEST_MAX_FORKS", "{workers}", "vitest up to 3", _VITEST_3),
    Hint("VITEST_MIN_FORKS", "1", "vitest up to 3, which wants no more than the above", _VITEST_3),
    Hint("VITEST_MAX_THREADS", "{workers}", "vitest up to 3", _VITEST_3),
    Hint("VITEST_MIN_THREADS", "1", "vitest up to 3, as above", _VITEST_3),
    Hint(
        "CARGO_BUILD_JOBS",
        "{workers}",
        "cargo",
        "https://doc.rust-lang.org/cargo/reference/config.html#buildjobs",
    ),
    Hint(
        "RUST_TEST_THREADS",
        "{workers}",
        "Rust's test programs",
        "https://doc.rust-lang.org/rustc/tests/index.html#--test-threads-num_threads",
    ),
    Hint(
        "NEXTEST_TEST_THREADS",
        "{workers}",
        "cargo-nextest",
        "https://nexte.st/docs/configuration/env-vars/",
    ),
    Hint(
        "GOMAXPROCS",
        "{workers}",
        "go, for packages at a time too, and Go programs",
        "https://pkg.go.dev/runtime#hdr-Environment_Variables",
    ),
    Hint(
        "PYTEST_XDIST_AUTO_NUM_WORKERS",
        "{workers}",
        "pytest-xdist, for -n auto",
        "https://pytest-xdist.readthedocs.io/en/stable/distribution.html",
    ),
    Hint(
        "npm_config_workspace_concurrency",
        "{workers}",
        "pnpm, for the packages of a workspace; npm runs them one by one and warns of the name",
        "https://pnpm.io/settings#workspaceconcurrency",
        "pnpm",
    ),
    Hint(
        "MAKEFLAGS",
        "-j{workers}",
        "make, which runs one recipe at a time where it is not told otherwise",
        "https://www.gnu.org/software/make/manual/html_node/Options_002fRecursion.html",
        "asked",
    ),
    Hint(
        "NODE_OPTIONS",
        "--max-old-space-size={mebibytes}",
        "Node, so vitest, jest and their workers too",
        "https://nodejs.org/api/cli.html#node_optionsoptions",
    ),
    Hint(
        "GOMEMLIMIT",
        "{mebibytes}MiB",
        "go and Go programs",
        "https://pkg.go.dev/runtime#hdr-Environment_Variables",
    ),
)
"""Every variable that a tool may be told by.

jest takes its number of workers from its configuration and its words only
(https://github.com/jestjs/jest/pull/12985), so there is no row for it: its workers are told their
heap by ``NODE_OPTIONS``.
"""


def hinted_variables(
    limits: Limits, options: Options, argv: tuple[str, ...], environ: Mapping[str, str]
) -> dict[str, str]:
    """Return the variables, none of them in *environ*, that tell a tool its *limits*."""
    if limits.workers is None and limits.heap is None:
        return {}
    does_apply = {
        "always": True,
        "asked": options.workers is not None,
        "pnpm": "pnpm" in program_names(argv),
    }
    numbers = {"workers": limits.workers, "mebibytes": (limits.heap or 0) // _MEBIBYTE or None}
    return {
        hint.variable: hint.text.format(**numbers)
        for hint in HINTS
        if hint.variable not in environ
        and does_apply[hint.where]
        and numbers["mebibytes" if hint.is_of_heap else "workers"] is not None
    }
