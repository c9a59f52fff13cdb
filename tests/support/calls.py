"""Calls of git toolcache within the test's process and beside it, and what they are about."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gitcache.core.output import Stream
from gitcache.engine.cached_run import run
from gitcache.engine.context import Context, Use
from gitcache.engine.events import Answer, FollowedRun, SlotWait
from gitcache.engine.explain import ExplainedMiss
from gitcache.engine.resolve import Plan, Request
from tests.support.repository import Repo

NOW = 1_800_000_000.0
"""2027-01-15T08:00:00Z, in seconds since the epoch."""


class Recorder:
    """A reporter that keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[Stream, bytes]] = []
        self.misses: list[ExplainedMiss] = []
        self.hints: list[str] = []
        self.followed: list[FollowedRun] = []
        self.notices: list[str] = []
        self.waits: list[SlotWait] = []
        self.details: list[str] = []
        self.warnings: list[str] = []
        self.answers: list[Answer] = []
        self.plans: list[Plan] = []

    def missed(self, explained: ExplainedMiss) -> None:
        self.misses.append(explained)

    def detail(self, text: str) -> None:
        self.details.append(text)

    def follows(self, run: FollowedRun) -> None:
        self.followed.append(run)

    def queues(self, wait: SlotWait) -> None:
        self.waits.append(wait)

    def notice(self, text: str) -> None:
        self.notices.append(text)

    def hint(self, text: str) -> None:
        self.hints.append(text)

    def starting(self, plan: Plan) -> None:
        self.plans.append(plan)

    def outlets(self) -> dict[Stream, int]:
        return {}

    def output(self, stream: Stream, data: bytes) -> None:
        self.heard.append((stream, data))

    def warning(self, text: str) -> None:
        self.warnings.append(text)

    def answered(self, answer: Answer) -> None:
        self.answers.append(answer)

    def text(self, stream: Stream) -> bytes:
        """Return all that was heard on *stream*."""
        return b"".join(data for each, data in self.heard if each == stream)


def context_in(
    folder: Path,
    *,
    now: float = NOW,
    use: Use = "on",
    environ: Mapping[str, str] | None = None,
    host: str = "here",
) -> Context:
    """Return the context of a caller in *folder* at the moment *now*."""
    return Context(folder, {**os.environ, **(environ or {})}, lambda: now, host, "me", use)


def ask(
    repo: Repo, *words: str, context: Context | None = None, force: bool = False
) -> tuple[Answer, Recorder]:
    """Run the command *words* in *repo* within this process."""
    recorder = Recorder()
    request = Request(None, words, force=force)
    return run(request, context or context_in(repo.path), recorder), recorder


def declare(repo: Repo, tools: Mapping[str, str], more: str = "") -> None:
    """Write the settings of *tools*, name to shell text; *more* belongs to the last one."""
    tables = [
        f"[tools.{name}]\ncommand = {json.dumps(text)}\nshell = true\n"
        for name, text in tools.items()
    ]
    repo.write("toolcache.toml", "\n".join([*tables, more, ""]))


def start(repo: Repo, *words: str | bytes, folder: str = "", **options: Any) -> Process:
    """Start git toolcache here and return the running process."""
    return subprocess.Popen(
        [sys.executable, "-m", "gitcache", *words],
        cwd=repo.path / folder,
        **{
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            **options,
        },
    )


Process = subprocess.Popen[bytes]


def shell(repo: Repo, script: str, *words: str, folder: str = "") -> tuple[int, bytes, bytes]:
    """Run *script* by bash, in which ``toolcache`` is git toolcache and ``$@`` are *words*.

    Returns the status and the two streams of the whole script.
    """
    done = subprocess.run(
        ["bash", "-c", f"PYTHON={shlex.quote(sys.executable)}\n{_OURS}\n{script}", "bash", *words],
        cwd=repo.path / folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


_OURS = 'toolcache() { "$PYTHON" -m gitcache "$@"; }'

FIRST = b"toolcache: miss: no entry for this tool yet\n"
"""What stands before the output of a tool that runs for the first time."""

FIRST_COMMAND = b"toolcache: miss: no entry for this command yet\n"

FULL_DISK = "export PYTHONDONTWRITEBYTECODE=1; ulimit -f 8"
"""Shell words behind which no file grows beyond some kilobytes.

Python would leave pieces of byte code behind, which it takes for whole the next time.
"""
