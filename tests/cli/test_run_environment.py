"""What a tool sees of its caller's variables: the same for every caller, and none of git's own."""

from __future__ import annotations

import os
import pty

import pytest

from tests.support.calls import FIRST, ask, context_in, declare, start
from tests.support.repository import Repo

CALLER = {
    "TERM": "xterm-256color",
    "COLUMNS": "200",
    "LINES": "50",
    "FORCE_COLOR": "1",
    "NO_COLOR": "1",
    "CLICOLOR_FORCE": "1",
    "npm_lifecycle_event": "test",
    "MAKEFLAGS": "-j8 --jobserver-auth=3,4",
    "MAKELEVEL": "2",
    "INIT_CWD": "/somewhere",
    "OLDPWD": "/somewhere",
    "UNDECLARED": "x",
    "GIT_TOOLCACHE": "on",
    "GIT_DIR_OF_MINE": "x",
    "CI": "true",
    "LC_ALL": "C",
    "PYTHONHASHSEED": "0",
    "XDG_STATE_HOME": "/state",
    "http_proxy": "http://proxy",
}


def seen(repo: Repo, tool: str = "show", env: dict[str, str] | None = None) -> dict[str, str]:
    """Return the variables that the tool saw."""
    ran = repo.toolcache("run", "--force", "-q", tool, env={**CALLER, **(env or {})})
    assert ran.status == 0, ran.stderr
    return dict(each.split("=", 1) for each in ran.stdout.decode().split("\0") if each)


@pytest.fixture
def tool(repo: Repo) -> Repo:
    repo.write("toolcache.toml", '[tools.show]\ncommand = "env -0"\n')
    return repo


def test_only_declared_and_default_variables_are_seen(tool: Repo) -> None:
    variables = seen(tool)
    assert {name for name in variables if not name.startswith("PYTEST_")} == {
        *("PATH", "HOME", "LANG", "TERM", "CI", "LC_ALL", "PYTHONHASHSEED"),
        *("XDG_STATE_HOME", "http_proxy", "GIT_TOOLCACHE_INSIDE"),
    }
    assert variables["TERM"] == "dumb"


def test_declared_variables_are_seen_set_ones_first(tool: Repo) -> None:
    tool.write(
        "toolcache.toml",
        '[tools.show]\ncommand = "env -0"\nenv = ["UNDE*", "CI"]\npass_env = ["TERM"]\n'
        'set_env = { CI = "set", NEW = "" }\n',
    )
    variables = seen(tool)
    told = {name: variables.get(name) for name in ("UNDECLARED", "TERM", "CI", "NEW", "COLUMNS")}
    assert told == {
        "UNDECLARED": "x",
        "TERM": "xterm-256color",
        "CI": "set",
        "NEW": "",
        "COLUMNS": None,
    }


def test_loose_mode_passes_all_but_the_terminal_and_gits_own(tool: Repo) -> None:
    tool.write("toolcache.toml", 'env_mode = "loose"\n[tools.show]\ncommand = "env -0"\n')
    variables = seen(tool, env={"GIT_DIR": str(tool.path / ".git")})
    assert variables["UNDECLARED"] == "x"
    assert variables["TERM"] == "dumb"
    assert not {"GIT_DIR", "COLUMNS", "FORCE_COLOR", "NO_COLOR"} & set(variables)


def test_a_keyed_variable_counts_unset_empty_and_set(repo: Repo) -> None:
    values: list[dict[str, str]] = [{}, {"CI": ""}, {"CI": "0"}, {"CI": "1"}]
    callers = [context_in(repo.path, environ=each) for each in values]
    for source in ("run", "hit"):
        assert [ask(repo, "true", context=each)[0].source for each in callers] == [source] * 4


def test_what_is_not_in_the_key_does_not_count(repo: Repo) -> None:
    words = ("run", "--json", "--", "true")
    others = {name: "other" for name in CALLER if name not in ("CI", "LC_ALL", "PYTHONHASHSEED")}
    del others["GIT_TOOLCACHE"]
    assert repo.toolcache(*words, env=CALLER).json["source"] == "run"
    assert repo.toolcache(*words, env={**CALLER, **others}).json["source"] == "hit"


def test_a_terminal_of_the_caller_changes_nothing(repo: Repo) -> None:
    """The tool prints whether it has a terminal; the same key answers for both callers."""
    declare(repo, {"test": "test -t 0 || test -t 1 || test -t 2 || echo none; echo $TERM"})
    ours, theirs = pty.openpty()
    environ = {**os.environ, "TERM": "xterm"}
    with start(repo, "run", "test", stdin=theirs, stdout=theirs, stderr=theirs, env=environ) as it:
        assert it.wait() == 0
    os.close(theirs)
    shown = os.read(ours, 1 << 16)
    os.close(ours)
    told = FIRST.replace(b"\n", b"\r\n")
    assert shown.removeprefix(told).startswith(
        b"none\r\ndumb\r\ntoolcache: test \x1b[32mpassed\x1b[0m after "
    )
    again = repo.toolcache("run", "test")
    assert again.is_hit
    assert again.stdout == b"none\ndumb\n"
    assert b"\x1b" not in again.stderr


def test_an_upgraded_program_is_another_key(repo: Repo) -> None:
    """The tool's program lies outside the repository, so no tree shows its change."""
    program = repo.path.parent / "bin" / "checker"
    program.parent.mkdir()
    environ = {"PATH": f"{program.parent}:{os.environ['PATH']}"}

    def source(script: str) -> str:
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        told = repo.toolcache("run", "--json", "--", "checker", env=environ).json
        return f"{told['source']} {told['exit_status']}"

    assert [source("exit 0"), source("exit 0"), source("exit 1"), source("exit 0")] == [
        "run 0",
        "hit 0",
        "run 1",
        "hit 0",
    ]
