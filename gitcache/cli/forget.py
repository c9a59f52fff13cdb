"""``git toolcache forget``: remove entries."""

from __future__ import annotations

from gitcache import exits
from gitcache.cli.as_json import document
from gitcache.engine.context import Context
from gitcache.engine.entries import forget
from gitcache.quick.streams import Streams


def execute(whats: tuple[str, ...], everything: bool, as_json: bool) -> int:
    """Remove the entries that are named and say how many."""
    gone = forget(whats, everything, Context.of_this_process())
    streams = Streams()
    if as_json:
        streams.write("stdout", document({"forgotten": list(gone.keys)}))
    count = len(gone.keys)
    streams.say(f"toolcache: forgot {count} {'entry' if count == 1 else 'entries'}")
    return exits.PASSED
