"""Kills that only a tool's output tells of: real programs, ended for want of a resource."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Within
from tests.support.calls import declare
from tests.support.repository import Repo

DIES = "sh -c 'kill -9 $$'"

HOG = f"{sys.executable} -c 'bytearray(1 << 40)'"
PYTEST = f"env PYTHONDONTWRITEBYTECODE=1 {sys.executable} -m pytest -q -p no:cacheprovider"
"""Not ``-B``, of which xdist's workers are not told."""

FULL = """
def test_x():
    with open("/dev/full", "w") as full:
        full.write("x")
"""
GREEDY = """
import resource

def test_x():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))
    bytearray(1 << 33)
"""
GONE = """
import os, signal

def test_x():
    os.kill(os.getpid(), signal.SIGKILL)
"""
CHILD = """
import subprocess

def test_x():
    subprocess.run(["sh", "-c", "kill -9 $$"], check=True)
"""
POOL = """
import os
from concurrent.futures import ProcessPoolExecutor

def test_x():
    with ProcessPoolExecutor(1) as pool:
        pool.submit(os._exit, 9).result()
"""
MENTIONS = """
import errno, logging, os, pytest, sys, traceback

def test_x():
    print("E   MemoryError")
    print("cp: error writing 'x': " + os.strerror(errno.ENOSPC), file=sys.stderr)
    try:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError:
        logging.exception("caught")
        traceback.print_exc()
    with pytest.raises(MemoryError):
        raise MemoryError
    assert "OSError: [Errno 28] No space left on device" == "MemoryError"
"""
JAVA = "class Hog { public static void main(String[] a) { long[] b = new long[1 << 24]; } }"
RUST = 'fn main() { let v: Vec<u8> = vec![1; 1 << 45]; println!("{}", v.len()); }'
CXX = "#include <new>\nint main(int n, char **) { return new char[(1UL << 46) + n] != 0; }"
NODE = "const kept = []; for (;;) kept.push(new Array(1000).fill({}))"
WORKER = (
    'new (require("worker_threads").Worker)("const a = []; for (;;) a.push(new Array(1000).fill'
    '({}))", { eval: true, resourceLimits: { maxOldGenerationSizeMb: 20 } })'
)


def killed(repo: Repo, within: Within, script: str, *shell: str) -> str:
    """Run *script* twice, see that neither run is stored, and return what tells of the kill."""
    words = (*(shell or ("sh", "-c")), f"{script}\nexit 3")
    told = [within(repo.path, "run", "--json", "--", *words) for _ in range(2)]
    for ran in told:
        assert ran.json["outcome"] == "killed", ran.json["output"]
        assert (ran.status, ran.json["exit_status"], ran.json["signal"]) == (3, 3, None)
        assert (ran.json["source"], ran.json["stored"]) == ("run", False)
        assert f"was killed (status 3): {ran.json['cause']}" in ran.stderr.decode()
    assert repo.keys() == []
    return str(told[0].json["cause"])


@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_what_a_shell_says_of_a_killed_child(repo: Repo, within: Within, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    mark = killed(repo, within, DIES, shell, "-c")
    assert mark == "Killed" if shell == "dash" else "Killed  " in mark


def test_what_make_says_of_a_killed_recipe(repo: Repo, within: Within) -> None:
    repo.write("Makefile", "x:\n\t@kill -9 $$$$\n")
    assert killed(repo, within, "make x").endswith("make: *** [Makefile:2: x] Killed")


def test_what_make_says_of_a_recipe_that_tells_a_kill_by_its_status(
    repo: Repo, within: Within
) -> None:
    repo.write("Makefile", "x:\n\t@exit 137\n")
    assert killed(repo, within, "make x").endswith("make: *** [Makefile:2: x] Error 137")


def test_what_ctest_says_of_a_killed_test(repo: Repo, within: Within) -> None:
    if shutil.which("ctest") is None:
        pytest.skip("ctest is not installed")
    repo.write("CTestTestfile.cmake", 'add_test(x "sh" "-c" "kill -9 \\$\\$")\n')
    repo.write(".gitignore", "Testing/\n")
    assert "Subprocess killed***Exception:" in killed(repo, within, "ctest")


def test_what_ruby_says_where_it_gets_no_memory(repo: Repo, within: Within) -> None:
    if shutil.which("ruby") is None:
        pytest.skip("ruby is not installed")
    repo.write("hog.rb", '"a" * (1 << 46)\n')
    mark = killed(repo, within, "ulimit -v 400000; ruby hog.rb")
    assert mark.endswith("failed to allocate memory (NoMemoryError)")


def test_what_python_says_where_it_gets_no_memory(repo: Repo, within: Within) -> None:
    assert killed(repo, within, HOG) == "MemoryError"


@pytest.mark.parametrize(
    ("test", "options", "mark"),
    [
        (FULL, "", "OSError: [Errno 28] No space left on device"),
        (FULL, "--tb=short --color=yes", "OSError: [Errno 28] No space left on device"),
        (FULL, "--tb=native", "OSError: [Errno 28] No space left on device"),
        (FULL, "--tb=no", "FAILED test_x.py::test_x - OSError: [Errno 28] No space left on device"),
        (GREEDY, "", "E       MemoryError"),
        (GREEDY, "--tb=no", "FAILED test_x.py::test_x - MemoryError"),
        (CHILD, "", "died with <Signals.SIGKILL: 9>."),
        (POOL, "", "terminated abruptly while the future was running or pending."),
        (GONE, "-n 1", "[gw0] node down: Not properly terminated"),
    ],
)
def test_what_pytest_says_where_a_test_gets_no_resource(
    repo: Repo, within: Within, test: str, options: str, mark: str
) -> None:
    repo.write("test_x.py", test)
    assert mark in killed(repo, within, f"{PYTEST} {options} test_x.py")


def test_what_pytest_says_where_a_plugin_gets_no_resource(repo: Repo, within: Within) -> None:
    repo.write("conftest.py", FULL.replace("test_x()", "pytest_runtest_logreport(report)"))
    repo.write("test_x.py", "def test_x():\n    pass\n")
    assert killed(repo, within, f"{PYTEST} test_x.py") == (
        "INTERNALERROR> OSError: [Errno 28] No space left on device"
    )


@pytest.mark.parametrize("options", ["", "--tb=native", "-rA", "-n 1"])
def test_a_failed_test_that_speaks_of_a_full_disk_is_stored(
    repo: Repo, within: Within, options: str
) -> None:
    repo.write("test_x.py", MENTIONS)
    for source in ("run", "hit"):
        words = (*PYTEST.split(), *options.split(), "test_x.py")
        told = within(repo.path, "run", "--json", "--", *words).json
        assert (told["outcome"], told["exit_status"], told["source"]) == ("failed", 1, source), (
            told["changed"]
        )


def test_what_programs_say_of_a_full_disk(repo: Repo, within: Within) -> None:
    assert killed(repo, within, "cat Makefile /dev/zero >/dev/full").endswith(
        ": No space left on device"
    )


@pytest.mark.parametrize(("script", "mark"), [(NODE, "heap out of memory"), (WORKER, "limit")])
def test_what_node_says_of_a_full_heap(repo: Repo, within: Within, script: str, mark: str) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    repo.write("hog.js", script)
    assert mark in killed(repo, within, "node --max-old-space-size=20 hog.js")


def java(folder: Path) -> str:
    Path(folder, "Hog.java").write_text(JAVA)
    return "java -Xmx16m Hog.java"


def rust(folder: Path) -> str:
    Path(folder, "hog.rs").write_text(RUST)
    return f"rustc -o {folder.parent}/hog hog.rs && {folder.parent}/hog"


def cxx(folder: Path) -> str:
    Path(folder, "hog.cc").write_text(CXX)
    return f"g++ -o {folder.parent}/hog hog.cc && {folder.parent}/hog"


@pytest.mark.parametrize(
    ("program", "write", "mark"),
    [
        ("javac", java, "java.lang.OutOfMemoryError: Java heap space"),
        ("rustc", rust, "memory allocation of 35184372088832 bytes failed"),
        ("g++", cxx, "terminate called after throwing an instance of 'std::bad_alloc'"),
    ],
)
def test_what_compiled_programs_say_where_they_get_no_memory(
    repo: Repo, within: Within, program: str, write: Callable[[Path], str], mark: str
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not on the PATH of the tests")
    assert mark in killed(repo, within, write(repo.path))


def test_what_gcc_says_of_a_killed_part(repo: Repo, within: Within) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    repo.write("parts/cc1", "#!/bin/sh\nkill -9 $$\n").chmod(0o755)
    repo.write("t.c", "int main(void) { return 0; }\n")
    assert killed(repo, within, "gcc -B parts/ -c t.c") == (
        "gcc: fatal error: Killed signal terminated program cc1"
    )


def test_an_abort_is_a_failure_and_no_more_so_where_its_output_tells_of_a_kill(
    repo: Repo, within: Within
) -> None:
    for direct in ("kill -ABRT $$", "sh -c 'kill -ABRT $$'; exit 134"):
        plain = within(repo.path, "run", "--json", "--", "sh", "-c", direct).json
        assert (plain["outcome"], plain["exit_status"], plain["stored"]) == ("failed", 134, True)
        script = f"echo memory allocation of 8 bytes failed; {direct}"
        marked = within(repo.path, "run", "--json", "--", "sh", "-c", script).json
        assert (marked["outcome"], marked["exit_status"]) == ("killed", 134)
        assert (marked["signal"], marked["stored"]) == (6, False)


def test_a_segmentation_fault_is_stored(repo: Repo, within: Within) -> None:
    for source in ("run", "hit"):
        told = within(repo.path, "run", "--json", "--", "sh", "-c", "kill -SEGV $$").json
        assert (told["outcome"], told["exit_status"], told["source"]) == ("failed", 139, source)


def test_a_pass_is_a_pass_whatever_was_printed(repo: Repo, within: Within) -> None:
    for source in ("run", "hit"):
        told = within(repo.path, "run", "--json", "--", "sh", "-c", f"{DIES}; exit 0").json
        assert (told["outcome"], told["cause"], told["source"]) == ("passed", None, source)


def test_a_mark_is_found_behind_any_amount_of_output(repo: Repo, within: Within) -> None:
    flood = "yes a line of some length that is printed again and again | head -n 200000"
    assert killed(repo, within, f"{flood}; {flood} >&2; {HOG}; seq 90") == "MemoryError"


def test_the_hint_tells_the_setting_and_the_setting_stores_the_failure(
    repo: Repo, within: Within
) -> None:
    declare(repo, {"test": f"{DIES}; exit 1"})
    told = within(repo.path, "run", "test").stderr.decode().splitlines()
    assert told[-2] == (
        "hint: if that is the content's own failure: kill_marks = false in [tools.test] stores it"
    )
    assert told[-1].endswith("; nothing is stored")
    declare(repo, {"test": f"{DIES}; exit 1"}, "kill_marks = false")
    for source in ("run", "hit"):
        now = within(repo.path, "run", "--json", "test").json
        assert (now["outcome"], now["source"], now["stored"]) == ("failed", source, True)


def test_who_looks_for_marks_takes_no_answer_from_who_does_not(repo: Repo, within: Within) -> None:
    """The settings may be outside of what counts, so both may have the same key."""
    more = 'inputs = ["a.txt"]\n'
    declare(repo, {"test": f"{DIES}; exit 1"}, f"{more}kill_marks = false")
    first = within(repo.path, "run", "--json", "test").json
    assert first["stored"]
    declare(repo, {"test": f"{DIES}; exit 1"}, more)
    now = within(repo.path, "run", "--json", "test").json
    assert (now["key"], now["source"], now["outcome"]) == (first["key"], "run", "killed")
    assert now["reasons"][0].startswith("the entry's run was killed, as it tells: ")


def test_the_time_of_timeout_is_no_verdict_and_the_same_status_of_a_tool_is(
    repo: Repo, within: Within
) -> None:
    for _ in range(2):
        told = within(repo.path, "run", "--json", "--", "timeout", "0.1", "sleep", "60").json
        assert (told["outcome"], told["exit_status"], told["source"]) == ("killed", 124, "run")
        assert told["cause"] == "timeout says with status 124 that its time was over"
    for status in (124, 125):
        for source in ("run", "hit"):
            words = ("sh", "-c", f"exit {status}")
            told = within(repo.path, "run", "--json", "--", *words).json
            assert (told["outcome"], told["exit_status"]) == ("failed", status)
            assert told["source"] == source


def test_a_quote_in_the_document_is_one_line(repo: Repo, within: Within) -> None:
    printed = "x: \\033]0;title\\007: No space left on device\\n"
    ran = within(repo.path, "run", "--json", "--", "sh", "-c", f"printf '{printed}'; exit 1")
    assert json.loads(ran.stdout)["cause"] == r"x: \x1b]0;title\x07: No space left on device"
    assert b"\x1b" not in ran.stderr
