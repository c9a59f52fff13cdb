"""Makefiles: the recipes that a call reaches. Their targets: tests/core/ecosystems/test_make.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.makefile import recipes_of, targets_of

_TEXT = """\
PYTHON ?= ../oven/bin/python
RUN := $(PYTHON) -m
.PHONY: test lint

test: build | folder ; first
ifdef CI
\t@-$(RUN) pytest \\
\t  -q
endif
build:
\t$(MAKE) -C web all
\techo $$HOME ${MISSING}
folder:
lint:
\truff check
%.o: %.c
\tcc $<
define HELP
\tno recipe
endef
"""


@pytest.mark.parametrize(
    ("goals", "recipes"),
    [
        (
            ["test"],
            [
                "first",
                "../oven/bin/python -m pytest  \t  -q",
                "make -C web all",
                "echo $HOME ${MISSING}",
                "cc $<",
                "cc",
            ],
        ),
        (["lint"], ["ruff check", "cc $<", "cc"]),
        (["lint", "folder"], ["ruff check", "cc $<", "cc"]),
    ],
)
def test_recipes_of_the_goals_and_of_what_they_need_count(
    goals: list[str], recipes: list[str]
) -> None:
    assert list(recipes_of(_TEXT, goals)) == recipes


def test_first_target_is_the_goal_where_none_is_asked_for() -> None:
    assert recipes_of(_TEXT) == recipes_of(_TEXT, ["test"])


def test_goal_without_a_rule_may_run_any_recipe() -> None:
    assert len(recipes_of(_TEXT, ["included"])) == 7


def test_rules_that_need_each_other_come_to_an_end() -> None:
    assert recipes_of("a: b\n\tx\nb: a\n\ty\n") == ("x", "y")


def test_variables_that_name_each_other_come_to_an_end() -> None:
    assert recipes_of("A = $(B)\nB = $(A)\na:\n\t$(A)\n")[0] in ("$(A)", "$(B)")


def test_variables_of_make_of_the_call_and_of_its_words_are_put_in() -> None:
    text = "T ?= none\nX := $(T)/x\nall:\n\t$(CC) a; $(HOME)/b; $(T) c; $(X)\n"
    assert recipes_of(text, [], {"HOME": "/h"}, {"T": "t"}) == ("cc a; /h/b; t c; none/x",)
    assert recipes_of(text, [], {"T": "e", "CC": "clang"}) == ("clang a; $(HOME)/b; e c; e/x",)


def test_exported_variables_stand_before_each_line() -> None:
    text = "export PATH := /opt:$(PATH)\nall:\n\ta\n"
    assert recipes_of(text, [], {"PATH": "/bin"}) == ('export PATH="/opt:/bin"\na',)


def test_what_the_file_makes_is_no_program_that_it_runs() -> None:
    text = "test: build/t\n\t./build/t -v\n\tpytest\npytest:\nbuild/t: t.c\n\tcc -o $@ t.c\n"
    assert recipes_of(text) == ("pytest", "cc -o $@ t.c", "cc")


def test_programs_of_makes_own_rules_and_calls_count() -> None:
    assert recipes_of("V := $(shell ../git describe)\nt: t.cc\n") == ("g++", "../git describe")


def test_variables_that_grow_without_end_are_left() -> None:
    text = "A0 = x\n" + "".join(f"A{n} = {f'$(A{n - 1})' * 8}\n" for n in range(1, 30))
    assert len(recipes_of(f"{text}all:\n\t$(A29)\n")[0]) < 10_000_000


def test_variable_is_added_to() -> None:
    assert recipes_of("A = x\nA += y\na:\n\t$(A)\n") == ("x y",)


@given(st.text("a:b=;$()\t\n#%\\ "))
def test_any_text_is_read_to_some_end(text: str) -> None:
    recipes_of(text)
    targets_of(text)
