"""A tool's pseudo-terminal: what the tool sees of it, and what comes out."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gitcache.core.outcome import Exited
from gitcache.core.output import Stream
from gitcache.host.call import Call, Ended, NeverStarted
from gitcache.host.process import run_process
from gitcache.host.terminal import pseudo_terminal

ENVIRON = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


def ran(cwd: Path, *argv: str) -> tuple[Ended | NeverStarted, dict[Stream, bytes]]:
    heard: dict[Stream, bytes] = {}

    def listen(stream: Stream, data: bytes) -> None:
        heard[stream] = heard.get(stream, b"") + data

    return run_process(Call(argv, cwd, ENVIRON, pty=True), listen), heard


def python(cwd: Path, script: str) -> bytes:
    result, heard = ran(cwd, sys.executable, "-Sc", script)
    assert isinstance(result, Ended)
    assert (result.exit, result.leak) == (Exited(0), None)
    assert set(heard) <= {"stdout"}
    return heard["stdout"]


def test_the_tool_prints_to_a_terminal_of_a_fixed_size_and_reads_nothing(tmp_path: Path) -> None:
    script = (
        "import os\n"
        "print([os.isatty(each) for each in range(3)], os.get_terminal_size(1),"
        " os.get_terminal_size(2), repr(os.read(0, 9)))"
    )
    size = b"os.terminal_size(columns=100, lines=40)"
    assert python(tmp_path, script) == b"[False, True, True] %s %s b''\n" % (size, size)


def test_both_streams_are_one_in_the_order_in_which_they_were_written(tmp_path: Path) -> None:
    script = "import os\nfor each in range(1000): os.write(1 + each % 2, b'%d\\n' % each)"
    assert python(tmp_path, script) == b"".join(b"%d\n" % each for each in range(1000))


def test_every_byte_arrives_as_it_was_written(tmp_path: Path) -> None:
    script = "import os; os.write(1, bytes(range(256)) + b'\\n\\t\\r\\n')"
    assert python(tmp_path, script) == bytes(range(256)) + b"\n\t\r\n"


def test_much_output_arrives_whole(tmp_path: Path) -> None:
    result, heard = ran(tmp_path, "head", "-c", "3000000", "/dev/zero")
    assert isinstance(result, Ended)
    assert heard == {"stdout": bytes(3000000)}


def test_the_terminal_is_nobodys_to_ask_questions_by(tmp_path: Path) -> None:
    script = (
        "import os\n"
        "try: os.open('/dev/tty', os.O_RDWR); print('there')\n"
        "except OSError: print('none')"
    )
    assert python(tmp_path, script) == b"none\n"


def test_what_holds_the_terminal_is_a_leak(tmp_path: Path) -> None:
    result, heard = ran(tmp_path, "sh", "-c", "sleep 300 & echo ok")
    assert isinstance(result, Ended)
    assert (result.exit, heard) == (Exited(0), {"stdout": b"ok\n"})
    assert result.leak is not None
    assert [each.name for each in result.leak.processes] == ["sleep"]


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    folder = Path("/dev/fd")
    before = len(os.listdir(folder))
    python(tmp_path, "print()")
    assert ran(tmp_path, "nosuch")[0] == NeverStarted(127, "nosuch: command not found")
    with pytest.raises(RuntimeError), pseudo_terminal(True):
        raise RuntimeError
    assert len(os.listdir(folder)) == before
