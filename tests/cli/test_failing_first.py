"""After a red: what failed runs first, on other content; a red of few files runs once more."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.support.calls import start
from tests.support.repository import Ran, Repo

PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider -p no:randomly"

CASE = """
from pathlib import Path

def test_it():
    runs = Path({runs!r}, {name!r})
    count = len(runs.read_text()) if runs.exists() else 0
    runs.write_text("x" * (count + 1))
    assert {condition}
"""
"""A test that keeps count of its runs outside of the worktree; ``count`` is of those before."""


class Project:
    """A worktree whose test files keep count of their runs."""

    def __init__(self, repo: Repo, runs: Path) -> None:
        self.repo = repo
        self._runs = runs
        runs.mkdir(exist_ok=True)

    def settings(self, more: str = "", command: str = PYTEST) -> None:
        """Declare the tool ``test``."""
        text = (
            f'[tools.test]\ncommand = "{command}"\nset_env = {{ PYTHONDONTWRITEBYTECODE = "1" }}\n'
        )
        self.repo.write("toolcache.toml", text + more)

    def case(self, name: str, condition: str) -> None:
        """Write the test file *name*, which passes under *condition*."""
        text = CASE.format(runs=str(self._runs), name=name.replace("/", "_"), condition=condition)
        self.repo.write(name, text)

    def counts(self, *names: str) -> list[int]:
        """Return how often each test file has run."""
        files = [self._runs / name.replace("/", "_") for name in names]
        return [len(each.read_text()) if each.exists() else 0 for each in files]

    def run(self, *words: str) -> Ran:
        return self.repo.toolcache("run", "--json", *words, "test")


@pytest.fixture
def project(repo: Repo, tmp_path: Path) -> Project:
    made = Project(repo, tmp_path / "runs")
    made.settings("retry = 0\n")
    made.case("test_a.py", "False")
    made.case("test_b.py", "False")
    made.case("test_c.py", "True")
    return made


NAMES = ("test_a.py", "test_b.py", "test_c.py")


def test_what_failed_runs_first_on_other_content_and_is_never_stored(project: Project) -> None:
    first = project.run()
    assert (first.status, first.json["failing_files"]) == (1, ["test_a.py", "test_b.py"])
    assert (first.json["scope"], first.json["stored"]) == ("full", True)
    project.case("test_a.py", "True")
    second = project.run()
    assert (second.status, second.json["scope"]) == (1, "focused")
    assert second.json["focused_on"] == ["test_a.py", "test_b.py"]
    assert (second.json["failing_files"], second.json["stored"]) == (["test_b.py"], False)
    assert second.summary.endswith(
        "; PARTIAL: 1 of 2 files that failed last time; nothing is stored"
    )
    assert project.counts(*NAMES) == [2, 2, 1]


def test_same_content_asked_again_runs_in_full(project: Project) -> None:
    project.run()
    project.case("test_a.py", "True")
    assert project.run().json["scope"] == "focused"
    again = project.run()
    assert (again.json["scope"], again.json["stored"]) == ("full", True)
    assert project.counts(*NAMES) == [3, 3, 2]


def test_green_of_what_failed_lets_the_whole_command_decide(project: Project) -> None:
    project.run()
    project.case("test_a.py", "True")
    project.case("test_b.py", "True")
    project.case("test_c.py", "False")
    ran = project.run()
    assert (ran.status, ran.json["scope"], ran.json["failing_files"]) == (1, "full", ["test_c.py"])
    project.case("test_c.py", "True")
    passed = project.run()
    assert (passed.status, passed.json["scope"], passed.json["stored"]) == (0, "full", True)
    project.repo.write("notes.txt", "other content\n")
    before = project.counts(*NAMES)
    assert project.run().json["scope"] == "full"
    assert project.counts(*NAMES) == [each + 1 for each in before]


@pytest.mark.parametrize("words", [["--force"], ["--full"], ["--bisect"]])
def test_some_calls_never_focus(project: Project, words: list[str]) -> None:
    project.run()
    project.case("test_a.py", "True")
    assert project.run(*words).json["scope"] == "full"


def test_extra_words_never_focus(project: Project) -> None:
    project.run()
    project.case("test_a.py", "True")
    ran = project.repo.toolcache("run", "--json", "test", "--", "-x")
    assert ran.json["scope"] == "full"


def test_gates_never_focus(project: Project) -> None:
    project.run()
    project.case("test_a.py", "True")
    hook = project.repo.write(
        ".git/hooks/pre-commit",
        f"#!/bin/sh\nexec {sys.executable} -m gitcache run --json test >.git/told\n",
    )
    hook.chmod(0o755)
    with pytest.raises(AssertionError, match="hooked"):
        project.repo.git("commit", "--quiet", "--allow-empty", "-m", "hooked")
    assert '"scope": "full"' in (project.repo.path / ".git/told").read_text()


def test_renamed_file_makes_a_full_run(project: Project) -> None:
    project.run()
    (project.repo.path / "test_a.py").rename(project.repo.path / "test_d.py")
    ran = project.run()
    assert (ran.json["scope"], ran.status) == ("full", 1)
    assert ran.json["failing_files"] == ["test_b.py", "test_d.py"]


def test_list_is_of_one_worktree(project: Project, tmp_path: Path) -> None:
    project.repo.commit("all")
    project.run()
    other = project.repo.add_worktree(tmp_path / "other")
    other.write("notes.txt", "other content\n")
    assert other.toolcache("run", "--json", "test").json["scope"] == "full"


def test_still_red_file_costs_no_second_full_run(project: Project) -> None:
    project.settings()
    ran = project.run()
    assert (ran.status, ran.json["flaky"], ran.json["stored"]) == (1, [], True)
    assert project.counts(*NAMES) == [2, 2, 1]


def flake(project: Project) -> None:
    """Let one file fail in its first run only."""
    project.case("test_a.py", "count > 0")
    project.case("test_b.py", "True")


def test_flake_passes_only_by_the_identical_whole_command_and_says_so(project: Project) -> None:
    project.settings()
    flake(project)
    ran = project.run()
    assert (ran.status, ran.json["outcome"], ran.json["flaky"]) == (0, "passed", ["test_a.py"])
    assert ran.summary.endswith("; FLAKY: test_a.py failed at first")
    assert project.counts(*NAMES) == [3, 2, 2]
    hit = project.run()
    assert (hit.is_hit, hit.json["flaky"]) == (True, ["test_a.py"])
    assert hit.json["output"] == ran.json["output"]
    assert hit.summary.endswith("; FLAKY: test_a.py failed at first")
    shown = project.repo.toolcache("show", "--json", "test").json
    assert [each["outcome"] for each in shown["attempts"]] == ["failed", "passed"]
    assert "assert" in shown["flaky_tail"]


def test_flake_that_is_to_fail_fails_with_its_name(project: Project) -> None:
    project.settings('flaky = "fail"\n')
    flake(project)
    ran = project.run()
    assert (ran.status, ran.json["outcome"], ran.json["flaky"]) == (1, "failed", ["test_a.py"])
    assert project.run().is_hit


def test_test_that_fails_only_in_the_suite_stays_red(project: Project) -> None:
    project.settings()
    project.case("test_a.py", "'test_c' not in __import__('sys').modules")
    project.case("test_b.py", "True")
    project.repo.write("conftest.py", "def pytest_collection_modifyitems(items): pass\n")
    ran = project.run()
    assert (ran.status, ran.json["flaky"], ran.json["failing_files"]) == (1, [], ["test_a.py"])
    assert project.counts(*NAMES) == [3, 2, 2]


def test_invented_red_of_a_test_alone_is_gone_at_the_second_ask(project: Project) -> None:
    project.settings("retry = 0\n")
    project.case("test_b.py", "True")
    project.run()
    project.case("test_a.py", "'test_c' in __import__('sys').modules")
    alone = project.run()
    assert (alone.status, alone.json["scope"]) == (1, "focused")
    whole = project.run()
    assert (whole.status, whole.json["scope"], whole.json["stored"]) == (0, "full", True)


def test_crash_at_start_up_names_nothing_and_is_not_retried(project: Project) -> None:
    project.settings()
    project.repo.write("conftest.py", "raise SystemExit(3)\n")
    ran = project.run()
    assert (ran.json["failing_files"], ran.json["flaky"]) == ([], [])
    assert project.counts(*NAMES) == [0, 0, 0]


def test_stored_failure_says_how_to_run_again_and_does(project: Project) -> None:
    project.run()
    hit = project.repo.toolcache("run", "test")
    assert (hit.status, hit.is_hit) == (1, True)
    assert hit.summary.endswith("; --retry-failed runs it again")
    again = project.run("--retry-failed")
    assert (again.json["source"], project.counts(*NAMES)) == ("run", [2, 2, 2])


def test_contradiction_on_one_content_is_told(project: Project, tmp_path: Path) -> None:
    flake(project)
    assert project.run().status == 1
    ran = project.run("--retry-failed")
    assert ran.status == 0
    hit = project.run()
    assert (hit.json["contradicted"], hit.is_hit) == (True, True)
    assert "FLAKY" in hit.summary


def test_command_that_cannot_be_focused_is_its_own_retry(project: Project) -> None:
    project.settings("shell = true\n", command=f"true && {PYTEST}")
    flake(project)
    ran = project.run()
    assert (ran.status, ran.json["flaky"]) == (0, ["test_a.py"])
    assert project.counts(*NAMES) == [2, 2, 2]


def test_retry_that_is_killed_leaves_the_red(project: Project) -> None:
    project.settings("shell = true\n", command=f"true && {PYTEST}")
    flake(project)
    project.case("test_c.py", "count == 0 or __import__('os').kill(__import__('os').getpid(), 9)")
    ran = project.run()
    assert (ran.status, ran.json["outcome"], ran.json["flaky"]) == (1, "failed", [])
    assert (ran.json["failing_files"], ran.json["stored"]) == (["test_a.py"], True)


def test_flaky_pass_is_no_answer_where_nothing_runs_twice(project: Project) -> None:
    """The settings are no input here, so that they alone decide."""
    inputs = 'inputs = ["*.py"]\n'
    project.settings(inputs)
    flake(project)
    assert project.run().json["flaky"] == ["test_a.py"]
    for more, status in (("", 0), ("retry = 0\n", 2), ('flaky = "fail"\n', 2), ("", 0)):
        project.settings(inputs + more)
        assert project.repo.toolcache("lookup", "test").status == status


def test_focused_red_is_no_answer_in_another_worktree(project: Project, tmp_path: Path) -> None:
    """The other worktree asks for the same content while what failed runs first in this one."""
    project.repo.commit("all")
    project.run()
    gate, here = tmp_path / "gate", tmp_path / "here"
    for each in (gate, here):
        os.mkfifo(each)
    wait = f"open({str(here)!r}, 'w').close() or open({str(gate)!r}).read() == 'x'"
    project.case("test_a.py", f"(count != 1 or ({wait})) and False")
    project.repo.commit("edited")
    other = project.repo.add_worktree(tmp_path / "other")
    words = ("run", "--json", "test")
    with start(project.repo, *words) as focused:
        here.read_text()
        with start(other, *words) as whole:
            assert whole.stderr is not None
            while not whole.stderr.readline().startswith(b"toolcache: following "):
                pass
            gate.write_text("")
            told = [json.loads(each.communicate()[0]) for each in (focused, whole)]
    assert [each["scope"] for each in told] == ["focused", "full"]
    assert told[1]["stored"]
