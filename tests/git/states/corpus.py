"""The table of all states: the functions of this package, by what they are said to return."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Final, TypeVar

from tests.git.states import (
    attributes,
    clones,
    conflicts,
    edits,
    encodings,
    filters,
    flags,
    formats,
    ignore_sources,
    ignores,
    kinds,
    line_ends,
    names,
    nested,
    places,
    settings,
    sparse,
    staging,
    submodule_content,
    submodules,
    times,
    variables,
)
from tests.git.states.state import BlindState, Refusal, State
from tests.support.repository import Repo

_Kind = TypeVar("_Kind")

_FAMILIES: Final[tuple[ModuleType, ...]] = (
    attributes,
    clones,
    conflicts,
    edits,
    encodings,
    filters,
    flags,
    formats,
    ignore_sources,
    ignores,
    kinds,
    line_ends,
    names,
    nested,
    places,
    settings,
    sparse,
    staging,
    submodule_content,
    submodules,
    times,
    variables,
)


def _makers(kind: type[_Kind]) -> Iterator[Callable[[Repo], _Kind]]:
    """Yield the functions that make a *kind*."""
    for family in _FAMILIES:
        for name, function in inspect.getmembers(family, inspect.isfunction):
            is_own = function.__module__ == family.__name__ and not name.startswith("_")
            if is_own and function.__annotations__["return"] == kind.__name__:
                yield function


BLIND_STATES: Final = tuple(_makers(BlindState))
"""Where something is hidden behind the tree that git sees."""

STATES: Final = (*_makers(State), *BLIND_STATES)
"""Where git says what the tree is."""

REFUSALS: Final = tuple(_makers(Refusal))
"""Where nobody can say it for certain."""
