"""Reading project files leniently: what can't be read says nothing.

No function here raises, whatever the text: a broken file is the project's own trouble and its own
tools report it better. What the values mean is the ecosystems' matter.
"""

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import cast

_STRING = r'"(?:\\.|[^"\\])*+"?'
"""A JSON string, with or without its end, so that every text is read in one pass."""

_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)


def plain(text: str | None) -> str:
    """Return *text* without a byte order mark and with ``\\n`` at line ends; empty for None."""
    return (text or "").removeprefix("\ufeff").replace("\r\n", "\n")


def mapping(value: object) -> Mapping[str, object]:
    """Return *value* where it is an object or a table of a document, else an empty mapping."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def json_object(text: str | None) -> Mapping[str, object]:
    """Return the JSON object in *text*: name → value; empty where there is none."""
    return _parsed(json.loads, plain(text))


def jsonc_object(text: str | None) -> Mapping[str, object]:
    """Return the object in *text* as :func:`json_object` does, comments and last commas allowed.

    This is the JSON that deno reads: https://docs.deno.com/runtime/fundamentals/configuration/
    """
    bare = _COMMENT.sub(lambda match: match[1] or " ", plain(text))
    return json_object(_TRAILING_COMMA.sub(lambda match: match[1] or " ", bare))


def toml_table(text: str | None) -> Mapping[str, object]:
    """Return the TOML document in *text*: name → value; empty where it is not valid."""
    return _parsed(tomllib.loads, plain(text))


def ini_sections(text: str | None) -> Mapping[str, Mapping[str, str]]:
    """Return the INI sections in *text*: section → option → value; empty where it is not valid."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(plain(text))
    except configparser.Error:
        return {}
    return {section: dict(parser.items(section)) for section in parser.sections()}


def words_below(root: object, opens: Callable[[str], object]) -> Iterator[str]:
    """Yield every name and every text that lies, at any depth, below a name that is wanted.

    Args:
        root: the document.
        opens: name → something true where the name is wanted.
    """
    pending: list[tuple[str, object, bool]] = [("", root, False)]
    while pending:
        name, value, is_below = pending.pop()
        is_inside = is_below or bool(opens(name))
        if is_below:
            yield name
        if is_inside and isinstance(value, str):
            yield value
        pending.extend((inner, item, is_inside) for inner, item in _inner(value))


def _inner(value: object) -> Iterable[tuple[str, object]]:
    if isinstance(value, list):
        return [("", item) for item in value]
    return mapping(value).items()


def _parsed(parse: Callable[[str], object], text: str) -> Mapping[str, object]:
    """Return what *parse* makes of *text*; empty where that is wrong, too deep or too long."""
    try:
        return mapping(parse(text))
    except (ValueError, RecursionError):
        return {}
