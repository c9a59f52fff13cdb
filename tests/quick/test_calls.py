"""Git, asked again: what it is given to read, and how it is ended."""

from __future__ import annotations

import os
from pathlib import Path

from gitcache.quick.calls import AT_MOST, Call, Running


def start(script: str, stdin: bytes = b"", status: int = 0) -> Running:
    """Start a shell in place of git; it is to be silent and to end with *status*."""
    call = Call(("sh", "-c", script), "/", (), stdin)
    call.status = status
    return Running([call], "/", os.environ)


def test_what_a_call_reads_fits_however_small_pipes_are(tmp_path: Path) -> None:
    told = b"x" * AT_MOST
    running = start(f"cat >{tmp_path}/told; test -p /dev/stdin", told, status=1)
    assert running.first_other() is None
    assert (tmp_path / "told").read_bytes() == told


def test_call_that_nobody_waits_for_removes_its_lock(tmp_path: Path) -> None:
    lock, begun = tmp_path / "lock", tmp_path / "begun"
    os.mkfifo(begun)
    trap = f"trap 'rm {lock}; exit' TERM"
    running = start(f"{trap}; : >{lock}; echo >{begun}; while :; do sleep 0.05; done")
    begun.read_text()
    assert lock.exists()
    running.end()
    assert not lock.exists()
