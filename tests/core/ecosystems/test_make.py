"""Make: which lines of a makefile define a target."""

import pytest

from tests.support.folder import command, origin, reason

DEFINITIONS = [
    "test:\n\tpytest\n",
    "test : all\n",
    "test:: all\n",
    "test:;pytest\n",
    "test: ; X=1 pytest\n",
    "test: | all\n",
    "  test: all\n",
    "lint test docs: all\n",
    "lint \\\n  test: all\n",
    "lint test &: all\n",
    "lint test&: all\n",
    "test: FLAGS = -x\ntest: all\n",
    "test: $(patsubst %:a=b,%,$(X))\n",
    "$(X:.c=.o) test: all\n",
    "test: %: %.c\n",
    "\ufeffx := 1\r\ntest:\r\n\tpytest\r\n",
    "ifdef CI\ntest: all\nendif\n",
    "define HELP\nendef\ntest:\n",
    "test: # runs the tests\n",
]
NO_DEFINITIONS = [
    "test := pytest\n",
    "test ::= pytest\n",
    "test = a:b\n",
    "test ?= a:b\n",
    "x = test: y\n",
    ".PHONY: test\n",
    ".PHONY: lint \\\n  test\n",
    "%.test: x\n",
    "test%: x\n",
    "test.c: x\n",
    "lint: test\n",
    "all:\n\ttest: x\n",
    "all:\n\techo \\\n test: x\n",
    "# test: x\n",
    "test: FLAGS = -x\n",
    "test: FLAGS += -x\n",
    "test: FLAGS := -x\n",
    "test: export FLAGS ?= -x\n",
    "define HELP\ntest: run the tests\nendef\n",
    "$(info test: x)\n",
    "$(X)test: all\n",
    "test\n",
]


@pytest.mark.parametrize("text", DEFINITIONS)
def test_a_rule_for_the_target_is_a_definition(text: str) -> None:
    assert command({"Makefile": text}, "test") == "make test"


@pytest.mark.parametrize("text", NO_DEFINITIONS)
def test_the_word_in_another_place_is_no_definition(text: str) -> None:
    assert command({"Makefile": text}, "test") == "-"


def test_make_reads_one_file_in_its_own_order() -> None:
    texts = {"Makefile": "test:\n", "makefile": "test:\n", "GNUmakefile": "test:\n"}
    assert origin(texts, "test") == "GNUmakefile"
    assert origin({"Makefile": "test:\n", "makefile": "test:\n"}, "test") == "makefile"
    assert reason({"Makefile": "test:\n", "makefile": ""}, "test") == "makefile has no test target"


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("check:\ntest:\n", "test", "make test"),
        ("check:\n", "test", "make check"),
        ("all:\nbuild:\n", "build", "make build"),
        ("all:\n", "build", "make all"),
        ("all:\ncheck:\n", "lint", "-"),
        ("type-check:\n", "typecheck", "make type-check"),
    ],
)
def test_the_targets_of_gnus_standards_are_the_second_choice(
    text: str, name: str, expected: str
) -> None:
    assert command({"Makefile": text}, name) == expected
