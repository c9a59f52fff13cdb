"""Git as the referee: the tree that ``git add`` and ``git write-tree`` make of a working tree.

Both work on a copy of the index that keeps its time, and their objects go into a folder of their
own, so the repository stays as it is. Git is told to trust all that ``stat`` says, since a user may
wish it to overlook changes but a key may not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_CAREFUL = (
    *("-c", "core.trustctime=true", "-c", "core.checkStat=default"),
    # A split index would write its shared half beside the real one.
    *("-c", "core.splitIndex=false"),
)


@dataclass(frozen=True, slots=True)
class Referee:
    """How git is asked; more than the plain words only where those make it refuse."""

    config: tuple[str, ...] = ()
    """Settings, each ``name=value``."""

    options: tuple[str, ...] = ()
    """More options of ``git add``."""

    def tree(self, cwd: Path, env: Mapping[str, str]) -> str:
        """Return the tree of the working tree around *cwd*, seen with the variables *env*."""
        index, objects = (_path(cwd, env, name) for name in ("index", "objects"))
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, "index")
            if index.exists():
                shutil.copy2(index, copy)
            aside = {
                **env,
                "GIT_INDEX_FILE": str(copy),
                "GIT_OBJECT_DIRECTORY": folder,
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": _joined(objects, env),
                "GIT_OPTIONAL_LOCKS": "0",
            }
            config = [word for each in self.config for word in ("-c", each)]
            _git(cwd, aside, *_CAREFUL, *config, "add", "--all", *self.options)
            return _git(cwd, aside, *_CAREFUL, "write-tree")


def _joined(objects: Path, env: Mapping[str, str]) -> str:
    """Return where git finds objects, those that the caller's variables name included."""
    others = env.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "")
    return os.pathsep.join(filter(None, [_quoted(str(objects)), others]))


def _quoted(path: str) -> str:
    """Return *path* as git(1) takes it in a list: quoted as in C where it would be parted."""
    if os.pathsep not in path and not path.startswith('"'):
        return path
    special = {'"': '\\"', "\\": "\\\\", "\n": "\\n"}
    return '"' + "".join(special.get(letter, letter) for letter in path) + '"'


def _path(cwd: Path, env: Mapping[str, str], name: str) -> Path:
    """Return where git keeps *name*."""
    return Path(_git(cwd, env, "rev-parse", "--path-format=absolute", "--git-path", name))


def _git(cwd: Path, env: Mapping[str, str], *argv: str) -> str:
    done = subprocess.run(
        ["git", *argv],
        cwd=cwd,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, f"git {argv}: {done.stderr.decode(errors='replace')}"
    return os.fsdecode(done.stdout).removesuffix("\n")
