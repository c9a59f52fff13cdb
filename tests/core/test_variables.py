"""The strict environment: what a tool sees, what of it is keyed, and what neither."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.key import digest
from gitcache.core.tool import Options
from gitcache.core.variables import (
    ToolEnvironment,
    tool_environment,
    variable_digest,
    without_git_local,
)

STRICT = Options()
LOOSE = Options(env_mode="loose")

KEYED = [
    *("LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_", "TZ", "CI"),
    *("PYTHON", "PYTHONPATH", "PYTHONHASHSEED", "PYTEST_ADDOPTS", "PYTEST_"),
    *("DJANGO_SETTINGS_MODULE", "FLASK_APP", "FLASK_ENV", "RAILS_ENV", "RACK_ENV", "APP_ENV"),
    *("NODE_ENV", "NODE_OPTIONS", "NODE_PATH"),
    *("RUSTFLAGS", "RUST_BACKTRACE", "RUST_LOG", "CARGO_BUILD_TARGET", "CARGO_TERM_COLOR"),
    *("CARGO_HOMES", "GOFLAGS", "GOOS", "GOARCH", "CGO_ENABLED", "CGO_CFLAGS"),
    *("CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES"),
    *("JAVA_HOME", "JAVA_TOOL_OPTIONS", "DOCKER_HOST", "SOURCE_DATE_EPOCH"),
]
PASSED = [
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"),
    *("HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"),
    *("VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "UV_CACHE_DIR", "PIP_INDEX_URL"),
    *("POETRY_HOME", "PYENV_ROOT", "NVM_DIR", "VOLTA_HOME", "COREPACK_HOME"),
    *("CARGO_HOME", "RUSTUP_HOME", "GOPATH", "GOCACHE", "GOMODCACHE", "PLAYWRIGHT_BROWSERS_PATH"),
    *("DISPLAY", "WAYLAND_DISPLAY", "SSH_AUTH_SOCK"),
]
OF_A_LAUNCHER = (
    *("npm_lifecycle_event", "npm_config_registry", "npm_package_name", "MAKEFLAGS", "MAKELEVEL"),
    *("INIT_CWD", "PWD", "OLDPWD"),
)
WITHHELD = [
    *OF_A_LAUNCHER,
    *("AWS_SECRET", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN"),
    *("lang", "path", "ci", "LANGUAGES", "CIRCLECI", "MY_LC_ALL", "VIRTUAL_ENV_PROMPT", "LC"),
    *("LD_PRELOAD", "GOROOT", "RUSTC", "NODE_EXTRA", "DJANGO_SECRET_KEY", "", "PATHS", "HOMEDRIVE"),
]
DISPLAY = [
    *("TERM", "COLORTERM", "COLUMNS", "LINES"),
    *("FORCE_COLOR", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"),
]
GIT_LOCAL = [
    *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS"),
    *("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0", "GIT_OBJECT_DIRECTORY"),
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE"),
    *("GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_SHALLOW_FILE"),
    *("GIT_INTERNAL_SUPER_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_QUARANTINE_PATH"),
]


def seen(name: str, options: Options = STRICT) -> str:
    """Return what becomes of the variable *name*: ``keyed``, ``passed`` or ``withheld``."""
    environment = tool_environment(options, {name: "value"})
    fates = {
        (True, True, False): "keyed",
        (True, False, False): "passed",
        (False, False, True): "withheld",
    }
    return fates[
        environment.passed.get(name) == "value",
        environment.keyed.get(name) == "value",
        name in environment.withheld,
    ]


@pytest.mark.parametrize("options", [STRICT, LOOSE], ids=["strict", "loose"])
def test_what_tools_read_for_their_verdict_is_passed_and_keyed(options: Options) -> None:
    assert {name: seen(name, options) for name in KEYED} == dict.fromkeys(KEYED, "keyed")


@pytest.mark.parametrize("options", [STRICT, LOOSE], ids=["strict", "loose"])
def test_what_says_where_things_are_is_passed_only(options: Options) -> None:
    assert {name: seen(name, options) for name in PASSED} == dict.fromkeys(PASSED, "passed")


def test_everything_else_is_withheld_in_strict_mode_only() -> None:
    assert {name: seen(name) for name in WITHHELD} == dict.fromkeys(WITHHELD, "withheld")
    others = [name for name in WITHHELD if name not in OF_A_LAUNCHER]
    assert {name: seen(name, LOOSE) for name in others} == dict.fromkeys(others, "passed")


def test_what_a_launcher_sets_is_passed_only_where_it_is_declared() -> None:
    assert {seen(name, LOOSE) for name in OF_A_LAUNCHER} == {"withheld"}
    declared = Options(pass_env=OF_A_LAUNCHER)
    assert {seen(name, declared) for name in OF_A_LAUNCHER} == {"passed"}


@pytest.mark.parametrize(
    "options",
    [
        STRICT,
        LOOSE,
        Options(env=("GIT_*",)),
        Options(pass_env=("GIT_*",)),
        Options(env=tuple(GIT_LOCAL), pass_env=tuple(GIT_LOCAL), env_mode="loose"),
    ],
)
def test_no_tool_sees_gits_local_variables(options: Options) -> None:
    environment = tool_environment(options, dict.fromkeys(GIT_LOCAL, "/srv/repo"))
    assert environment == ToolEnvironment({"TERM": "dumb"}, {}, ())


def test_git_itself_knows_no_other_local_variable() -> None:
    told = subprocess.run(["git", "rev-parse", "--local-env-vars"], capture_output=True, check=True)
    names = told.stdout.decode().split()
    assert "GIT_DIR" in names
    assert without_git_local(dict.fromkeys(names, "x")) == {}


def test_other_variables_of_git_can_be_declared() -> None:
    assert seen("GIT_AUTHOR_NAME") == "withheld"
    assert seen("GIT_AUTHOR_NAME", Options(env=("GIT_*",))) == "keyed"
    assert without_git_local({"GIT_DIR": "/srv", "GIT_EDITOR": "vi"}) == {"GIT_EDITOR": "vi"}


def test_term_is_dumb_whoever_calls() -> None:
    for environ in ({}, {"TERM": "xterm-256color"}):
        for options in (STRICT, LOOSE):
            assert tool_environment(options, environ) == ToolEnvironment({"TERM": "dumb"}, {}, ())


def test_declared_term_is_the_callers() -> None:
    xterm, dumb = {"TERM": "xterm"}, {"TERM": "dumb"}
    assert tool_environment(Options(env=("TERM",)), xterm) == ToolEnvironment(xterm, xterm, ())
    assert tool_environment(Options(pass_env=("TERM",)), xterm) == ToolEnvironment(xterm, {}, ())
    assert tool_environment(Options(env=("TERM",)), {}) == ToolEnvironment(dumb, {}, ())
    fixed = Options(set_env=(("TERM", "vt100"),))
    vt100 = {"TERM": "vt100"}
    assert tool_environment(fixed, xterm) == ToolEnvironment(vt100, vt100, ())


ON_PTY = {"TERM": "xterm-256color", "PAGER": "cat", "GIT_PAGER": "cat"}


def test_tools_on_a_pseudo_terminal_see_the_same_one_and_no_pager_whoever_calls() -> None:
    for environ in ({}, {"TERM": "vt100", "COLUMNS": "7", "PAGER": "less", "NO_COLOR": "1"}):
        seen = tool_environment(Options(pty=True), environ)
        assert (seen.passed, seen.keyed) == (ON_PTY, {})
    declared = Options(pty=True, set_env=(("TERM", "vt100"),), env=("PAGER",))
    told = {"TERM": "vt100", "PAGER": "less", "GIT_PAGER": "cat"}
    assert tool_environment(declared, {"PAGER": "less"}).passed == told


def test_a_tool_at_the_callers_terminal_sees_what_that_is_and_nothing_else_more() -> None:
    shown = dict.fromkeys(DISPLAY, "x")
    environ = {**shown, "PATH": "/bin", "SECRET": "x", "GIT_DIR": "x"}
    for options in (STRICT, Options(pty=True)):
        seen = tool_environment(options, environ, at_terminal=True)
        assert seen.passed == {**shown, "PATH": "/bin"}
        assert seen.withheld == ("SECRET",)
    assert tool_environment(STRICT, {}, at_terminal=True) == ToolEnvironment({}, {}, ())
    fixed = Options(set_env=(("TERM", "vt100"),))
    assert tool_environment(fixed, environ, at_terminal=True).passed["TERM"] == "vt100"


@pytest.mark.parametrize("name", [name for name in DISPLAY if name != "TERM"])
def test_the_callers_terminal_is_not_passed_even_in_loose_mode(name: str) -> None:
    assert seen(name) == seen(name, LOOSE) == "withheld"
    assert seen(name, Options(env=(name,))) == "keyed"
    assert seen(name, Options(pass_env=(name,), env_mode="loose")) == "passed"


@pytest.mark.parametrize(
    ("options", "fate"),
    [
        (Options(env=("HOME",)), "keyed"),
        (Options(pass_env=("HOME",)), "passed"),
        (Options(env=("HOME",), pass_env=("HOME",)), "passed"),
        (Options(env=("HO*",)), "keyed"),
        (Options(env=("HOME",), pass_env=("H*",)), "passed"),
        (Options(env=("HOM", "HOMER", "OME*")), "passed"),
    ],
)
def test_declared_wins_over_default_and_passing_over_keying(options: Options, fate: str) -> None:
    assert seen("HOME", options) == fate


def test_pass_env_takes_a_default_variable_out_of_the_key() -> None:
    assert seen("CI", Options(pass_env=("CI",))) == "passed"
    assert seen("SECRET", Options(env=("SECRET",))) == "keyed"
    assert seen("SECRET", Options(pass_env=("SECRET",))) == "passed"


@pytest.mark.parametrize(
    "options",
    [
        Options(set_env=(("A", "set"),)),
        Options(set_env=(("A", "set"),), env=("A",)),
        Options(set_env=(("A", "set"),), pass_env=("A",), env_mode="loose"),
    ],
)
def test_set_env_wins_over_all_and_is_keyed(options: Options) -> None:
    wanted = ToolEnvironment({"TERM": "dumb", "A": "set"}, {"A": "set"}, ())
    assert tool_environment(options, {"A": "the caller's"}) == wanted
    assert tool_environment(options, {}) == wanted


def test_withheld_names_are_sorted() -> None:
    environ = {"B": "", "CI": "1", "A": "", "TERM": "xterm"}
    assert tool_environment(STRICT, environ).withheld == ("A", "B")


def test_unset_empty_and_set_are_three_keys() -> None:
    keyed = [
        tool_environment(STRICT, environ).keyed for environ in ({}, {"CI": ""}, {"CI": "true"})
    ]
    assert keyed == [{}, {"CI": ""}, {"CI": "true"}]
    assert variable_digest("CI", "", "/a/wt1") != variable_digest("CI", "true", "/a/wt1")


@pytest.mark.parametrize(
    ("value", "pieces"),
    [
        ("plain", ("plain",)),
        ("", ("",)),
        ("/a/wt1", ("", "")),
        ("/a/wt1/", ("", "/")),
        ("/a/wt1/src", ("", "/src")),
        ("/a/wt1/src:/usr/lib:/a/wt1/lib", ("", "/src:/usr/lib:", "/lib")),
        ("/a/wt1:/a/wt1:/a/wt1", ("", ":", ":", "")),
        ("/usr/lib:/a/wt1", ("/usr/lib:", "")),
        ("--root=/a/wt1 --x", ("--root=", " --x")),
        ("'/a/wt1';\"/a/wt1\"", ("'", "';\"", '"')),
        ("@/a/wt1/args", ("@", "/args")),
        ("/a/wt1\n", ("", "\n")),
        ("/a/wt10", ("/a/wt10",)),
        ("/a/wt1.old/src", ("/a/wt1.old/src",)),
        ("/a/wt1-2:/a/wt1_b", ("/a/wt1-2:/a/wt1_b",)),
        ("/b/a/wt1/src", ("/b/a/wt1/src",)),
        ("x/a/wt1", ("x/a/wt1",)),
        ("/A/WT1", ("/A/WT1",)),
        ("/a", ("/a",)),
    ],
)
def test_own_path_counts_as_a_placeholder_in_whole_parts_only(
    value: str, pieces: tuple[str, ...]
) -> None:
    assert variable_digest("PYTHONPATH", value, "/a/wt1") == digest("PYTHONPATH", *pieces)


@pytest.mark.parametrize(
    ("worktree", "other"),
    [
        ("/a/w.t", "/a/wxt"),
        ("/a/w+", "/a/ww"),
        ("/a/(wt", "/a/wt"),
        ("/a/[b]", "/a/b"),
        ("/a/w t", "/a/wt"),
        ("/a/w\\d", "/a/w1"),
        ("/a/w$", "/a/w"),
        ("/a/w\udcff", "/a/w\udcfe"),
    ],
)
def test_any_name_of_a_worktree_is_taken_literally(worktree: str, other: str) -> None:
    assert variable_digest("A", f"{worktree}/src", worktree) == digest("A", "", "/src")
    assert variable_digest("A", f"{other}/src", worktree) == digest("A", f"{other}/src")


@pytest.mark.parametrize("value", ["{}", "{}/src:{}/lib", "/usr/lib:{}/src", "x={};y={}/z"])
def test_two_worktrees_share_a_digest(value: str) -> None:
    digests = {
        variable_digest("PYTHONPATH", value.replace("{}", worktree), worktree)
        for worktree in ("/a/wt1", "/a/wt10", "/b/other tree")
    }
    assert len(digests) == 1


def test_another_worktrees_path_is_a_value_like_any() -> None:
    own = variable_digest("PYTHONPATH", "/a/wt1/src", "/a/wt1")
    assert variable_digest("PYTHONPATH", "/a/wt1/src", "/a/wt2") != own
    assert variable_digest("PYTHONPATH", "/a/wt2/src", "/a/wt1") != own


def test_another_name_is_another_digest() -> None:
    assert variable_digest("A", "BC", "/w") != variable_digest("AB", "C", "/w")


letters = st.text(alphabet="/aw1:= ", max_size=14)


@given(letters, letters)
def test_no_value_can_pass_for_another_in_the_same_worktree(one: str, two: str) -> None:
    same = variable_digest("A", one, "/a/w") == variable_digest("A", two, "/a/w")
    assert same is (one == two)
