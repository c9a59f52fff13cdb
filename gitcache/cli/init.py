"""``git toolcache init``: write a settings file to begin with."""

from __future__ import annotations

from gitcache import exits
from gitcache.cli.as_json import document
from gitcache.cli.escapes import printable
from gitcache.engine.context import Context
from gitcache.engine.starter_settings import write_settings
from gitcache.quick.streams import Streams


def execute(as_json: bool) -> int:
    """Write the settings, and tell which tools are in them and which variables they may miss."""
    starter = write_settings(Context.of_this_process())
    streams = Streams()
    names = [tool.name for tool in starter.tools]
    if as_json:
        told = {"file": str(starter.path), "tools": names, "mentioned": dict(starter.mentioned)}
        streams.write("stdout", document(told))
    for name, path in starter.mentioned.items():
        streams.say(printable(f"hint: {path} mentions {name}, which is set and no tool gets"))
    found = ", ".join(names) or "no tool is found here"
    streams.say(printable(f"toolcache: wrote {starter.path.name}: {found}"))
    return exits.PASSED
