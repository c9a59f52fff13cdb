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


def edited_and_put_back(path: Path) -> Callable[[], None]:
    """Return what edits the file at *path* and puts it back as it was, its times included."""

    def act() -> None:
        data, facts = path.read_bytes(), path.stat()
        path.write_bytes(b"other")
        path.write_bytes(data)
        os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))

    return act


@pytest.mark.parametrize("name", [".env", "sub/.env.local", "data/local.json", "gen/out.bin"])
def test_ignored_file_that_counts_is_told_where_an_edit_of_it_is_undone(
    repo: Repo, name: str
) -> None:
    repo.write(
        "toolcache.toml",
        '[tools.gen]\ncommand = ["true"]\noutputs = ["gen"]\n'
        '[tools.test]\ncommand = ["sh", "-c", "echo >../begun; cat ../go-on"]\n'
        'ignored_inputs = ["data/*.json"]\n',
    )
    repo.write(".gitignore", ".env*\ndata\ngen\n")
    repo.commit()
    path = repo.write(name, "one\n")
    outcome = outcome_of_test_beside(repo, edited_and_put_back(path))
    assert outcome == ("unstable", [name], [])
    assert repo.keys() == []


def outcome_of_test_beside(repo: Repo, act: Callable[[], None]) -> tuple[str, list[str], list[str]]:
    """Return outcome, changed paths and ignore lines of the declared tool, beside *act*."""
    for fifo in ("begun", "go-on"):
        (repo.path.parent / fifo).unlink(missing_ok=True)
        os.mkfifo(repo.path.parent / fifo)

    def other() -> None:
        (repo.path.parent / "begun").read_bytes()
        act()
        (repo.path.parent / "go-on").write_bytes(b"")

    thread = threading.Thread(target=other)
    thread.start()
    told = repo.toolcache("run", "--json", "test").json
    thread.join()
    return told["outcome"], told.get("changed") or [], told.get("gitignore") or []


def test_what_a_link_that_counts_leads_to_is_told_where_an_edit_of_it_is_undone(
    repo: Repo, tmp_path: Path
) -> None:
    repo.write(".gitignore", ".env\n")
    repo.commit()
    end = tmp_path / "env"
    end.write_text("one\n")
    (repo.path / ".env").symlink_to(end)
    outcome = outcome_beside(repo, edited_and_put_back(end))
    assert isinstance(outcome, Unstable)
    assert outcome.changed == (str(end),)


def test_ignored_file_that_does_not_count_may_be_written(repo: Repo) -> None:
    repo.write(".gitignore", "*.log\n")
    repo.commit()
    path = repo.write("x.log", "one\n")
    assert outcome_beside(repo, edited_and_put_back(path)) == Passed()


@pytest.fixture
def installed(repo: Repo) -> Repo:
    """Return a project with an installed package and a tool that waits."""
    repo.write(".gitignore", "node_modules\n")
    repo.write("package.json", "{}")
    repo.write(
        "toolcache.toml",
        '[tools.test]\ncommand = ["sh", "-c", "echo >../begun; cat ../go-on"]\n',
    )
    for name in ("one/index.js", "one/__pycache__/x.pyc", ".cache/x"):
        repo.write(f"node_modules/{name}", "1")
    repo.commit()
    return repo


def test_installed_file_is_told_where_an_edit_of_it_is_undone(installed: Repo) -> None:
    path = installed.path / "node_modules/one/index.js"
    told = outcome_of_test_beside(installed, edited_and_put_back(path))
    assert told == ("unstable", ["node_modules/one/index.js"], [])


@pytest.mark.parametrize("name", ["one/__pycache__/x.pyc", ".cache/x", ".cache/new"])
def test_installed_file_that_does_not_count_may_be_written(installed: Repo, name: str) -> None:
    path = installed.path / "node_modules" / name

    def write() -> None:
        path.write_text("2")

    assert outcome_of_test_beside(installed, write) == ("passed", [], [])


def test_installed_file_that_is_linked_once_more_is_not_written(installed: Repo) -> None:
    path = installed.path / "node_modules/one/index.js"

    def link() -> None:
        os.link(path, installed.path.parent / "linked")

    assert outcome_of_test_beside(installed, link) == ("passed", [], [])


def test_installed_files_that_a_tool_writes_again_and_again_are_its_habit(repo: Repo) -> None:
    repo.write(".gitignore", "node_modules\n")
    repo.write("package.json", "{}")
    repo.write("node_modules/one/index.js", "1\n")
    repo.commit()
    script = "echo 1 >node_modules/one/index.js"
    assert [isinstance(ran(repo, script).outcome, Unstable) for _ in range(2)] == [True, False]
    assert ran(repo, script).source == "hit"


@pytest.mark.parametrize("inputs", ["", 'inputs = ["a.txt"]\n'], ids=["all", "others"])
@pytest.mark.parametrize("name", ["a.txt", "new.txt"])
def test_file_of_a_submodule_is_told_where_an_edit_of_it_is_undone(
    repo: Repo, tmp_path: Path, name: str, inputs: str
) -> None:
    inner = Repo.init(tmp_path / "inner")
    inner.write("a.txt", "inner\n")
    inner.commit()
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
             str(inner.path), "lib")  # fmt: skip
    repo.write(
        "toolcache.toml",
        f'[tools.test]\ncommand = ["sh", "-c", "echo >../begun; cat ../go-on"]\n{inputs}',
    )
    repo.commit()
    path = repo.path / "lib" / name
    path.write_text("inner\n")
    told = outcome_of_test_beside(repo, edited_and_put_back(path))
    assert told == (("passed", [], []) if inputs else ("unstable", [f"lib/{name}"], []))
