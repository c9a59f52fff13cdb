"""The standard input: a copy of it, and whether something waits on it."""

from __future__ import annotations

import os
import pty
import socket
from pathlib import Path

import pytest

from gitcache.host.standard_input import copy_input
from gitcache.quick.waiting import input_is_waiting

DIGEST_OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
DIGEST_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
"""SHA-256 of ``abc`` (FIPS 180-2, appendix B.1)."""


def piped(data: bytes) -> int:
    """Return the reading end of a pipe that holds *data* and is closed behind it."""
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    return reader


@pytest.mark.parametrize(
    ("data", "digest"), [(b"", DIGEST_OF_NOTHING), (b"abc", DIGEST_OF_ABC)], ids=["none", "abc"]
)
def test_copy_is_at_its_start_and_has_the_digest_of_the_content(data: bytes, digest: str) -> None:
    reader = piped(data)
    copy = copy_input(reader)
    os.close(reader)
    with copy.file:
        assert copy.digest == digest
        assert os.read(copy.file.fileno(), 10) == data


def test_copy_takes_what_does_not_fit_into_one_read(tmp_path: Path) -> None:
    big = tmp_path / "big"
    big.write_bytes(b"x" * 3_000_001)
    with open(big, "rb") as file:
        copy = copy_input(file.fileno())
    with copy.file:
        assert os.fstat(copy.file.fileno()).st_size == 3_000_001
        assert copy.digest == "a3ccf84896e3e6d1185dee335e2f32266f86bd958bdc51fff840792fd520e351"


def test_data_in_a_pipe_or_a_socket_waits() -> None:
    reader = piped(b"x")
    assert input_is_waiting(reader)
    os.close(reader)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert not input_is_waiting(ours.fileno())
        theirs.send(b"x")
        assert input_is_waiting(ours.fileno())


def test_an_open_and_an_ended_pipe_without_data_hold_nothing() -> None:
    reader, writer = os.pipe()
    assert not input_is_waiting(reader)
    os.close(writer)
    assert not input_is_waiting(reader)
    os.close(reader)


def test_a_file_waits_as_far_as_it_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"x")
    with open(path, "rb") as file:
        assert input_is_waiting(file.fileno())
        os.read(file.fileno(), 1)
        assert not input_is_waiting(file.fileno())
    path.write_bytes(b"")
    with open(path, "rb") as file:
        assert not input_is_waiting(file.fileno())


def test_null_device_terminal_and_nothing_at_all_hold_nothing() -> None:
    with open(os.devnull, "rb") as null:
        assert not input_is_waiting(null.fileno())
    ours, theirs = pty.openpty()
    os.write(ours, b"typed ahead\n")
    assert not input_is_waiting(theirs)
    os.close(theirs)
    os.close(ours)
    assert not input_is_waiting(theirs)
