"""A tool's habits: what it writes at each run costs two runs and never a wrong answer."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gitcache.core.habits import Window
from gitcache.core.outcome import Failed, Killed, Passed, Unstable, exit_status
from gitcache.engine.events import Answer
from gitcache.engine.front import Miss, find
from gitcache.engine.resolve import Request
from gitcache.engine.stability import settled
from tests.engine.test_stability import beside, outcome_beside
from tests.support.calls import ask, context_in, declare, start
from tests.support.repository import Repo

COVERED = "cat a.txt; head -c 20 /dev/urandom >.coverage"
"""Writes other bytes at each run."""

GENERATED = "cat a.txt >gen.txt"
"""Writes what follows from a tracked file."""


def ran(repo: Repo, script: str) -> Answer:
    return ask(repo, "sh", "-c", script)[0]


def told(*answers: Answer) -> list[str]:
    """Return of each answer where it came from, and ``unstable`` of one that is."""
    return ["unstable" if isinstance(each.outcome, Unstable) else each.source for each in answers]


def thrice(repo: Repo, script: str) -> list[str]:
    return told(*(ran(repo, script) for _ in range(3)))


def lists_in(repo: Repo) -> Path:
    return Path(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir")) / (
        "toolcache/habits"
    )


def test_real_pytest_hits_at_its_third_run_without_a_gitignore(repo: Repo) -> None:
    repo.write("conftest.py", "import os\n\ndef pytest_sessionfinish():\n"
               "    open('.coverage', 'wb').write(os.urandom(20))\n")  # fmt: skip
    repo.write("test_x.py", "def test_x():\n    pass\n")
    repo.commit()
    words = ("run", "--json", "--", sys.executable, "-m", "pytest", "-q", "-p", "no:randomly")
    first, second, third = (repo.toolcache(*words) for _ in range(3))
    assert (first.status, first.json["outcome"], first.json["stored"]) == (0, "unstable", False)
    made = {".coverage", "__pycache__"}
    assert {each.partition("/")[0] for each in first.json["changed"]} == made
    assert first.json["gitignore"] == [".coverage", "__pycache__/"]
    assert (
        b"hint: if the tool makes them, .gitignore wants: .coverage, __pycache__/" in first.stderr
    )
    assert (second.json["outcome"], second.json["source"]) == ("passed", "run")
    assert (third.json["outcome"], third.json["source"]) == ("passed", "hit")
    assert third.json["key"] == second.json["key"]


def test_untracked_product_is_left_out_and_git_agrees_on_the_rest(repo: Repo) -> None:
    repo.write("new.txt", "new\n")
    answers = [ran(repo, COVERED) for _ in range(3)]
    assert told(*answers) == ["unstable", "run", "hit"]
    (repo.path / ".coverage").unlink()
    assert answers[1].tree == answers[2].tree == repo.tree_by_git()
    assert told(ran(repo, COVERED)) == ["hit"]


def test_generator_that_writes_the_same_bytes_is_stored_after_two_runs(repo: Repo) -> None:
    repo.write("gen.txt", "a\n")
    repo.commit()
    assert thrice(repo, GENERATED) == ["unstable", "run", "hit"]
    repo.write("sub/b.txt", "edited\n")
    assert told(ran(repo, GENERATED)) == ["run"]
    assert len(repo.keys()) == 2


def test_generated_file_that_nobody_tracks_counts_with_its_content(repo: Repo) -> None:
    assert thrice(repo, GENERATED) == ["unstable", "run", "hit"]
    repo.write("gen.txt", "x\n")
    assert told(ran(repo, GENERATED)) == ["unstable"]


def test_generator_that_changes_a_tracked_file_is_never_excused(repo: Repo) -> None:
    repo.write("gen.txt", "a\n")
    repo.commit()
    assert thrice(repo, GENERATED) == ["unstable", "run", "hit"]
    repo.write("a.txt", "other\n")
    first, second = (ran(repo, GENERATED) for _ in range(2))
    assert told(first, second) == ["unstable", "run"]
    repo.git("checkout", "gen.txt")
    assert told(ran(repo, GENERATED)) == ["unstable"]


def test_formatter_runs_again_on_what_it_would_format(repo: Repo) -> None:
    script = "printf 'done\\n' >a.txt"
    for _ in range(4):
        repo.write("a.txt", "a\n")
        assert told(ran(repo, script)) == ["unstable"]
        assert (repo.path / "a.txt").read_text() == "done\n"
    assert repo.keys() == []


@pytest.mark.parametrize("name", [".coverage", "coverage/out.json", "junit.xml"])
def test_tracked_product_whose_bytes_change_is_never_excused(repo: Repo, name: str) -> None:
    repo.write(name, "")
    repo.commit()
    script = f"date +%N >>{name}"
    assert thrice(repo, script) == ["unstable"] * 3
    assert repo.keys() == []


def test_product_that_the_tool_adds_is_tracked_from_then_on(repo: Repo) -> None:
    script = f"{COVERED}; git add .coverage"
    assert thrice(repo, script) == ["unstable"] * 3


READER = "mkdir -p coverage; cat coverage/[!o]* 2>/dev/null; date +%N >coverage/out.json"
"""Reads what else lies in the folder of its product."""


@pytest.mark.parametrize("name", ["coverage/new.test.js", "coverage/data.json"])
def test_new_file_beside_a_product_counts(repo: Repo, name: str) -> None:
    assert thrice(repo, READER) == ["unstable", "run", "hit"]
    repo.write(name, "one")
    answer = ran(repo, READER)
    assert (told(answer), answer.output.head[0].data) == (["run"], b"one")
    repo.write(name, "two")
    answer = ran(repo, READER)
    assert (told(answer), answer.output.head[0].data) == (["run"], b"two")
    assert told(ran(repo, READER)) == ["hit"]


def test_folder_with_sources_in_it_is_none_of_products(repo: Repo) -> None:
    repo.write("coverage/report.py", "")
    repo.commit()
    assert thrice(repo, READER) == ["unstable"] * 3


@pytest.mark.parametrize("keeps_time", [False, True])
def test_product_that_somebody_writes_counts_again(repo: Repo, keeps_time: bool) -> None:
    script = f"cat .coverage 2>/dev/null; {COVERED}"
    assert thrice(repo, script) == ["unstable", "run", "hit"]
    product = repo.path / ".coverage"
    facts = product.stat()
    repo.write(".coverage", "m" * facts.st_size)
    if keeps_time:
        os.utime(product, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    answer = ran(repo, script)
    assert told(answer) == ["unstable"]
    assert answer.tree != repo.git("rev-parse", "HEAD^{tree}")
    assert thrice(repo, script) == ["unstable"] * 3
    product.unlink()
    assert told(ran(repo, script)) == ["hit"]
    repo.write("a.txt", "edited\n")
    assert thrice(repo, script) == ["unstable", "run", "hit"]


CHECKER = "! grep -q bad x.log 2>/dev/null && echo ran >>x.log"
"""Fails on what somebody wrote, else writes more beside it."""


def test_bytes_of_somebody_in_a_leftover_are_never_hidden_by_a_run_that_adds_to_it(
    repo: Repo,
) -> None:
    script = f"echo ran >>x.log; if [ -e ../check ]; then {CHECKER}; fi"
    assert thrice(repo, script) == ["unstable", "run", "hit"]
    with (repo.path / "x.log").open("a") as log:
        log.write("bad\n")
    assert told(ran(repo, script)) == ["unstable"]
    (repo.path.parent / "check").touch()
    answer = ran(repo, script)
    assert (told(answer), exit_status(answer.outcome)) == (["unstable"], 1)


@pytest.mark.parametrize("name", ["sample.log", "test-results/expected.json"])
def test_file_of_somebody_in_a_place_of_products_counts_whenever_it_is_edited(
    repo: Repo, name: str
) -> None:
    script = f"echo >../begun; cat ../go-on; grep -q good {name}"
    for fifo in ("begun", "go-on"):
        os.mkfifo(repo.path.parent / fifo)
    repo.write(name, "good\n")

    def edit() -> None:
        with (repo.path / name).open("a") as file:
            file.write("good\n")

    def do_nothing() -> None:
        pass

    for _ in range(3):
        assert told(beside(repo, script, edit)) == ["unstable"]
    assert told(beside(repo, script, do_nothing)) == ["run"]
    repo.write(name, "bad\n")
    assert beside(repo, script, do_nothing).outcome == Failed(1)


def test_file_that_was_there_before_is_the_tools_own_once_it_makes_it_anew(repo: Repo) -> None:
    repo.write(".coverage", "mine")
    assert thrice(repo, COVERED) == ["unstable"] * 3
    (repo.path / ".coverage").unlink()
    assert thrice(repo, COVERED) == ["unstable", "run", "hit"]


def test_file_that_a_tool_takes_out_of_the_index_was_there_before(repo: Repo) -> None:
    repo.write("x.log", "mine")
    repo.commit()
    script = "git rm -q --cached x.log 2>/dev/null; echo more >>x.log"
    assert thrice(repo, script) == ["unstable"] * 3


def test_product_of_one_tool_counts_for_another(repo: Repo) -> None:
    declare(repo, {"test": "date +%N >.coverage", "report": "cat .coverage"})
    repo.commit()
    for _ in range(3):
        repo.toolcache("run", "test")
    first = repo.toolcache("run", "--json", "report").json
    repo.write("a.txt", "edited\n")
    repo.toolcache("run", "test")
    repo.git("checkout", "a.txt")
    second = repo.toolcache("run", "--json", "report").json
    assert (first["source"], second["source"]) == ("run", "run")
    assert first["output"] != second["output"]


def test_habit_of_a_tool_is_that_of_its_extra_words_and_no_other_commands(repo: Repo) -> None:
    declare(repo, {"test": "date +%N >.coverage; :"})
    repo.commit()
    outcomes = [
        repo.toolcache("run", "--json", *words).json["outcome"]
        for words in [
            ("test",),
            ("test",),
            ("test", "--", "extra"),
            ("--", "sh", "-c", "date +%N >.coverage; :"),
        ]
    ]
    assert outcomes == ["unstable", "passed", "passed", "unstable"]


def test_worktrees_with_other_leftovers_share_a_verdict(repo: Repo, tmp_path: Path) -> None:
    other = repo.add_worktree(tmp_path / "other")
    assert thrice(repo, COVERED) == ["unstable", "run", "hit"]
    assert told(ran(other, COVERED)) == ["hit"]
    other.write("a.txt", "edited\n")
    assert thrice(other, COVERED) == ["unstable", "run", "hit"]
    other.git("checkout", "a.txt")
    assert told(ran(other, COVERED)) == ["hit"]
    assert (repo.path / ".coverage").read_bytes() != (other.path / ".coverage").read_bytes()


def lose(folder: Path) -> None:
    shutil.rmtree(folder)


def tear(folder: Path) -> None:
    for each in folder.iterdir():
        each.write_bytes(each.read_bytes()[:-5])


def mix(folder: Path) -> None:
    for each in folder.iterdir():
        each.write_text('{"owner": "x", "paths": {"a.txt": [2, null, true]}}')


@pytest.mark.parametrize("harm", [lose, tear, mix])
def test_list_that_is_gone_costs_runs_and_hides_nothing(
    repo: Repo, harm: Callable[[Path], None]
) -> None:
    assert thrice(repo, COVERED) == ["unstable", "run", "hit"]
    harm(lists_in(repo))
    assert thrice(repo, COVERED) == ["unstable"] * 3
    (repo.path / ".coverage").unlink()
    repo.write("a.txt", "edited\n")
    assert thrice(repo, COVERED) == ["unstable", "run", "hit"]


def test_list_of_a_copied_repository_leaves_nothing_out(repo: Repo) -> None:
    assert thrice(repo, COVERED) == ["unstable", "run", "hit"]
    moved = repo.path.rename(repo.path.parent / "moved")
    shutil.copytree(moved, repo.path)
    assert told(ran(repo, COVERED)) == ["unstable"]


def test_forged_list_leaves_out_no_source(repo: Repo) -> None:
    repo.write("new.txt", "one\n")
    script = f"cat new.txt; {COVERED}"
    assert thrice(repo, script) == ["unstable", "run", "hit"]
    (listed,) = lists_in(repo).iterdir()
    facts = repo.write("new.txt", "two\n").stat()
    stat = [facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino, facts.st_mode]
    forged = f'"new.txt": [2, {stat}, true], ".coverage"'
    listed.write_text(listed.read_text().replace('".coverage"', forged))
    assert told(ran(repo, script)) == ["run"]


@pytest.mark.parametrize("ends", ["false", "true"], ids=["fail", "pass"])
def test_edit_that_is_undone_meanwhile_is_caught_in_both_directions(repo: Repo, ends: str) -> None:
    contents = {"false": "bad\n", "true": "good\n"}
    start = contents[ends]
    repo.write("a.txt", start)
    other = next(each for each in contents.values() if each != start)

    def edit_and_undo() -> None:
        repo.write("a.txt", other)
        repo.write("a.txt", start)

    outcome = outcome_beside(repo, edit_and_undo)
    assert isinstance(outcome, Unstable)
    assert outcome.changed == ("a.txt",)
    assert repo.keys() == []


def test_edits_with_one_in_between_make_no_habit(repo: Repo) -> None:
    declare(repo, {"test": "if [ -e ../edit ]; then cat a.txt >b && cat b >a.txt; rm b; fi"})
    repo.commit()
    edit = repo.path.parent / "edit"
    edit.touch()
    seen = []
    for text in ("one\n", "two\n", "three\n"):
        repo.write("a.txt", text)
        seen.append(repo.toolcache("run", "--json", "test").json["outcome"])
    assert seen == ["unstable"] * 3
    edit.unlink()
    assert repo.toolcache("run", "--json", "test").json["outcome"] == "passed"
    edit.touch()
    repo.write("sub/b.txt", "other\n")
    assert repo.toolcache("run", "--json", "test").json["outcome"] == "unstable"


def test_branch_that_is_left_and_taken_again_is_never_a_habit(repo: Repo) -> None:
    repo.git("checkout", "--quiet", "-b", "other")
    repo.write("a.txt", "other\n")
    repo.commit("other")
    repo.git("checkout", "--quiet", "main")
    script = "git checkout --quiet other; cat a.txt; git checkout --quiet main"
    assert thrice(repo, script) == ["unstable"] * 3


def test_change_that_is_stashed_and_taken_up_again_is_never_a_habit(repo: Repo) -> None:
    repo.write("a.txt", "edited\n")
    script = "git stash -q; cat a.txt; git stash pop -q"
    assert thrice(repo, script) == ["unstable"] * 3


def test_commit_meanwhile_does_not_keep_products_from_being_habits(repo: Repo) -> None:
    script = f"{COVERED}; git commit --quiet --allow-empty -m x"
    assert thrice(repo, script) == ["unstable", "run", "hit"]


@pytest.mark.parametrize(
    ("window", "by_others"),
    [
        (Window(2**62, 2**62), ("a.txt", "new.txt")),
        (Window(0, 1), ("a.txt", "new.txt")),
        (Window(0, 2**62), ()),
    ],
    ids=["before", "after", "during"],
)
def test_what_was_not_written_while_the_tool_ran_is_told_as_somebody_elses(
    repo: Repo, window: Window, by_others: tuple[str, ...]
) -> None:
    context = context_in(repo.path)
    finding = find(Request(None, ("true",)), context)
    assert isinstance(finding, Miss)
    repo.write("a.txt", "edited\n")
    repo.write("new.txt", "new\n")
    outcome = settled(Passed(), finding.question, context, None, window).outcome
    lines = () if by_others else ("/new.txt",)
    assert outcome == Unstable(0, ("a.txt", "new.txt"), by_others=by_others, ignore_lines=lines)


def test_product_that_somebody_writes_after_the_end_is_not_excused(repo: Repo) -> None:
    assert thrice(repo, COVERED) == ["unstable", "run", "hit"]
    context = context_in(repo.path)
    finding = find(Request(None, ("sh", "-c", COVERED), force=True), context)
    assert not isinstance(finding, Miss)
    question = getattr(finding, "question")  # noqa: B009 - of a hit
    repo.write(".coverage", "mine")
    ended = settled(Passed(), replace(question), context, None, Window(0, 1))
    assert ended.outcome == Unstable(0, (".coverage",), by_others=(".coverage",))
    assert told(ran(repo, COVERED)) == ["unstable"]


def test_failure_is_kept_as_well_as_a_pass(repo: Repo) -> None:
    script = f"{COVERED}; exit 3"
    assert thrice(repo, script) == ["unstable", "run", "hit"]
    assert ran(repo, script).outcome == Failed(3)


def test_run_without_a_verdict_teaches_nothing(repo: Repo) -> None:
    script = f"{COVERED}; [ -e ../go ] || kill -KILL $$"
    assert [ran(repo, script).outcome for _ in range(2)] == [Killed(signal.SIGKILL, 137)] * 2
    (repo.path.parent / "go").touch()
    (repo.path / ".coverage").unlink()
    assert thrice(repo, script) == ["unstable", "run", "hit"]


def test_reader_of_the_store_keeps_no_list(repo: Repo) -> None:
    context = replace(context_in(repo.path), use="read")
    for _ in range(2):
        answer, _ = ask(repo, "sh", "-c", COVERED, context=context)
        assert told(answer) == ["unstable"]
    assert not lists_in(repo).exists()


def test_tool_without_habits_has_no_list(repo: Repo) -> None:
    assert told(ran(repo, "true"), ran(repo, "true")) == ["run", "hit"]
    assert not lists_in(repo).exists()


def test_product_outside_of_the_inputs_is_none_of_its_business(repo: Repo) -> None:
    declare(repo, {"test": "date +%N >.coverage"}, 'inputs = ["sub"]')
    repo.commit()
    first, second = (repo.toolcache("run", "--json", "test").json for _ in range(2))
    assert (first["outcome"], second["source"]) == ("passed", "hit")


def test_every_verb_looks_past_what_the_tool_left(repo: Repo) -> None:
    declare(repo, {"test": COVERED})
    repo.commit()
    for _ in range(2):
        repo.toolcache("run", "test")
    assert repo.toolcache("lookup", "test").status == 0
    assert repo.toolcache("lookup", "--rev", "HEAD", "test").status == 0
    known = repo.toolcache("status", "--json").json
    assert "passed" in str(known)
    assert repo.toolcache("explain", "--json", "test").status == 0


def test_runs_at_once_leave_a_good_list(repo: Repo) -> None:
    words = ("run", "--json", "--", "sh", "-c", COVERED)
    processes = [start(repo, *words) for _ in range(4)]
    outcomes = [json.loads(each.communicate(timeout=60)[0])["exit_status"] for each in processes]
    assert outcomes == [0] * 4
    (repo.path / ".coverage").unlink()
    assert "hit" in [ran(repo, COVERED).source for _ in range(4)]
    assert len(list(lists_in(repo).iterdir())) == 1
