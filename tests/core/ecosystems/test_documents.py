"""Reading leniently: comments and last commas go, strings stay."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitcache.core.ecosystems.documents import json_object, jsonc_object, toml_table, words_below


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1, // one\n}', {"a": 1}),
        ('{/* a */"a": [1, 2, ], /* , */ }', {"a": [1, 2]}),
        ('{"a": "// no /* comment */", "b": ",}"}', {"a": "// no /* comment */", "b": ",}"}),
        (r'{"a": "\"// no"}', {"a": '"// no'}),
        ('{"a": 1} // end', {"a": 1}),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('{"a": 1', {}),
        ('{"a": "', {}),
        ("{} /*", {}),
        ("[1]", {}),
        (None, {}),
    ],
)
def test_jsonc_is_json_with_comments_and_last_commas(
    text: str | None, expected: dict[str, object]
) -> None:
    assert jsonc_object(text) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(deadline=None)
@given(document=st.dictionaries(st.text(), JSON))
def test_every_json_object_is_jsonc_with_the_same_meaning(document: dict[str, object]) -> None:
    text = json.dumps(document, ensure_ascii=False)
    assert jsonc_object(text) == json_object(text) == document


def test_a_comment_is_no_json() -> None:
    assert json_object('{"a": 1} // x') == {}


def test_a_file_that_is_no_toml_says_nothing() -> None:
    assert toml_table("a = 1\r\n") == {"a": 1}
    assert toml_table("a = \n") == {}
    assert toml_table(None) == {}


def test_words_below_a_wanted_name_are_met_at_any_depth() -> None:
    document = {"x": "no", "y": [{"deps": {"a": ["b", {"c": 1}]}}, "no"], "deps": "d"}
    words = words_below(document, lambda name: name == "deps")
    assert sorted(word for word in words if word) == ["a", "b", "c", "d"]
