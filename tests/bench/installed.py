"""Times the look at installed packages, beside the least that any look at their files can cost.

The first look reads every file; the later ones compare stats, as ``git status`` does for the same
files committed, and as a plain walk with ``lstat`` does, which is the limit.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Final

from rich.table import Table

from gitcache.git.installed_folder import folder_tree
from gitcache.git.repository import find_repository
from tests.bench.bench import SECONDS_TO_SETTLE, Bench

FOLDERS: Final = (("node_modules", 30_000), (".venv", 10_000))
"""Names of installed folders, and how many files they hold."""

IN_A_PACKAGE: Final = 30
"""Files of a package: an average of real ones."""

RUNS: Final = 10


def table_of_looks(bench: Bench) -> Table:
    """Measure looks at big installed folders."""
    table = Table(
        title="A look at installed packages, within the process: milliseconds",
        caption=f"medians of {RUNS} runs in turn, but for the first look",
    )
    columns = ("files", "first look", "later look", "git status", "lstat walk", "÷ git", "÷ walk")
    for column in ("folder", *columns):
        table.add_column(column, justify="left" if column == "folder" else "right")
    for name, count in FOLDERS:
        table.add_row(name, f"{count:,}", *_times(bench, name, count))
    return table


def _times(bench: Bench, name: str, count: int) -> list[str]:
    """Return the cells that tell how long looks at *count* files in the folder *name* take."""
    top = _make(bench, name, count)
    committed = _commit_copy(bench, top / name)
    repository = find_repository(top, dict(bench.environ))
    folder = top / name
    first = _milliseconds(lambda: folder_tree(repository, folder))
    status = ["git", "-C", str(committed), "status", "--porcelain"]
    alike: tuple[Callable[[], object], ...] = (
        lambda: folder_tree(repository, folder),
        lambda: subprocess.run(status, env=bench.environ, check=True, capture_output=True),
        lambda: _walk(str(folder)),
    )
    taken = [[_milliseconds(each) for each in alike] for _ in range(RUNS)]
    later, git, walk = (median(each) for each in zip(*taken, strict=True))
    times = [f"{each:,.1f}" for each in (first, later, git, walk)]
    return [*times, f"{later / git:.1f}", f"{later / walk:.1f}"]


def _make(bench: Bench, name: str, count: int) -> Path:
    """Return a repository that ignores a folder *name* of *count* files."""
    top = bench.folder / f"with {name}"
    for number in range(count):
        package, file = divmod(number, IN_A_PACKAGE)
        path = top / name / f"package{package:04}" / ("lib" if file % 2 else "") / f"{file:02}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"exports.value = {number};\n" * (number % 60))
    (top / ".gitignore").write_text(f"{name}\n")
    bench.git(top, "init", "--quiet")
    sleep(SECONDS_TO_SETTLE)
    return top


def _commit_copy(bench: Bench, folder: Path) -> Path:
    """Return a repository that has committed a copy of *folder*."""
    top = bench.folder / f"committed {folder.name}"
    subprocess.run(["cp", "-r", folder, top], check=True)
    bench.git(top, "init", "--quiet")
    bench.git(top, "add", "--all")
    bench.git(top, "commit", "--quiet", "--message", "all")
    sleep(SECONDS_TO_SETTLE)
    bench.git(top, "update-index", "--really-refresh")
    return top


def _walk(folder: str) -> int:
    """Return how many files lie below *folder*, each looked at once."""
    count = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                count += _walk(entry.path)
            else:
                entry.stat(follow_symlinks=False)
                count += 1
    return count


def _milliseconds(call: Callable[[], object]) -> float:
    begin = perf_counter()
    call()
    return (perf_counter() - begin) * 1000
