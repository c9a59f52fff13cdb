"""The snapshot after any sequence of edits and git commands, with git as the referee.

Each step is something that a person does to a worktree; after it our tree is git's and the look
has left no trace. What git refuses (a merge into changed files, say) is a step without an effect.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from tests.support.footprint import footprint
from tests.support.referee import Referee
from tests.support.repository import NO_VARIABLES, Repo

PATHS = st.sampled_from(
    [
        *("a.txt", "b.log", "run", "d", "d.txt", "d0", "d/a.txt", "d/keep.log", "d/e/c.txt"),
        *("d/e/keep.log", "new\nline", "carriage\r", '"q', "\udcff", "x/y/z.txt"),
    ]
)
TRACKED = st.integers(0, 11)
"""The number of a tracked file, counted in a circle."""

CONTENTS = st.sampled_from(["", "one\n", "two\n", "six\n", "crlf\r\n", "crlf\r\nlf\n", "a.txt"])
TARGETS = st.sampled_from(["a.txt", "d", "d/e", "nowhere", "b.log"])
FOLDERS = st.sampled_from(["", "d/", "d/e/", "x/"])
IGNORE_RULES = st.lists(
    st.sampled_from(
        ["*.log", "!keep.log", "/d/e/", "e/", "!c.txt", "*.txt", "d", "!d/", "/x/**", "run", "*"]
    ),
    max_size=3,
)
ATTRIBUTES = st.sampled_from(
    ["", "* text=auto\n", "*.txt text\n", "*.txt eol=crlf\n", "* -text\n", "c.txt ident\n"]
)
BRANCHES = st.sampled_from(["main", "topic"])

SHORT = settings(
    max_examples=8, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
LONG = settings(SHORT, max_examples=40, stateful_step_count=50)


class Worktree(RuleBasedStateMachine):
    """A worktree in the hands of somebody who does whatever comes to mind."""

    parent: ClassVar[Path]
    """Where each machine makes its own folder."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(dir=self.parent))
        self.repo = Repo.init(self.folder / "repo")
        self.repo.write("a.txt", "one\n")
        self.repo.write("d/e/c.txt", "two\n")
        self.repo.commit("first")
        for branch, content in (("topic", "six\n"), ("main", "two\n")):
            self.repo.git("checkout", "--quiet", "-B", branch)
            self.repo.write("a.txt", content)
            self.repo.write(f"{branch}.txt", content)
            self.repo.commit(branch)
            self.repo.git("checkout", "--quiet", "--detach", "HEAD~1")
        self.repo.git("checkout", "--quiet", "main")

    @rule(path=PATHS, content=CONTENTS)
    def write(self, path: str, content: str) -> None:
        self._clear(path)
        self.repo.write(path, content)

    @rule(path=PATHS, to=TARGETS)
    def link(self, path: str, to: str) -> None:
        self._clear(path)
        place = self.repo.path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(to)

    @rule(path=PATHS, mode=st.sampled_from([0o644, 0o755, 0o654, 0o600]))
    def change_mode(self, path: str, mode: int) -> None:
        place = self.repo.path / path
        if place.is_file() and not place.is_symlink():
            place.chmod(mode)

    @rule(path=PATHS)
    def touch(self, path: str) -> None:
        place = self.repo.path / path
        if place.is_file():
            os.utime(place)

    @rule(path=PATHS)
    def delete(self, path: str) -> None:
        _remove(self.repo.path / path)

    @rule(number=TRACKED, content=CONTENTS)
    def edit(self, number: int, content: str) -> None:
        self.write(self._tracked(number), content)

    @rule(number=TRACKED)
    def delete_tracked(self, number: int) -> None:
        _remove(self.repo.path / self._tracked(number))

    @rule(path=PATHS)
    def make_folder(self, path: str) -> None:
        self._clear(path)
        (self.repo.path / path).mkdir(parents=True)

    @rule(path=PATHS, to=PATHS)
    def rename(self, path: str, to: str) -> None:
        source = self.repo.path / path
        if os.path.lexists(source) and not to.startswith(path):
            self._clear(to)
            (self.repo.path / to).parent.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(source):
                source.rename(self.repo.path / to)

    @rule(folder=FOLDERS, rules=IGNORE_RULES)
    def ignore(self, folder: str, rules: list[str]) -> None:
        self._clear(f"{folder}.gitignore")
        self.repo.write(f"{folder}.gitignore", "\n".join(rules) + "\n")

    @rule(rules=IGNORE_RULES)
    def ignore_privately(self, rules: list[str]) -> None:
        self.repo.write(".git/info/exclude", "\n".join(rules) + "\n")

    @rule(folder=FOLDERS, attributes=ATTRIBUTES)
    def give_attributes(self, folder: str, attributes: str) -> None:
        self._clear(f"{folder}.gitattributes")
        self.repo.write(f"{folder}.gitattributes", attributes)

    @rule(path=PATHS, option=st.sampled_from(["--force", "--intent-to-add", "--update"]))
    def add(self, path: str, option: str) -> None:
        self._try("add", option, "--", path)

    @rule()
    def add_all(self) -> None:
        self._try("add", "--all")

    @rule(number=TRACKED)
    def forget(self, number: int) -> None:
        self._try("rm", "--cached", "--quiet", "--force", "--", self._tracked(number))

    @rule(number=TRACKED, to=PATHS)
    def move(self, number: int, to: str) -> None:
        self._try("mv", "--force", "--", self._tracked(number), to)

    @rule(how=st.sampled_from([(), ("--all",), ("--amend",)]))
    def commit(self, how: tuple[str, ...]) -> None:
        self._try("commit", "--quiet", "--allow-empty", "--message", "step", *how)

    @rule(how=st.sampled_from([(), ("--include-untracked",), ("--keep-index",)]))
    def stash(self, how: tuple[str, ...]) -> None:
        self._try("stash", "push", "--quiet", *how)

    @rule(how=st.sampled_from([(), ("--index",)]))
    def take_from_the_stash(self, how: tuple[str, ...]) -> None:
        self._try("stash", "pop", "--quiet", *how)

    @rule(branch=BRANCHES, how=st.sampled_from(["--quiet", "--force", "--merge"]))
    def check_out(self, branch: str, how: str) -> None:
        self._try("checkout", "--quiet", how, branch)

    @rule(number=TRACKED)
    def check_out_file(self, number: int) -> None:
        self._try("checkout", "--quiet", "HEAD", "--", self._tracked(number))

    @rule(how=st.sampled_from(["--soft", "--mixed", "--hard"]))
    def reset(self, how: str) -> None:
        self._try("reset", "--quiet", how, "HEAD~1")

    @rule(branch=BRANCHES)
    def merge(self, branch: str) -> None:
        self._try("merge", "--quiet", "--no-edit", branch)

    @rule(sign=st.sampled_from(["+x", "-x"]), number=TRACKED)
    def stage_mode(self, sign: str, number: int) -> None:
        self._try("update-index", f"--chmod={sign}", "--", self._tracked(number))

    @rule(value=st.sampled_from(["true", "false"]))
    def count_modes(self, value: str) -> None:
        self.repo.git("config", "core.fileMode", value)

    @invariant()
    def tree_is_gits_and_no_trace_is_left(self) -> None:
        before = footprint(self.folder)
        tree = self.repo.snapshot().tree
        assert footprint(self.folder) == before
        assert tree == Referee().tree(self.repo.path, NO_VARIABLES)

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def _tracked(self, number: int) -> str:
        """Return the name of a tracked file."""
        names = self.repo.git("ls-files", "-z").split("\0")[:-1] or ["a.txt"]
        return names[number % len(names)]

    def _clear(self, path: str) -> None:
        """Remove what lies at *path*, and every file or link on the way to it."""
        place = self.repo.path
        for part in Path(path).parts[:-1]:
            place = place / part
            if place.is_symlink() or place.is_file():
                place.unlink()
        _remove(self.repo.path / path)

    def _try(self, *argv: str) -> None:
        """Run git, which may refuse."""
        subprocess.run(
            ["git", "--literal-pathspecs", *argv],
            cwd=self.repo.path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )


def _worktree_in(folder: Path) -> type[Worktree]:
    """Return the machine that works below *folder*."""

    class Here(Worktree):
        parent = folder

    return Here


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)


@pytest.mark.timeout(600)
def test_tree_is_gits_after_any_steps(tmp_path: Path) -> None:
    run_state_machine_as_test(_worktree_in(tmp_path), settings=SHORT)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_tree_is_gits_after_two_thousand_steps(tmp_path: Path) -> None:
    run_state_machine_as_test(_worktree_in(tmp_path), settings=LONG)
