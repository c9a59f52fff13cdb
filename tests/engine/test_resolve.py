"""From a request to a plan: settings, detection, argv, folder and variables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import inf
from pathlib import Path

import pytest

from gitcache.core.tool import ShellText, Tool, Words
from gitcache.engine.declared_tools import parse_settings
from gitcache.engine.detected_tools import all_tools
from gitcache.engine.resolve import Plan, Request, find_tool, make_plan
from gitcache.errors import SettingsError, UnknownToolError, UsageError
from gitcache.host.folder import DiskFolder

NPM = json.dumps({"scripts": {"test": "node test.js"}})


def folder(path: Path, files: Mapping[str, str]) -> DiskFolder:
    top = path / "top"
    top.mkdir()
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    return DiskFolder(top)


def plan(request: Request, top: DiskFolder, prefix: str = "") -> Plan:
    return make_plan(request, top, top.path, prefix, {"PATH": "/bin", "SECRET": "x"})


def found(top: DiskFolder, name: str) -> Tool:
    return find_tool(name, parse_settings(top), top)


def test_a_declared_tool_has_its_words_folder_and_variables(tmp_path: Path) -> None:
    settings = '[tools.t]\ncommand = "run \'a b\'"\ndirectory = "sub/"\nenv = ["SECRET"]\n'
    top = folder(tmp_path, {"toolcache.toml": settings, "sub/file": ""})
    made = plan(Request("t", ("x y",)), top, prefix="elsewhere")
    assert made.argv == ("run", "a b", "x y")
    assert (made.directory, made.cwd) == ("sub", top.path / "sub")
    assert made.environment.passed == {"TERM": "dumb", "PATH": "/bin", "SECRET": "x"}
    assert made.environment.keyed == {"SECRET": "x"}


def test_extra_words_of_a_shell_text_are_its_arguments(tmp_path: Path) -> None:
    top = folder(tmp_path, {"toolcache.toml": '[tools.t]\ncommand = "a | b"\nshell = true\n'})
    assert plan(Request("t"), top).argv == ("/bin/sh", "-c", "a | b")
    assert plan(Request("t", ("x",)), top).argv == ("/bin/sh", "-c", 'a | b "$@"', "sh", "x")


def test_a_command_runs_in_the_callers_folder_whatever_the_settings_say(tmp_path: Path) -> None:
    top = folder(tmp_path, {"toolcache.toml": "= broken", "sub/file": ""})
    made = plan(Request(None, ("make", "-k")), top, prefix="sub")
    assert (made.tool.name, made.argv, made.directory) == ("command", ("make", "-k"), "sub")
    assert plan(Request(None, ("make",)), top).directory == "."
    assert made.environment.passed == {"TERM": "dumb", "PATH": "/bin"}


@pytest.mark.parametrize("words", [(), ("",), ("", "x")])
def test_an_empty_command_is_bad_usage(tmp_path: Path, words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match=r"^there is no command behind --$"):
        plan(Request(None, words), folder(tmp_path, {}))


def test_the_calls_timeout_wins(tmp_path: Path) -> None:
    top = folder(tmp_path, {"toolcache.toml": '[tools.t]\ncommand = "x"\ntimeout = 60\n'})
    assert plan(Request("t"), top).tool.options.timeout == 60.0
    assert plan(Request("t", timeout=5.0), top).tool.options.timeout == 5.0
    assert plan(Request("t", timeout=inf), top).tool.options.timeout is None
    assert plan(Request(None, ("x",)), top).tool.options.timeout is None
    assert plan(Request(None, ("x",), timeout=5.0), top).tool.options.timeout == 5.0


@pytest.mark.parametrize("directory", ["nosuch", "toolcache.toml"])
def test_a_folder_that_is_none_is_an_error(tmp_path: Path, directory: str) -> None:
    settings = f'[tools.t]\ncommand = "x"\ndirectory = "{directory}"\n'
    top = folder(tmp_path, {"toolcache.toml": settings})
    with pytest.raises(SettingsError) as caught:
        plan(Request("t"), top)
    assert caught.value.message == (
        f"toolcache.toml: the directory of t, {directory}, is not there"
    )


def test_a_runner_is_asked_for_colours_unless_somebody_said_something(tmp_path: Path) -> None:
    more = {
        "plain": "",
        "off": "color = false",
        "pty": "pty = true",
        "told": 'set_env = { PY_COLORS = "0" }',
    }
    tables = [f'[tools.{name}]\ncommand = "pytest -q"\n{each}\n' for name, each in more.items()]
    top = folder(tmp_path, {"toolcache.toml": "".join(tables)})
    made = {name: plan(Request(name), top) for name in more}
    asking = ("pytest", "--color=yes", "-q")
    assert {name: (each.argv, each.terminal) for name, each in made.items()} == {
        "plain": (asking, {"colour": "--color=yes"}),
        "off": (("pytest", "-q"), {}),
        "pty": (("pytest", "-q"), {"pty": "100x40, streams merged"}),
        "told": (("pytest", "-q"), {}),
    }
    assert plan(Request(None, ("pytest", "-q")), top).argv == asking
    interactive = plan(Request("plain", interactive=True), top)
    assert (interactive.argv, interactive.terminal) == (("pytest", "-q"), {})


def test_what_is_declared_comes_before_what_is_detected(tmp_path: Path) -> None:
    top = folder(tmp_path, {"package.json": NPM})
    assert found(top, "test").command == Words(("npm", "test"))
    assert found(top, "test").origin == "package.json"
    (top.path / "toolcache.toml").write_text('[tools.test]\ncommand = "mine"\n')
    assert found(top, "test").command == Words(("mine",))
    assert found(top, "test").origin == "toolcache.toml"


def test_a_declaration_without_a_command_takes_the_detected_one(tmp_path: Path) -> None:
    top = folder(tmp_path, {"package.json": NPM, "toolcache.toml": "[tools.test]\ntimeout = 5\n"})
    tool = found(top, "test")
    assert (tool.command, tool.options.timeout) == (Words(("npm", "test")), 5.0)


def test_a_declaration_without_a_command_needs_one_where_none_is_detected(tmp_path: Path) -> None:
    top = folder(tmp_path, {"toolcache.toml": "[tools.deploy]\ntimeout = 5\n"})
    with pytest.raises(SettingsError) as caught:
        found(top, "deploy")
    assert caught.value.message.startswith(
        "toolcache.toml: [tools.deploy] needs a command, because "
    )


def test_the_mode_for_every_tool_holds_for_detected_ones_too(tmp_path: Path) -> None:
    top = folder(tmp_path, {"package.json": NPM, "toolcache.toml": 'env_mode = "loose"\n'})
    assert found(top, "test").options.env_mode == "loose"
    assert plan(Request("test"), top).environment.passed["SECRET"] == "x"
    assert "SECRET" not in plan(Request("test"), top).environment.keyed


def test_settings_of_pyproject_name_their_file(tmp_path: Path) -> None:
    text = '[tool.toolcache.tools.t]\ncommand = "x"\nshell = true\n'
    tool = found(folder(tmp_path, {"pyproject.toml": text}), "t")
    assert (tool.command, tool.origin) == (ShellText("x"), "pyproject.toml")


def test_all_tools_are_the_declared_ones_and_then_the_detected_ones(tmp_path: Path) -> None:
    settings = '[tools.zeta]\ncommand = "z"\n[tools.alpha]\ncommand = "a"\n'
    top = folder(tmp_path, {"package.json": NPM, "toolcache.toml": settings})
    names = [tool.name for tool in all_tools(top)]
    assert names[:3] == ["zeta", "alpha", "test"]
    assert len(names) == len(set(names))


def refusal(name: str, top: DiskFolder) -> tuple[str, str]:
    with pytest.raises(UnknownToolError) as caught:
        found(top, name)
    return caught.value.message, caught.value.hint


def test_an_unknown_tool_comes_with_the_likeliest_or_with_all(tmp_path: Path) -> None:
    top = folder(tmp_path, {"toolcache.toml": '[tools.deploy]\ncommand = "x"\n'})
    assert refusal("deplyo", top) == ("there is no tool 'deplyo' here", "did you mean deploy?")
    assert refusal("x" * 99, top)[1] == "there are deploy"
    assert refusal("", top)[0] == "there is no tool '' here"
    assert refusal("../x", top)[0] == "there is no tool '../x' here"


def test_a_tool_that_does_not_apply_says_why_and_how_to_declare_it(tmp_path: Path) -> None:
    message, hint = refusal("test", folder(tmp_path, {}))
    assert message.startswith("test is not applicable, because no project file ")
    assert hint == 'declare it in toolcache.toml: [tools.test] command = "…"'


def test_a_marker_that_cannot_be_read_hides_nothing_else(tmp_path: Path) -> None:
    top = folder(tmp_path, {"toolcache.toml": '[tools.t]\ncommand = "x"\n'})
    (top.path / "package.json").mkdir()
    assert found(top, "t").command == Words(("x",))
    assert "t" in [tool.name for tool in all_tools(top)]
