"""cargo-nextest: https://nexte.st/docs/running/

It names a test by its binary: ``crate`` for a library, ``crate::name`` for a file in ``tests``,
``crate::bin/name`` for a program. Targets are named as to cargo.
"""

from __future__ import annotations

import re
from typing import Final

from gitcache.core.runners.cargo import CARGO_FORBIDDING, CARGO_ROOTED, build
from gitcache.core.runners.runner import Printed, Runner
from gitcache.core.runners.words import Argv, Grammar

_FAIL: Final = re.compile(
    r"^ *(?:FAIL|SIG[A-Z]+|ABORT|TIMEOUT|LEAK-FAIL|TRY \d+ FAIL) \[ *[>\d.]+s\] "
    r"(?:\( *\d+/\d+\) )?(?P<binary>[\w-]+(?:::[\w/-]+)?) \S.*$",
    re.MULTILINE,
)
_SUMMARY: Final = re.compile(r"^ +Summary \[.*\] (?P<run>\d+)(?:/\d+)? tests? run", re.MULTILINE)
_NOTHING: Final = "error: no tests to run"


def failing(text: str) -> tuple[Printed, ...]:
    """Return the files of the binaries in which a test failed, where cargo looks for them."""
    return tuple(Printed(_ways(each["binary"])) for each in _FAIL.finditer(text))


def _ways(binary: str) -> tuple[str, ...]:
    crate, _, name = binary.partition("::")
    if name.startswith("bin/"):
        short = name.removeprefix("bin/")
        paths: tuple[str, ...] = (f"src/bin/{short}.rs", f"src/bin/{short}/main.rs", "src/main.rs")
    elif name:
        paths = (f"tests/{name}.rs", f"tests/{name}/main.rs")
    else:
        paths = ("src/lib.rs", "src/main.rs")
    return (*(f"{crate}/{path}" for path in paths), *paths)


def ran_nothing(text: str) -> bool:
    """Return whether there was no test to run."""
    runs = _SUMMARY.findall(text)[-1:]
    return _NOTHING in text or runs == ["0"]


def _behind(words: Argv) -> int | None:
    start = int(words[:1] != () and words[0].startswith("+"))
    if words[start : start + 2] in (("nextest", "run"), ("nextest", "r")):
        return start + 2
    return None


NEXTEST: Final = Runner(
    name="nextest",
    programs=frozenset(("cargo", "cargo-nextest")),
    behind=_behind,
    grammar=Grammar.of(
        valued="-p -j -F -E -P -Z --package --exclude --test --bin --example --bench --features"
        " --profile --cargo-profile --target --target-dir --manifest-path --color --config"
        " --filterset --filter-expr --partition --retries --test-threads --build-jobs"
        " --failure-output --success-output --status-level --final-status-level --max-fail"
        " --config-file --archive-file --run-ignored --no-tests --message-format"
        " --tool-config-file",
        flags="-q -v -r --quiet --verbose --release --workspace --all --lib --bins --tests"
        " --benches --examples --all-targets --all-features --no-default-features --no-run"
        " --no-fail-fast --fail-fast --locked --offline --frozen --no-capture --nocapture"
        " --hide-progress-bar",
    ),
    failing=failing,
    ran_nothing=ran_nothing,
    selects_names=True,
    build=build,
    owners=("Cargo.toml",),
    rooted=(*CARGO_ROOTED, "--config-file", "--tool-config-file"),
    forbidding=(*CARGO_FORBIDDING, "--partition", "--archive-file"),
    dropped=("--workspace", "--all"),
)
