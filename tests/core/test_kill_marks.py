"""Which lines of an output tell of a kill, and which only speak of one."""

from __future__ import annotations

import re

import pytest

from gitcache.core.kill_marks import MARKS, hint_to_store, sign_of_a_kill
from gitcache.core.output import Chunk, Output, Stream
from gitcache.core.tool import AD_HOC, Tool, ToolName, Words

PYTEST = ("pytest",)

SEEN = [
    "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
    "FATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed - JavaScript heap "
    "out of memory",
    "FATAL ERROR: Zone Allocation failed - process out of memory",
    "packages/web test: FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of "
    "memory",
    "web-1  | FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
    "# Fatal JavaScript out of memory: Reached heap limit",
    "# Fatal process OOM in insufficient memory to create an Isolate",
    "Error [ERR_WORKER_OUT_OF_MEMORY]: Worker terminated due to reaching memory limit: JS heap out "
    "of memory",
    "    Worker terminated due to reaching memory limit: JS heap out of memory",
    "Error: Worker exited unexpectedly",
    "Caused by: Error: Worker exited unexpectedly",
    "    A jest worker process (pid=43249) was terminated by another process: signal=SIGKILL, "
    "exitCode=null. Operating system logs may contain more information on why this occurred.",
    "    Jest worker ran out of memory and crashed",
    "Error: ENOSPC: no space left on device, write",
    "Error: ENOSPC: no space left on device, open '/tmp/a b'",
    "    ENOMEM: not enough memory, read",
    "Error: spawn ENOMEM",
    "Error: spawn /bin/sh ENOMEM",
    "npm ERR! code ENOSPC",
    "npm error signal SIGKILL",
    'error Command failed with signal "SIGKILL".',
    " ELIFECYCLE  Command failed with signal SIGKILL",
    'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space',
    "java.lang.OutOfMemoryError: GC overhead limit exceeded",
    "Caused by: java.lang.OutOfMemoryError: Metaspace",
    "    java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory or "
    "process/resource limits reached",
    "Terminating due to java.lang.OutOfMemoryError: Java heap space",
    "Aborting due to java.lang.OutOfMemoryError: Java heap space",
    "# There is insufficient memory for the Java Runtime Environment to continue.",
    "Could not reserve enough space for 921600KB object heap",
    "> Process 'Gradle Test Executor 1' finished with non-zero exit value 137",
    "[ERROR] Process Exit Code: 137",
    "Caused by: java.io.IOException: No space left on device",
    "java.io.FileNotFoundException: /x/y (No space left on device)",
    "fatal error: runtime: out of memory",
    "runtime: out of memory: cannot allocate 4194304-byte block (5046272 in use)",
    "signal: killed",
    "/usr/lib/go/pkg/tool/linux_amd64/link: signal: killed",
    "memory allocation of 16777216 bytes failed",
    "  process didn't exit successfully: `/w/target/debug/deps/a-f7 t` (signal: 9, SIGKILL: kill)",
    "     SIGKILL [   0.106s] crate::binary test_name",
    "called `Result::unwrap()` on an `Err` value: Os { code: 28, kind: StorageFull, message: "
    '"No space left on device" }',
    'Error: Os { code: 12, kind: OutOfMemory, message: "Cannot allocate memory" }',
    "  No space left on device (os error 28)",
    "terminate called after throwing an instance of 'std::bad_alloc'",
    "libc++abi: terminating due to uncaught exception of type std::bad_alloc: std::bad_alloc",
    "gcc: fatal error: Killed signal terminated program cc1",
    "g++: internal compiler error: Killed (program cc1plus)",
    "collect2: fatal error: ld terminated with signal 9 [Killed]",
    "  = note: collect2: fatal error: ld terminated with signal 9 [Killed]",
    "clang-15: error: unable to execute command: Killed",
    "virtual memory exhausted: Cannot allocate memory",
    "cc1plus: out of memory allocating 65536 bytes after a total of 1835008 bytes",
    "/usr/bin/ld: final link failed: memory exhausted",
    "LLVM ERROR: out of memory",
    "/usr/bin/ld: final link failed: No space left on device",
    "cat: write error: No space left on device",
    "bash: fork: Cannot allocate memory",
    "error: failed to write `x`: No space left on device (os error 28)",
    "go: write /tmp/go-build/x: no space left on device",
    "fatal: write error: No space left on device",
    "bash: line 1: 14421 Killed                  python hog.py",
    "bash: 14419 Killed                  sh -c 'exit 1'",
    "./ci run.sh: line 3:   421 Killed                  ./hog",
    "zsh: killed     ./hog",
    "make: *** [Makefile:2: x] Killed",
    "make[1]: *** [Makefile:12: deps/all] Killed",
    "make: *** [Makefile:5: y] Error 137",
    "npm error code 137",
    "error Command failed with exit code 137.",
    " ELIFECYCLE  Command failed with exit code 137.",
    "    Error: worker process exited unexpectedly (code=null, signal=SIGKILL)",
    "1/3 Test #1: k ................................Subprocess killed***Exception:   0.00 sec",
    "12/12 Test  #1: k .............................***Exception: SIGKILL  0.00 sec",
    "a: exit -9 (0.00 seconds) /w> sh /w/k.sh pid=15043",
    "b: exit 137 (0.00 seconds) /w> sh -c 'exit 137' pid=15059",
    "  a: FAIL code -9 (0.35=setup[0.35]+cmd[0.00] seconds)",
    "nox > Command sh k.sh failed with exit code -9",
    "FAILED: [code=137] x ",
    "E   MemoryError",
    "E           OSError: [Errno 28] No space left on device: '/x'",
    "E   OSError: [Errno 12] Cannot allocate memory",
    "E   OSError: [Errno 122] Disk quota exceeded",
    "E   BlockingIOError: [Errno 11] Resource temporarily unavailable",
    "E   RuntimeError: can't start new thread",
    "E   subprocess.CalledProcessError: Command 'kill -9 $$' died with <Signals.SIGKILL: 9>.",
    "E   concurrent.futures.process.BrokenProcessPool: A process in the process pool was "
    "terminated abruptly while the future was running or pending.",
    "\x1b[1m\x1b[31mE   MemoryError\x1b[0m",
    "FAILED tests/test_x.py::test_y - MemoryError",
    "FAILED t.py::test_y[a b - c] - OSError: [Errno 28] No sp...",
    "FAILED t.py::test_k - worker 'gw0' crashed while running 't.py::tes...",
    "ERROR t.py - MemoryError: Unable to allocate 3 GiB",
    "INTERNALERROR> OSError: [Errno 28] No space left on device",
    ".[gw1] node down: Not properly terminated",
    "worker 'gw1' crashed while running 't.py::test_k'",
    "m.rb: failed to allocate memory (NoMemoryError)",
    "/ab_spec.rb:2:in `block (2 levels) in <top (required)>': failed to allocate memory "
    "(NoMemoryError)",
    "[FATAL] failed to allocate memory",
    "m.rb:3:in `flush': No space left on device @ rb_io_flush_raw - /dev/full (Errno::ENOSPC)",
    "     Errno::ENOSPC:",
    "panic: write /tmp/x: no space left on device",
    "fork/exec /bin/true: cannot allocate memory",
    "runtime: failed to create new OS thread (have 2 already; errno=11)",
    "thread 'main' panicked at 'called `Result::unwrap()` on an `Err` value: Os { code: 28, kind: "
    'StorageFull, message: "No space left on device" }\', src/main.rs:3:9',
    'Error: Io(Os { code: 122, kind: FilesystemQuotaExceeded, message: "Disk quota exceeded" })',
    'C++ exception with description "std::bad_alloc" thrown in the test body.',
    "tar: x: Cannot write: No space left on device",
    "cp: error writing '/x': No space left on device",
    "{standard input}: Fatal error: can't close a.o: No space left on device",
    "cat: write error: Disk quota exceeded",
    "bash: fork: Resource temporarily unavailable",
    "dash: 1: Cannot fork",
    "\x1b[31mError: Worker exited unexpectedly\x1b[39m\r",
]

SPOKEN_OF = [
    "",
    "killed",
    "Killed by the test",
    "Killed: 12 mutants, survived: 3",
    "the process was Killed",
    "E       AssertionError: assert 'Killed' == 'Done'",
    "MemoryError",
    "E   AssertionError: OSError: [Errno 28] No space left on device",
    "E         + OSError: [Errno 28] No space left on device",
    "E   OSError: [Errno 2] No such file or directory: 'x'",
    "E   Failed: DID NOT RAISE <class 'MemoryError'>",
    "E   subprocess.CalledProcessError: Command 'x' died with <Signals.SIGSEGV: 11>.",
    "FAILED t.py::test_y - AssertionError: OSError: [Errno 28] No sp...",
    "FAILED t.py::test_y[a - MemoryError: x] - assert 0",
    "FAILED t.py::test_y[MemoryError]",
    "PASSED t.py::test_y - MemoryError",
    "INTERNALERROR> KeyError: 'MemoryError'",
    "[gw0] node down: keyboard-interrupt",
    "make: [Makefile:4: y] Error 137 (ignored)",
    "make: *** [Makefile:4: y] Error 13",
    "npm error code 1",
    "a: exit 1 (0.00 seconds) /w> sh -c 'exit -9 (0.1 seconds)' pid=1",
    "FAILED: [code=1] x ",
    "2/3 Test #2: k2 ...............................***Failed    0.00 sec",
    "3/3 Test #3: k3 ...............................Subprocess terminated***Exception:   0.00 sec",
    "raises a NoMemoryError: failed to allocate memory",
    "worker process exited unexpectedly (code=1, signal=null)",
    "saving: no space left on device",
    "upload: disk a: no space left on device",
    "fork: cannot allocate memory",
    "warning: cache: No space left on device",
    "expected: No space left on device",
    "bash: fork: retry: Resource temporarily unavailable",
    "handles MemoryError: ok",
    "OSError: [Errno 28] No space left on device: 'x'",
    '    Expected substring: "ENOSPC: no space left on device, write"',
    "ERROR: write failed: No space left on device",
    "ERROR:root:write failed: No space left on device",
    "  x_test.go:12: write: no space left on device",
    "✓ reports No space left on device (3 ms)",
    "assert message == 'No space left on device'",
    "✕ survives JavaScript heap out of memory",
    "expected JavaScript heap out of memory to be handled",
    "Worker exited unexpectedly",
    "  - Worker exited unexpectedly: is retried",
    "java.lang.OutOfMemoryError: thrown by a mock",
    "java.lang.OutOfMemoryError",
    "expected:<java.lang.OutOfMemoryError: Java heap space> but was:<null>",
    "memory allocation of many bytes failed",
    "test memory allocation of 8 bytes failed ... ok or not",
    "signal: killed by the watchdog",
    "> Process 'x' finished with non-zero exit value 1",
    "[ERROR] Process Exit Code: 1",
    "process didn't exit successfully: `x` (signal: 6, SIGABRT: process abort signal)",
    "A jest worker process (pid=1) was terminated by another process: signal=SIGSEGV, "
    "exitCode=null. Operating system logs may contain more information on why this occurred.",
    'left: Os { code: 2, kind: NotFound, message: "No such file or directory" }',
    '  left: Os { code: 28, kind: StorageFull, message: "No space left on device" }',
    "make: *** [Makefile:2: x] Error 1",
    "bash: line 1: 14421 Segmentation fault      ./a",
    "bash: line 1: 14421 Terminated              sleep 300",
    "Segmentation fault (core dumped)",
    "Aborted",
]


def sign_in(*texts: str, stream: Stream = "stderr") -> str | None:
    data = "".join(f"{text}\n" for text in texts).encode()
    return sign_of_a_kill(1, PYTEST, Output((Chunk(stream, data),)))


@pytest.mark.parametrize("line", SEEN)
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_line_that_a_program_prints_of_a_kill_is_quoted(line: str, stream: Stream) -> None:
    quote = re.sub("\x1b[^m]*m", "", line).strip()[:200]
    sign = sign_in("before", line, "behind", stream=stream)
    assert sign is not None
    assert sign.removesuffix("…") == quote


@pytest.mark.parametrize("line", SPOKEN_OF)
def test_a_line_that_only_speaks_of_one_is_none(line: str) -> None:
    assert sign_in("before", line, "behind") is None


def test_every_row_is_seen_and_no_line_is_seen_without_its_words() -> None:
    lines = [re.sub("\x1b[^m]*m", "", line).rstrip() for line in [*SEEN, "Killed"]]
    for mark in MARKS:
        found = [line for line in lines if re.fullmatch(mark.pattern, line)]
        assert found, mark.printed_by
        assert all(mark.words in line for line in found)


def test_a_bare_killed_counts_where_shells_print_it() -> None:
    assert sign_in("Killed") == "Killed"
    assert sign_in("Killed", stream="stdout") is None


def test_a_line_of_one_stream_is_whole_in_spite_of_the_other() -> None:
    dots = Chunk("stdout", b"...")
    output = Output((dots, Chunk("stderr", b"Killed\n"), dots))
    assert sign_of_a_kill(1, PYTEST, output) == "Killed"


def test_the_last_hundred_lines_are_looked_at() -> None:
    assert sign_in("Killed", *["x"] * 99) == "Killed"
    assert sign_in("Killed", *["x"] * 100) is None


def test_a_long_line_is_quoted_in_part_and_a_line_beyond_all_measure_is_none() -> None:
    call = "x" * 10_000
    line = f"  process didn't exit successfully: `{call}` (signal: 9, SIGKILL: kill)"
    sign = sign_in(line)
    assert sign is not None
    assert sign == f"{line.strip()[:200]}…"
    assert sign_in(line.replace(call, "x" * 70_000)) is None


def test_a_quote_commands_no_terminal() -> None:
    assert sign_in("x\x07: write error: No space left on device") is None
    assert sign_in("x: \x1b]0;t\x07: No space left on device") == (
        r"x: \x1b]0;t\x07: No space left on device"
    )


CAPTURED = "---------------------------- Captured stderr call ----------------------------"
LOGGED = "----------------------------- Captured log call ------------------------------"
SUMMARY = "=========================== short test summary info ============================"


@pytest.mark.parametrize("heading", [CAPTURED, CAPTURED.replace("stderr call", "stdout setup")])
@pytest.mark.parametrize("lines", [1, 150])
def test_what_pytest_captured_of_a_test_is_none(heading: str, lines: int) -> None:
    text = ["cp: error writing '/x': No space left on device", *TRACE, "MemoryError"] * lines
    assert sign_in("E   assert 0", heading, *text, LOGGED, *text, SUMMARY, "FAILED x - A") is None


@pytest.mark.parametrize(
    "end",
    [
        SUMMARY,
        "__________ test_b __________",
        "_ test_of_a_name_that_is_as_long_as_the_line_of_the_terminal_that_it_is_on_a _",
        "========== 1 failed in 0.12s ==========",
        "!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!",
        "1 failed, 1 passed in 5.11s",
    ],
)
def test_what_is_behind_captured_text_counts(end: str) -> None:
    assert sign_in(CAPTURED, "text", end, "E   MemoryError") == "E   MemoryError"


def test_captured_text_is_of_one_stream() -> None:
    heading = Chunk("stdout", f"{CAPTURED}\n".encode())
    output = Output((heading, Chunk("stderr", b"Killed\n")))
    assert sign_of_a_kill(1, PYTEST, output) == "Killed"


TRACE = (
    "Traceback (most recent call last):",
    '  File "x.py", line 1, in <module>',
    "    x = bytearray(10**12)",
    "        ^^^^^^^^^^^^^^^^^",
)
CHAIN = "During handling of the above exception, another exception occurred:"


@pytest.mark.parametrize(
    "end",
    [
        "MemoryError",
        "MemoryError: cannot allocate",
        "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 7.45 GiB for an array",
        "OSError: [Errno 28] No space left on device",
        "OSError: [Errno 12] Cannot allocate memory: 'x'",
        "OSError: [Errno 122] Disk quota exceeded",
        "BlockingIOError: [Errno 11] Resource temporarily unavailable",
        "RuntimeError: can't start new thread",
        "subprocess.CalledProcessError: Command '['x']' died with <Signals.SIGKILL: 9>.",
    ],
)
def test_an_exception_for_want_of_a_resource_counts_at_the_end_of_a_traceback(end: str) -> None:
    assert sign_in("before", *TRACE, end, "make: *** [Makefile:2: x] Error 1") == end


@pytest.mark.parametrize(
    "texts",
    [
        ("MemoryError",),
        (TRACE[0], "MemoryError"),
        (*TRACE, "ValueError", "MemoryError"),
        (*TRACE, "", "MemoryError"),
        (*TRACE[1:], "MemoryError"),
        (*TRACE, "ValueError: MemoryError"),
        (*TRACE, "OSError: [Errno 2] No such file or directory: 'x'"),
        (*(f"  | {text}" for text in TRACE), "  | MemoryError"),
        (*TRACE, "MemoryError", "", CHAIN, "", *TRACE, "KeyError: 1"),
    ],
)
def test_it_counts_nowhere_else(texts: tuple[str, ...]) -> None:
    assert sign_in(*texts) is None


def test_it_counts_behind_another_exception() -> None:
    assert sign_in(*TRACE, "KeyError: 1", "", CHAIN, "", *TRACE, "MemoryError") == "MemoryError"


def test_a_traceback_is_of_one_stream() -> None:
    trace, end = "\n".join(TRACE).encode() + b"\n", Chunk("stderr", b"MemoryError\n")
    between = Output((Chunk("stderr", trace), Chunk("stdout", b"...\n"), end))
    assert sign_of_a_kill(1, PYTEST, between) == "MemoryError"
    assert sign_of_a_kill(1, PYTEST, Output((Chunk("stdout", trace), end))) is None


OVER = "timeout says with status 124 that its time was over"
BROKEN = "timeout says with status 125 that it could not do its work"


@pytest.mark.parametrize(
    ("status", "argv", "sign"),
    [
        (124, ("timeout", "5", "pytest"), OVER),
        (
            125,
            ("/usr/bin/timeout", "x"),
            BROKEN,
        ),
        (
            124,
            ("sh", "-c", "timeout 5 pytest"),
            OVER,
        ),
        (
            124,
            ("nice", "timeout", "5", "pytest"),
            OVER,
        ),
        (124, ("pytest",), None),
        (125, ("pytest", "timeout"), None),
        (1, ("timeout", "5", "pytest"), None),
    ],
)
def test_statuses_of_timeout_are_no_verdict_and_those_of_a_tool_are_its_own(
    status: int, argv: tuple[str, ...], sign: str | None
) -> None:
    assert sign_of_a_kill(status, argv, Output()) == sign


def test_the_hint_names_the_table_of_the_tool() -> None:
    tool = Tool(ToolName("e2e"), Words(PYTEST), "toolcache.toml")
    assert hint_to_store(tool) == (
        "if that is the content's own failure: kill_marks = false in [tools.e2e] stores it"
    )
    assert hint_to_store(Tool(AD_HOC, Words(PYTEST), "the command line")) == (
        "declared as a tool with kill_marks = false, the command's failure would be stored"
    )
