"""A store that can't be read or written: the tool runs, its status passes, one warning says why."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Within
from tests.support.calls import FULL_DISK, shell
from tests.support.repository import Repo

TOOL = "-- sh -c 'echo out; echo err >&2; exit 3'"


UNSHARED = "warning: the run can't be shared with other callers: "
UNHEARD = "warning: the output could not be kept while the tool ran; its rest follows"


def is_a_run_with_one_warning(done: tuple[int, bytes, bytes], beside: str = UNHEARD) -> bool:
    """Return whether the tool ran, kept its status, and one line says that nothing is kept.

    Another may say what *beside* that could not be written.
    """
    status, stdout, stderr = done
    assert (status, stdout) == (3, b"out\n"), stderr
    miss, *lines, summary = stderr.decode().splitlines()
    assert miss.startswith("toolcache: miss: ")
    assert "err" in lines
    warnings = [each for each in lines if each.startswith("warning: ")]
    of_the_store = [each for each in warnings if each.startswith("warning: the result can't be")]
    others = [each for each in warnings if each not in of_the_store]
    assert len(of_the_store) == 1
    assert len(others) <= 1
    assert all(each.startswith(beside) for each in others)
    assert summary.startswith("toolcache: command failed with status 3 after ")
    assert summary.endswith("; nothing is stored")
    return True


@pytest.fixture
def read_only(repo: Repo) -> Iterator[Repo]:
    """Return a repository whose git folder nobody may write to."""
    folders = [repo.path / ".git", *(p for p in (repo.path / ".git").rglob("*") if p.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    yield repo
    for folder in folders:
        folder.chmod(0o755)


def test_a_read_only_repository_keeps_nothing(read_only: Repo) -> None:
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root writes everywhere, and setpriv is not here to take that away")
    rights = "--bounding-set=-dac_override,-dac_read_search,-fowner"
    plain = f"setpriv {rights} --inh-caps=-all" if os.geteuid() == 0 else "env"
    script = f'toolcache() {{ {plain} "$PYTHON" -m gitcache "$@"; }}; toolcache run {TOOL}'
    assert is_a_run_with_one_warning(shell(read_only, script), UNSHARED)
    assert read_only.keys() == []


def test_a_full_disk_keeps_nothing(repo: Repo) -> None:
    repo.git("config", "core.fsyncMethod", "fsync")
    script = f"{FULL_DISK.replace('-f 8', '-f 0')}; toolcache run {TOOL}"
    assert is_a_run_with_one_warning(shell(repo, script))
    assert repo.keys() == []
    assert repo.git("fsck") == ""
    assert shell(repo, f"toolcache run -q {TOOL}")[0] == 3
    assert len(repo.keys()) == 1


def test_a_full_file_system_keeps_nothing(repo: Repo, tmp_path: Path) -> None:
    """A file system of the test's own, seen by nobody else and gone with its processes."""
    script = """
        mkdir full && mount -t tmpfs -o size=256k full full && cp -a .git full && cd full &&
        git reset --quiet --hard && { cat /dev/zero >filler 2>/dev/null; true; } || exit 77
        echo filler >>.git/info/exclude
        exec "$@"
    """
    setup = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    words = " ".join(f"'{word}'" for word in setup)
    tool = f'{words} "$PYTHON" -m gitcache run {TOOL}'
    repo.git("repack", "-adq")
    shutil.rmtree(repo.path / ".git" / "hooks", ignore_errors=True)
    status, stdout, stderr = shell(repo, tool)
    if status == 77 or b"unshare" in stderr:
        pytest.skip("no file system can be mounted here")
    assert is_a_run_with_one_warning((status, stdout, stderr))


def test_a_file_in_the_place_of_the_refs_keeps_nothing(repo: Repo, within: Within) -> None:
    repo.write(".git/refs/toolcache", "no folder")
    for _ in range(2):
        ran = within(repo.path, "run", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
        assert is_a_run_with_one_warning((ran.status, ran.stdout, ran.stderr))
    told = within(repo.path, "run", "--json", "--", "true").json
    assert (told["stored"], told["outcome"]) == (False, "passed")


@pytest.mark.parametrize("damage", ["blob gone", "commit", "tree", "no JSON", "cut off", "foreign"])
def test_what_can_not_be_used_is_a_miss_with_a_warning_and_heals(
    repo: Repo, within: Within, damage: str
) -> None:
    words = ("run", "--json", "--", "sh", "-c", "exit 3")
    key = within(repo.path, *words).json["key"]
    ref = f"refs/toolcache/{key}"
    oid, blob = repo.git("rev-parse", ref), repo.git("cat-file", "blob", ref)
    if damage == "blob gone":
        (repo.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    else:
        text = {
            "no JSON": "junk",
            "cut off": blob[:200],
            "foreign": blob.replace('"command"', '"other"'),
        }
        other = {"commit": "HEAD", "tree": "HEAD^{tree}"}.get(damage)
        made = repo.git("hash-object", "-w", "--stdin", stdin=text.get(damage, "").encode())
        repo.git("update-ref", ref, repo.git("rev-parse", other) if other else made)
    ran = within(repo.path, *words)
    assert (ran.status, ran.json["source"], ran.json["stored"]) == (3, "run", True)
    warnings = [line for line in ran.stderr.splitlines() if line.startswith(b"warning: ")]
    assert len(warnings) == 1
    assert warnings[0].decode().removeprefix("warning: ") == ran.json["reasons"][0]
    assert within(repo.path, *words).json["source"] == "hit"


def test_reading_only_leaves_no_trace_and_no_warning(repo: Repo) -> None:
    before = repo.traces()
    ran = repo.toolcache("run", "--", "false", env={"GIT_TOOLCACHE": "read"})
    assert (ran.status, ran.stderr.count(b"\n")) == (1, 2)  # the miss and the summary
    assert repo.traces() == before
