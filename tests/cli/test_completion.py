"""Completion by the shell: verbs, options and the names of tools."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_help import VERBS
from tests.support.calls import declare
from tests.support.repository import Repo

SCRIPT = Path(__file__).parents[2] / "completions" / "git-toolcache.bash"


@pytest.fixture
def tools(repo: Repo) -> Repo:
    declare(repo, {"test": "true", "test-slow": "true", "lint": "true"})
    return repo


def complete(repo: Repo, *words: str, folder: str = "") -> list[str]:
    """Return what bash offers for the last of *words*."""
    asked = {
        "_GIT_TOOLCACHE_COMPLETE": "complete_bash",
        "COMP_WORDS": "\n".join(["git-toolcache", *words]),
        "COMP_CWORD": str(len(words)),
    }
    ran = repo.toolcache(env=asked, folder=folder)
    assert ran.stderr == b""
    return ran.stdout.decode().split()


def test_verbs_are_offered(tools: Repo) -> None:
    assert complete(tools, "") == VERBS
    assert complete(tools, "s") == ["show", "status", "stats"]


def test_options_are_offered(tools: Repo) -> None:
    assert complete(tools, "run", "--k") == ["--keep-going"]
    assert complete(tools, "run", "--i") == ["--interactive"]
    assert complete(tools, "run", "--b") == ["--background", "--bisect"]
    for verb in ("run", "lookup", "show"):
        assert "--raw" in complete(tools, verb, "--r")


@pytest.mark.parametrize("verb", ["run", "wait", "attach", "lookup", "explain", "show", "forget"])
def test_tools_are_offered_where_one_is_taken(tools: Repo, verb: str) -> None:
    assert complete(tools, verb, "te", folder="sub") == ["test", "test-slow"]


def test_nothing_is_offered_where_the_settings_are_wrong(repo: Repo) -> None:
    repo.write("toolcache.toml", "tools = 1\n")
    assert complete(repo, "run", "") == []


def test_bash_completes_git_toolcache_beside_git(tools: Repo) -> None:
    script = """
        source "$1"
        COMP_WORDS=(git toolcache run te) COMP_CWORD=3
        _git_toolcache
        printf '%s\\n' "${COMPREPLY[@]}"
        COMP_WORDS=(git toolcache "") COMP_CWORD=2
        _git_toolcache
        printf '%s\\n' "${#COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "-c", script, "bash", str(SCRIPT)],
        cwd=tools.path,
        env=os.environ,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == b"test\ntest-slow\n13\n"
    assert done.stderr == b""


def test_the_set_up_of_a_shell_is_shown_for_the_script(repo: Repo) -> None:
    script = "git-toolcache --show-completion; exit $?"
    done = subprocess.run(["bash", "-c", script], cwd=repo.path, capture_output=True, check=False)
    assert done.returncode == 0
    assert b"_GIT_TOOLCACHE_COMPLETE" in done.stdout
