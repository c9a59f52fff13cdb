"""cargo test: https://doc.rust-lang.org/cargo/commands/cargo-test.html

What it runs are targets, each compiled from one file, which it names before it runs it. A focused
run names the targets of the failing files (``--test``, ``--lib``, ``--bin``) in the package that
owns them. Tests in documentation belong to no target, and are left to the full command.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from typing import Final

from gitcache.core.runners.runner import Line, Printed, Runner
from gitcache.core.runners.words import Argv, Grammar, Option

_RUNNING: Final = re.compile(r"^ +Running (?:unittests )?(?P<path>\S+\.rs) \(.+\)$", re.MULTILINE)
_ENDED: Final = re.compile(r"^ +(?:Running|Doc-tests) .*$", re.MULTILINE)
_RERUN: Final = re.compile(r"^error: test failed, to rerun pass `(?P<target>.+)`$", re.MULTILINE)
_FAILED: Final = re.compile(r"^test result: FAILED\.|^ +process didn't exit", re.MULTILINE)
_COUNTS: Final = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed;", re.MULTILINE)
_COMPILE: Final = re.compile(
    r"^error(?:\[E\d+\])?: .*\n +--> (?P<path>\S+\.rs):\d+:\d+$", re.MULTILINE
)


def failing(text: str) -> tuple[Printed, ...]:
    """Return the files of the targets that failed.

    The names of targets are told on the standard error, what they print on the standard output:
    where the two are apart, the targets are those that are to be run again.
    """
    named = [each for each in _RUNNING.finditer(text) if _FAILED.search(_block(text, each))]
    printed = [Printed((each["path"],)) for each in named]
    for each in _RERUN.finditer(text):
        printed += _of_target(each["target"])
    return tuple(printed) or tuple(Printed((each["path"],)) for each in _COMPILE.finditer(text))


def _block(text: str, running: re.Match[str]) -> str:
    """Return what was printed while the target of *running* ran."""
    end = _ENDED.search(text, running.end())
    return text[running.end() : end.start() if end else len(text)]


def _of_target(target: str) -> tuple[Printed, ...]:
    """Return the file of ``-p crate --test name``, where cargo looks for it by default."""
    words = target.split()
    crate = words[1] if words[:1] == ["-p"] else ""
    match words[2:] if crate else words:
        case ["--test", name]:
            paths: tuple[str, ...] = (f"tests/{name}.rs", f"tests/{name}/main.rs")
        case ["--lib"]:
            paths = ("src/lib.rs",)
        case ["--bin", name]:
            paths = (f"src/bin/{name}.rs", f"src/bin/{name}/main.rs", "src/main.rs")
        case _:
            return ()
    crates = tuple(f"{crate}/{path}" for path in paths) if crate else ()
    return (Printed(crates or paths),)


def ran_nothing(text: str) -> bool:
    """Return whether the targets ran, and none had a test to run."""
    counts = [count for pair in _COUNTS.findall(text) for count in pair]
    return bool(counts) and not any(map(int, counts))


def targets_of(selectors: Argv) -> tuple[Option, ...] | None:
    """Return the options that name the targets of files in a package; None: one has none."""
    targets: list[Option] = []
    for each in map(posixpath.normpath, selectors):
        match each.removesuffix(".rs").split("/"):
            case ["tests", name] | ["tests", name, "main"]:
                targets.append(_option("--test", name))
            case ["src", "lib"]:
                targets.append(_option("--lib"))
            case ["src", "bin", name] | ["src", "bin", name, "main"]:
                targets.append(_option("--bin", name))
            case ["src", "main"]:
                targets.append(_option("--bins"))
            case _:
                return None
    return tuple(dict.fromkeys(targets))


def _option(*words: str) -> Option:
    return Option(words[0], words[1] if words[1:] else None, words)


def build(line: Line, selectors: Argv) -> tuple[Line, ...] | None:
    """Return the line with the targets of files in place of all targets."""
    targets = targets_of(selectors)
    if targets is None:
        return None
    return (Line(line.head, replace(line.words, options=(*line.words.options, *targets))),)


def _behind(words: Argv) -> int | None:
    start = int(words[:1] != () and words[0].startswith("+"))
    return start + 1 if words[start : start + 1] in (("test",), ("t",)) else None


CARGO_FORBIDDING: Final = (
    *("--test", "--tests", "--lib", "--bin", "--bins", "--example", "--examples", "--bench"),
    *("--benches", "--all-targets", "--doc", "--no-run", "-p", "--package", "--exclude"),
    *("--manifest-path", "-C", "-h", "--help"),
)
"""Options that name targets or packages already, or that run nothing."""

CARGO_ROOTED: Final = ("--target-dir", "--config")

CARGO: Final = Runner(
    name="cargo",
    programs=frozenset(("cargo",)),
    behind=_behind,
    grammar=Grammar.of(
        valued="-p -j -F -Z -C --package --exclude --test --bin --example --bench --features"
        " --jobs --profile --target --target-dir --manifest-path --color --message-format --config",
        flags="-q -v -r --quiet --verbose --release --workspace --all --lib --bins --tests"
        " --benches --examples --all-targets --all-features --no-default-features --no-run"
        " --no-fail-fast --doc --locked --offline --frozen --ignore-rust-version"
        " --future-incompat-report",
    ),
    failing=failing,
    ran_nothing=ran_nothing,
    selects_names=True,
    build=build,
    owners=("Cargo.toml",),
    rooted=CARGO_ROOTED,
    forbidding=CARGO_FORBIDDING,
    dropped=("--workspace", "--all"),
)
