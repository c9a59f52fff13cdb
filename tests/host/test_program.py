"""The program behind a tool's first word, and those that it starts: that their content counts."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from gitcache.core.key import digest
from gitcache.host.program import chain_of, find_program, program_digest
from tests.support.unprivileged import unprivileged

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


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    """Return a folder of binaries that is the whole PATH."""
    folder = tmp_path / "bin"
    for name in ("env", "nice", "timeout", "sh", "one", "two", "npm", "uv", "make", "just"):
        program_at(folder / name, f"\x7fELF {name}".encode())
    return folder


def programs_digest(
    argv: Sequence[str],
    cwd: Path,
    environ: Mapping[str, str],
    cache: Path | None,
    now: float,
    worktree: Path | None = None,
) -> str | None:
    """Return the digest of all that *argv* leads to; None where it leads to nothing."""
    files = chain_of(argv, cwd, environ).files
    digests = [program_digest(each, cache, now, worktree) for each in files]
    return digest(*digests) if digests else None


def words_of(line: str, bin_folder: Path, cwd: Path | None = None) -> list[str]:
    """Return the programs of *line* relative to the folder that holds all of the test."""
    environ = {"PATH": str(bin_folder)}
    files = chain_of(shlex.split(line), cwd or bin_folder.parent, environ).files
    return [os.path.relpath(each, bin_folder.parent) for each in files]


def digest_of(line: str, bin_folder: Path, worktree: Path | None = None) -> str | None:
    cwd, environ = worktree or bin_folder.parent, {"PATH": str(bin_folder)}
    return programs_digest(shlex.split(line), cwd, environ, None, 0.0, worktree)


def test_binary_stands_alone(bin_folder: Path) -> None:
    assert words_of("one two", bin_folder) == ["bin/one"]
    assert words_of("nosuch two", bin_folder) == []


def test_first_word_that_is_not_there_has_no_digest(bin_folder: Path) -> None:
    assert digest_of("nosuch", bin_folder) is None
    before = digest_of("nice -n 5 nosuch", bin_folder)
    assert before is not None
    program_at(bin_folder / "nosuch")
    assert digest_of("nice -n 5 nosuch", bin_folder) != before


@pytest.mark.parametrize(
    ("first_line", "programs"),
    [
        ("#!{bin}/sh", ["tool", "bin/sh"]),
        ("#!{bin}/env one", ["tool", "bin/env", "bin/one"]),
        ("#!{bin}/env -S one -u", ["tool", "bin/env", "bin/one"]),
        ("#!{bin}/env -S A=1 nice -n 5 one", ["tool", "bin/env", "bin/nice", "bin/one"]),
        ("#!bin/one", ["tool", "bin/one"]),
        ("#!{bin}/nosuch", ["tool"]),
        ("#!{bin}/env nosuch", ["tool", "bin/env"]),
        ("#!tool", ["tool"]),
        ("#!./tool", ["tool"]),
        ("#!", ["tool"]),
    ],
)
def test_script_comes_with_its_interpreters(
    bin_folder: Path, first_line: str, programs: list[str]
) -> None:
    line = first_line.format(bin=bin_folder)
    program_at(bin_folder.parent / "tool", f"{line}\n".encode())
    assert words_of("./tool", bin_folder) == programs


def test_interpreter_may_be_a_script_and_a_link(bin_folder: Path) -> None:
    program_at(bin_folder / "wrapper", f"#!{bin_folder}/env two\n".encode())
    (bin_folder / "link").symlink_to("wrapper")
    program_at(bin_folder / "tool", f"#!{bin_folder}/link\n".encode())
    assert words_of("tool", bin_folder) == ["bin/tool", "bin/link", "bin/env", "bin/two"]


def test_scripts_that_lead_to_each_other_come_to_an_end(bin_folder: Path) -> None:
    program_at(bin_folder / "a", f"#!{bin_folder}/b\n".encode())
    program_at(bin_folder / "b", f"#!{bin_folder}/a\n".encode())
    assert words_of("a", bin_folder) == ["bin/a", "bin/b"]


def test_replaced_interpreter_is_another_digest(bin_folder: Path) -> None:
    program_at(bin_folder / "tool", f"#!{bin_folder}/env one\n".encode())
    before = digest_of("tool", bin_folder)
    program_at(bin_folder / "two", b"another two")
    assert digest_of("tool", bin_folder) == before
    program_at(bin_folder / "one", b"\x7fELF ONE")
    replaced = digest_of("tool", bin_folder)
    (bin_folder / "one").unlink()
    assert len({before, replaced, digest_of("tool", bin_folder)}) == 3


def test_replaced_interpreter_of_the_same_size_and_time_is_seen_through_the_memo(
    bin_folder: Path, tmp_path: Path
) -> None:
    tool = program_at(bin_folder / "tool", f"#!{bin_folder}/env one\n".encode())
    one, cache, environ = bin_folder / "one", tmp_path / "cache", {"PATH": str(bin_folder)}
    before = one.stat()

    def seen() -> str | None:
        return programs_digest(["tool"], tmp_path, environ, cache, settled(one))

    first = seen()
    assert seen() == first
    await_another_tick(one)
    program_at(tmp_path / "new", b"\x7fELF ONE").replace(one)
    os.utime(one, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert one.stat().st_size == before.st_size
    assert tool.exists()
    assert seen() != first


@pytest.mark.parametrize(
    ("line", "programs"),
    [
        ("nice -n 5 one", ["bin/nice", "bin/one"]),
        ("env A=1 nice timeout 5 one", ["bin/env", "bin/nice", "bin/timeout", "bin/one"]),
        ("env PATH=other one", ["bin/env", "other/one"]),
        ("env -C other ./one", ["bin/env", "other/one"]),
        ("sh -c 'one | two; one'", ["bin/sh", "bin/one", "bin/two"]),
        ("sh -c 'cd other && ./one'", ["bin/sh", "other/one"]),
        ("sh t.sh", ["bin/sh", "t.sh", "other/one"]),
        ("./other/script", ["other/script", "bin/sh", "other/one"]),
        ("sh nosuch.sh", ["bin/sh"]),
        ("make -C other", ["bin/make", "other/Makefile", "bin/two", "other/one"]),
        ("just", ["bin/just", "justfile", "other/one"]),
        ("sh other", ["bin/sh"]),
    ],
)
def test_launcher_comes_with_what_it_starts(
    bin_folder: Path, line: str, programs: list[str]
) -> None:
    program_at(bin_folder.parent / "other/one")
    (bin_folder.parent / "other/one").write_bytes(b"other one")
    (bin_folder.parent / "t.sh").write_text("cd other\n./one\n")
    text = f'#!{bin_folder}/sh\ncd "$(dirname "$0")"\n./one\n'
    program_at(bin_folder.parent / "other/script", text.encode())
    (bin_folder.parent / "other/Makefile").write_text("all:\n\ttwo\n\t./one\n")
    (bin_folder.parent / "justfile").write_text("all:\n  cd other && ./one\n")
    assert words_of(line, bin_folder) == programs


def test_project_programs_come_before_those_of_the_path(bin_folder: Path) -> None:
    inner = bin_folder.parent / "web/in"
    inner.mkdir(parents=True)
    assert words_of("uv run one", bin_folder, inner) == ["bin/uv", "bin/one"]
    program_at(bin_folder.parent / ".venv/bin/one", b"one")
    assert words_of("uv run one", bin_folder, inner) == ["bin/uv", ".venv/bin/one"]
    program_at(bin_folder.parent / "web/.venv/bin/one", b"one")
    assert words_of("uv run one", bin_folder, inner) == ["bin/uv", "web/.venv/bin/one"]


def test_scripts_of_a_package_are_followed(bin_folder: Path) -> None:
    package = bin_folder.parent / "package.json"
    package.write_text(
        '{"scripts": {"pretest": "one", "test": "npm run test && lint x", "posttest": 5}}'
    )
    assert words_of("npm test", bin_folder) == ["bin/npm", "bin/one"]
    program_at(bin_folder.parent / "node_modules/.bin/lint", b"lint")
    found = ["bin/npm", "bin/one", "node_modules/.bin/lint"]
    assert words_of("npm test", bin_folder) == found
    (bin_folder.parent / "src").mkdir()
    assert words_of("npm test", bin_folder, bin_folder.parent / "src") == found


@pytest.mark.parametrize("text", ["", "[]", '{"scripts": 1}', "[" * 100_000, "\0"])
def test_package_that_says_nothing_has_no_scripts(bin_folder: Path, text: str) -> None:
    (bin_folder.parent / "package.json").write_text(text)
    assert words_of("npm test", bin_folder) == ["bin/npm"]


def test_place_and_name_of_a_program_do_not_count(bin_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    for name in ("nice", "one"):
        program_at(tmp_path / "elsewhere" / name, f"\x7fELF {name}".encode())
    assert digest_of("nice one", bin_folder) == digest_of("nice one", tmp_path / "elsewhere")


def test_worktrees_whose_scripts_name_themselves_agree(bin_folder: Path, tmp_path: Path) -> None:
    digests = set()
    for name in ("wt1", "wt10"):
        worktree = tmp_path / name
        program_at(worktree / ".venv/bin/python", b"\x7fELF python")
        program_at(
            worktree / ".venv/bin/tool", f"#!{worktree}/.venv/bin/python\nimport x\n".encode()
        )
        assert words_of("uv run tool", bin_folder, worktree) == [
            "bin/uv",
            f"{name}/.venv/bin/tool",
            f"{name}/.venv/bin/python",
        ]
        digests.add(digest_of("uv run tool", bin_folder, worktree))
    assert len(digests) == 1
    program_at(tmp_path / "wt10/.venv/bin/python", b"\x7fELF another")
    assert digest_of("uv run tool", bin_folder, tmp_path / "wt10") not in digests


def test_program_that_may_be_run_and_not_read_is_an_error(bin_folder: Path) -> None:
    with unprivileged() as home:
        program_at(home / "bin/tool").chmod(0o111)
        with pytest.raises(PermissionError):
            programs_digest(["bin/tool"], home, {}, None, 0.0)
