"""The settings: every name, every refusal with its words, and no other error for any bytes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields
from math import inf

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gitcache import exits
from gitcache.core.setting_values import NAMES, RUNNERS
from gitcache.core.settings import Settings, ToolSettings, parse
from gitcache.core.tool import (
    AutoMemory,
    Bytes,
    Command,
    MemoryShare,
    Options,
    ShellText,
    ToolName,
    Words,
)
from gitcache.errors import SettingsError

TEST = ToolName("test")

EVERYTHING = b"""
[tools.test]
command = "pytest -q 'a b'"
directory = "./python//app/"
inputs = [":/", ":(exclude)docs"]
env = ["DATABASE_URL", "DJANGO_*"]
pass_env = ["SSH_AUTH_SOCK"]
set_env = { PYTHONHASHSEED = "0", LC_ALL = "C" }
env_mode = "loose"
ignored_inputs = ["config/local.yml", "!.env"]
dependencies = [".venv"]
dependency_check = "lockfile"
outputs = ["dist/", "./build"]
timeout = "30m"
memory = "4GiB"
workers = 3
heap = "1GiB"
kill_marks = false
slots = 2
max_age = "24h"
runner = "pytest"
junit = "./reports//junit.xml"
isolated = true
"""


def parse_tool(body: str) -> ToolSettings:
    return parse(f"[tools.test]\n{body}\n".encode(), None).tools[TEST]


def options_of(body: str) -> Options:
    return parse_tool(body).over(Options())


def refusal(toolcache_toml: str | bytes | None, pyproject_toml: str | None = None) -> str:
    own = toolcache_toml.encode() if isinstance(toolcache_toml, str) else toolcache_toml
    shared = None if pyproject_toml is None else pyproject_toml.encode()
    with pytest.raises(SettingsError) as caught:
        parse(own, shared)
    return caught.value.message


def test_every_name_is_read_into_its_option() -> None:
    tool = parse(EVERYTHING, None).tools[TEST]
    assert tool.name == "test"
    assert tool.command == Words(("pytest", "-q", "a b"))
    assert tool.over(Options()) == Options(
        directory="python/app",
        inputs=(":/", ":(exclude)docs"),
        env=("DATABASE_URL", "DJANGO_*"),
        pass_env=("SSH_AUTH_SOCK",),
        set_env=(("LC_ALL", "C"), ("PYTHONHASHSEED", "0")),
        env_mode="loose",
        ignored_inputs=("config/local.yml", "!.env"),
        dependencies=(".venv",),
        dependency_check="lockfile",
        outputs=("dist", "build"),
        timeout=1800.0,
        memory=Bytes(4294967296),
        workers=3,
        heap=1073741824,
        kill_marks=False,
        slots=2,
        max_age=86400.0,
        runner="pytest",
        junit="reports/junit.xml",
        isolated=True,
    )


def test_names_are_those_of_the_options_and_the_two_of_the_command() -> None:
    assert sorted(NAMES) == sorted(["command", "shell", *(field.name for field in fields(Options))])


def test_undeclared_options_stay_as_the_base_has_them() -> None:
    detected = Options(directory="web", max_age=86400.0, runner="jest")
    laid_over = parse_tool("timeout = 90\nrunner = 'vitest'").over(detected)
    assert laid_over == Options(directory="web", max_age=86400.0, runner="vitest", timeout=90.0)


def test_declared_option_wins_even_where_it_says_the_default() -> None:
    detected = Options(directory="web", slots=4, isolated=True, env_mode="loose")
    body = 'directory = "."\nslots = 1\nisolated = false\nenv_mode = "strict"'
    assert parse_tool(body).over(detected) == Options()


def test_tool_without_a_command_leaves_it_to_detection() -> None:
    assert parse_tool("slots = 0").command is None
    assert parse_tool("").command is None


def test_no_dependencies_differ_from_undeclared_ones() -> None:
    assert options_of("dependencies = []").dependencies == ()
    assert options_of("").dependencies is None


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ('command = "pytest"', Words(("pytest",))),
        ("command = 'a \"b c\" d\\ e'", Words(("a", "b c", "d e"))),
        ("command = \"grep ''\"", Words(("grep", ""))),
        ('command = "a # b"', Words(("a", "#", "b"))),
        ('command = ["python", "-c", "a b", ""]', Words(("python", "-c", "a b", ""))),
        ('command = "pytest"\nshell = false', Words(("pytest",))),
        ('command = "a | b"\nshell = true', ShellText("a | b")),
        ('shell = true\ncommand = "a \'b"', ShellText("a 'b")),
    ],
)
def test_command_is_words_or_text_for_a_shell(body: str, command: Command) -> None:
    assert parse_tool(body).command == command


@pytest.mark.parametrize("body", ["timeout = 0", "timeout = 0.0", 'timeout = "none"'])
def test_timeout_can_be_turned_off(body: str) -> None:
    assert parse_tool(body).over(Options(timeout=1800.0)) == Options(timeout=None)


@pytest.mark.parametrize(
    ("body", "options"),
    [
        ('memory = "25%"', Options(memory=MemoryShare(25))),
        ('memory = "auto"', Options(memory=AutoMemory())),
        ("memory = 1024", Options(memory=Bytes(1024))),
        ("timeout = 0.5", Options(timeout=0.5)),
        ('grace = "1m"', Options(grace=60.0)),
        ("grace = 0", Options(grace=0.0)),
        ('lock_wait = "10m"', Options(lock_wait=600.0)),
        ("lock_wait = 0", Options(lock_wait=0.0)),
        ('lock_wait = "none"', Options(lock_wait=inf)),
        ('grace = "0s"', Options(grace=0.0)),
        ('grace = "0m0ms"', Options(grace=0.0)),
        ('leak = "fail"', Options(leak="fail")),
        ('directory = "a/./b"', Options(directory="a/b")),
        ('directory = "./"', Options(directory=".")),
        ('directory = "..a"', Options(directory="..a")),
        ('set_env = { EMPTY = "" }', Options(set_env=(("EMPTY", ""),))),
        ('set_env.B = "2"\nset_env.A = "1"', Options(set_env=(("A", "1"), ("B", "2")))),
        ('set_env = { GIT_EDITOR = "vi" }', Options(set_env=(("GIT_EDITOR", "vi"),))),
        ('env = ["A"]\npass_env = ["A"]', Options(env=("A",), pass_env=("A",))),
        ("slots = 0", Options(slots=0)),
    ],
)
def test_value_may_be_written_in_other_ways(body: str, options: Options) -> None:
    assert options_of(body) == options


@pytest.mark.parametrize("runner", [*RUNNERS, "none"])
def test_every_runner_can_be_named(runner: str) -> None:
    assert options_of(f'runner = "{runner}"').runner == runner


def test_tools_stand_in_file_order() -> None:
    settings = parse(b"[tools.test]\n[tools.audit]\n[tools.lint]\n", None)
    assert list(settings.tools) == ["test", "audit", "lint"]
    assert settings.file == "toolcache.toml"


def test_no_file_is_no_settings() -> None:
    assert parse(None, None) == Settings.none() == Settings(file="", tools={}, env_mode=None)


def test_empty_file_is_settings_without_tools() -> None:
    assert parse(b"", None) == Settings(file="toolcache.toml", tools={}, env_mode=None)


def test_pyproject_holds_the_same_settings_below_its_own_table() -> None:
    pyproject = EVERYTHING.replace(b"[tools.test]", b"[tool.toolcache.tools.test]")
    settings = parse(None, pyproject)
    assert settings.file == "pyproject.toml"
    assert settings.tools == parse(EVERYTHING, None).tools


@pytest.mark.parametrize(
    "pyproject",
    [
        b"",
        b"this is no TOML",
        b"\xff\xfe",
        b'[project]\nname = "git-toolcache"',
        b'[tool.ruff]\ntitle = "toolcache"',
        b'tool = "toolcache"',
    ],
)
def test_pyproject_without_our_table_is_no_settings(pyproject: bytes) -> None:
    assert parse(None, pyproject) == Settings.none()
    assert parse(b"[tools.test]", pyproject).file == "toolcache.toml"


def test_env_mode_at_the_top_is_the_default_of_every_tool() -> None:
    settings = parse(b'env_mode = "loose"\n[tools.test]\n[tools.lint]\nenv_mode = "strict"\n', None)
    lint = settings.tools[ToolName("lint")]
    assert settings.env_mode == "loose"
    assert settings.tools[TEST].over(Options()).env_mode == "loose"
    assert lint.over(Options(env_mode="loose")).env_mode == "strict"


def test_settings_in_both_files_are_refused_by_name() -> None:
    pyproject = "[tool.toolcache]\n"
    assert refusal("", pyproject) == (
        "toolcache.toml and [tool.toolcache] in pyproject.toml both hold settings"
    )


def test_refusal_is_fatal_before_anything_runs() -> None:
    assert SettingsError("").status == exits.FATAL == 128


COMMAND = "takes a string of words or an array of strings, the first not empty, without NUL"
PATHS = 'takes an array of relative paths without ".." or NUL'
TEXTS = "takes an array of non-empty strings without NUL"
VARIABLES = (
    'takes an array of variable names such as "CI" or "DJANGO_*", none of them git\'s local ones'
)
SET_ENV = "takes a table of variable names to strings without NUL"
GIT_LOCAL = "takes variables other than git's local ones"
DIRECTORY = 'takes a relative path without ".." or NUL'
SLOTS = "takes a whole number, 0 or more"
WAIT = 'takes a duration such as "30m", seconds, 0 or "none"'
DURATION = 'takes a duration above zero such as "30m" or seconds'
HEAP = 'takes an amount of at least 1MiB such as "2GiB", or bytes'
MEMORY = 'takes an amount such as "4GiB", a share such as "25%", "auto" or bytes'
SHELL = "takes true only where the command is one string"
RUNNER = (
    'takes "pytest", "unittest", "vitest", "jest", "node", "mocha", "go", "cargo", "nextest", '
    '"rspec", "phpunit", "ctest" or "none"'
)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('command = ""', f'command: {COMMAND}, not ""'),
        ('command = " \\t "', f'command: {COMMAND}, not " \\t "'),
        ("command = \"''\"", f"command: {COMMAND}, not \"''\""),
        ("command = []", f"command: {COMMAND}, not []"),
        ('command = [""]', f'command: {COMMAND}, not [""]'),
        ('command = ["", "x"]', f'command: {COMMAND}, not ["", "x"]'),
        ('command = ["a", 1]', f'command: {COMMAND}, not ["a", 1]'),
        ("command = 3", f"command: {COMMAND}, not 3"),
        ("command = { a = 1 }", f"command: {COMMAND}, not a table"),
        ('command = "a\\u0000b"', f'command: {COMMAND}, not "a\\u0000b"'),
        ('command = ["a", "\\u0000"]', f'command: {COMMAND}, not ["a", "\\u0000"]'),
        (
            'command = "a \\"b"',
            'command: takes words quoted as a shell quotes them, not "a \\"b"',
        ),
        (
            "command = 'a \\'",
            'command: takes words quoted as a shell quotes them, not "a \\\\"',
        ),
        ('command = " "\nshell = true', f'command: {COMMAND}, not " "'),
        ('command = ["a"]\nshell = true', f'shell: {SHELL}, not beside ["a"]'),
        ("shell = true", f"shell: {SHELL}, not without a command"),
        ('command = "a"\nshell = 1', "shell: takes true or false, not 1"),
        ('isolated = "yes"', 'isolated: takes true or false, not "yes"'),
        ('directory = ""', f'directory: {DIRECTORY}, not ""'),
        ('directory = "/srv"', f'directory: {DIRECTORY}, not "/srv"'),
        ('directory = "a/../b"', f'directory: {DIRECTORY}, not "a/../b"'),
        ('directory = "a\\u0000"', f'directory: {DIRECTORY}, not "a\\u0000"'),
        ("directory = 1.5", f"directory: {DIRECTORY}, not 1.5"),
        ('inputs = "src"', f'inputs: {TEXTS}, not "src"'),
        ('inputs = ["src", ""]', f'inputs: {TEXTS}, not one with ""'),
        ('inputs = ["a\\u0000"]', f'inputs: {TEXTS}, not one with "a\\u0000"'),
        ("ignored_inputs = [true]", f"ignored_inputs: {TEXTS}, not one with true"),
        ('dependencies = ["/opt"]', f'dependencies: {PATHS}, not one with "/opt"'),
        ('dependencies = [""]', f'dependencies: {PATHS}, not one with ""'),
        ('outputs = ["dist", ".."]', f'outputs: {PATHS}, not one with ".."'),
        ("outputs = [[1, 2]]", f"outputs: {PATHS}, not one with [1, 2]"),
        ("outputs = false", f"outputs: {PATHS}, not false"),
        ('env = ["1A"]', f'env: {VARIABLES}, not one with "1A"'),
        ('env = ["*"]', f'env: {VARIABLES}, not one with "*"'),
        ('env = ["A*B"]', f'env: {VARIABLES}, not one with "A*B"'),
        ('env = ["A**"]', f'env: {VARIABLES}, not one with "A**"'),
        ('env = ["Ä"]', f'env: {VARIABLES}, not one with "Ä"'),
        ('pass_env = ["A=B"]', f'pass_env: {VARIABLES}, not one with "A=B"'),
        ("pass_env = [1979-05-27]", f"pass_env: {VARIABLES}, not one with 1979-05-27"),
        ('set_env = ["A"]', f'set_env: {SET_ENV}, not ["A"]'),
        ("set_env = { A = 0 }", f"set_env: {SET_ENV}, not one with A = 0"),
        ('set_env = { "A*" = "0" }', f'set_env: {SET_ENV}, not one with "A*" = "0"'),
        ('set_env = { A = "\\u0000" }', f'set_env: {SET_ENV}, not one with A = "\\u0000"'),
        ('env = ["CI", "GIT_DIR"]', f'env: {VARIABLES}, not one with "GIT_DIR"'),
        ('set_env = { GIT_DIR = "/srv" }', f'set_env: {GIT_LOCAL}, not one with GIT_DIR = "/srv"'),
        ('set_env.GIT_INDEX_FILE = ""', f'set_env: {GIT_LOCAL}, not one with GIT_INDEX_FILE = ""'),
        (
            'set_env.GIT_CONFIG_KEY_0 = "a"',
            f'set_env: {GIT_LOCAL}, not one with GIT_CONFIG_KEY_0 = "a"',
        ),
        ("slots = -1", f"slots: {SLOTS}, not -1"),
        ("slots = true", f"slots: {SLOTS}, not true"),
        ("slots = [[1], 2, { a = 1 }]", f"slots: {SLOTS}, not [an array, 2, a table]"),
        ("slots = 1.0", f"slots: {SLOTS}, not 1.0"),
        ("slots = 0x8000000000000000", f"slots: {SLOTS}, not a number beyond 64 bits"),
        ("timeout = -5", f'timeout: {DURATION}, or "none", not -5'),
        ("timeout = nan", f'timeout: {DURATION}, or "none", not nan'),
        ("timeout = true", f'timeout: {DURATION}, or "none", not true'),
        ("timeout = false", f'timeout: {DURATION}, or "none", not false'),
        ('timeout = "5 minutes"', f'timeout: {DURATION}, or "none", not "5 minutes"'),
        ('grace = "0"', f'grace: {DURATION}, not "0"'),
        ('lock_wait = "long"', f'lock_wait: {WAIT}, not "long"'),
        ("lock_wait = -1", f"lock_wait: {WAIT}, not -1"),
        ("grace = -1", f"grace: {DURATION}, not -1"),
        ("grace = false", f"grace: {DURATION}, not false"),
        ("leak = true", 'leak: takes "report" or "fail", not true'),
        ("max_age = inf", "max_age: takes a duration of at most 36500 days, not inf"),
        ("max_age = []", f"max_age: {DURATION}, not []"),
        ('memory = "4"', f'memory: {MEMORY}, not "4"'),
        ("memory = 0", f"memory: {MEMORY}, not 0"),
        ("workers = 0", "workers: takes a whole number, 1 or more, not 0"),
        ("workers = true", "workers: takes a whole number, 1 or more, not true"),
        ('workers = "auto"', 'workers: takes a whole number, 1 or more, not "auto"'),
        ('heap = "25%"', f'heap: {HEAP}, not "25%"'),
        ("heap = 1048575", f"heap: {HEAP}, not 1048575"),
        ('kill_marks = "no"', 'kill_marks: takes true or false, not "no"'),
        (
            'memory = "4GiB"\nworkers = 5\nheap = "1GiB"',
            "heap: takes what fits into the memory; 5 workers with 1GiB each are more than 4GiB",
        ),
        (
            'memory = "1GiB"\nheap = "2GiB"',
            "heap: takes what fits into the memory; 2GiB are more than 1GiB",
        ),
        ('runner = "nose"', f'runner: {RUNNER}, not "nose"'),
        ("runner = []", f"runner: {RUNNER}, not []"),
        ('junit = "/tmp/junit.xml"', f'junit: {DIRECTORY}, not "/tmp/junit.xml"'),
        ("retry = -1", "retry: takes a whole number, 0 or more, not -1"),
        ('flaky = "warn"', 'flaky: takes "pass" or "fail", not "warn"'),
        ('junit = ["a"]', f'junit: {DIRECTORY}, not ["a"]'),
        ('env_mode = "open"', 'env_mode: takes "strict" or "loose", not "open"'),
        ('comand = "x"', 'unknown name "comand"; did you mean "command"?'),
        ('max-age = "1h"', 'unknown name "max-age"; did you mean "max_age"?'),
        (
            "zzz = 1",
            'unknown name "zzz"; it takes command, shell, directory, inputs, env, pass_env, '
            "set_env, env_mode, ignored_inputs, dependencies, "
            "dependency_check, outputs, timeout, grace, leak, memory, workers, heap, "
            "kill_marks, slots, "
            "lock_wait, max_age, runner, junit, retry, flaky, isolated, color, pty",
        ),
        (
            '"e\\u001b[31m" = 1',
            'unknown name "e\\u001b[31m"; it takes command, shell, directory, inputs, env, '
            "pass_env, set_env, env_mode, ignored_inputs, dependencies, "
            "dependency_check, outputs, timeout, grace, leak, memory, "
            "workers, heap, kill_marks, slots, lock_wait, max_age, runner, junit, retry, flaky, "
            "isolated, color, pty",
        ),
    ],
)
def test_wrong_value_is_refused_with_what_is_taken(body: str, words: str) -> None:
    assert refusal(f"[tools.test]\n{body}\n") == f"toolcache.toml: [tools.test] {words}"
    assert refusal(None, f"[tool.toolcache.tools.test]\n{body}\n") == (
        f"pyproject.toml: [tool.toolcache.tools.test] {words}"
    )


NAME = 'takes [A-Za-z0-9][A-Za-z0-9_-]{0,63} other than "command"'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tools = 3", "tools: takes a table, not 3"),
        ("[[tools]]", "tools: takes a table, not [a table]"),
        ('[tools]\ntest = "pytest"', '[tools] test: takes a table, not "pytest"'),
        ("[tools.'a b']", f'[tools] name of a tool: {NAME}, not "a b"'),
        ("[tools.'']", f'[tools] name of a tool: {NAME}, not ""'),
        ("[tools.-a]", f'[tools] name of a tool: {NAME}, not "-a"'),
        ("env_mode = 1", 'env_mode: takes "strict" or "loose", not 1'),
        ('env_mod = "loose"', 'unknown name "env_mod"; did you mean "env_mode"?'),
        ("slots = 1", 'unknown name "slots"; it takes env_mode, tools'),
        ("[tool.test]", 'unknown name "tool"; did you mean "tools"?'),
        ("a = ", "is no valid TOML: Invalid value (at line 1, column 5)"),
        (
            "\na b",
            "is no valid TOML: Expected '=' after a key in a key/value pair (at line 2, column 3)",
        ),
        ("a = 1\na = 2", "is no valid TOML: Cannot overwrite a value (at line 2, column 6)"),
        ("a = 1" + "0" * 5000, "is no valid TOML: a number beyond 64 bits"),
        ("a = " + "[" * 100000, "is no valid TOML: nested too deeply"),
    ],
)
def test_wrong_file_is_refused_with_its_place(text: str, words: str) -> None:
    assert refusal(text) == f"toolcache.toml: {words}"


def test_bytes_that_are_no_text_are_refused_with_their_place() -> None:
    assert refusal("# é\na = é".encode() + b"\xff") == (
        "toolcache.toml: is no valid UTF-8 (at line 2, column 6)"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tool.toolcache = 3", "[tool] toolcache: takes a table, not 3"),
        ("[tool.toolcache]\ntools = []", "[tool.toolcache] tools: takes a table, not []"),
        (
            "[tool.toolcache.tools]\ntest = 1",
            "[tool.toolcache.tools] test: takes a table, not 1",
        ),
        (
            "[tool.toolcache.test]",
            '[tool.toolcache] unknown name "test"; it takes env_mode, tools',
        ),
        (
            "toolcache",
            "is no valid TOML: Expected '=' after a key in a key/value pair (at line 1, column 10)",
        ),
    ],
)
def test_wrong_pyproject_is_refused_with_its_place(text: str, words: str) -> None:
    assert refusal(None, text) == f"pyproject.toml: {words}"


def test_long_value_is_cut_in_the_message() -> None:
    letters = "x" * 60
    assert refusal(f'[tools.test]\nslots = "{letters}yyy"') == (
        f'toolcache.toml: [tools.test] slots: {SLOTS}, not "{letters}…"'
    )
    assert refusal("[tools.test]\nslots = [1, 2, 3, 4, 5]") == (
        f"toolcache.toml: [tools.test] slots: {SLOTS}, not [1, 2, 3, …]"
    )


def test_tool_at_the_top_is_told_its_table() -> None:
    with pytest.raises(SettingsError) as caught:
        parse(b"[test]\ncommand = 'x'", None)
    assert caught.value.hint == "a tool's table is written [tools.NAME]"


values = st.recursive(
    st.sampled_from(
        [
            "0",
            "1",
            "-1",
            "1.5",
            "inf",
            "nan",
            "true",
            '""',
            '"30m"',
            '"25%"',
            '"../a"',
            "1979-05-27",
        ]
    )
    | st.text(max_size=8).map(lambda text: f'"{text}"'),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
    max_leaves=4,
)
lines = st.tuples(st.sampled_from(NAMES), values).map(" = ".join)
documents = st.lists(lines, max_size=3).map(lambda body: "\n".join(["[tools.test]", *body]))


@settings(deadline=None)  # deep nesting takes tomllib long
@given(st.binary() | st.text().map(str.encode) | documents.map(str.encode))
@example(b"a = " + b"[" * 5000)
@example(b"[tools.test]\nslots." + b"a." * 2000 + b"a = 1")
@example(b"[tools.test]\nslots = 0x" + b"f" * 9000)
@example(b"[tools.test]\nslots = [0x" + b"f" * 9000 + b"]")
def test_any_bytes_are_settings_or_a_settings_error(content: bytes) -> None:
    with suppress(SettingsError):
        parse(content, None)
    with suppress(SettingsError):
        parse(None, content + b"\n# toolcache")


@given(documents)
def test_both_files_say_the_same_with_the_same_words(document: str) -> None:
    def outcome(own: bytes | None, shared: bytes | None) -> object:
        try:
            return parse(own, shared).tools
        except SettingsError as error:
            return error.message.partition(":")[2].replace("tool.toolcache.tools.", "tools.")

    pyproject = document.replace("[tools.test]", "[tool.toolcache.tools.test]", 1)
    own, shared = outcome(document.encode(), None), outcome(None, pyproject.encode())
    if not (isinstance(own, str) and "no valid TOML" in own):  # there the columns differ
        assert own == shared
