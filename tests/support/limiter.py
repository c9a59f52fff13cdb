"""Stand-ins for ``systemd-run``: wrappers that limit, refuse or lie, with a manager that "runs"."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

WITH_RLIMIT = """
for word in "$@"; do
  case $word in --property=MemoryMax=*) ulimit -v $((${word##*=} / 1024)) ;; esac
done
echo "Running scope as unit: stand-in.scope" >&2
while [ "$1" != -- ]; do shift; done
shift
unset PWD SHLVL
INVOCATION_ID=0123 && export INVOCATION_ID
exec "$@"
"""
"""Limits the address space (RLIMIT_AS), and says and sets what a real one does."""

WITH_GROUP = """
for word in "$@"; do
  case $word in --property=MemoryMax=*) limit=${word##*=} ;; esac
done
mkdir "$GROUP" && echo "$limit" >"$GROUP/memory.limit_in_bytes" && echo $$ >"$GROUP/cgroup.procs"
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
"""
"""Limits memory by a control group of version 1, as the kernel enforces it."""

MEMORY_GROUPS = Path("/sys/fs/cgroup/memory")
"""Where control groups of version 1 limit memory, if they do."""


@dataclass(frozen=True, slots=True)
class Limiter:
    """A stand-in below a folder of its own."""

    folder: Path

    @classmethod
    def below(cls, folder: Path, script: str = WITH_RLIMIT) -> Limiter:
        """Put one that does what *script* says below *folder*."""
        limiter = cls(folder)
        program = folder / "bin" / "systemd-run"
        program.parent.mkdir(parents=True)
        program.write_text(
            f'#!/bin/sh\nfor word in "$@"; do echo "$word" >>\'{folder}/words\'; done\n{script}'
        )
        program.chmod(0o755)
        (folder / "run" / "systemd").mkdir(parents=True)
        (folder / "run" / "systemd" / "private").touch()
        return limiter

    @property
    def environ(self) -> Mapping[str, str]:
        """The variables that lead to it."""
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        return {"PATH": path, "XDG_RUNTIME_DIR": str(self.folder / "run")}

    @property
    def words(self) -> list[str]:
        """Every word that it was called with."""
        called = self.folder / "words"
        return called.read_text("utf-8", "surrogateescape").splitlines() if called.exists() else []


def refusing(message: str, status: int = 1) -> str:
    """Return the script of a wrapper that says *message* and starts nothing."""
    return f"cat >&2 <<'END'\n{message}\nEND\nexit {status}\n"
