"""What in a tool's output tells that something outside the content ended it.

A runner that loses a worker to the out-of-memory killer ends with a plain status 1, which says
nothing about the content. Only its output tells, so the last :data:`LINES_LOOKED_AT` lines of a
failure are held against one table, :data:`MARKS`: each row is a whole line as one program prints
it, so that a test that merely mentions such words stays a failure. A Python exception counts only
where it ends a traceback or where pytest tells it as an error of its own; what pytest captured of
a test counts nowhere.

What a mark makes of an outcome is decided in :mod:`gitcache.core.outcome`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from gitcache.core.launchers import program_names
from gitcache.core.output import Chunk, Output, Stream, last_whole_lines
from gitcache.core.tool import AD_HOC, Tool

LINES_LOOKED_AT: Final = 100
"""A kill is among the last things that are told; a native stack trace behind it has 20 to 40."""

_LINES_READ: Final = 2000
"""Lines in which the heading of captured text is sought, whose end is looked at for marks."""

_LONGEST_LINE: Final = 1 << 16
"""Bytes beyond which a line is no mark; cargo quotes whole calls of rustc, which have some KiB."""

_LONGEST_QUOTE: Final = 200
"""Characters of a line that are quoted: more than a summary should have, enough to know it by."""

_STYLE: Final = re.compile(r"\x1b\[[0-9;:]*m")
"""A change of colour or weight (ECMA-48, SGR)."""

_BY_TASK: Final = r"(?:\S+(?: \S+)?(?:: | +\| ))?"
"""What pnpm, turbo and docker compose put before the lines of a task: ``web test: ``."""


_WANT: Final = (
    r"(?:MemoryError(?:: .*)?|numpy\S*_ArrayMemoryError: .+"
    r"|OSError: \[Errno (?:12|28|122)\] .+|BlockingIOError: \[Errno 11\] .+"
    r"|RuntimeError: can't start new thread"
    r"|concurrent\.futures\.process\.BrokenProcessPool: .+"
    r"|subprocess\.CalledProcessError: Command .+ died with <Signals\.SIGKILL: 9>\.)"
)
"""Python's exceptions for want of a resource, and those that tell of a killed child.

No memory (ENOMEM is 12), a full disk (ENOSPC, 28) or quota (EDQUOT, 122), no process (EAGAIN, 11)
and no thread. https://docs.python.org/3/library/exceptions.html
"""

_NO_PROGRAM: Final = (
    r"(?!(?:debug|info|notice|warn|warning|test|actual|expected|got|want|left|right|message): )"
)
"""Levels of logs that end nothing, and words of tests, where a program would name itself."""


class Mark(NamedTuple):
    """One line that tells of a kill."""

    words: str
    """What stands in every such line; looked for first, since it is cheap."""

    pattern: str
    """The whole line, without colours and without white space at its end."""

    printed_by: str
    source: str
    """Where the text comes from."""

    stream: Stream | None = None
    """The stream on which alone it counts; None: either."""


MARKS: Final = (
    # Node and V8
    Mark(
        "out of memory",
        _BY_TASK
        + r"FATAL ERROR: (?:.+ )?Allocation failed - (?:JavaScript heap|process) out of memory",
        "Node, when V8's heap is full",
        "https://github.com/nodejs/node/blob/v20.x/src/node_errors.cc (OOMErrorHandler)",
    ),
    Mark(
        "Fatal ",
        _BY_TASK + r"# ?Fatal (?:[Jj]ava[Ss]cript|process) (?:out of memory|OOM)(?:(?:: | in ).+)?",
        "Deno and V8's own shell, when V8's heap is full",
        "https://github.com/v8/v8/blob/main/src/api/api.cc (V8::FatalProcessOutOfMemory)",
    ),
    Mark(
        "reaching memory limit",
        _BY_TASK
        + r"\s*(?:Caused by: )?(?:Uncaught )?(?:Error(?: \[ERR_WORKER_OUT_OF_MEMORY\])?: )?"
        r"Worker terminated due to reaching memory limit(?:: JS heap out of memory)?",
        "Node, when a worker thread's heap is full",
        "https://nodejs.org/api/errors.html#err_worker_out_of_memory",
    ),
    Mark(
        "exited unexpectedly",
        _BY_TASK + r"\s*(?:Caused by: )?Error: Worker exited unexpectedly(?: .+)?",
        "vitest and its pool, when a worker process is gone",
        "https://github.com/tinylibs/tinypool/blob/main/src/index.ts",
    ),
    Mark(
        "jest worker process",
        r"\s*(?:Error: )?A jest worker process \(pid=\d+\) was terminated by another process: "
        r"signal=SIG(?:KILL|TERM), exitCode=.+",
        "jest, when a worker process was killed",
        "https://github.com/jestjs/jest/blob/main/packages/jest-worker/src/workers/"
        "ChildProcessWorker.ts",
    ),
    Mark(
        "ran out of memory",
        r"\s*(?:Error: )?Jest worker ran out of memory and crashed",
        "jest, when a worker's heap is full",
        "https://github.com/jestjs/jest/blob/main/packages/jest-worker/src/workers/"
        "ChildProcessWorker.ts",
    ),
    Mark(
        ": ",
        _BY_TASK + r"\s*(?:Uncaught )?(?:Error: )?"
        r"(?:ENOSPC: no space left on device|ENOMEM: not enough memory), \w+(?: .+)?",
        "Node, when the disk or the memory is full",
        "https://docs.libuv.org/en/v1.x/errors.html",
    ),
    Mark(
        "ENOMEM",
        r"\s*(?:Uncaught )?Error: spawn(?: \S+)? ENOMEM",
        "Node, when there is no memory for a child process",
        "https://nodejs.org/api/child_process.html#event-error",
    ),
    Mark(
        "npm ",
        r"npm (?:ERR!|error) (?:(?:code|errno) (?:ENOSPC|ENOMEM|137)|signal SIGKILL)",
        "npm, when the disk or the memory is full or a script was killed",
        "https://github.com/npm/cli/blob/latest/lib/utils/error-message.js",
    ),
    Mark(
        "Command failed with ",
        r"(?:error|.?ELIFECYCLE.?) +Command failed with (?:signal \"?SIGKILL\"?|exit code 137)\.?",
        "yarn and pnpm, when a script was killed",
        "https://github.com/yarnpkg/yarn/blob/master/src/util/child.js",
    ),
    Mark(
        "signal=SIGKILL",
        r"\s*(?:Error: )?worker process exited unexpectedly \(code=null, signal=SIGKILL\)",
        "Playwright, when a worker process was killed",
        "https://github.com/microsoft/playwright/blob/main/packages/playwright/src/runner/"
        "dispatcher.ts",
    ),
    # Python
    Mark(
        "E  ",
        r"E {3,}" + _WANT,
        "pytest, of the error of a test",
        "https://docs.pytest.org/en/stable/how-to/output.html",
    ),
    Mark(
        " - ",
        r"(?:FAILED|ERROR) [^\s\[]+(?:\[.*\])? - (?:" + _WANT + r"|worker 'gw\d+' crashed .+)",
        "pytest, in its short summary, whose ends of lines it may cut",
        "https://docs.pytest.org/en/stable/how-to/output.html#producing-a-detailed-summary-report",
    ),
    Mark(
        "INTERNALERROR>",
        r"INTERNALERROR> " + _WANT,
        "pytest, of an error of its own or of a plugin",
        "https://github.com/pytest-dev/pytest/blob/main/src/_pytest/terminal.py",
    ),
    Mark(
        "gw",
        r"\S*\[gw\d+\] node down: Not properly terminated"
        r"|worker 'gw\d+' crashed while running '.+'",
        "pytest-xdist, when a worker process is gone",
        "https://github.com/pytest-dev/pytest-xdist/blob/master/src/xdist/dsession.py",
    ),
    Mark(
        ": ",
        r"\S+: exit (?:-9|137) \([\d.]+ seconds\) .+ pid=\d+"
        r"|\s+\S+: FAIL code (?:-9|137)(?: \(.+\))?",
        "tox, when a command was killed",
        "https://tox.wiki/en/stable/",
    ),
    Mark(
        "nox > Command ",
        r"nox > Command .+ failed with exit code (?:-9|137)",
        "nox, when a command was killed",
        "https://github.com/wntrblm/nox/blob/main/nox/command.py",
    ),
    # Ruby
    Mark(
        "failed to allocate memory",
        r"\[FATAL\] failed to allocate memory|\S+: failed to allocate memory \(NoMemoryError\)"
        r"|\S+:\d+:in [`'].+': failed to allocate memory \(NoMemoryError\)",
        "Ruby, when the machine gives no memory",
        "https://docs.ruby-lang.org/en/master/NoMemoryError.html",
    ),
    Mark(
        "Errno::E",
        r"\S+:\d+:in [`'].+ \(Errno::(?:ENOSPC|ENOMEM|EDQUOT)\)"
        r"|\s*Errno::(?:ENOSPC|ENOMEM|EDQUOT):(?: .+)?",
        "Ruby, RSpec and minitest, when the disk or the memory is full",
        "https://docs.ruby-lang.org/en/master/Errno.html",
    ),
    # Java
    Mark(
        "java.lang.OutOfMemoryError",
        _BY_TASK + r"\s*(?:\[ERROR\] +|Caused by: |Exception in thread \".*\" )?"
        r"java\.lang\.OutOfMemoryError: "
        r"(?:Java heap space|GC overhead limit exceeded|Metaspace|Compressed class space"
        r"|Direct buffer memory|Cannot reserve \d+ bytes of direct buffer memory.*"
        r"|[Uu]nable to create (?:new )?native thread.*)",
        "Java, when the heap or another of its memories is full",
        "https://docs.oracle.com/en/java/javase/17/troubleshoot/troubleshooting-memory-leaks.html",
    ),
    Mark(
        "java.lang.OutOfMemoryError",
        r"(?:Terminating|Aborting) due to java\.lang\.OutOfMemoryError: .+"
        r"|Exception: java\.lang\.OutOfMemoryError thrown from the UncaughtExceptionHandler in .+",
        "Java, where -XX:+ExitOnOutOfMemoryError is set or nothing can be told any more",
        "https://github.com/openjdk/jdk/blob/master/src/hotspot/share/utilities/debug.cpp",
    ),
    Mark(
        "for the Java Runtime Environment to continue",
        r"# There is insufficient memory for the Java Runtime Environment to continue\.",
        "Java, when the machine gives no memory",
        "https://github.com/openjdk/jdk/blob/master/src/hotspot/share/utilities/vmError.cpp",
    ),
    Mark(
        "Could not reserve enough space for ",
        r"Could not reserve enough space for .+",
        "Java, when the machine gives no memory to begin with",
        "https://github.com/openjdk/jdk/blob/master/src/hotspot/share/memory/universe.cpp",
    ),
    Mark(
        "137",
        r"> Process '.+' finished with non-zero exit value 137(?: .+)?"
        r"|\[ERROR\] Process Exit Code: 137",
        "Gradle and Maven, when the process of the tests was killed",
        "https://maven.apache.org/surefire/maven-surefire-plugin/faq.html#vm-termination",
    ),
    Mark(
        "No space left on device",
        r"\s*(?:Caused by: |Exception in thread \".*\" )?java\.(?:io|nio\.file)\.\w+: "
        r"(?:.+: |.+\()?No space left on device\)?",
        "Java, when the disk is full",
        "https://github.com/openjdk/jdk/blob/master/src/java.base/share/native/libjava/io_util.c",
    ),
    # Go
    Mark(
        "memory",
        _BY_TASK + r"(?:fatal error: (?:runtime: )?(?:out of memory|cannot allocate memory)"
        r"|runtime: out of memory: cannot allocate \d+-byte block \(\d+ in use\))",
        "Go programs, when the machine gives no memory",
        "https://github.com/golang/go/blob/master/src/runtime/malloc.go",
    ),
    Mark(
        "signal: killed",
        r"(?:\S+(?: \S+)?: )?signal: killed",
        "go, when a test or a compiler was killed",
        "https://pkg.go.dev/os#ProcessState.String",
    ),
    Mark(
        ": ",
        r"(?:go(?: [a-z]+)?(?: \S+)?|panic|(?:go: )?fork/exec \S+"
        r"|\S*/(?:asm|cgo|compile|cover|link|pack|vet)): "
        r"(?:.+: )?(?:no space left on device|cannot allocate memory|disk quota exceeded)",
        "go, its tools, and the panic of a program",
        "https://github.com/golang/go/blob/master/src/syscall/zerrors_linux_amd64.go",
    ),
    Mark(
        "runtime: failed to create new OS thread",
        _BY_TASK + r"runtime: failed to create new OS thread \(have \d+ already; errno=11\)",
        "Go programs, when the machine gives no thread",
        "https://github.com/golang/go/blob/master/src/runtime/os_linux.go",
    ),
    # Rust
    Mark(
        "memory allocation of",
        _BY_TASK + r"memory allocation of \d+ bytes failed",
        "Rust programs, when the machine gives no memory",
        "https://doc.rust-lang.org/std/alloc/fn.handle_alloc_error.html",
    ),
    Mark(
        "SIGKILL",
        r"\s*process didn't exit successfully: `.+` \(signal: 9, SIGKILL: kill\)"
        r"|\s*SIGKILL \[ *[\d.]+s\] .+",
        "cargo and cargo-nextest, when a test or a compiler was killed",
        "https://github.com/rust-lang/cargo/blob/master/crates/cargo-util/src/process_error.rs",
    ),
    Mark(
        "Os { code: ",
        r"(?:\S.*)?Os \{ code: (?:12|28|122), kind: \w+, message: \"[^\"]+\" \}[)} ]*"
        r"(?:', \S+:\d+:\d+)?",
        "Rust programs that end by error 12 (ENOMEM), 28 (ENOSPC) or 122 (EDQUOT); before 1.73 the "
        "place is behind it",
        "https://doc.rust-lang.org/std/io/struct.Error.html",
    ),
    Mark(
        "(os error ",
        r"\s+(?:\d+: )?(?:No space left on device|Cannot allocate memory) \(os error (?:12|28)\)",
        "cargo and other Rust programs, below Caused by:",
        "https://doc.rust-lang.org/std/io/struct.Error.html",
    ),
    # C, C++ and their compilers
    Mark(
        "std::bad_alloc",
        _BY_TASK + r"(?:terminate called after throwing an instance of 'std::bad_alloc'"
        r"|(?:libc\+\+abi(?:\.dylib)?: )?terminating (?:with|due to) uncaught exception of type "
        r"std::bad_alloc.*)",
        "C++ programs, when the machine gives no memory",
        "https://gcc.gnu.org/onlinedocs/libstdc++/manual/termination.html",
    ),
    Mark(
        "std::bad_alloc",
        r"C\+\+ exception with description \"std::bad_alloc\" thrown in .+",
        "googletest, when the machine gives a test no memory",
        "https://github.com/google/googletest/blob/main/googletest/src/gtest.cc "
        "(FormatCxxExceptionMessage)",
    ),
    Mark(
        "illed",
        r"\S+: (?:fatal error: |internal compiler error: )?"
        r"(?:Killed signal terminated program \S+|Killed \(program \S+\))",
        "gcc, when a part of it was killed",
        "https://github.com/gcc-mirror/gcc/blob/master/gcc/gcc.cc (execute)",
    ),
    Mark(
        "[Killed]",
        r"(?:.*= note: )?\s*collect2: (?:fatal )?error: \S+ terminated with signal 9 \[Killed\].*",
        "gcc's collect2, when the linker was killed",
        "https://github.com/gcc-mirror/gcc/blob/master/gcc/collect-utils.cc (collect_wait)",
    ),
    Mark(
        "unable to execute command",
        r"clang\S*: error: unable to execute command: Killed",
        "clang, when a part of it was killed",
        "https://github.com/llvm/llvm-project/blob/main/clang/lib/Driver/Driver.cpp",
    ),
    Mark(
        "memory",
        r"virtual memory exhausted(?:: Cannot allocate memory)?"
        r"|\S+: out of memory allocating \d+ bytes(?: after a total of \d+ bytes)?"
        r"|(?:\S+: (?:final link failed: )?)memory exhausted"
        r"|LLVM ERROR: out of memory.*",
        "gcc, ld and clang, when the machine gives no memory",
        "https://gcc.gnu.org/onlinedocs/libiberty/Functions.html#index-xmalloc_005ffailed",
    ),
    # whatever tells the error of a system call
    Mark(
        ": ",
        _NO_PROGRAM + r"(?:[a-z./][\w./+@-]*|\{standard input\}): (?:.+: )?"
        r"'?(?:No space left on device|Cannot allocate memory|Disk quota exceeded)'?"
        r"(?: \(os error (?:12|28|122)\))?",
        "shells, compilers, git and others, behind their own name",
        "https://man7.org/linux/man-pages/man3/perror.3.html",
    ),
    Mark(
        "ork",
        r"\S+: (?:line \d+: )?fork: Resource temporarily unavailable|\S+: \d+: Cannot fork",
        "bash and dash, when the machine gives no process",
        "https://git.savannah.gnu.org/cgit/bash.git/tree/jobs.c (make_child)",
    ),
    # what shells, make and others say of a process that was killed
    Mark(
        "Killed",
        r"Killed(?:: 9)?",
        "dash, busybox and interactive shells, which tell it nowhere but on the standard error",
        "https://git.kernel.org/pub/scm/utils/dash/dash.git/tree/src/jobs.c (showjob)",
        "stderr",
    ),
    Mark(
        "illed",
        r"[^:]+(?:: line \d+)?: +\d+ Killed(?:: 9)? {2,}\S.*|zsh: killed {2,}\S.*",
        "bash and zsh",
        "https://git.savannah.gnu.org/cgit/bash.git/tree/jobs.c (notify_of_job_status)",
    ),
    Mark(
        "*** [",
        r"\S*make(?:\[\d+\])?: \*\*\* \[.+\] (?:Killed|Error 137)",
        "make, when a recipe was killed",
        "https://www.gnu.org/software/make/manual/html_node/Error-Messages.html",
    ),
    Mark(
        "FAILED: [code=137]",
        r"FAILED: \[code=137\] .+",
        "ninja, when a command was killed",
        "https://github.com/ninja-build/ninja/blob/master/src/status_printer.cc",
    ),
    Mark(
        "***Exception:",
        r" *\d+/\d+ Test +#\d+: .*(?:Subprocess killed\*\*\*Exception:|\*\*\*Exception: SIGKILL)"
        r" +[\d.]+ sec",
        "ctest, when a test was killed",
        "https://github.com/Kitware/CMake/blob/master/Source/CTest/cmCTestRunTest.cxx",
    ),
)
"""Every line that tells of a kill, with who prints it."""

_TRACEBACK: Final = "Traceback (most recent call last):"

_ENDS_OF_TRACEBACKS: Final = re.compile(_WANT)

_GOES_ON: Final = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
"""What stands between an exception and the one that ended the program in its stead.

https://docs.python.org/3/library/traceback.html
"""

_CAPTURED: Final = re.compile(r"-+ Captured (?:stdout|stderr|log)(?: \w+)? -+")
"""What stands above what pytest captured of one test."""

_NOT_CAPTURED: Final = re.compile(r"([_=!])\1* .+ \1+|-{4,} .+ -{4,}|\d+ \w+(?:, .+)? in [\d.]+s.*")
"""What ends it: the headings of pytest's other sections, and its last line under ``-q``."""

_TIMEOUT: Final = {124: "its time was over", 125: "it could not do its work"}
"""What the statuses of ``timeout`` say that are not those of the command behind it.

https://www.gnu.org/software/coreutils/manual/html_node/timeout-invocation.html
"""


class _Line(NamedTuple):
    stream: Stream
    text: str


def sign_of_a_kill(status: int, argv: tuple[str, ...], output: Output) -> str | None:
    """Return what tells that a tool did not end on account of the content; None where nothing does.

    Args:
        status: the status with which it ended, not 0.
        argv: its words.
        output: what it printed.

    Returns:
        The line of *output*, on one line of printable text, or a clause of ours.
    """
    if status in _TIMEOUT and not {"timeout", "gtimeout"}.isdisjoint(program_names(argv)):
        return f"timeout says with status {status} that {_TIMEOUT[status]}"
    return _killing_line(output)


def hint_to_store(tool: Tool) -> str:
    """Return the sentence that tells how a failure of *tool* is stored in spite of a mark."""
    if tool.name == AD_HOC:
        return "declared as a tool with kill_marks = false, the command's failure would be stored"
    where = f"[tools.{tool.name}]"
    return f"if that is the content's own failure: kill_marks = false in {where} stores it"


def _killing_line(output: Output) -> str | None:
    read = [_read(chunk) for chunk in last_whole_lines(output, _LINES_READ)]
    lines = _without_captured(read)[-LINES_LOOKED_AT:]
    for line in lines:
        if _is_mark(line):
            return _quoted(line)
    return next(map(_quoted, _ends_of_tracebacks(lines)), None)


def _read(line: Chunk) -> _Line:
    """Return *line* as a person sees it, without its style; empty where it is too long."""
    data = line.data if len(line.data) <= _LONGEST_LINE else b""
    return _Line(line.stream, _STYLE.sub("", data.decode("utf-8", "replace")).rstrip())


def _without_captured(lines: Sequence[_Line]) -> list[_Line]:
    """Return *lines*, empty where pytest repeats what it captured of a test."""
    captured: dict[Stream, bool] = {"stdout": False, "stderr": False}
    told: list[_Line] = []
    for line in lines:
        if _CAPTURED.fullmatch(line.text):
            captured[line.stream] = True
        elif _NOT_CAPTURED.fullmatch(line.text):
            captured[line.stream] = False
        told.append(_Line(line.stream, "") if captured[line.stream] else line)
    return told


def _is_mark(line: _Line) -> bool:
    return any(
        mark.words in line.text
        and mark.stream in (None, line.stream)
        and re.fullmatch(mark.pattern, line.text) is not None
        for mark in MARKS
    )


def _ends_of_tracebacks(lines: Sequence[_Line]) -> Iterator[_Line]:
    """Yield each line that ends a traceback, and its program, for want of a resource."""
    for stream in ("stdout", "stderr"):
        own = [line for line in lines if line.stream == stream]
        for position, line in enumerate(own):
            if _ENDS_OF_TRACEBACKS.fullmatch(line.text) and _is_behind_frames(own, position):
                following = (each.text for each in own[position + 1 :] if each.text)
                if next(following, "") not in _GOES_ON:
                    yield line


def _is_behind_frames(lines: Sequence[_Line], position: int) -> bool:
    """Return whether only the indented lines of frames lie between *position* and a traceback."""
    before = position - 1
    while before >= 0 and lines[before].text.startswith("  "):
        before -= 1
    return 0 <= before < position - 1 and lines[before].text == _TRACEBACK


def _quoted(line: _Line) -> str:
    text = line.text.strip()
    cut = text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in cut)
