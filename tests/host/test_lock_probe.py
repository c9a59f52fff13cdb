"""Whether files can be locked, tried on real folders."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitcache.host.lock_probe import Closed, Lockable, probe
from tests.support.no_flock import can_refuse, without_flock
from tests.support.unprivileged import unprivileged

PROBE = """\
import sys
from pathlib import Path
from gitcache.host.lock_probe import probe
print(probe(Path(sys.argv[1])))
"""


def test_folder_can_be_locked_in_and_nothing_stays(tmp_path: Path) -> None:
    folder = tmp_path / "toolcache"
    folder.mkdir()
    assert probe(folder) == Lockable()
    assert os.listdir(folder) == []


def test_folder_that_is_missing_is_not_made(tmp_path: Path) -> None:
    before = sorted(os.listdir(tmp_path))
    assert probe(tmp_path / "toolcache") == Lockable()
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK])
@pytest.mark.skipif(not can_refuse(), reason="no way to take flock away here")
def test_system_without_locks_says_why_and_nothing_stays(tmp_path: Path, number: int) -> None:
    folder = tmp_path / "toolcache"
    folder.mkdir()
    argv = without_flock(number, [sys.executable, "-c", PROBE, str(folder)])
    done = subprocess.run(argv, capture_output=True, check=True, timeout=60)
    assert done.stdout.decode() == f"Unavailable(reason={os.strerror(number)!r})\n"
    assert os.listdir(folder) == []


def test_closed_folder_is_told_as_such() -> None:
    with unprivileged() as home:
        folder = home / "toolcache"
        folder.mkdir(0o500)
        assert probe(folder) == Closed(os.strerror(errno.EACCES))
