"""The quick answer as a process: the bytes and the status of the ordinary one, or no answer."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.late import TRACE, is_quick, late, remember, shown
from tests.support.repository import Ran, Repo

TALKING = """\
#!/bin/sh
echo out; echo err >&2; printf 'caf\\303\\251 \\377'; printf 'no end' >&2
exit 3
"""

ORDINARY = {"GIT_TOOLCACHE": "on"}
"""What asks for the ordinary path."""


@pytest.fixture
def talking(repo: Repo) -> Repo:
    """Return a repository with a tool that fails and says something on both streams."""
    repo.write("talk", TALKING).chmod(0o755)
    repo.write("toolcache.toml", '[tools.test]\ncommand = "./talk"\n')
    repo.commit("tool")
    return repo


@pytest.mark.parametrize(
    "words",
    [
        ("run", "test"),
        ("run", "test", "--quiet"),
        ("run", "--output", "none", "test"),
        ("run", "test", "--output=tail:1"),
        ("run", "test", "--", "more", "", "a\nb"),
        ("run", "--", "./talk"),
    ],
    ids=" ".join,
)
def test_quick_answer_is_the_ordinary_one(talking: Repo, words: tuple[str, ...]) -> None:
    remember(talking, *words)
    quick = late(talking, *words)
    assert is_quick(quick)
    ordinary = late(talking, *words, env=ORDINARY)
    assert not is_quick(ordinary)
    assert shown(quick) == shown(ordinary)
    assert quick.status == 3


def test_each_folder_and_worktree_has_its_own(talking: Repo, tmp_path: Path) -> None:
    there = talking.add_worktree(tmp_path / "there")
    for repo, folder in ((talking, "sub"), (there, ""), (there, "sub")):
        assert not is_quick(late(repo, "run", "test", folder=folder))
        remember(repo, "run", "test", folder=folder)
        quick = late(repo, "run", "test", folder=folder)
        assert is_quick(quick)
        assert shown(quick) == shown(late(repo, "run", "test", folder=folder, env=ORDINARY))
    there.write("a.txt", "edited\n")
    assert is_quick(late(talking, "run", "test", folder="sub"))
    assert not late(there, "run", "test").is_hit


def test_quick_answer_of_a_changed_worktree(talking: Repo) -> None:
    talking.write("a.txt", "edited\n")
    talking.write("new.txt", "new\n")
    remember(talking, "run", "test")
    assert is_quick(late(talking, "run", "test"))
    talking.write("new.txt", "neu\n")
    assert not _is_hit(late(talking, "run", "test"))


def test_nothing_but_a_journals_line_is_written_by_a_quick_answer(talking: Repo) -> None:
    remember(talking, "run", "test")
    journal = talking.path / ".git/toolcache/journal"
    before, lines = _files(talking.path), journal.read_bytes().splitlines()
    assert is_quick(late(talking, "run", "test"))
    assert {**_files(talking.path), journal: before[journal]} == before
    assert journal.read_bytes().splitlines()[:-1] == lines


def _files(folder: Path) -> dict[Path, int]:
    return {path: path.lstat().st_ctime_ns for path in folder.rglob("*")}


def _is_hit(ran: Ran) -> bool:
    return b": hit, ran " in ran.stderr


def _ref(repo: Repo) -> Path:
    return repo.path / ".git" / "refs" / "toolcache" / repo.keys()[0]


def _object(repo: Repo) -> Path:
    oid = repo.git("rev-parse", f"refs/toolcache/{repo.keys()[0]}")
    return repo.path / ".git" / "objects" / oid[:2] / oid[2:]


def _overwrite(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


@pytest.mark.parametrize(
    "harm",
    [
        lambda repo: repo.git("update-ref", "-d", f"refs/toolcache/{repo.keys()[0]}"),
        lambda repo: _overwrite(_ref(repo), b"garbage\n"),
        lambda repo: _overwrite(_ref(repo), b""),
        lambda repo: _overwrite(_ref(repo), repo.git("rev-parse", "HEAD").encode() + b"\n"),
        lambda repo: _overwrite(_object(repo), b"garbage"),
        lambda repo: _object(repo).unlink(),
    ],
    ids=["forgotten", "no ref", "empty ref", "another object", "damaged object", "no object"],
)
def test_entry_that_is_gone_or_damaged_answers_nothing(
    talking: Repo, harm: Callable[[Repo], object]
) -> None:
    remember(talking, "run", "test")
    harm(talking)
    ran = late(talking, "run", "test")
    assert not is_quick(ran)
    assert not _is_hit(ran)
    assert ran.status == 3
    assert _is_hit(late(talking, "run", "test"))


@pytest.mark.parametrize("garbage", [b"", b"garbage", b"3:abc", b"9" * 40, b"1:a1:b", b"0:" * 9])
def test_garbage_for_a_memo_is_none(talking: Repo, garbage: bytes) -> None:
    ordinary = remember(talking, "run", "test")
    memos = list((talking.path / ".git/toolcache/quick").iterdir())
    assert memos
    for path in memos:
        path.write_bytes(garbage)
    ran = late(talking, "run", "test")
    assert not is_quick(ran)
    assert shown(ran) == shown(ordinary)
    assert is_quick(late(talking, "run", "test"))


def test_memo_that_others_may_have_written_is_none(talking: Repo) -> None:
    remember(talking, "run", "test")
    [path] = (talking.path / ".git/toolcache/quick").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o620)
    assert not is_quick(late(talking, "run", "test"))


def test_memo_holds_no_value_of_a_variable(talking: Repo) -> None:
    settings = '[tools.test]\ncommand = "./talk"\nenv = ["DECLARED"]\n'
    talking.write("toolcache.toml", settings)
    secrets = {"DECLARED": "secret one", "PIP_INDEX_URL": "secret two", "OTHER": "secret three"}
    remember(talking, "run", "test", env=secrets)
    assert is_quick(late(talking, "run", "test", env=secrets))
    assert not is_quick(late(talking, "run", "test", env={**secrets, "DECLARED": "another"}))
    for path in (talking.path / ".git/toolcache/quick").iterdir():
        assert b"secret" not in path.read_bytes()


def test_memo_that_was_torn_anywhere_is_none(talking: Repo) -> None:
    remember(talking, "run", "test")
    [path] = (talking.path / ".git/toolcache/quick").iterdir()
    whole = path.read_bytes()
    for length in range(0, len(whole), len(whole) // 7):
        path.write_bytes(whole[:length])
        assert _is_hit(late(talking, "run", "test"))
    shutil.rmtree(path.parent)
    assert _is_hit(late(talking, "run", "test"))


def test_entry_that_grows_too_old_answers_no_more(talking: Repo) -> None:
    talking.write("toolcache.toml", '[tools.test]\ncommand = "./talk"\nmax_age = "1h"\n')
    remember(talking, "run", "test")
    assert is_quick(late(talking, "run", "test", ahead=1800))
    for ahead in (4000, -4000):
        ran = late(talking, "run", "test", ahead=ahead)
        assert not is_quick(ran)
        assert not _is_hit(ran)


@pytest.mark.parametrize(
    "env",
    [{"GIT_DIR": ".git"}, {"GIT_INDEX_FILE": ".git/index"}, {"GIT_TOOLCACHE": "read"}],
    ids=lambda env: next(iter(env)),
)
def test_call_that_points_git_elsewhere_is_answered_ordinarily(
    talking: Repo, env: dict[str, str]
) -> None:
    remember(talking, "run", "test")
    for _ in range(4):
        ran = late(talking, "run", "test", env=env)
        assert not is_quick(ran)
    assert _is_hit(ran)


@pytest.mark.parametrize("words", [("--force",), ("--json",), ("--loose",)], ids=" ".join)
def test_other_wishes_are_never_answered_quickly(talking: Repo, words: tuple[str, ...]) -> None:
    remember(talking, "run", "test")
    for _ in range(3):
        ran = late(talking, "run", "test", *words)
        assert b"quick answer is remembered" not in ran.stderr
        assert not is_quick(ran)


def test_trace_tells_each_step_with_its_time(talking: Repo) -> None:
    remember(talking, "run", "test")
    steps = [each for each in late(talking, "run", "test").stderr.splitlines() if TRACE in each]
    assert [each.partition(b" ms: ")[2] for each in steps] == [
        b"the memo is read",
        b"git is started",
        b"the disk says the same",
        b"git says the same",
        b"shown",
    ]
    assert all(float(each.removeprefix(TRACE).split()[0]) > 0 for each in steps)
    ordinary = late(talking, "run", "test", env=ORDINARY).stderr
    assert b" ms: the snapshot is taken\n" in ordinary
    silent = talking.toolcache("run", "test", env={"GIT_TOOLCACHE_TRACE": "0"})
    assert TRACE not in silent.stderr


HEAVY = {
    *("dataclasses", "typing", "re", "pathlib", "inspect", "enum", "functools", "contextlib"),
    *("subprocess", "json", "hashlib", "tomllib", "collections", "tempfile", "threading"),
    *("pygit2", "typer", "rich", "filelock"),
}

PROBE = """\
import os, sys
before = set(sys.modules)
os._exit = sys.exit
from gitcache.__main__ import main
try:
    main()
finally:
    os.write(1, "\\n".join(set(sys.modules) - before).encode())
"""


def test_quick_answer_imports_next_to_nothing(repo: Repo) -> None:
    words = ("run", "--quiet", "--", "true")
    remember(repo, *words)
    done = subprocess.run(
        [sys.executable, "-ISc", f"import sys; sys.path.append({os.getcwd()!r})\n{PROBE}", *words],
        cwd=repo.path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    modules = set(done.stdout.decode().split())
    assert "gitcache.quick.answer" in modules
    assert "gitcache.engine" not in modules
    assert modules & HEAVY == set()
    others = {each for each in modules if not each.startswith("gitcache")}
    assert others <= {"__future__", "_sha2", "_sha256"}


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_stream_changes_no_status(talking: Repo, closed: str) -> None:
    remember(talking, "run", "test")
    script = f'"$0" -m gitcache run test {closed}'
    done = subprocess.run(["sh", "-c", script, sys.executable], cwd=talking.path, check=False)
    assert done.returncode == 3


def test_reader_that_goes_away_changes_no_status(talking: Repo) -> None:
    remember(talking, "run", "test")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "gitcache", "run", "test"],
        cwd=talking.path,
        env={**os.environ, "GIT_TOOLCACHE_TRACE": "1"},
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert b"shown" in done.stderr
    assert done.returncode == 3


def test_caller_who_ignores_ends_of_children_is_answered(talking: Repo) -> None:
    remember(talking, "run", "test")
    done = subprocess.run(
        [sys.executable, "-m", "gitcache", "run", "test"],
        cwd=talking.path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN) and None,
    )
    assert done.returncode == 3
    assert b": hit, ran " in done.stderr
