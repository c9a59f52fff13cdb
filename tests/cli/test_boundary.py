"""An exception becomes a line and a number, and whoever starts us finds us the same."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable

import pytest

from gitcache.cli.boundary import guarded
from gitcache.errors import (
    NoEntryError,
    RepositoryError,
    SettingsError,
    StoreError,
    ToolcacheError,
    UnknownToolError,
    UsageError,
)
from tests.support.calls import shell, start
from tests.support.repository import Repo


def raising(error: BaseException) -> Callable[[], int]:
    def act() -> int:
        raise error

    return act


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ToolcacheError("it is so"), 128),
        (SettingsError("it is so"), 128),
        (UnknownToolError("it is so"), 128),
        (RepositoryError("it is so"), 128),
        (StoreError("it is so"), 128),
        (UsageError("it is so"), 129),
        (NoEntryError("it is so"), 2),
    ],
)
def test_an_error_is_one_line_and_its_own_status(
    error: ToolcacheError, status: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert guarded(raising(error)) == status
    assert capfd.readouterr() == ("", "fatal: it is so\n")


def test_a_hint_is_a_line_of_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    assert guarded(raising(UsageError("it is so", hint="do this"))) == 129
    assert capfd.readouterr() == ("", "fatal: it is so\nhint: do this\n")


def test_an_internal_error_shows_no_traceback_unless_asked_to(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert guarded(raising(ZeroDivisionError("division by zero"))) == 125
    assert capfd.readouterr() == (
        "",
        "fatal: internal error: ZeroDivisionError: division by zero\n"
        "hint: GIT_TOOLCACHE_DEBUG=1 shows where; please report it\n",
    )
    monkeypatch.setenv("GIT_TOOLCACHE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        guarded(raising(ZeroDivisionError()))


def test_without_an_error_the_status_is_passed_on(capfd: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda: 7) == 7
    assert capfd.readouterr() == ("", "")


def test_help_for_a_reader_that_went_away_shows_no_traceback(repo: Repo) -> None:
    status, _, stderr = shell(repo, "toolcache -h | true; toolcache status | true")
    assert status == 0
    assert b"Traceback" not in stderr
    assert b"internal" not in stderr


def test_a_caller_that_blocks_or_ignores_our_signals_changes_nothing(repo: Repo) -> None:
    """A tool that closes its pipes first is noticed by nothing but the signal of its end."""
    script = "exec >&- 2>&-; grep SigBlk /proc/self/status >seen; kill -USR1 $$; exit 4"
    repo.write("seen", "")
    blocked = {signal.SIGCHLD, signal.SIGTERM, signal.SIGUSR1}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
    try:
        process = start(repo, "run", "--", "sh", "-c", script)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGUSR1, stderr

    ignoring = "trap '' CHLD; toolcache run --quiet -- sh -c 'exit 4'"
    assert shell(repo, ignoring) == (4, b"", b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_outside_a_run_ends_us_by_that_signal(repo: Repo, number: int) -> None:
    with start(repo, "run", "--stdin", "--", "cat", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"x" * (1 << 20))  # more than a pipe holds, so it is being read
        process.send_signal(number)
        assert process.wait() == -number
        assert process.stderr.read() == b""
    assert repo.keys() == []
