"""unittest: https://docs.python.org/3/library/unittest.html#command-line-interface

It names tests by their modules. Files given by path are imported as modules of the folder in which
it runs, as discovery from that folder does. Discovery from elsewhere gives modules other names, so
that a focused run is a discovery too, one a file: from the file's folder, with its name as pattern.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from typing import Final

from gitcache.core.runners.junit import module_paths
from gitcache.core.runners.runner import Line, Printed, Runner
from gitcache.core.runners.words import Argv, Grammar, Option

_HEADING: Final = re.compile(
    r"^={70}\n(?:FAIL|ERROR|UNEXPECTED SUCCESS): (?P<test>\S+) \((?P<dotted>[\w.]+)\)", re.MULTILINE
)
"""``FAIL: test_x (pkg.mod.Class.test_x)``, before Python 3.11 ``FAIL: test_x (pkg.mod.Class)``."""

_UNLOADED: Final = "unittest.loader._FailedTest"
_SUMMARY: Final = re.compile(r"^Ran (\d+) tests? in .*\n\n(.*)", re.MULTILINE)

_DISCOVER: Final = ("-s", "--start-directory", "-t", "--top-level-directory", "-p", "--pattern")


def failing(text: str) -> tuple[Printed, ...]:
    """Return the modules of what failed, as the files that they may be."""
    return tuple(
        Printed(ways)
        for each in _HEADING.finditer(text)
        if (ways := _module_ways(each["test"], each["dotted"]))
    )


def _module_ways(test: str, dotted: str) -> tuple[str, ...]:
    if dotted.startswith(_UNLOADED):
        return _paths(test)
    if test == "setUpModule" or test == "tearDownModule":
        return _paths(dotted)
    owner = dotted.removesuffix(f".{test}").rpartition(".")[0]
    return tuple(dict.fromkeys((*_paths(owner), *module_paths(dotted))))


def _paths(module: str) -> tuple[str, ...]:
    path = module.replace(".", "/")
    return (f"{path}.py", f"{path}/__init__.py") if path else ()


def ran_nothing(text: str) -> bool:
    """Return whether the last summary counts no test; before Python 3.12 that passes."""
    return [count for count, _ in _SUMMARY.findall(text)[-1:]] == ["0"]


def _is_path(selector: str) -> bool:
    return "/" in selector or selector.endswith(".py")


def _covers(selector: str, file: str) -> bool:
    path = selector if _is_path(selector) else f"{selector.replace('.', '/')}.py"
    return posixpath.normpath(path) == file


def _narrow(selector: str) -> str | None:
    """Return the file of ``pkg.mod.Class``; None for a module."""
    way = () if _is_path(selector) else module_paths(selector)
    return way[0] if way and way[0] != f"{selector.replace('.', '/')}.py" else None


def _behind(words: Argv) -> int:
    return int(words[:1] == ("discover",))


def _build(line: Line, selectors: Argv) -> tuple[Line, ...] | None:
    """Return the line with files, where those are imported as before, else a discovery each."""
    options = tuple(each for each in line.words.options if each.name not in _DISCOVER)
    start = (line.words.values("-s", "--start-directory") or (".",))[-1]
    top = (line.words.values("-t", "--top-level-directory") or (start,))[-1]
    bare = replace(line.words, options=options)
    if posixpath.normpath(top) == ".":
        head = line.head[:-1] if line.head[-1] == "discover" else line.head
        return (Line(head, replace(bare, selectors=selectors)),)
    lines = []
    for each in selectors:
        if any(mark in each for mark in "*?["):
            return None
        folder, name = posixpath.split(each)
        more = (("-s", folder), ("-t", top), ("-p", name))
        added = tuple(Option(option, value, (option, value)) for option, value in more)
        lines.append(Line(line.head, replace(bare, options=(*options, *added), selectors=())))
    return tuple(lines)


UNITTEST: Final = Runner(
    name="unittest",
    programs=frozenset(),
    modules=frozenset(("unittest",)),
    behind=_behind,
    grammar=Grammar.of(
        valued="-k -s -t -p --start-directory --top-level-directory --pattern --durations",
        flags="-v -q -f -b -c -h --verbose --quiet --locals --failfast --buffer --catch --help",
    ),
    failing=failing,
    ran_nothing=ran_nothing,
    covers=_covers,
    narrow=_narrow,
    build=_build,
    forbidding=("-h", "--help"),
)
