"""What a person must hear about: one base class, few children, each with its exit status.

An error is raised where something can't go on at all. What can happen to a tool is no error but a
value (:mod:`gitcache.core.outcome`). The one place that turns an error into words is
:mod:`gitcache.cli.boundary`.
"""

from gitcache import exits


class ToolcacheError(Exception):
    """Something that stops the whole call.

    Args:
        message: one sentence without a full stop, shown after ``fatal:``.
        hint: what the person can do about it, shown after ``hint:``; empty where there is nothing.
    """

    status = exits.FATAL

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class SettingsError(ToolcacheError):
    """The settings can't be read or say something that they can't say."""


class UnknownToolError(ToolcacheError):
    """A tool was named that does not exist here or does not apply here."""


class RepositoryError(ToolcacheError):
    """There is no repository with a working tree here, or git refuses to look at it."""


class NoEntryError(ToolcacheError):
    """An entry was asked for that is not stored."""

    status = exits.NO_ENTRY


class StoreError(ToolcacheError):
    """The store can't be read or written; a run survives it with a warning."""


class UsageError(ToolcacheError):
    """The words of the call don't fit together."""

    status = exits.USAGE


class NoVerdictError(ToolcacheError):
    """No verdict can be had, for a reason that says nothing of the tool."""

    status = exits.NO_VERDICT
