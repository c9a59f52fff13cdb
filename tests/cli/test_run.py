"""``git toolcache run``: several tools, what is shown, what is asked for, what is passed on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.conftest import Within
from tests.support.calls import FIRST, declare, shell
from tests.support.repository import Repo

LOUD = "echo 1; echo 2; echo 3; echo err >&2"


@pytest.fixture
def tools(repo: Repo, tmp_path: Path) -> Repo:
    """Return a repository whose tools note in ``log`` that they ran."""
    log = tmp_path / "log"
    declare(
        repo,
        {
            "test": f"echo test >>{log}; {LOUD}",
            "lint": f"echo lint >>{log}; {LOUD}; exit 3",
            "build": f"echo build >>{log}",
            "audit": f"echo audit >>{log}; exit 4",
        },
    )
    return repo


def ran(repo: Repo) -> list[str]:
    """Return which tools ran, in order."""
    log = repo.path.parent / "log"
    return log.read_text().split() if log.exists() else []


def test_tools_run_in_order_and_stop_at_the_first_red_one(tools: Repo, within: Within) -> None:
    for _ in range(2):
        done = within(tools.path, "run", "build", "lint", "test", "--output=none")
        assert done.status == 3
        told = done.stderr.replace(FIRST, b"").decode().splitlines()
        assert [line.split()[1] for line in told] == ["build", "lint"]
    assert ran(tools) == ["build", "lint"]  # each ran once: the second time both were hits


def test_keep_going_runs_them_all_and_gives_the_first_red_status(
    tools: Repo, within: Within
) -> None:
    done = within(tools.path, "run", "--keep-going", "build", "audit", "lint", "test")
    assert done.status == 4
    assert ran(tools) == ["build", "audit", "lint", "test"]
    assert within(tools.path, "run", "--keep-going", "build", "test").status == 0


def test_nothing_runs_where_one_of_the_tools_does_not_exist(tools: Repo, within: Within) -> None:
    done = within(tools.path, "run", "--keep-going", "test", "tset")
    assert (done.status, done.stdout) == (128, b"")
    assert done.stderr == b"fatal: there is no tool 'tset' here\nhint: did you mean test?\n"
    assert ran(tools) == []


@pytest.mark.parametrize(
    ("tool", "show", "stdout", "stderr"),
    [
        ("test", "full", b"1\n2\n3\n", b"err\n"),
        ("test", "failed", b"", b""),
        ("test", "none", b"", b""),
        ("lint", "full", b"1\n2\n3\n", b"err\n"),
        ("lint", "failed", b"1\n2\n3\n", b"err\n"),
        ("lint", "none", b"", b""),
        ("lint", "tail:0", b"", b""),
        ("lint", "tail:99", b"1\n2\n3\n", b"err\n"),
    ],
)
def test_each_output_shows_its_part_on_run_and_on_hit(
    tools: Repo, within: Within, tool: str, show: str, stdout: bytes, stderr: bytes
) -> None:
    for how in (b" after ", b": hit, ran "):
        done = within(tools.path, "run", tool, f"--output={show}")
        assert done.stdout == stdout
        *own, summary = done.stderr.removeprefix(FIRST).splitlines(keepends=True)
        assert b"".join(own) == stderr
        assert summary.startswith(b"toolcache: " + tool.encode())
        assert how in summary
    assert ran(tools) == [tool]


def test_tail_shows_the_last_lines_of_both_streams(repo: Repo, within: Within) -> None:
    declare(repo, {"test": "seq 10"})
    for _ in range(2):
        assert within(repo.path, "run", "test", "--output", "tail:2").stdout == b"9\n10\n"


def test_quiet_leaves_out_our_own_lines_and_nothing_else(tools: Repo, within: Within) -> None:
    for _ in range(2):
        done = within(tools.path, "run", "--quiet", "lint")
        assert (done.status, done.stdout, done.stderr) == (3, b"1\n2\n3\n", b"err\n")


def test_a_tool_that_prints_nothing_replays_nothing(repo: Repo, within: Within) -> None:
    for _ in range(2):
        done = within(repo.path, "run", "-q", "--", "true")
        assert (done.status, done.stdout, done.stderr) == (0, b"", b"")
    assert len(repo.keys()) == 1


def test_a_cut_is_told_beside_the_output_of_a_hit(repo: Repo, within: Within) -> None:
    words = ("run", "--", "seq", "300000")
    assert within(repo.path, *words).stdout.endswith(b"\n299999\n300000\n")
    again = within(repo.path, *words)
    assert again.stdout.startswith(b"1\n2\n")
    assert again.stdout.endswith(b"\n299999\n300000\n")
    notice, summary = again.stderr.decode().splitlines()
    assert notice == "toolcache: 918.3KiB of output in the middle are not kept"
    assert ": hit, ran " in summary


def test_extra_words_go_to_the_tool_and_into_the_key(repo: Repo, within: Within) -> None:
    repo.write("toolcache.toml", '[tools.test]\ncommand = ["printf", "<%s>"]\n')
    extras: list[list[str]] = [["a", "b"], ["a b"], ["ab", ""], ["$HOME"], []]
    shown = [within(repo.path, "run", "-q", "test", "--", *each).stdout for each in extras]
    assert shown == [b"<a><b>", b"<a b>", b"<ab><>", b"<$HOME>", b"<>"]
    assert len(repo.keys()) == len(extras)
    assert within(repo.path, "run", "test", "--").is_hit  # no words are no words


def test_the_environment_switch_says_how_the_store_is_used(
    repo: Repo, within: Within, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("run", "--json", "--", "true")

    def asked(use: str) -> tuple[object, ...]:
        monkeypatch.setenv("GIT_TOOLCACHE", use)
        told = within(repo.path, *words).json
        return told["source"], told["stored"], told["reasons"], told["key"] is not None

    assert asked("off") == ("run", False, ["the store is off"], False)
    assert asked("read") == ("run", False, ["no entry"], True)
    assert repo.keys() == []
    assert asked("on") == ("run", True, ["no entry"], True)
    assert asked("read") == ("hit", True, [], True)
    assert asked("") == ("hit", True, [], True)
    assert asked("off") == ("run", False, ["the store is off"], False)


@pytest.mark.parametrize("verb", ["run test", "lookup test", "status", "show test"])
def test_another_word_in_the_switch_is_refused(
    tools: Repo, within: Within, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setenv("GIT_TOOLCACHE", "yes")
    done = within(tools.path, *verb.split())
    assert (done.status, done.stdout) == (128, b"")
    assert done.stderr == (
        b'fatal: the variable GIT_TOOLCACHE takes "on", "read" or "off", not "yes"\n'
        b"hint: unset GIT_TOOLCACHE\n"
    )


def test_a_timeout_of_the_call_wins_over_the_settings(repo: Repo) -> None:
    repo.write("toolcache.toml", '[tools.test]\ncommand = "sleep 300"\ntimeout = "10m"\n')
    done = repo.toolcache("run", "--json", "--timeout", "200ms", "test")
    assert done.status == 124
    assert (done.json["outcome"], done.json["stored"]) == ("timed_out", False)
    assert done.summary.startswith("toolcache: test ran into its timeout of 0.2s after ")
    assert repo.keys() == []


def test_a_limit_below_the_stored_duration_runs_again(repo: Repo) -> None:
    words = ("--", "sh", "-c", "sleep 0.1")
    assert repo.toolcache("run", *words).status == 0
    again = repo.toolcache("run", "--timeout=10ms", "--json", *words)
    assert again.status == 124
    assert again.json["reasons"] == ["the entry's run took longer than the timeout"]
    assert repo.toolcache("run", *words).is_hit


BROKEN: Mapping[str, tuple[str, str]] = {
    "no TOML": ("= 1", "is no valid TOML: Invalid statement (at line 1, column 1)"),
    "no UTF-8": ("\udcff", "is no valid UTF-8 (at line 1, column 1)"),
    "unknown name": ("[tool.test]", 'unknown name "tool"; did you mean "tools"?'),
    "unknown setting": (
        '[tools.test]\ncomand = "x"',
        '[tools.test] unknown name "comand"; did you mean "command"?',
    ),
    "empty command": (
        '[tools.test]\ncommand = ""',
        "[tools.test] command: takes a string of words or an array of strings, the first not "
        'empty, without NUL, not ""',
    ),
    "wrong type": (
        '[tools.test]\ncommand = "x"\nslots = "many"',
        '[tools.test] slots: takes a whole number, 0 or more, not "many"',
    ),
    "negative timeout": (
        '[tools.test]\ncommand = "x"\ntimeout = -5',
        '[tools.test] timeout: takes a duration above zero such as "30m" or seconds, '
        'or "none", not -5',
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_wrong_settings_are_one_line_that_names_file_and_table(
    repo: Repo, within: Within, what: str
) -> None:
    text, message = BROKEN[what]
    repo.write("toolcache.toml", text.encode("utf-8", "surrogateescape"))
    for words in ("run test", "lookup test", "show test", "status", "forget test"):
        done = within(repo.path, *words.split())
        assert (done.status, done.stdout) == (128, b"")
        assert done.stderr.decode() == f"fatal: toolcache.toml: {message}\n"
    assert within(repo.path, "run", "--", "true").status == 0  # needs no settings


def test_settings_that_cannot_be_read_or_stand_twice_are_refused(
    repo: Repo, within: Within
) -> None:
    (repo.path / "toolcache.toml").mkdir()
    done = within(repo.path, "run", "test")
    assert done.stderr == b"fatal: toolcache.toml: can't be read: Is a directory\n"
    assert done.status == 128
    (repo.path / "toolcache.toml").rmdir()
    declare(repo, {"test": "true"})
    repo.write("pyproject.toml", "[tool.toolcache.tools.lint]\ncommand = 'true'\n")
    done = within(repo.path, "run", "test")
    assert done.stderr.decode() == (
        "fatal: toolcache.toml and [tool.toolcache] in pyproject.toml both hold settings\n"
        "hint: keep all of them in one of the two\n"
    )
    (repo.path / "toolcache.toml").unlink()
    assert within(repo.path, "run", "lint").status == 0


def test_an_unknown_tool_names_those_that_exist(repo: Repo, within: Within) -> None:
    def refusal(name: str) -> str:
        done = within(repo.path, "run", name)
        assert (done.status, done.stdout) == (128, b"")
        return done.stderr.decode()

    assert refusal("deploy") == (
        "fatal: there is no tool 'deploy' here\nhint: nothing here is declared or detected\n"
    )
    declare(repo, {"check": "true", "deploy-all": "true"})
    assert refusal("chek") == "fatal: there is no tool 'chek' here\nhint: did you mean check?\n"
    assert refusal("x") == "fatal: there is no tool 'x' here\nhint: there are check, deploy-all\n"
    assert refusal("\x1b[2J") == (
        "fatal: there is no tool '\\x1b[2J' here\nhint: there are check, deploy-all\n"
    )


def test_what_does_not_start_is_126_or_127_and_never_stored(repo: Repo, within: Within) -> None:
    repo.write("plain", "echo\n")
    refused = "./plain: can't be executed: Permission denied; nothing is stored"
    for words, status, told in (
        (("nosuch",), 127, "did not start: nosuch: command not found; nothing is stored"),
        (("./plain",), 126, f"did not start: {refused}"),
        (("sh", "-c", "nosuch"), 127, "ended with status 127 (a program was not found) after "),
        (
            ("sh", "-c", "./plain"),
            126,
            "ended with status 126 (a program is not executable) after ",
        ),
    ):
        done = within(repo.path, "run", "--output=none", "--", *words)
        assert done.status == status
        assert f"toolcache: command {told}" in done.summary
        assert done.summary.endswith("; nothing is stored")
    assert repo.keys() == []


def test_a_missing_folder_of_a_tool_is_told_before_it_runs(repo: Repo, within: Within) -> None:
    repo.write("toolcache.toml", '[tools.test]\ncommand = "true"\ndirectory = "nosuch"\n')
    done = within(repo.path, "run", "test")
    assert done.status == 128
    assert done.stderr == (b"fatal: toolcache.toml: the directory of test, nosuch, is not there\n")


def test_words_of_any_kind_reach_the_tool_and_never_share_a_result(
    repo: Repo, within: Within
) -> None:
    special = [chr(code) for code in range(1, 128)]
    words = ["", " ", "a b", "'", '"', "\\", "\n", "a\nb", "*", "é", "\udcff", "x" * 10_000]
    for word in ("x" * 9_999 + "y", "".join(special), *words):
        for source in ("run", "hit"):
            told = within(repo.path, "run", "--json", "--", "printf", "<%s>", word).json
            assert told["source"] == source
    shown = within(repo.path, "run", "-q", "--", "printf", "<%s>", "a\nb '\"").stdout
    assert shown == b"<a\nb '\">"
    assert len(repo.keys()) == len(words) + 3


def test_a_chain_of_commands_is_one_unit(repo: Repo) -> None:
    declare(repo, {"test": "echo a && false && echo b; echo c; exit 5"})
    for _ in range(2):
        done = repo.toolcache("run", "-q", "test")
        assert (done.status, done.stdout) == (5, b"a\nc\n")
    assert len(repo.keys()) == 1


def test_the_shell_sees_our_status(repo: Repo) -> None:
    assert shell(repo, 'toolcache run -q -- sh -c "exit 3" || echo $?')[1] == b"3\n"
    assert json.loads(shell(repo, "toolcache run --json -- true 2>&-")[1])["exit_status"] == 0
