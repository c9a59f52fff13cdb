"""Just: which lines of a justfile define a recipe."""

import pytest

from tests.support.folder import command, origin


@pytest.mark.parametrize(
    "text",
    [
        "test:\n  pytest\n",
        "test :\n",
        "@test:\n",
        "test arg:\n",
        "test *args: build\n",
        'test arg="a:b" +rest="":\n',
        "[private]\r\ntest:\r\n",
        "alias test := t\nt:\n",
        "alias  test:=t\n",
        "test: # all\n",
    ],
)
def test_a_recipe_or_an_alias_is_a_definition(text: str) -> None:
    assert command({"justfile": text}, "test") == "just test"


@pytest.mark.parametrize(
    "text",
    [
        'test := "x"\n',
        'test:="x"\n',
        'export test := "x"\n',
        "alias t := test\n",
        "build: test\n",
        "# test: x\n",
        "build:\n  test: x\n",
        "test-all:\n",
        "set shell := ['sh']\n",
        "mod test\n",
        "test\n",
    ],
)
def test_the_word_in_another_place_is_no_definition(text: str) -> None:
    assert command({"justfile": text}, "test") == "-"


@pytest.mark.parametrize("name", ["justfile", "Justfile", "JUSTFILE", ".justfile"])
def test_a_justfile_has_several_names(name: str) -> None:
    assert origin({name: "test:\n"}, "test") == name
