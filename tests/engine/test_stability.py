"""Content that moves while the tool runs: its own status, nothing stored, what moved is named."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gitcache.core.outcome import Outcome, Passed, Unstable
from gitcache.engine.events import Answer
from tests.support.calls import ask
from tests.support.repository import Repo


def ran(repo: Repo, script: str) -> Answer:
    return ask(repo, "sh", "-c", script)[0]


def outcome_beside(repo: Repo, act: Callable[[], None]) -> Outcome:
    """Return the outcome of a tool while which *act* happens, as by another process."""
    for fifo in ("begun", "go-on"):
        os.mkfifo(repo.path.parent / fifo)
    return beside(repo, "echo >../begun; cat ../go-on", act).outcome


def beside(repo: Repo, script: str, act: Callable[[], None]) -> Answer:
    """Return the answer of *script*, which tells ``../begun`` and waits for ``../go-on``.

    In between, *act* happens.
    """
    begun, go_on = repo.path.parent / "begun", repo.path.parent / "go-on"

    def other() -> None:
        begun.read_bytes()
        act()
        go_on.write_bytes(b"")

    thread = threading.Thread(target=other)
    thread.start()
    answer = ran(repo, script)
    thread.join()
    return answer


@pytest.mark.parametrize("status", [0, 1, 3])
def test_a_tool_that_rewrites_a_tracked_file_keeps_its_status_and_is_not_stored(
    repo: Repo, status: int
) -> None:
    script = f"echo formatted >>sub/b.txt; exit {status}"
    for again in ((), ("sub/b.txt",), ("sub/b.txt",)):
        answer = ran(repo, script)
        assert answer.outcome == Unstable(status, ("sub/b.txt",), again=again)
        assert (answer.stored, answer.source) == (False, "run")
        assert repo.keys() == []


def test_a_formatter_that_has_nothing_to_do_is_stored(repo: Repo) -> None:
    script = "grep -q done a.txt || printf 'done\\n' >a.txt"
    assert ran(repo, script).outcome == Unstable(0, ("a.txt",))
    assert ran(repo, script).outcome == Passed()
    assert ran(repo, script).source == "hit"
    repo.write("a.txt", "a\n")
    assert ran(repo, script).outcome == Unstable(0, ("a.txt",))  # never a hit: it would not format


@pytest.mark.parametrize(
    ("script", "changed"),
    [
        ("rm a.txt", ("a.txt",)),
        ("chmod +x a.txt", ("a.txt",)),
        ("echo new >new.txt; echo other >>a.txt", ("a.txt", "new.txt")),
        ("mkdir d && echo x >'d/with \"odd\nname'", ('d/with "odd\nname',)),
        ("rm a.txt && ln -s sub/b.txt a.txt", ("a.txt",)),
        ("git checkout --quiet --orphan x && git commit --quiet -m x && git rm -qf a.txt "
         "&& git commit --quiet -m y", ("HEAD",)),
    ],
)  # fmt: skip
def test_what_moved_is_named(repo: Repo, script: str, changed: tuple[str, ...]) -> None:
    outcome = ran(repo, script).outcome
    assert isinstance(outcome, Unstable)
    assert (outcome.status, outcome.changed) == (0, changed)
    assert (outcome.by_others, outcome.again) == ((), ())


@pytest.mark.parametrize(
    "script",
    [
        "echo x >ignored.log",
        "git add --all; git commit --quiet --allow-empty -m more",
        "git pack-refs --all; git repack -adq",
    ],
)
def test_what_does_not_count_moves_nothing(repo: Repo, script: str) -> None:
    repo.write(".gitignore", "*.log\n")
    assert ran(repo, script).outcome == Passed()
    assert len(repo.keys()) == 1


@pytest.mark.parametrize(
    "script",
    ["touch a.txt", "cp a.txt b && mv b a.txt", "echo x >>a.txt && git checkout --quiet a.txt"],
)
def test_a_file_that_is_written_counts_as_moved_whatever_it_holds(repo: Repo, script: str) -> None:
    assert ran(repo, script).outcome == Unstable(0, ("a.txt",))
    assert repo.keys() == []


@pytest.mark.parametrize(
    ("name", "git"),
    [("a.txt", ()), ("new.txt", ()), ("new.txt", ("add", "new.txt"))],
    ids=["edit", "new file", "added file"],
)
def test_an_edit_by_somebody_else_is_seen(repo: Repo, name: str, git: tuple[str, ...]) -> None:
    def edit() -> None:
        repo.write(name, "edited")
        if git:
            repo.git(*git)

    outcome = outcome_beside(repo, edit)
    assert isinstance(outcome, Unstable)
    assert outcome.changed == (name,)
    assert repo.keys() == []


def test_a_file_that_somebody_else_only_stages_moves_nothing(repo: Repo) -> None:
    repo.write("a.txt", "edited")

    def stage() -> None:
        repo.git("add", "a.txt")

    assert outcome_beside(repo, stage) == Passed()


def test_a_program_that_is_replaced_is_named_as_the_part_that_it_is(
    repo: Repo, tmp_path: Path
) -> None:
    program = tmp_path / "tool"
    program.write_text(f"#!/bin/sh\necho '#' >{tmp_path}/new; mv {tmp_path}/new $0\n")
    program.chmod(0o755)
    assert ask(repo, str(program))[0].outcome == Unstable(0, ("program",))


def test_a_repository_that_is_gone_after_the_run_is_told(repo: Repo) -> None:
    answer = ran(repo, "rm -rf .git; exit 3")
    assert isinstance(answer.outcome, Unstable)
    assert answer.outcome.status == 3
    assert not answer.stored


def test_no_verdict_is_not_looked_at_again(repo: Repo) -> None:
    answer = ran(repo, "echo x >>a.txt; exit 127")
    assert not isinstance(answer.outcome, Unstable)
    assert repo.keys() == []


UNDONE = "cp a.txt ../kept; echo bad >a.txt; cat a.txt; cp ../kept a.txt"


def test_edit_that_is_undone_before_the_end_belongs_to_no_tree(repo: Repo) -> None:
    ran = repo.toolcache("run", "--json", "--", "sh", "-c", UNDONE)
    assert ran.status == 0
    assert ran.json["source"] == "run"
    assert (ran.json["outcome"], ran.json["changed"]) == ("unstable", ["a.txt"])
    assert repo.keys() == []


def test_branch_that_is_left_and_taken_again_belongs_to_no_tree(repo: Repo) -> None:
    repo.git("checkout", "--quiet", "-b", "other")
    repo.write("a.txt", "other\n")
    repo.commit("other")
    repo.git("checkout", "--quiet", "main")
    script = "git checkout --quiet other; cat a.txt; git checkout --quiet main"
    ran = repo.toolcache("run", "--json", "--", "sh", "-c", script)
    assert (ran.json["outcome"], ran.json["changed"]) == ("unstable", ["a.txt"])


def test_undone_edit_of_a_file_that_does_not_count_is_none(repo: Repo) -> None:
    repo.write(
        "toolcache.toml", f'[tools.test]\ncommand = ["sh", "-c", "{UNDONE}"]\ninputs = ["sub"]\n'
    )
    repo.commit()
    assert repo.toolcache("run", "--json", "test").json["outcome"] == "passed"
    assert len(repo.keys()) == 1


def test_what_a_tool_writes_into_ignored_places_does_not_count(repo: Repo) -> None:
    repo.write(".gitignore", "out/\n")
    repo.commit()
    script = "mkdir -p out sub/new; rmdir sub/new; echo made >out/made"
    assert repo.toolcache("run", "--json", "--", "sh", "-c", script).json["outcome"] == "passed"
