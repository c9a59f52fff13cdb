"""What a call finds around itself, read once at the edge and passed on from there."""

from __future__ import annotations

import os
import pwd
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Self

from gitcache.errors import ToolcacheError

if TYPE_CHECKING:
    from gitcache.quick.listener import Listener

Use = Literal["on", "read", "off"]
"""How the store is used: fully, for answers only, or not at all."""

_SWITCH: Final = "GIT_TOOLCACHE"
_USES: Final[dict[str, Use]] = {"": "on", "on": "on", "read": "read", "off": "off"}


@dataclass(frozen=True, slots=True)
class Context:
    """The surroundings of one call."""

    cwd: Path
    environ: Mapping[str, str]
    now: Callable[[], float]
    """The time in seconds since the epoch."""

    host: str
    user: str
    use: Use = "on"
    listener: Listener | None = None
    """Who hears what is asked on the way to a hit, and can tell a later call the answer."""

    @classmethod
    def of_this_process(cls) -> Self:
        """Return what this process finds around itself.

        Raises:
            ToolcacheError: the current folder is gone, or ``GIT_TOOLCACHE`` says what it can't.
        """
        try:
            cwd = Path.cwd()
        except OSError as error:
            raise ToolcacheError("the current folder does not exist any more") from error
        environ = dict(os.environ)
        return cls(cwd, environ, time.time, os.uname().nodename, _user_name(), _use(environ))

    def reading_only(self) -> Context:
        """Return this context with a store that answers and keeps nothing."""
        return replace(self, use="read" if self.use == "on" else self.use)


def _user_name() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _use(environ: Mapping[str, str]) -> Use:
    value = environ.get(_SWITCH, "")
    if value not in _USES:
        raise ToolcacheError(
            f'the variable {_SWITCH} takes "on", "read" or "off", not "{value}"',
            hint=f"unset {_SWITCH}",
        )
    return _USES[value]
