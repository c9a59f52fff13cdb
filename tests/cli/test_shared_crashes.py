"""SIGKILL at each write, lock and start of a process: whoever asks next gets the right answer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest

from tests.support.repository import Repo
from tests.support.shared import Tool, calling, ended, is_sound, until

FAULTS = Path(__file__).parents[1] / "support" / "faults"

KEYED = {"PYTHONPATH": str(FAULTS), "PYTHONDONTWRITEBYTECODE": "1"}
"""Variables that the tool gets too, so that who asks next has to have them."""

Role = Literal["caller", "runner"]

MOST: dict[Role, int] = {"caller": 50, "runner": 60}
"""Steps of each role that are tried: at least as many as there are."""

SAMPLE = {"caller": (13, 17), "runner": (4, 11, 14, 18, 27, 30)}
"""The steps that are tried each time."""


def cases() -> list[object]:
    """Return every role and step; those that are no sample take too long."""
    return [
        pytest.param(role, at, marks=() if at in SAMPLE[role] else pytest.mark.slow)
        for role, count in MOST.items()
        for at in range(count)
    ]


def faulty(role: Role, at: int | None, folder: Path) -> dict[str, str]:
    """Return the variables by which the process *role* is killed at its step *at*."""
    return {
        **os.environ,
        **KEYED,
        "FAULT_ROLE": role,
        "FAULT_AT": "" if at is None else str(at),
        "FAULT_MARK": str(folder / "mark"),
        "FAULT_LOG": str(folder / "log"),
    }


def left_in(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()] if folder.exists() else []


@pytest.mark.parametrize("role", ["caller", "runner"])
def test_all_steps_of_a_run_are_tried(repo: Repo, tmp_path: Path, role: Role) -> None:
    words = ("run", "--", "sh", "-c", "echo out; exit 3")
    with calling(repo, *words, env=faulty(role, None, tmp_path)) as process:
        assert ended(process).status == 3
    steps = (tmp_path / "log").read_text().splitlines()
    assert max(SAMPLE[role]) < len(steps) <= MOST[role]
    told = {each.partition(" ")[0] for each in steps}
    assert (
        told
        >= {
            "caller": {"open", "os.mkdir", "socket.connect", "os.posix_spawn", "subprocess.Popen"},
            "runner": {"open", "os.mkdir", "os.rename", "fcntl.flock", "socket.bind", "os.rmdir"},
        }[role]
    )


@pytest.mark.parametrize(("role", "at"), cases())
def test_killed_at_a_step_leaves_the_right_answer_to_all_others(
    repo: Repo, tmp_path: Path, role: Role, at: int
) -> None:
    other, tool = repo.add_worktree(tmp_path / "other"), Tool.below(tmp_path)
    words = ("run", *tool.words("echo out; echo err >&2; exit 3"))
    with calling(repo, *words, env=faulty(role, at, tmp_path)) as process:
        told = ended(process)
    if role == "runner" or not (tmp_path / "mark").exists():
        assert (told.status, told.stdout.splitlines()[-1:]) == (3, [b"out"])
    again = other.toolcache(*words, env=KEYED)
    assert (again.status, again.stdout.splitlines()[-1:]) == (3, [b"out"])
    assert b"err\n" in again.stderr
    assert repo.toolcache(*words, env=KEYED).is_hit
    assert 1 <= tool.runs <= 2
    until(lambda: not list((repo.path / ".git").rglob("*.lock")))  # git ends by itself
    assert is_sound(repo)
    folder = repo.path / ".git" / "toolcache"
    until(lambda: len(left_in(folder / "locks")) <= 2)
    assert len(left_in(folder / "running")) <= 2
