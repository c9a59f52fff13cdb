"""The program behind a tool's first word: which file it is, and that its content counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitcache.host.program import find_program, program_digest

OLD = b"#!/bin/sh\nexit 0\n"
NEW = b"#!/bin/sh\nexit 1\n"
DIGEST_OF_OLD = "306c6ca7407560340797866e077e053627ad409277d1b9da58106fce4cf717cb"
DIGEST_OF_NEW = "275239824e00e61b0a220e61a41791c7e9b4bd726f8b0c27077a338f8131c9dc"
REMEMBERED = "0123456789abcdef" * 4
"""What no content gives, so that it can only come from a memo."""


def program_at(path: Path, content: bytes = OLD) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o755)
    return path


def settled(program: Path) -> float:
    """Return a moment at which *program* has been left alone for long enough."""
    return program.stat().st_ctime + 3


def fresh(program: Path) -> float:
    return program.stat().st_ctime + 1


def await_another_tick(program: Path) -> None:
    """Return once the file system's clock shows another time than that of *program*."""
    probe = program.with_name("probe")
    probe.touch()
    while probe.stat().st_ctime_ns == program.stat().st_ctime_ns:
        probe.touch()


def the_memo(cache: Path) -> Path:
    (memo,) = (cache / "programs").iterdir()
    return memo


def test_a_word_without_a_slash_is_looked_for_along_the_path(tmp_path: Path) -> None:
    first, second = program_at(tmp_path / "1" / "tool"), program_at(tmp_path / "2" / "tool")
    environ = {"PATH": f"{tmp_path}/nowhere:{first.parent}:{second.parent}"}
    assert find_program("tool", tmp_path, environ) == first
    first.chmod(0o644)
    assert find_program("tool", tmp_path, environ) == second
    second.unlink()
    second.mkdir()
    assert find_program("tool", tmp_path, environ) is None


def test_relative_and_empty_parts_of_the_path_begin_in_the_tools_folder(tmp_path: Path) -> None:
    tool = program_at(tmp_path / "bin" / "tool")
    assert find_program("tool", tmp_path, {"PATH": "bin:/bin"}) == tool
    assert find_program("tool", tmp_path / "bin", {"PATH": ":/bin"}) == tool
    assert find_program("tool", tmp_path, {"PATH": ":/bin"}) is None


def test_a_word_with_a_slash_is_a_path(tmp_path: Path) -> None:
    tool = program_at(tmp_path / "bin" / "tool")
    assert find_program("./tool", tmp_path / "bin", {"PATH": "/bin"}) == tool
    assert find_program("bin/tool", tmp_path, {"PATH": "/bin"}) == tool
    assert find_program(str(tool), Path("/"), {}) == tool
    assert find_program("bin/nosuch", tmp_path, {"PATH": "/bin"}) is None


def test_without_a_path_the_systems_own_folders_count(tmp_path: Path) -> None:
    assert find_program("sh", tmp_path, {}) in (Path("/bin/sh"), Path("/usr/bin/sh"))


def test_digest_is_that_of_the_content(tmp_path: Path) -> None:
    program = program_at(tmp_path / "tool")
    link = tmp_path / "link"
    link.symlink_to("tool")
    assert program_digest(program, None, settled(program)) == DIGEST_OF_OLD
    assert program_digest(link, None, settled(program)) == DIGEST_OF_OLD


def test_two_copies_agree_wherever_they_are(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    copies = [program_at(tmp_path / place / "tool") for place in ("a", "b")]
    assert {program_digest(each, cache, settled(each)) for each in copies} == {DIGEST_OF_OLD}
    assert len(list((cache / "programs").iterdir())) == 2


def test_a_settled_program_is_read_once(tmp_path: Path) -> None:
    program, cache = program_at(tmp_path / "tool"), tmp_path / "cache"
    program_digest(program, cache, settled(program))
    memo = the_memo(cache)
    memo.write_text(memo.read_text().replace(DIGEST_OF_OLD, REMEMBERED))
    assert program_digest(program, cache, settled(program)) == REMEMBERED


def test_a_fresh_program_is_not_remembered(tmp_path: Path) -> None:
    program, cache = program_at(tmp_path / "tool"), tmp_path / "cache"
    assert program_digest(program, cache, fresh(program)) == DIGEST_OF_OLD
    assert not cache.exists()


def test_a_program_from_the_future_is_not_remembered(tmp_path: Path) -> None:
    program, cache = program_at(tmp_path / "tool"), tmp_path / "cache"
    os.utime(program, (0, settled(program) + 3600))
    program_digest(program, cache, settled(program) + 10)
    assert not cache.exists()


@pytest.mark.parametrize("is_replaced", [True, False])
def test_another_content_of_the_same_size_and_time_is_seen(
    tmp_path: Path, is_replaced: bool
) -> None:
    program, cache = program_at(tmp_path / "tool"), tmp_path / "cache"
    before = program.stat()
    program_digest(program, cache, settled(program))
    await_another_tick(program)
    if is_replaced:
        program_at(tmp_path / "new", NEW).replace(program)
    else:
        program.write_bytes(NEW)
    os.utime(program, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert program.stat().st_size == before.st_size
    assert program_digest(program, cache, settled(program)) == DIGEST_OF_NEW


def test_a_memo_that_cannot_be_read_is_made_again(tmp_path: Path) -> None:
    program, cache = program_at(tmp_path / "tool"), tmp_path / "cache"
    program_digest(program, cache, settled(program))
    memo = the_memo(cache)
    good = memo.read_bytes()
    for damage in (b"", b"\xff\n\xff\n", good[:-10], good + b"more\n", b"1 2 3 4 5\n" + b"0" * 64):
        memo.write_bytes(damage)
        assert program_digest(program, cache, settled(program)) == DIGEST_OF_OLD
        assert memo.read_bytes() == good


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    program, cache = program_at(tmp_path / "tool"), tmp_path / "cache"
    cache.write_text("a file where a folder should be")
    assert program_digest(program, cache, settled(program)) == DIGEST_OF_OLD
    cache.unlink()
    program_digest(program, cache, settled(program))
    memo = the_memo(cache)
    memo.unlink()
    memo.mkdir()
    assert program_digest(program, cache, settled(program)) == DIGEST_OF_OLD
    assert list(memo.parent.iterdir()) == [memo]


def test_a_program_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        program_digest(tmp_path / "nosuch", None, 0.0)
