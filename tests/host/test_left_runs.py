"""What killed runs left is ended, and nothing else; a mark alone proves nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from gitcache.core.key import Key
from gitcache.core.tool import ToolName
from gitcache.host.key_lock import Held, try_take
from gitcache.host.left_runs import INSIDE, end_left_run, inside, is_inside, marks
from gitcache.host.owner import Owner

KEY, OTHER = Key("a" * 64), Key("b" * 64)
ONLY_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows variables")


def owner(run_id: str) -> Owner:
    return Owner.of_this_process(ToolName("test"), Path("/w"), "me", "here", 0.0, run_id)


@contextmanager
def marked(run_ids: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that is in runs."""
    with subprocess.Popen(["sleep", "300"], env={**os.environ, INSIDE: run_ids}) as process:
        try:
            yield process
        finally:
            process.kill()


def gone(run_id: str) -> Owner:
    """Return the record of a process that has ended."""
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    return replace(owner(run_id), pid=ended.pid, started=1)


@ONLY_LINUX
def test_process_of_a_dead_run_is_ended_and_one_in_a_run_inside_it_is_not() -> None:
    with marked(f"{KEY}:dead") as left, marked(f"{KEY}:dead {OTHER}:alive") as inner:
        end_left_run(gone("dead"))
        assert left.wait() == -9
        assert inner.poll() is None


def test_record_of_a_process_that_goes_on_ends_nothing() -> None:
    with marked(f"{KEY}:mine") as process:
        for each in (owner("mine"), None, replace(gone("mine"), boot="another")):
            end_left_run(each)
        assert process.poll() is None


def test_who_is_in_a_run_knows_it_while_that_goes_on(tmp_path: Path) -> None:
    outer = {INSIDE: inside({}, OTHER, "outer")}
    inner = {INSIDE: inside(outer, KEY, "mine")}
    assert inner[INSIDE] == f"{OTHER}:outer {KEY}:mine"
    assert not is_inside(inner, tmp_path, KEY)
    held = try_take(tmp_path, KEY, owner("mine"))
    assert isinstance(held, Held)
    with held:
        assert is_inside(inner, tmp_path, KEY)
        assert not is_inside(inner, tmp_path, OTHER)
        assert not is_inside({INSIDE: f"{KEY}:another"}, tmp_path, KEY)
        assert not is_inside({}, tmp_path, KEY)
    assert not is_inside(inner, tmp_path, KEY)


def test_marks_are_passed_on_as_they_are() -> None:
    assert marks({INSIDE: "x", "CI": "1"}) == {INSIDE: "x"}
    assert marks({"CI": "1"}) == {}
