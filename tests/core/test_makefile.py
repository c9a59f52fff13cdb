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
            ],
        ),
        (["lint"], ["ruff check", "cc $<"]),
        (["lint", "folder"], ["ruff check", "cc $<"]),
    ],
)
def test_recipes_of_the_goals_and_of_what_they_need_count(
    goals: list[str], recipes: list[str]
) -> None:
    assert list(recipes_of(_TEXT, goals)) == recipes


def test_first_target_is_the_goal_where_none_is_asked_for() -> None:
    assert recipes_of(_TEXT) == recipes_of(_TEXT, ["test"])


def test_goal_without_a_rule_may_run_any_recipe() -> None:
    assert len(recipes_of(_TEXT, ["included"])) == 6


def test_rules_that_need_each_other_come_to_an_end() -> None:
    assert recipes_of("a: b\n\tx\nb: a\n\ty\n") == ("x", "y")


def test_variables_that_name_each_other_come_to_an_end() -> None:
    assert recipes_of("A = $(B)\nB = $(A)\na:\n\t$(A)\n")[0] in ("$(A)", "$(B)")


def test_variable_is_added_to() -> None:
    assert recipes_of("A = x\nA += y\na:\n\t$(A)\n") == ("x y",)


@given(st.text("a:b=;$()\t\n#%\\ "))
def test_any_text_is_read_to_some_end(text: str) -> None:
    recipes_of(text)
    targets_of(text)
