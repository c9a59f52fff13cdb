"""The record of who holds something, which anybody may have written."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from gitcache.core.tool import ToolName
from gitcache.host.owner import Owner, read_record, start_time, this_machine, write_record
from tests.support.locker import one_locker, this_owner


def test_record_round_trips_with_any_path(tmp_path: Path) -> None:
    strange = replace(this_owner(), worktree=os.fsdecode(b"/a b\n\xff\x1b[31m"))

    write_record(tmp_path / "owner", strange.to_json(), 0o600)

    assert Owner.from_json(read_record(tmp_path / "owner")) == strange


def test_record_of_this_process_is_running() -> None:
    owner = this_owner()

    assert (owner.pid, owner.tool) == (os.getpid(), ToolName("test"))
    assert owner.is_running()
    assert not owner.is_gone()


def test_process_of_the_same_number_and_another_start_is_another() -> None:
    started = start_time(os.getpid())
    assert started is not None
    owner = replace(this_owner(), started=started + 1)

    assert not owner.is_running()
    assert owner.is_gone()


def test_process_that_is_not_waited_for_yet_is_gone(tmp_path: Path) -> None:
    with one_locker(tmp_path) as child:
        child.ask("release")
        owner = replace(this_owner(), pid=child.pid, started=start_time(child.pid))
        assert owner.is_running()
        child.kill_unwaited()
        assert owner.is_gone()
        assert not owner.is_running()
    assert owner.is_gone()


def test_process_without_a_known_start_is_never_certain() -> None:
    owner = replace(this_owner(), started=None)

    assert not owner.is_running()
    assert not owner.is_gone()


@pytest.mark.parametrize("change", [{"boot": "another"}, {"pid_namespace": 1}])
def test_process_of_another_machine_is_never_certain(change: dict[str, object]) -> None:
    owner = Owner.from_json({**this_owner().to_json(), **change})

    assert owner is not None
    assert not owner.is_on(this_machine())
    assert not owner.is_running()
    assert not owner.is_gone()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pid", 0),
        ("pid", -1),
        ("pid", 1 << 31),
        ("pid", True),
        ("pid", "1"),
        ("started", -1),
        ("started", 1.5),
        ("boot", None),
        ("pid_namespace", None),
        ("tool", "../x"),
        ("tool", 1),
        ("worktree", None),
        ("user", 1),
        ("host", []),
        ("since", "now"),
        ("since", float("inf")),
        ("run_id", "a b"),
        ("run_id", ""),
    ],
)
def test_record_with_a_wrong_value_is_none(name: str, value: object) -> None:
    assert Owner.from_json({**this_owner().to_json(), name: value}) is None


@pytest.mark.parametrize("value", [None, 1, [], {}, {"pid": 1}])
def test_what_is_no_record_is_none(value: object) -> None:
    assert Owner.from_json(value) is None


def test_record_of_a_newer_version_may_say_more() -> None:
    assert Owner.from_json({**this_owner().to_json(), "more": 1}) == this_owner()


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b"[" * 100_000, b'{"a": 1}' + b" " * 70_000])
def test_torn_or_foreign_file_is_no_record(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "owner").write_bytes(text)

    assert Owner.from_json(read_record(tmp_path / "owner")) is None


def test_pipe_in_the_records_place_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "owner")
    writer = os.open(tmp_path / "owner", os.O_RDWR)  # silent
    try:
        assert read_record(tmp_path / "owner") is None
    finally:
        os.close(writer)


def test_link_is_no_record(tmp_path: Path) -> None:
    (tmp_path / "real").write_text(json.dumps(this_owner().to_json()))
    (tmp_path / "owner").symlink_to(tmp_path / "real")

    assert read_record(tmp_path / "owner") is None
    assert read_record(tmp_path / "none") is None


def test_unfinished_record_of_a_killed_writer_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "owner.new").write_text("{")

    write_record(tmp_path / "owner", {"a": 1}, 0o600)

    assert read_record(tmp_path / "owner") == {"a": 1}
    assert not (tmp_path / "owner.new").exists()
