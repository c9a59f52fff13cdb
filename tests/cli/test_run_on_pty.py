"""Tools with ``pty = true``: one stream, the same for every caller, and an input of the key."""

from __future__ import annotations

from pathlib import Path

from tests.support.limiter import Limiter
from tests.support.repository import Repo
from tests.support.terminal import toolcache_at_terminal

TOOL = """#!/bin/sh
if [ -t 1 ] && [ -t 2 ]; then printf '\\033[31mterminal\\033[0m\\n'; else echo pipes; fi
echo err >&2
stty size <&1
echo "$TERM $PAGER"
cat
"""
SEEN = b"terminal\nerr\n40 100\nxterm-256color cat\n"


def project(repo: Repo, pty: bool) -> Repo:
    repo.write("tool", TOOL).chmod(0o755)
    settings = '[tools.test]\ncommand = "./tool"\n' + ("pty = true\n" if pty else "")
    repo.write(".git/info/exclude", "toolcache.toml\n")  # so that the tree does not tell them apart
    repo.write("toolcache.toml", settings)
    return repo


def test_a_pipe_a_terminal_and_a_hit_show_the_same(repo: Repo) -> None:
    project(repo, pty=True)
    here = toolcache_at_terminal(repo, "run", "-q", "test")
    assert here.stdout == SEEN.replace(b"terminal", b"\x1b[31mterminal\x1b[0m")
    for _ in range(2):
        ran = repo.toolcache("run", "-q", "test")
        assert (ran.status, ran.stdout, ran.stderr) == (0, SEEN, b"")
    assert len(repo.keys()) == 1


def test_json_and_show_tell_that_the_streams_are_one(repo: Repo) -> None:
    project(repo, pty=True)
    for _ in range(2):
        told = repo.toolcache("run", "--json", "test").json
        assert told["output"] == [{"stream": "stdout", "text": SEEN.decode()}]
        assert (told["coloured"], told["streams_merged"]) == (True, True)
    raw = repo.toolcache("run", "--json", "--raw", "test").json
    assert raw["output"][0]["text"].startswith("\x1b[31mterminal")
    entry = repo.toolcache("show", "--json", "test").json
    assert entry["inputs"]["terminal"] == {"pty": "100x40, streams merged"}
    assert b"pseudo-terminal    100x40, streams merged\n" in repo.toolcache("show", "test").stdout


def test_it_is_an_input_of_the_key_and_explain_tells_it(repo: Repo) -> None:
    project(repo, pty=False)
    assert repo.toolcache("run", "-q", "test").stdout == b"pipes\n" + b"dumb \n"
    project(repo, pty=True)
    told = repo.toolcache("explain", "test").stdout.decode()
    assert "  pseudo-terminal is new: none → 100x40, streams merged\n" in told
    assert b"miss: pseudo-terminal is new\n" in repo.toolcache("run", "test").stderr
    assert len(repo.keys()) == 2


def test_a_runner_on_a_terminal_needs_no_flag(repo: Repo) -> None:
    repo.write("bin/pytest", "#!/bin/sh\necho [$*]\n").chmod(0o755)
    repo.write("toolcache.toml", '[tools.test]\ncommand = "bin/pytest -q"\npty = true\n')
    assert repo.toolcache("run", "-q", "test").stdout == b"[-q]\n"


def test_it_goes_with_a_memory_limit(repo: Repo, tmp_path: Path) -> None:
    """What stands before the tool says something too, and none of it is the tool's."""
    project(repo, pty=True)
    repo.write("toolcache.toml", '[tools.test]\ncommand = "./tool"\npty = true\nmemory = "2GiB"\n')
    limiter = Limiter.below(tmp_path / "limiter")
    for _ in range(2):
        ran = repo.toolcache("run", "-q", "test", env=limiter.environ)
        assert (ran.status, ran.stdout, ran.stderr) == (0, SEEN, b"")
    assert (tmp_path / "limiter" / "words").exists()
