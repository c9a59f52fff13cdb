"""Tools whose command the settings declare, read from the top folder of some content."""

from __future__ import annotations

from typing import Protocol

from gitcache.core.settings import OWN_FILE, SHARED_FILE, Settings, ToolSettings, parse
from gitcache.core.tool import Tool, default_options


class Folder(Protocol):
    """The top folder of some content."""

    @property
    def names(self) -> frozenset[str]:
        """The names of its entries."""

    def read(self, name: str) -> bytes | None:
        """Return the content of the file *name*, or None; SettingsError where it can't be read."""

    def has_folder(self, directory: str) -> bool:
        """Return whether there is a folder *directory*, relative to this one."""


def parse_settings(folder: Folder) -> Settings:
    """Return the settings of the content in *folder*; SettingsError where they are wrong."""
    return parse(folder.read(OWN_FILE), folder.read(SHARED_FILE))


def declared_tool(declared: ToolSettings, found: Settings) -> Tool | None:
    """Return the tool that a table of the settings declares; None where it has no command."""
    if declared.command is None:
        return None
    return Tool(
        declared.name, declared.command, found.file, declared.over(default_options(declared.name))
    )
