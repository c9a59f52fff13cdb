"""The layers: who may import whom, and which library may be used where."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

PACKAGE: Final = "gitcache"
FOLDER: Final = Path(__file__).parent.parent / PACKAGE

ALLOWED: Final = {
    "cli": {"cli", "engine", "quick", "core"},
    "engine": {"engine", "git", "host", "quick", "core"},
    "git": {"git", "core"},
    "host": {"host", "quick", "core"},
    "quick": {"quick", "core"},
    "core": {"core"},
    "__main__": {"cli", "quick"},
    "errors": {"exits"},
    "exits": set(),
    "shared_folder": set(),
    "": set(),
}
"""A layer, or a module beside them, to the layers that it may import; "" is the package itself."""

FOR_ALL: Final = {"", "errors", "exits", "shared_folder"}
"""What every layer may import."""

CONFINED: Final = {
    "subprocess": ("gitcache.git.plumbing", "gitcache.host.process"),
    "filelock": ("gitcache.host.key_lock", "gitcache.host.slots"),
    "rich": ("gitcache.cli",),
    "typer": ("gitcache.cli",),
    "pygit2": ("gitcache.git",),
    "junitparser": ("gitcache.core.runners.junit",),
}
"""A library to the modules, or the folders, that may use it."""

Sources = Mapping[str, str]
"""A module's dotted name to its text."""


def real_sources() -> Sources:
    """Return every module of the package."""
    sources = {}
    for path in FOLDER.rglob("*.py"):
        parts = path.relative_to(FOLDER.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        sources[name] = path.read_text()
    return sources


def imports(source: str) -> Iterator[str]:
    """Yield the dotted name of all that *source* imports, within functions too.

    ``from a import b`` yields ``a.b``, which may be a module or a name in one.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import hides its layer"
            yield from (f"{node.module}.{each.name}" for each in node.names)


def modules_imported(name: str, sources: Sources) -> set[str]:
    """Return the modules of the package that the module *name* imports."""
    found = set()
    for imported in imports(sources[name]):
        if imported in sources:
            found.add(imported)
        elif imported.split(".")[0] == PACKAGE:
            found.add(imported.rpartition(".")[0])
    return found - {name}


def layer_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def forbidden_edges(sources: Sources) -> Iterator[str]:
    for name in sources:
        allowed = ALLOWED[layer_of(name)]
        if layer_of(name) != "__main__":
            allowed = allowed | FOR_ALL
        for other in modules_imported(name, sources):
            if layer_of(other) not in allowed:
                yield f"{name} imports {other}"


def misused_libraries(sources: Sources) -> Iterator[str]:
    for name, source in sources.items():
        for library in {each.split(".")[0] for each in imports(source)} & set(CONFINED):
            places = CONFINED[library]
            if not any(name == place or name.startswith(f"{place}.") for place in places):
                yield f"{name} imports {library}"


def reachable(start: str, edges: Mapping[str, set[str]]) -> set[str]:
    """Return the modules to which a chain of imports leads from *start*."""
    reached: set[str] = set()
    waiting = list(edges[start])
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(edges.get(name, ()))
    return reached


def cycles(sources: Sources) -> Iterator[str]:
    """Yield each module that imports itself by way of others, and these."""
    edges = {name: modules_imported(name, sources) for name in sources}
    reached = {name: reachable(name, edges) for name in sources}
    for name in sources:
        others = {other for other in reached[name] - {name} if name in reached.get(other, ())}
        if others:
            yield f"{name} imports itself by way of {', '.join(sorted(others))}"


def faults(sources: Sources) -> list[str]:
    """Return everything that is wrong with *sources*, sorted."""
    checks = (forbidden_edges, misused_libraries, cycles)
    return sorted(fault for check in checks for fault in check(sources))


def test_package_keeps_its_layers() -> None:
    assert faults(real_sources()) == []


def test_every_folder_is_a_layer() -> None:
    """A new folder, or a module beside the layers, is a decision to write down here."""
    assert {layer_of(name) for name in real_sources()} == set(ALLOWED)


WELL = {
    "gitcache": "",
    "gitcache.errors": "from gitcache import exits",
    "gitcache.exits": "",
    "gitcache.core": "",
    "gitcache.core.key": "import json",
    "gitcache.git": "",
    "gitcache.git.plumbing": "import subprocess\nfrom gitcache.core.key import Key",
    "gitcache.git.tree_maker": "import pygit2\nfrom gitcache.git.plumbing import Git",
    "gitcache.host": "",
    "gitcache.host.process": "import subprocess\nfrom gitcache.errors import Fault",
    "gitcache.engine": "",
    "gitcache.engine.front": "from gitcache.git import plumbing\nimport gitcache.host.process",
    "gitcache.cli": "",
    "gitcache.cli.app": "import rich.table\nimport typer\nfrom gitcache.engine.front import find",
    "gitcache.__main__": "from gitcache.cli.app import answer",
}


def test_checker_finds_nothing_in_a_package_that_keeps_its_layers() -> None:
    assert faults(WELL) == []


@pytest.mark.parametrize(
    ("module", "source", "fault"),
    [
        ("core.more", "from gitcache.git import plumbing", "core.more imports gitcache.git"),
        ("core.key", "import gitcache.host.process", "core.key imports gitcache.host.process"),
        ("git.more", "from gitcache.host.process import run", "git.more imports gitcache.host"),
        ("host.more", "from gitcache.git import plumbing", "host.more imports gitcache.git"),
        ("git.more", "from gitcache.engine.front import find", "git.more imports gitcache.engine"),
        ("engine.more", "from gitcache.cli.app import app", "engine.more imports gitcache.cli"),
        ("cli.more", "from gitcache.git.plumbing import Git", "cli.more imports gitcache.git"),
        ("cli.more", "def f():\n  from gitcache.host import process", "cli.more imports gitcache"),
        ("__main__", "from gitcache.engine.front import find", "__main__ imports gitcache.engine"),
        ("__main__", "from gitcache import exits", "__main__ imports gitcache.exits"),
        ("errors", "from gitcache.core.key import Key", "errors imports gitcache.core.key"),
        ("core.key", "if T:\n  import gitcache.cli", "core.key imports gitcache.cli"),
        ("engine.more", "import subprocess", "engine.more imports subprocess"),
        ("git.more", "from subprocess import run", "git.more imports subprocess"),
        ("git.plumbing2", "import subprocess", "git.plumbing2 imports subprocess"),
        ("host.more", "def f():\n  import filelock", "host.more imports filelock"),
        ("engine.more", "from rich.table import Table", "engine.more imports rich"),
        ("core.key", "import typer", "core.key imports typer"),
        ("core.more", "from junitparser import JUnitXml", "core.more imports junitparser"),
        ("engine.more", "from pygit2.enums import FileMode", "engine.more imports pygit2"),
    ],
)
def test_checker_finds_a_forbidden_import(module: str, source: str, fault: str) -> None:
    found = faults({**WELL, f"gitcache.{module}": source})

    assert [each.startswith(f"gitcache.{fault}") for each in found] == [True]


def test_checker_finds_a_cycle() -> None:
    round_about = {
        "gitcache.core.a": "from gitcache.core.b import B",
        "gitcache.core.b": "def f():\n  from gitcache.core import c",
        "gitcache.core.c": "import gitcache.core.a",
        "gitcache.core.d": "import gitcache.core.a",
    }

    assert faults({**WELL, **round_about}) == [
        "gitcache.core.a imports itself by way of gitcache.core.b, gitcache.core.c",
        "gitcache.core.b imports itself by way of gitcache.core.a, gitcache.core.c",
        "gitcache.core.c imports itself by way of gitcache.core.a, gitcache.core.b",
    ]


def test_checker_refuses_a_relative_import() -> None:
    with pytest.raises(AssertionError, match="hides its layer"):
        faults({**WELL, "gitcache.core.a": "from . import key"})
