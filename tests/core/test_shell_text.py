"""Commands in a text for the shell, told without running it."""

from __future__ import annotations

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.shell_text import Started, assigned, commands_of


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("pytest -q", ["pytest -q"]),
        ("  ", []),
        ("a && b || c; d & e | f", ["a", "b", "c", "d", "e", "f"]),
        ("a 1\nb 2\n\n", ["a 1", "b 2"]),
        ("a \\\n  1", ["a 1"]),
        ("(a; b)", ["a", "b"]),
        ("{ a; b; }", ["a", "b"]),
        ("a > out 2>&1 < in && b", ["a", "b"]),
        ("2>&1 a", ["a"]),
        ("time -p a; command -v b", ["a", "b"]),
        ('[ "$(a x)" = 1 ]; c "`b`"', ["a x", "[ $(a x) = 1 ]", "b", "c `b`"]),
        ("eval 'a; b'; trap 'c' EXIT", ["a", "b", "c"]),
        ("cat <<'END-X'\nit's\nEND-X\na $'it\\'s' b; c", ["cat", "a it's b", "c"]),
        ("for d in x; do b; $d/a; done", ["b"]),
        ("A=x; b $A/c $D", ["b x/c $D"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("while ! a; do b; done", ["a", "b"]),
        ("exec time a", ["a"]),
        ("'my tool' \"x y\"", ["my tool x y"]),
        ("$TOOL x; `which a`; a $B", ["a $B"]),
        ("a; 'open", ["a"]),
        ("a#b", ["a#b"]),
        ("x=$((1<<2))\na", ["a"]),
        ("cat <<END\na\n", ["cat"]),
        ("# don't\na # it's\nb", ["a", "b"]),
        ("cat > x <<EOF\nit's a document\nEOF\na", ["cat", "a"]),
        ("cat <<-'E' | a\n\tb\n\tE\nc", ["cat", "a", "c"]),
        ('a\\ b "x\\"y" \'z\'w', ['a b x"y zw']),
        (
            "P=../v/bin/python\n$P u.py; ${P} -V; $Q x",
            ["../v/bin/python u.py", "../v/bin/python -V"],
        ),
        ("${PYTHON:-python3.12} u.py", ["python3.12 u.py"]),
        ('"$(dirname "$0")/tool" x', ["./tool x"]),
    ],
)
def test_first_words_of_simple_commands(text: str, commands: list[str]) -> None:
    assert [" ".join(each.argv) for each in commands_of(text)] == commands


def test_what_stands_before_a_command_is_set_for_it_alone() -> None:
    assert list(commands_of("A=1 B='2 3' a; C=$D b; E=5; c")) == [
        Started(("a",), (("A", "1"), ("B", "2 3"))),
        Started(("b",)),
        Started(("c",)),
    ]


def test_change_of_folder_counts_for_what_follows() -> None:
    assert list(commands_of("a; cd web && b; cd in; c; cd; d", ("bin",))) == [
        Started(("a",), folder=".", bins=("bin",)),
        Started(("b",), folder="./web", bins=("bin",)),
        Started(("c",), folder="./web/in", bins=("bin",)),
        Started(("cd",), folder="./web/in", bins=("bin",)),
        Started(("d",), folder="./web/in", bins=("bin",)),
    ]


def test_folder_of_the_script_itself_is_known() -> None:
    text = 'cd "$(dirname "${BASH_SOURCE[0]}")/.."; a\ncd "$SOMEWHERE"; b\n'
    assert [(each.argv, each.folder) for each in commands_of(text, own_folder="scripts")] == [
        (("a",), "./scripts/.."),
        (("b",), "./scripts/.."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        ". .venv/bin/activate; a",
        "source ./.venv/bin/activate && a",
        "PATH=.venv/bin:$PATH; a",
        'export PATH="$PWD/.venv/bin:$PATH"\na',
    ],
)
def test_folder_that_is_put_on_the_path_is_looked_into_first(text: str) -> None:
    (found,) = commands_of(text)
    assert [posixpath.normpath(each) for each in found.bins] == [".venv/bin"]


def test_subshell_keeps_its_folder_to_itself() -> None:
    text = "(cd a && x); (cd b; y); cd c; z; cd -; w; pushd d; v; popd; u"
    assert [(each.argv[0], posixpath.normpath(each.folder)) for each in commands_of(text)] == [
        *(("x", "a"), ("y", "b"), ("z", "c"), ("w", "."), ("v", "d"), ("u", ".")),
    ]


def test_variables_of_the_shell_are_put_in_their_places() -> None:
    environ = {"HOME": "/h", "PATH": "/bin"}
    text = "~/a $HOME/b; PATH=/opt:$PATH c; PYTHONPATH=$PYTHONPATH:/lib d; "
    text += "export PATH=$HOME/x:$PATH; e"
    a, c, d, e = commands_of(text, environ=environ)
    assert a.argv == ("/h/a", "/h/b")
    assert (c.variables, d.variables) == (
        (("PATH", "/opt:/bin"),),
        (("PYTHONPATH", ":/lib"),),
    )
    assert e.bins == ("/h/x", "/bin")


def test_file_that_the_shell_reads_in_place_counts_for_what_follows() -> None:
    files = {"sub/env.sh": "export PATH=/opt:$PATH\na\n", "./self": ". ./self; b"}
    text = "cd sub; . env.sh; c"
    found = list(commands_of(text, read=lambda name: files.get(posixpath.normpath(name), "")))
    assert [(each.argv[0], each.bins) for each in found] == [("a", ("/opt",)), ("c", ("/opt",))]
    again = commands_of(". ./self", read=lambda _: files["./self"])
    assert {each.argv for each in again} == {("b",)}


def test_exported_variables_are_set_for_what_follows() -> None:
    assert list(commands_of("A=1; export PYTHONPATH=lib; B=2 a")) == [
        Started(("a",), (("PYTHONPATH", "lib"), ("B", "2")))
    ]


@given(st.text("ab=$'\"\\ \n;&|()<>{}#`"))
def test_any_text_is_read_to_some_end(text: str) -> None:
    assert all(each.argv and each.argv[0] is not None for each in commands_of(text))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("A=1", ("A", "1")),
        ("_a1=", ("_a1", "")),
        ("A=b=c", ("A", "b=c")),
        ("A", None),
        ("=1", None),
        ("--a=1", None),
        ("1a=1", None),
    ],
)
def test_assignments(word: str, expected: tuple[str, str] | None) -> None:
    assert assigned(word) == expected
