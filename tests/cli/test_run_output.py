"""Output of a run and of its hits: byte for byte, stream by stream, in constant memory."""

from __future__ import annotations

import subprocess
import sys

from tests.support.calls import FIRST_COMMAND, shell
from tests.support.repository import Repo

EVERY_BYTE = """
import sys
sys.stdout.buffer.write(bytes(range(256)))
sys.stdout.buffer.flush()
sys.stderr.buffer.write(bytes(reversed(range(256))))
sys.exit(3)
"""

ONE_BYTE_AT_A_TIME = r"""
import os
for byte in "aé€\U0001f600\n".encode() + b"\xe2\x82":
    os.write(1, bytes([byte]))
"""


def test_all_byte_values_are_the_same_on_run_and_on_hit(repo: Repo) -> None:
    words = ("run", "-q", "--", sys.executable, "-Sc", EVERY_BYTE)
    for _ in range(2):
        ran = repo.toolcache(*words)
        assert ran.stdout == bytes(range(256))
        assert ran.stderr == bytes(range(255, -1, -1))
        assert ran.status == 3
    assert len(repo.keys()) == 1


def test_a_character_in_pieces_stays_whole(repo: Repo) -> None:
    words = ("run", "-q", "--", sys.executable, "-Sc", ONE_BYTE_AT_A_TIME)
    for _ in range(2):
        assert repo.toolcache(*words).stdout == "aé€\U0001f600\n".encode() + b"\xe2\x82"


def test_the_summary_is_the_last_line_even_behind_an_unfinished_one(repo: Repo) -> None:
    tool = "toolcache run -- sh -c 'printf out; printf err >&2'"
    for _ in range(2):
        _, stdout, stderr = shell(repo, tool)
        assert stdout == b"out"
        assert stderr.removeprefix(FIRST_COMMAND).startswith(b"err\ntoolcache: command passed")
        _, both, _ = shell(repo, "toolcache run -- printf out 2>&1")
        assert both.removeprefix(FIRST_COMMAND).startswith(b"out\ntoolcache: command passed")
    quiet = "toolcache run -q -- sh -c 'printf out; printf err >&2'"
    assert shell(repo, quiet)[1:] == (b"out", b"err")


def test_much_output_takes_little_memory(repo: Repo) -> None:
    """Measured by a small process in between, since a big parent's memory would count as well."""
    measure = (
        "import os, sys\n"
        "null = os.open(os.devnull, os.O_RDWR)\n"
        "actions = [(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1, 2)]\n"
        "pid = os.posix_spawn(sys.executable, [sys.executable, *sys.argv[1:]], os.environ,\n"
        "                     file_actions=actions)\n"
        "_, status, usage = os.wait4(pid, 0)\n"
        "print(status, usage.ru_maxrss)"
    )
    tool = "head -c 150000000 /dev/zero; head -c 150000000 /dev/zero >&2"
    words = ("-m", "gitcache", "run", "--", "sh", "-c", tool)
    done = subprocess.run(
        [sys.executable, "-Sc", measure, *words],
        cwd=repo.path,
        capture_output=True,
        check=True,
        timeout=100,
    )
    status, peak = map(int, done.stdout.split())
    kilobyte = 1 if sys.platform == "darwin" else 1024  # getrusage(2) of each
    assert status == 0
    assert peak * kilobyte < 80 * 1024 * 1024
    assert len(repo.keys()) == 1
