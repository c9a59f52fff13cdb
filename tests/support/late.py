"""git toolcache as a process whose clocks are ahead, so that what was just written has settled.

The times in a stat are the kernel's, so an edit shows in them all the same.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.support.repository import NO_VARIABLES, Ran, Repo

TRACE: Final = b"toolcache: trace: "

_PROGRAM: Final = """\
import sys
sys.path.insert(0, sys.argv.pop(1))
from tests.support.ahead import set_clocks
set_clocks()
from gitcache.__main__ import main
main()
"""

_HERE: Final = str(Path(__file__).parents[2])

_CALLS: Final = 6
"""Calls after which all is remembered."""


def late(
    repo: Repo,
    *words: str,
    ahead: float = 10.0,
    env: Mapping[str, str] = NO_VARIABLES,
    folder: str = "",
) -> Ran:
    """Run git toolcache, with its trace, with clocks that are *ahead* by so many seconds."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, _HERE, *words],
        cwd=repo.path / folder,
        env={**os.environ, "GIT_TOOLCACHE_TRACE": "1", "CLOCK_AHEAD": str(ahead), **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def remember(
    repo: Repo, *words: str, env: Mapping[str, str] = NO_VARIABLES, folder: str = ""
) -> Ran:
    """Ask until a quick answer is remembered, and return the last answer."""
    for _ in range(_CALLS):
        ran = late(repo, *words, env=env, folder=folder)
        if b": a quick answer is remembered\n" in ran.stderr or is_quick(ran):
            return ran
    raise AssertionError(ran.stderr.decode())


def is_quick(ran: Ran) -> bool:
    """Return whether a traced call had a quick answer."""
    return b" ms: shown\n" in ran.stderr


def shown(ran: Ran) -> tuple[int, bytes, bytes]:
    """Return the status and the streams of *ran* without its trace and the age of what it tells."""
    told = re.sub(rb"toolcache: trace: .*\n", b"", ran.stderr)
    return ran.status, ran.stdout, re.sub(rb"ran [0-9.smh]+ ago", b"ran some time ago", told)
