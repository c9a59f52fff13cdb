"""A hit says what a fresh run would, for all that lies outside the tree and out of plain sight."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitcache.engine.cached_run import run
from gitcache.engine.resolve import Request
from tests.support.calls import NOW, Recorder, context_in
from tests.support.repository import Ran, Repo


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def declare(repo: Repo, text: str) -> None:
    repo.write("toolcache.toml", f"[tools.test]\n{text}\n")
    repo.commit("settings")


def answers(*runs: Ran) -> list[tuple[bool, bytes]]:
    """Return of each run whether it was a hit, and what it printed."""
    return [(each.is_hit, each.stdout) for each in runs]


def test_command_of_ones_own_never_answers_for_a_tool(repo: Repo) -> None:
    repo.write("toolcache.toml", '[tools.command]\ncommand = "true"\n')
    ran = repo.toolcache("run", "command")
    assert ran.status == 128
    assert b'other than "command"' in ran.stderr


def test_settings_that_nobody_tracks_count(repo: Repo) -> None:
    repo.write(".gitignore", "toolcache.toml\n")
    repo.commit()
    body = "[tools.test]\ncommand = ['sh', '-c', 'echo FOO=$FOO']\n"
    repo.write("toolcache.toml", body)
    first = repo.toolcache("run", "test", env={"FOO": "1"})
    repo.write("toolcache.toml", f'env_mode = "loose"\n{body}')
    loose = repo.toolcache("run", "test", env={"FOO": "1"})
    repo.write("toolcache.toml", f'{body}pass_env = ["FOO"]\n')
    passed = repo.toolcache("run", "test", env={"FOO": "2"})
    assert answers(first, loose, passed) == [
        (False, b"FOO=\n"),
        (False, b"FOO=1\n"),
        (False, b"FOO=2\n"),
    ]


def test_interpreter_of_a_script_counts(repo: Repo, tmp_path: Path) -> None:
    interpreter = script(tmp_path / "bin/interpreter", "#!/bin/sh\necho one\n")
    script(tmp_path / "bin/tool", f"#!{interpreter}\n")
    env = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    first = repo.toolcache("run", "--", "tool", env=env)
    script(interpreter, "#!/bin/sh\necho two\n")
    second = repo.toolcache("run", "--", "tool", env=env)
    assert answers(first, second) == [(False, b"one\n"), (False, b"two\n")]


def test_program_that_starts_is_the_one_that_counts(repo: Repo, tmp_path: Path) -> None:
    script(tmp_path / "a/tool", "#!/nonexistent/interpreter\n")
    script(tmp_path / "b/tool", "#!/bin/sh\necho two\n")
    env = {"PATH": f"{tmp_path}/a:{tmp_path}/b:{os.environ['PATH']}"}
    ran = repo.toolcache("run", "--", "tool", env=env)
    assert ran.status == 127
    assert repo.keys() == []


def test_version_that_a_manager_selects_counts(repo: Repo, tmp_path: Path) -> None:
    script(tmp_path / "bin/python", '#!/bin/sh\necho "$PYENV_VERSION"\n')
    env = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    runs = [
        repo.toolcache("run", "--", "python", env={**env, "PYENV_VERSION": version})
        for version in ("3.11", "3.12", "3.11")
    ]
    assert answers(*runs) == [(False, b"3.11\n"), (False, b"3.12\n"), (True, b"3.11\n")]


def test_new_emptied_and_deleted_env_file_are_three_contents(repo: Repo) -> None:
    repo.write(".gitignore", ".env\n")
    declare(repo, "command = ['sh', '-c', 'cat sub/.env 2>/dev/null; true']")
    env_file = repo.path / "sub/.env"
    runs = [repo.toolcache("run", "test")]
    for text in ("A=1\n", ""):
        env_file.write_text(text)
        runs.append(repo.toolcache("run", "test"))
    env_file.unlink()
    runs.append(repo.toolcache("run", "test"))
    assert answers(*runs) == [(False, b""), (False, b"A=1\n"), (False, b""), (True, b"")]


def test_declared_ignored_file_counts(repo: Repo) -> None:
    repo.write(".gitignore", "local.yml\n")
    declare(repo, "command = ['cat', 'local.yml']\nignored_inputs = ['local.yml']")
    repo.write("local.yml", "one\n")
    first = repo.toolcache("run", "test")
    repo.write("local.yml", "two\n")
    second = repo.toolcache("run", "test")
    assert answers(first, second) == [(False, b"one\n"), (False, b"two\n")]


def test_tool_that_was_not_there_runs_once_it_is_installed(repo: Repo, tmp_path: Path) -> None:
    env = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    declare(repo, 'command = "checker"')
    assert repo.toolcache("run", "test", env=env).status == 127
    script(tmp_path / "bin/checker", "#!/bin/sh\necho installed\n")
    ran = repo.toolcache("run", "test", env=env)
    assert (ran.is_hit, ran.stdout) == (False, b"installed\n")


def test_upgraded_linter_of_the_project_runs_again(repo: Repo) -> None:
    repo.write(".gitignore", "node_modules\n")
    repo.write("package.json", '{"scripts": {"lint": "linter"}}')
    repo.commit()
    for version in ("1", "2"):
        module = f"console.log('linter {version}')\n"
        script(repo.path / "node_modules/linter/cli.js", f"#!/usr/bin/env node\n{module}")
        script(repo.path / "node_modules/.bin/linter", f"#!/bin/sh\necho linter {version}\n")
        ran = repo.toolcache("run", "lint")
        assert (ran.is_hit, ran.stdout.splitlines()[-1]) == (False, b"linter %s" % version.encode())


def test_same_words_in_two_folders_under_two_names_and_with_other_bounds_are_no_hits(
    repo: Repo,
) -> None:
    repo.write("a/x", "")
    repo.write("b/y", "")
    tables = {
        "one": "command = ['ls']\ndirectory = 'a'",
        "two": "command = ['ls']\ndirectory = 'b'",
        "three": "command = ['ls']\ndirectory = 'a'",
        "four": "command = ['printf', '%s.', 'a b', 'c']",
        "five": "command = ['printf', '%s.', 'a', 'b c']",
    }
    text = "".join(f"[tools.{name}]\n{body}\n" for name, body in tables.items())
    repo.write("toolcache.toml", text)
    repo.commit()
    told = answers(*(repo.toolcache("run", name) for name in tables))
    assert told == [(False, each) for each in (b"x\n", b"y\n", b"x\n", b"a b.c.", b"a.b c.")]


def test_settings_that_differ_in_one_word_differ_though_the_inputs_leave_their_file_out(
    repo: Repo,
) -> None:
    body = "inputs = ['src']\nshell = true\ncommand = 'echo $WORD'\nset_env = {{ WORD = '{}' }}"
    repo.write("src/a", "")
    declare(repo, body.format("one"))
    first = repo.toolcache("run", "test")
    declare(repo, f"# a remark\n{body.format('one')}")
    remarked = repo.toolcache("run", "test")
    declare(repo, body.format("two"))
    assert answers(first, remarked, repo.toolcache("run", "test")) == [
        (False, b"one\n"),
        (True, b"one\n"),
        (False, b"two\n"),
    ]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no processor can be left out")
def test_machine_with_another_number_of_cores_shares(repo: Repo) -> None:
    declare(repo, 'command = "nproc"')
    first = repo.toolcache("run", "test")
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(every)})
    try:
        second = repo.toolcache("run", "test")
    finally:
        os.sched_setaffinity(0, every)
    assert second.is_hit
    assert second.stdout == first.stdout


def test_what_another_tool_makes_counts(repo: Repo) -> None:
    repo.write(".gitignore", "dist\n")
    body = 'command = "cat dist/a"\n[tools.build]\ncommand = "true"\noutputs = ["dist"]'
    declare(repo, body)
    repo.write("dist/a", "one\n")
    runs = [repo.toolcache("run", "test"), repo.toolcache("run", "test")]
    repo.write("dist/a", "two\n")
    runs.append(repo.toolcache("run", "test"))
    repo.write("dist/b", "")
    runs.append(repo.toolcache("run", "--", "cat", "dist/a"))
    repo.write("dist/b", "more")
    runs.append(repo.toolcache("run", "--", "cat", "dist/a"))
    assert answers(*runs) == [
        (False, b"one\n"),
        (True, b"one\n"),
        (False, b"two\n"),
        (False, b"two\n"),
        (False, b"two\n"),
    ]


def test_installed_package_counts_whatever_the_tool_is(repo: Repo) -> None:
    repo.write("package.json", "{}")
    repo.write(".gitignore", "node_modules/\n")
    declare(repo, "command = ['sh', '-c', 'cat node_modules/left/index.js']")
    package = repo.write("node_modules/left/index.js", "one\n")
    runs = [repo.toolcache("run", "test") for _ in range(2)]
    facts = package.stat()
    package.write_text("two\n")
    os.utime(package, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    runs.append(repo.toolcache("run", "test"))
    assert answers(*runs) == [(False, b"one\n"), (True, b"one\n"), (False, b"two\n")]


def test_file_outside_of_the_inputs_does_not_count(repo: Repo) -> None:
    declare(repo, "command = ['cat', 'a.txt']\ninputs = ['a.txt']")
    first = repo.toolcache("run", "test")
    repo.write("sub/b.txt", "edited\n")
    second = repo.toolcache("run", "test")
    repo.write("a.txt", "edited\n")
    third = repo.toolcache("run", "test")
    assert answers(first, second, third) == [(False, b"a\n"), (True, b"a\n"), (False, b"edited\n")]


def test_inputs_that_select_nothing_are_an_error(repo: Repo) -> None:
    declare(repo, "command = 'true'\ninputs = ['nosuch/']")
    ran = repo.toolcache("run", "test")
    assert ran.status == 128
    assert b"inputs select nothing" in ran.stderr


def test_commits_own_script_counts_as_the_commit_has_it(repo: Repo) -> None:
    script(repo.path / "r.sh", "#!/bin/sh\nexit 0\n")
    declare(repo, "command = './r.sh'")
    assert repo.toolcache("run", "test").status == 0
    repo.write("r.sh", "#!/bin/sh\nexit 3\n")
    assert repo.toolcache("lookup", "test").status == 2
    assert repo.toolcache("lookup", "--rev", "HEAD", "test").status == 0


@pytest.mark.parametrize("name", ["toolcache.toml", "package.json"])
def test_pipe_in_place_of_a_settings_file_is_not_waited_for(repo: Repo, name: str) -> None:
    os.mkfifo(repo.path / name)
    assert repo.toolcache("run", "test").status == 128


def test_installers_own_list_counts_in_place_of_the_files_where_that_is_asked_for(
    repo: Repo,
) -> None:
    repo.write("package.json", "{}")
    repo.write(".gitignore", "node_modules/\n")
    body = "command = ['sh', '-c', 'cat node_modules/left/index.js']"
    declare(repo, f'{body}\ndependency_check = "lockfile"')
    repo.write("node_modules/left/index.js", "one\n")
    listed = repo.write("node_modules/.package-lock.json", "left 1\n")
    runs = [repo.toolcache("run", "test")]
    repo.write("node_modules/left/index.js", "two\n")
    runs.append(repo.toolcache("run", "test"))
    listed.write_text("left 2\n")
    runs.append(repo.toolcache("run", "test"))
    listed.unlink()
    runs.append(repo.toolcache("run", "test"))
    repo.write("node_modules/left/index.js", "three\n")
    runs.append(repo.toolcache("run", "test"))
    assert answers(*runs) == [
        (False, b"one\n"),
        (True, b"one\n"),
        (False, b"two\n"),
        (False, b"two\n"),
        (False, b"three\n"),
    ]


@pytest.mark.parametrize(("name", "answers_again"), [("security-scan", False), ("scan", True)])
def test_answer_of_a_tool_that_looks_at_the_world_holds_for_a_day(
    repo: Repo, name: str, answers_again: bool
) -> None:
    repo.write("toolcache.toml", f"[tools.{name}]\ncommand = 'true'\n")
    repo.commit()
    before = context_in(repo.path, now=NOW)
    run(Request(name), before, Recorder())
    later = context_in(repo.path, now=NOW + 86_500)
    assert (run(Request(name), later, Recorder()).source == "hit") is answers_again
