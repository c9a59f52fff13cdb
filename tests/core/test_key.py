"""The key: one spelling for the same facts, another for any other."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.core.key import (
    NAMES,
    KeyInputs,
    TreeId,
    canonical,
    derive_key,
    digest,
    parse_key,
)
from gitcache.core.tool import ToolName

TREE = TreeId("4b825dc642cb6eb9a060e54bf8d69288fbee4904")
OTHER_TREE = TreeId("0123456789abcdef0123456789abcdef01234567")

FULL = KeyInputs(
    tool=ToolName("test"),
    argv=("pytest", "-q", 'a "b"\n', "ü"),
    directory="web/app",
    tree=TREE,
    environment={"variable:TZ": "22", "platform": "11"},
    blind_spots={"submodule:vendor": "33"},
    limits={"memory": "4294967296"},
    isolation="isolated",
    terminal={"colour": "--color=yes"},
)
PLAIN = KeyInputs(ToolName("lint"), ("ruff", "check"), ".", TREE)


OPTIONAL = ("blind_spots", "limits", "terminal")


def test_canonical_form_is_written_down_once() -> None:
    assert (
        canonical(FULL)
        == (
            '{"argv":["pytest","-q","a \\"b\\"\\n","ü"],'
            '"blind_spots":{"submodule:vendor":"33"},'
            '"directory":"web/app",'
            '"environment":{"platform":"11","variable:TZ":"22"},'
            '"isolation":"isolated",'
            '"limits":{"memory":"4294967296"},'
            '"schema":1,'
            '"terminal":{"colour":"--color=yes"},'
            '"tool":"test",'
            '"tree":"4b825dc642cb6eb9a060e54bf8d69288fbee4904"}'
        ).encode()
    )
    assert derive_key(FULL) == "76809dfb89b71dd4dffcb2ced1938dce36c145dab8f95ed2d971bd0ec24d574f"


def test_mappings_that_a_plain_run_has_nothing_in_are_left_out() -> None:
    assert canonical(PLAIN) == (
        b'{"argv":["ruff","check"],"directory":".","environment":{},"isolation":"in-place",'
        b'"schema":1,"tool":"lint","tree":"4b825dc642cb6eb9a060e54bf8d69288fbee4904"}'
    )
    assert derive_key(PLAIN) == "502b55bd4f8157fb081a5a4832adc87a2bb83ff2405a55cd5d1f17bbfc4b4066"


def test_order_of_a_mapping_does_not_matter() -> None:
    turned = replace(FULL, environment={"platform": "11", "variable:TZ": "22"})
    assert derive_key(turned) == derive_key(FULL)


OTHERS: dict[str, dict[str, Any]] = {
    "schema": {"schema": 2},
    "tool": {"tool": ToolName("tests")},
    "argv": {"argv": ("pytest", "-q")},
    "directory": {"directory": "."},
    "tree": {"tree": OTHER_TREE},
    "environment": {"environment": {"platform": "11"}},
    "blind_spots": {"blind_spots": {}},
    "limits": {"limits": {"memory": "1"}},
    "isolation": {"isolation": "in-place"},
    "terminal": {"terminal": {}},
}


def test_every_name_has_a_change_below() -> None:
    assert tuple(OTHERS) == NAMES


@pytest.mark.parametrize("name", OTHERS)
def test_every_input_decides_the_key(name: str) -> None:
    assert derive_key(replace(FULL, **OTHERS[name])) != derive_key(FULL)


@pytest.mark.parametrize(
    "argv",
    [
        ("a", "b c"),
        ("a b", "c"),
        ("a", "b", "c"),
        ("a b c",),
        ("a", "b", "c", ""),
        ("", "a", "b", "c"),
        ('a","b","c',),
        ("a\0b\0c",),
    ],
)
def test_boundaries_of_words_count(argv: tuple[str, ...]) -> None:
    same = [("a", "b c"), ("a b", "c"), ("a", "b", "c"), ("a b c",), ('a","b c',)]
    keys = {derive_key(replace(PLAIN, argv=each)) for each in same if each != argv}
    assert derive_key(replace(PLAIN, argv=argv)) not in keys


texts = st.binary(max_size=6).map(os.fsdecode) | st.sampled_from(['","', '"', "\\", "{}", ":", ","])
maps = st.dictionaries(texts, texts, max_size=3)
key_inputs = st.builds(
    KeyInputs,
    tool=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,5}", fullmatch=True).map(ToolName),
    argv=st.lists(texts, min_size=1, max_size=4).map(tuple),
    directory=texts.filter(bool),
    tree=st.sampled_from([TREE, OTHER_TREE]),
    environment=maps,
    blind_spots=maps,
    limits=maps,
    isolation=st.sampled_from(["in-place", "isolated"]),
)


@given(key_inputs, key_inputs)
def test_different_inputs_never_share_a_form(one: KeyInputs, two: KeyInputs) -> None:
    assert (canonical(one) == canonical(two)) is (one == two)


@given(st.lists(texts, min_size=1, max_size=4), st.lists(texts, min_size=1, max_size=4))
def test_different_argvs_never_share_a_form(one: list[str], two: list[str]) -> None:
    forms = {canonical(replace(PLAIN, argv=tuple(argv))) for argv in (one, two)}
    assert len(forms) == (1 if one == two else 2)


@given(key_inputs, texts.filter(bool))
def test_a_text_moved_to_another_input_is_another_form(inputs: KeyInputs, text: str) -> None:
    forms = [
        canonical(replace(inputs, argv=(*inputs.argv, text))),
        canonical(replace(inputs, argv=(*inputs.argv[:-1], inputs.argv[-1] + text))),
        canonical(replace(inputs, directory=inputs.directory + text)),
        canonical(replace(inputs, environment={**inputs.environment, "+" + text * 4: ""})),
        canonical(replace(inputs, blind_spots={**inputs.blind_spots, "+" + text * 4: ""})),
        canonical(replace(inputs, limits={**inputs.limits, "+" + text * 4: ""})),
    ]
    assert len(set(forms)) == len(forms)


@given(key_inputs)
def test_inputs_come_back_from_json(inputs: KeyInputs) -> None:
    assert KeyInputs.from_json(inputs.to_json()) == inputs


@pytest.mark.parametrize("inputs", [FULL, PLAIN])
def test_inputs_of_the_examples_come_back_from_json(inputs: KeyInputs) -> None:
    assert KeyInputs.from_json(inputs.to_json()) == inputs


def test_bytes_that_are_no_utf_8_keep_words_apart() -> None:
    words = [
        os.fsdecode(data) for data in (b"\xff", b"\xfe", b"\xc3", b"\xed\xb3\xbf", "ÿ".encode())
    ]
    forms = {canonical(replace(PLAIN, argv=(word,))) for word in words}
    assert len(forms) == 5
    assert b'{"argv":["\xed\xb3\xbf"]' in canonical(replace(PLAIN, argv=(words[0],)))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in OPTIONAL])
def test_a_missing_input_is_refused_by_name(name: str) -> None:
    value = FULL.to_json()
    del value[name]
    with pytest.raises(ValueError, match="the key inputs are") as caught:
        KeyInputs.from_json(value)
    told, _, wanted = str(caught.value).partition(", not ")
    assert f"'{name}'" in wanted
    assert f"'{name}'" not in told


def test_an_unknown_input_is_refused() -> None:
    with pytest.raises(ValueError, match="'branch'"):
        KeyInputs.from_json({**FULL.to_json(), "branch": "main"})


NO_MAPS: list[object] = [None, [], "a", 1, {"a": 1}, {"a": None}, {"a": ["b"]}, {"a": {}}]
WRONG: dict[str, list[object]] = {
    "schema": [2, 0, -1, "1", 1.0, True, None, [1]],
    "tool": ["", "-a", "a b", "a\n", "a/b", "x" * 65, 1, None, ["test"]],
    "argv": [[], "pytest", [1], ["a", None], [["a"]], {"a": "b"}, None, 7],
    "directory": ["", None, 1, ["."], {}],
    "tree": [
        *("", "4b825d", TREE.upper(), TREE + "\n", TREE[:-1], TREE * 2, "g" * 40),
        *(None, 1, [TREE]),
    ],
    "environment": NO_MAPS,
    "blind_spots": NO_MAPS,
    "limits": NO_MAPS,
    "isolation": ["", "IN-PLACE", True, None, 1, ["in-place"], {}],
}


@pytest.mark.parametrize("name", WRONG)
def test_an_input_of_a_wrong_kind_is_refused_by_name(name: str) -> None:
    for value in WRONG[name]:
        with pytest.raises(ValueError, match=f"the key input {name} has a wrong value"):
            KeyInputs.from_json({**FULL.to_json(), name: value})


@pytest.mark.parametrize("value", [None, [], "", 1, True, [["tool", "test"]]])
def test_inputs_that_are_no_object_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="the key inputs are no object"):
        KeyInputs.from_json(value)


def test_trees_of_both_object_formats_are_inputs() -> None:
    for tree in (TREE, TreeId("0" * 64)):
        assert KeyInputs.from_json(replace(PLAIN, tree=tree).to_json()).tree == tree


@pytest.mark.parametrize("text", ["0" * 64, "0123456789abcdef" * 4])
def test_sixty_four_hex_digits_are_a_key(text: str) -> None:
    assert parse_key(text) == text


@pytest.mark.parametrize(
    "text",
    ["", "0" * 63, "0" * 65, "A" * 64, "0" * 64 + "\n", "g" * 64, "٣" * 64, "../" + "0" * 61],
)
def test_anything_else_is_no_key(text: str) -> None:
    assert parse_key(text) is None


def test_digest_is_the_hash_of_its_parts_with_their_lengths() -> None:
    assert digest("ab", "c") == hashlib.sha256(b"2:ab1:c").hexdigest()
    assert digest("é", b"\xff") == hashlib.sha256(b"2:\xc3\xa91:\xff").hexdigest()
    assert digest(os.fsdecode(b"\xff")) == hashlib.sha256(b"1:\xff").hexdigest()


@pytest.mark.parametrize(
    "parts",
    [(), ("",), ("", ""), ("abc",), ("a", "bc"), ("ab", "c"), ("a", "b", "c"), ("2:ab1:c",)],
)
def test_digest_keeps_the_boundaries_of_its_parts(parts: tuple[str, ...]) -> None:
    others = [(), ("",), ("", ""), ("abc",), ("a", "bc"), ("ab", "c"), ("a", "b", "c")]
    assert digest(*parts) not in {digest(*each) for each in others if each != parts}


@given(st.lists(st.binary(max_size=4), max_size=4), st.lists(st.binary(max_size=4), max_size=4))
def test_different_parts_never_share_a_digest(one: list[bytes], two: list[bytes]) -> None:
    assert (digest(*one) == digest(*two)) is (one == two)
