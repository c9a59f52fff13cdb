"""Where colours go: to terminals that show them, out of a pipe if they are our doing, and alike
from a run and from its entry."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.support.calls import declare
from tests.support.repository import Repo
from tests.support.terminal import toolcache_at_terminal

STAND_IN = r"""#!/bin/sh
case " $* " in
*" --color=yes "*)
    printf '\033[31mred\033[0m %s\n' "$*"
    printf '\033[32mgreen\033[m\n' >&2 ;;
*)
    printf 'plain %s\n' "$*" ;;
esac
"""
"""Stands for pytest: colours where it is asked to."""

COLOURED = r"printf '\033[31mred\033[0m\n'"
"""A tool that colours without being asked."""


@pytest.fixture
def without_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no installed package count for what is called pytest: these tests' own may change."""
    monkeypatch.setenv("PATH", "/usr/local/bin:/usr/bin:/bin")


@pytest.fixture
def tests_in_colour(repo: Repo, without_packages: None) -> Repo:
    """Return a repository whose test runner colours when it is asked to."""
    repo.write("bin/pytest", STAND_IN).chmod(0o755)
    repo.write("toolcache.toml", '[tools.test]\ncommand = "bin/pytest -q"\n')
    repo.commit("tests")
    return repo


RED = b"\x1b[31mred\x1b[0m --color=yes -q\n"
BARE = b"red --color=yes -q\n"


def test_a_pipe_gets_no_colours_that_we_asked_for(tests_in_colour: Repo) -> None:
    for _ in range(2):
        ran = tests_in_colour.toolcache("run", "-q", "test")
        assert (ran.status, ran.stdout, ran.stderr) == (0, BARE, b"green\n")
    assert len(tests_in_colour.keys()) == 1


def test_raw_keeps_them_on_run_and_hit(tests_in_colour: Repo) -> None:
    for _ in range(2):
        ran = tests_in_colour.toolcache("run", "-q", "--raw", "test")
        assert (ran.stdout, ran.stderr) == (RED, b"\x1b[32mgreen\x1b[m\n")


@pytest.mark.parametrize(
    ("env", "shown"),
    [({}, RED), ({"NO_COLOR": "1"}, BARE), ({"TERM": "dumb"}, BARE), ({"NO_COLOR": ""}, RED)],
)
def test_a_terminal_gets_them_where_it_shows_them_on_run_and_hit(
    tests_in_colour: Repo, env: Mapping[str, str], shown: bytes
) -> None:
    for _ in range(2):
        here = toolcache_at_terminal(tests_in_colour, "run", "-q", "test", env=env)
        assert here.status == 0
        assert shown in here.stdout
        assert (b"\x1b[31m" in here.stdout) == (shown == RED)
    assert len(tests_in_colour.keys()) == 1


def test_terminal_and_pipe_share_one_run(tests_in_colour: Repo) -> None:
    first = toolcache_at_terminal(tests_in_colour, "run", "test")
    again = tests_in_colour.toolcache("run", "test")
    assert b"toolcache: miss: " in first.stdout
    assert again.is_hit
    assert again.stdout == BARE


def test_json_has_no_colours_unless_raw_and_tells_that_they_were_asked_for(
    tests_in_colour: Repo,
) -> None:
    for words, text in (((), BARE), (("--raw",), RED), ((), BARE)):
        told = tests_in_colour.toolcache("run", "--json", *words, "test").json
        assert told["output"][0] == {"stream": "stdout", "text": text.decode()}
        assert (told["coloured"], told["streams_merged"]) == (True, False)


def test_lookup_and_show_do_alike(tests_in_colour: Repo) -> None:
    assert tests_in_colour.toolcache("run", "-q", "test").status == 0
    for verb in (("lookup", "-q", "--output", "full"), ("show",)):
        assert BARE in tests_in_colour.toolcache(*verb, "test").stdout
        assert RED in tests_in_colour.toolcache(*verb, "--raw", "test").stdout
        assert RED in toolcache_at_terminal(tests_in_colour, *verb, "test").stdout
    for verb_of_json in (("lookup",), ("show",)):
        told = tests_in_colour.toolcache(*verb_of_json, "--json", "test").stdout
        assert b"u001b" not in told
        raw = tests_in_colour.toolcache(*verb_of_json, "--json", "--raw", "test").stdout
        assert b"u001b[31m" in raw


def test_show_and_explain_tell_what_was_added(tests_in_colour: Repo) -> None:
    tests_in_colour.toolcache("run", "test")
    shown = tests_in_colour.toolcache("show", "test").stdout.decode()
    rows = [line.split(maxsplit=1) for line in shown.splitlines()]
    assert ["argv", "bin/pytest --color=yes -q"] in rows
    assert "added for colours  --color=yes\n" in shown
    tests_in_colour.write(
        "toolcache.toml", '[tools.test]\ncommand = "bin/pytest -q"\ncolor = false\n'
    )
    told = tests_in_colour.toolcache("explain", "test").stdout.decode()
    assert "  argv changed: bin/pytest --color=yes -q → bin/pytest -q\n" in told
    assert "  flag for colours is gone: --color=yes → none\n" in told


def test_the_setting_turns_it_off(tests_in_colour: Repo) -> None:
    tests_in_colour.write(
        "toolcache.toml", '[tools.test]\ncommand = "bin/pytest -q"\ncolor = false\n'
    )
    for _ in range(2):
        told = tests_in_colour.toolcache("run", "--json", "test").json
        assert told["output"] == [{"stream": "stdout", "text": "plain -q\n"}]
        assert told["coloured"] is False


def test_extra_words_and_commands_of_ones_own_are_asked_too(tests_in_colour: Repo) -> None:
    extra = tests_in_colour.toolcache("run", "-q", "test", "--", "-x")
    assert extra.stdout == b"red --color=yes -q -x\n"
    own = tests_in_colour.toolcache("run", "-q", "--", "bin/pytest", "a")
    assert own.stdout == b"red --color=yes a\n"
    said = tests_in_colour.toolcache("run", "-q", "test", "--", "--color=no")
    assert said.stdout == b"plain -q --color=no\n"


def test_a_tool_that_we_did_not_ask_keeps_every_byte_everywhere(repo: Repo) -> None:
    declare(repo, {"test": COLOURED})
    for _ in range(2):
        assert repo.toolcache("run", "-q", "test").stdout == b"\x1b[31mred\x1b[0m\n"
        told = repo.toolcache("run", "--json", "test").json
        assert told["output"] == [{"stream": "stdout", "text": "\x1b[31mred\x1b[0m\n"}]
        here = toolcache_at_terminal(repo, "run", "-q", "test", env={"NO_COLOR": "1"})
        assert here.stdout == b"\x1b[31mred\x1b[0m\n"


def test_nothing_but_colours_commands_a_terminal_out_of_an_entry(repo: Repo) -> None:
    declare(repo, {"test": r"printf 'a\033]52;c;eA==\007\033[2J\033[31mb\033[0m\2332Jc\n'"})
    live = toolcache_at_terminal(repo, "run", "-q", "test")
    assert live.stdout == b"a\x1b]52;c;eA==\x07\x1b[2J\x1b[31mb\x1b[0m\x9b2Jc\n"
    for words in (("run", "-q"), ("run", "-q", "--raw"), ("lookup", "-q", "--output=full")):
        assert toolcache_at_terminal(repo, *words, "test").stdout == b"a\x1b[31mb\x1b[0m2Jc\n"
    assert repo.toolcache("run", "-q", "test").stdout == live.stdout


def test_a_command_in_pieces_on_two_streams_does_not_get_to_the_terminal(repo: Repo) -> None:
    """In whichever order the pieces of the two streams arrive."""
    tool = r"printf 'a\033]'; printf '\033[3' >&2; printf '0;title\007b'; printf '1mc\n' >&2"
    declare(repo, {"test": tool})
    repo.toolcache("run", "-q", "test")
    shown = toolcache_at_terminal(repo, "run", "-q", "test").stdout
    assert b"\x1b[31mc\n" in shown
    assert sorted(shown.replace(b"\x1b[31m", b"")) == sorted(b"abc\n")


@pytest.mark.usefixtures("without_packages")
def test_a_variable_is_named_in_the_hint_also_where_a_colour_stands_before_it(repo: Repo) -> None:
    repo.write("bin/pytest", "#!/bin/sh\nprintf '\\033[31mDATABASE_URL is missing\\n'; exit 1\n")
    (repo.path / "bin/pytest").chmod(0o755)
    ran = repo.toolcache("run", "--", "bin/pytest", env={"DATABASE_URL": "x"})
    assert b"hint: DATABASE_URL is set but not passed" in ran.stderr


@pytest.mark.usefixtures("without_packages")
def test_the_mark_of_a_kill_is_seen_through_colours(repo: Repo) -> None:
    mark = "\\033[31mError: Worker exited unexpectedly\\033[39m\\n"
    repo.write("bin/vitest", f"#!/bin/sh\nprintf '{mark}'; exit 1\n").chmod(0o755)
    told = repo.toolcache("run", "--json", "--", "bin/vitest", "run").json
    assert (told["coloured"], told["outcome"], told["stored"]) == (True, "killed", False)


def test_real_pytest_is_asked_for_colours(repo: Repo) -> None:
    repo.write("test_it.py", "def test_it(): pass\n")
    repo.write(".gitignore", "__pycache__/\n.pytest_cache/\n")
    words = ("--", "pytest", "-q", "-p", "no:cacheprovider")
    assert b"\x1b[1m1 passed" in repo.toolcache("run", "-q", "--raw", *words).stdout
    bare = repo.toolcache("run", "-q", *words).stdout
    assert b"\x1b" not in bare
    assert b"1 passed in" in bare
