"""go test: https://pkg.go.dev/cmd/go#hdr-Test_packages

What it runs are packages, so a failing file stands for its folder. A file is named by a line of its
test's output, which has only its last part; the import path behind ``FAIL`` says the folder, all
but the module's own part of it.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from typing import Final

from gitcache.core.runners.runner import Line, Printed, Runner
from gitcache.core.runners.words import Argv, Grammar, with_one_dash

_PACKAGE_FAILED: Final = re.compile(
    r"^FAIL\t(?P<package>\S+)(?:\t[\d.]+s| \[(?P<why>build|setup) failed\])$", re.MULTILINE
)
_PACKAGE_ENDED: Final = re.compile(r"^(?:ok  |FAIL|\?   )\t\S+.*$", re.MULTILINE)
_PLACE: Final = re.compile(
    r"^ +(?P<path>[^\s:/]+_test\.go):\d+: |^\s+(?P<full>/\S+_test\.go):\d+ \+0x", re.MULTILINE
)
"""Where a test reported something, or where a panic passed."""

_COMPILING: Final = re.compile(r"^(?:\./)?(?P<path>[^\s:]+\.go):\d+:\d+: ", re.MULTILINE)
"""Where the compiler found something wrong, in a path from where it was started."""

_RESULT: Final = re.compile(r"^(?:ok  |FAIL)\t(?P<package>\S+)(?P<rest>.*)$", re.MULTILINE)


def failing(text: str) -> tuple[Printed, ...]:
    """Return the test files of the failing packages that their output names."""
    named: list[Printed] = []
    start = 0
    for ended in _PACKAGE_ENDED.finditer(text):
        failed = _PACKAGE_FAILED.fullmatch(ended[0])
        if failed is not None and failed["why"] is None:
            block = text[start : ended.start()]
            named += (Printed(_ways(failed["package"], each)) for each in _PLACE.finditer(block))
        start = ended.end()
    if "[build failed]" in text:
        named += (Printed((each["path"],)) for each in _COMPILING.finditer(text))
    return tuple(named)


def _ways(package: str, place: re.Match[str]) -> tuple[str, ...]:
    """Return the path with the whole import path before it, and with ever less of it."""
    if place["full"]:
        return (place["full"],)
    parts = package.split("/")
    return tuple("/".join((*parts[at:], place["path"])) for at in range(len(parts) + 1))


def ran_nothing(text: str) -> bool:
    """Return whether every package says that it has no test, or none to run."""
    results = [each["rest"] for each in _RESULT.finditer(text)]
    idle = all("[no tests to run]" in each or "[no test files]" in each for each in results)
    is_told = "[no test files]" in text or "[no tests to run]" in text or "no packages" in text
    return idle and is_told


def _covers(selector: str, file: str) -> bool:
    """Return whether *selector*, a package or a tree of them, holds *file*."""
    if selector.endswith(".go"):
        return posixpath.normpath(selector) == file
    folder = posixpath.normpath(selector.removesuffix("..."))
    whole = selector.endswith("...")
    if not selector.startswith("."):  # an import path or a word for a set of packages
        return whole or selector == "all"
    there = posixpath.dirname(file) or "."
    return there == folder or (whole and (folder == "." or there.startswith(f"{folder}/")))


def _build(line: Line, selectors: Argv) -> tuple[Line, ...]:
    folders = (posixpath.dirname(each) or "." for each in selectors)
    packages = tuple(dict.fromkeys(folders))
    return (Line(line.head, replace(line.words, selectors=packages)),)


def _behind(words: Argv) -> int | None:
    return 1 if words[:1] == ("test",) else None


GO: Final = Runner(
    name="go",
    programs=frozenset(("go",)),
    behind=_behind,
    grammar=Grammar.of(
        valued="-run -skip -bench -benchtime -count -cpu -parallel -timeout -tags -p -mod"
        " -ldflags -gcflags -shuffle -coverprofile -covermode -coverpkg -o -exec -list -fuzz"
        " -fuzztime -vet -C -modfile -outputdir -cpuprofile -memprofile -blockprofile"
        " -mutexprofile -trace -asmflags -buildmode -compiler -overlay -pkgdir -fuzzminimizetime",
        flags="-v -race -short -failfast -cover -json -c -i -n -x -a -work -msan -asan -trimpath"
        " -benchmem -fullpath -buildvcs",
        clusters=False,
        spelling=with_one_dash,
        ends=("-args", "--args", "--"),
    ),
    failing=failing,
    ran_nothing=ran_nothing,
    covers=_covers,
    build=_build,
    files_last=True,
    owners=("go.mod",),
    rooted=("-coverprofile", "-o", "-outputdir", "-modfile", "-overlay", "-pkgdir"),
    forbidding=("-C", "-c", "-n", "-list", "-fuzz", "-bench", "-o", "-cpuprofile", "-memprofile"),
    dropped=("-cover", "-cover*"),
)
