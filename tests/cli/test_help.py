"""Help, usage and versions: the same inside and outside a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitcache import __version__
from tests.cli.conftest import Within
from tests.support.repository import Repo

VERBS = [
    "run",
    "wait",
    "attach",
    "lookup",
    "explain",
    "show",
    "status",
    "log",
    "forget",
    "init",
    "doctor",
    "stats",
    "help",
]


@pytest.fixture(params=["inside", "outside"])
def place(request: pytest.FixtureRequest, repo: Repo, tmp_path: Path) -> Path:
    return repo.path if request.param == "inside" else tmp_path


def test_help_lists_every_verb(place: Path, within: Within) -> None:
    answers = {within(place, *words).stdout for words in (["-h"], ["--help"], ["help"])}
    (text,) = answers
    assert text.startswith(b"Usage: git toolcache [OPTIONS] COMMAND [ARGS]...\n")
    lines = text.decode().split("Commands:\n")[1].splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  ")] == VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_explains_itself(verb: str, tmp_path: Path, within: Within) -> None:
    asked, helped = (within(tmp_path, *words) for words in ([verb, "-h"], ["help", verb]))
    assert asked == helped
    assert (asked.status, asked.stderr) == (0, b"")
    assert asked.stdout.startswith(f"Usage: git toolcache {verb} ".encode())


def test_help_of_run_tells_the_statuses(place: Path, within: Within) -> None:
    text = within(place, "run", "test", "-h").stdout.decode()
    for status in ("124", "125", "126", "127", "128", "129"):
        assert status in text


def test_version_is_told(place: Path, within: Within) -> None:
    assert within(place, "--version").stdout == f"git-toolcache {__version__}\n".encode()


def test_without_words_the_help_is_bad_usage(place: Path, within: Within) -> None:
    ran = within(place)
    assert (ran.status, ran.stdout) == (129, b"")
    assert ran.stderr.startswith(b"Usage: git toolcache ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("frobnicate", "No such command 'frobnicate'\nhint: git toolcache help"),
        ("help frobnicate", "No such command 'frobnicate'\nhint: git toolcache help"),
        ("ru", "No such command 'ru'. Did you mean 'run'?\nhint: git toolcache help"),
        ("--nosuch", "No such option: --nosuch\nhint: git toolcache help"),
        ("run --nosuch", "No such option: --nosuch\nhint: git toolcache help run"),
        ("run --forc test", "No such option: --forc"),
        ("run --output", "Option '--output' requires an argument\nhint: git toolcache help run"),
        (
            "run --output=all test",
            "Invalid value for '--output': takes full, failed, none or tail:N, not 'all'",
        ),
        ("run --timeout=x test", "Invalid value for '--timeout': a duration above zero"),
        ("run --force=1 test", "Option '--force' does not take a value"),
        ("run", "run takes the name of a tool, or a command behind --"),
        ("run --force", "run takes the name of a tool, or a command behind --"),
        ("run --", "there is no command behind --"),
        ("run a b -- c", "extra words behind -- go with one tool"),
        ("run --stdin a b", "--stdin goes with one tool"),
        ("lookup", "lookup takes the name of a tool, or a command behind --"),
        ("lookup a b", "Got unexpected extra argument"),
        ("explain", "explain takes the name of a tool, or a command behind --"),
        ("show", "Missing argument 'TOOL|KEY'"),
        ("show a b", "Got unexpected extra argument"),
        ("status a", "Got unexpected extra argument"),
        ("log --nosuch", "No such option: --nosuch\nhint: git toolcache help log"),
        ("log -n x", "Invalid value for '-n' / '--max-count': "),
        ("forget", "forget takes tools, keys, or --all"),
    ],
)
def test_bad_usage_is_one_line_a_hint_and_129(
    repo: Repo, within: Within, words: str, message: str
) -> None:
    ran = within(repo.path, *words.split())
    assert (ran.status, ran.stdout) == (129, b"")
    assert ran.stderr.decode().startswith(f"fatal: {message}")
    assert ran.stderr.count(b"\n") <= 2
    assert repo.keys() == []


@pytest.mark.parametrize("words", ["", "show test", "status", "forget --all", "help run"])
def test_words_behind_a_double_dash_are_refused_where_none_are_taken(
    repo: Repo, within: Within, words: str
) -> None:
    ran = within(repo.path, *words.split(), "--", "x")
    assert ran.status == 129
    assert ran.stderr.startswith(
        b"fatal: only run, lookup, explain, wait and attach take words behind --\nhint: "
    )
