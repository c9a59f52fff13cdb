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

    def names_in(self, folder: str) -> frozenset[str]:
        """Return the names in *folder*, directly in this one; none where it is a link or none."""

    def read(self, path: str, at_most: int | None = None) -> bytes | None:
        """Return the content of the file *path*, relative to this folder; None where there is none.

        Args:
            path: the file.
            at_most: how many bytes of its beginning are wanted; None: all.

        Raises:
            SettingsError: it is there and can't be read.
        """

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
