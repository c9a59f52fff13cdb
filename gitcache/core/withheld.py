"""Withheld variables that a failing tool speaks of: the likeliest reason why it fails here.

A tool names the variable that it misses (``KeyError: 'DATABASE_URL'``), so a name in its output
that its caller has and it does not see deserves a hint. Values are never looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final

from gitcache.core.output import Output
from gitcache.core.tool import AD_HOC, Tool
from gitcache.core.variable_names import is_of_one_call

NAMES_TOLD: Final = 3
"""How many variables are told: a failure rarely has more reasons, and a hint is one line."""

_PLAUSIBLE: Final = re.compile(r"(?=.*[A-Z_])[A-Za-z_][A-Za-z0-9_]{2,}")
"""What is taken for a variable in running text: not ``i`` and not ``path``."""


def named_in(output: Output, withheld: Iterable[str]) -> tuple[str, ...]:
    """Return the first :data:`NAMES_TOLD` of *withheld* that stand as whole words in *output*.

    What a launcher or a terminal sets anew for each call is not among them: nothing fails for want
    of it, and a key that has it in would answer nobody.
    """
    streams = [
        b"".join(chunk.data for chunk in output.chunks if chunk.stream == stream)
        for stream in ("stdout", "stderr")
    ]
    named = (
        name
        for name in worth_telling(withheld)
        if any(_has_word(data, name.encode("ascii")) for data in streams)
    )
    return tuple(name for name, _ in zip(named, range(NAMES_TOLD), strict=False))


def worth_telling(withheld: Iterable[str]) -> tuple[str, ...]:
    """Return those of *withheld* that a tool may miss, and that mean the same in every call."""
    return tuple(
        each for each in withheld if _PLAUSIBLE.fullmatch(each) and not is_of_one_call(each)
    )


def hint_to_pass(names: tuple[str, ...], tool: Tool) -> str:
    """Return the sentence that tells how *tool* gets the variables *names*, at least one."""
    if len(names) == 1:
        subject, verb, them = names[0], "is", "it"
    else:
        subject, verb, them = f"{', '.join(names[:-1])} and {names[-1]}", "are", "them"
    if tool.name == AD_HOC:
        return f"{subject} {verb} set but not passed; run --loose passes every variable once"
    line = f"env = {json.dumps([*tool.options.env, *names])}"
    return f"{subject} {verb} set but not passed; {line} in [tools.{tool.name}] passes {them}"


def _has_word(data: bytes, word: bytes) -> bool:
    """Return whether *word* is in *data* and in no longer word; most names are not in at all."""
    if word not in data:
        return False
    return re.search(rb"(?<![A-Za-z0-9_])" + word + rb"(?![A-Za-z0-9_])", data) is not None
