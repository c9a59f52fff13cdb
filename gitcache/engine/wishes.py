"""What a machine's own git settings ask of every tool: ``toolcache.*``, tracked by no content.

The settings of a tool come first: a wish is for what they leave open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeVar

from gitcache.core.setting_values import shown
from gitcache.core.units import parse_memory
from gitcache.engine.resolve import Plan
from gitcache.errors import SettingsError
from gitcache.git.config import Config

_T = TypeVar("_T")

MEMORY: Final = "toolcache.memory"
"""The memory limit of tools whose settings name none."""


def with_wishes(plan: Plan, config: Config) -> Plan:
    """Return *plan* with what git's *config* asks for; SettingsError where that can't be meant."""
    options = plan.tool.options
    wished = config.get(MEMORY, "")
    if not wished or options.memory is not None:
        return plan
    options = replace(options, memory=understood(MEMORY, wished, parse_memory))
    return replace(plan, tool=replace(plan.tool, options=options))


def understood(name: str, text: str, parse: Callable[[object], _T]) -> _T:
    """Return what *parse* makes of the setting *name*, of its number where it is one."""
    try:
        return parse(int(text) if text.isascii() and text.isdigit() else text)
    except ValueError as error:
        raise SettingsError(f"git config: {name}: takes {error}, not {shown(text)}") from error
