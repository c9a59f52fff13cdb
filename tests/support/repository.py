"""A real repository with a working tree, and git as the referee of its content."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitcache.core.content import Snapshot
from gitcache.git.look import looking_from
from gitcache.git.private_index import LEAST

NO_VARIABLES: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Ran:
    """A finished call of git toolcache."""

    status: int
    stdout: bytes
    stderr: bytes

    @property
    def json(self) -> Any:
        """The JSON document on the standard output."""
        return json.loads(self.stdout)

    @property
    def summary(self) -> str:
        """The last line of the standard error."""
        return self.stderr.decode().splitlines()[-1]

    @property
    def is_hit(self) -> bool:
        """Whether the summary says that the answer came from the store."""
        return ": hit, ran " in self.summary


@dataclass(frozen=True, slots=True)
class Repo:
    """A worktree of a repository."""

    path: Path

    @classmethod
    def init(cls, path: Path, *options: str) -> Repo:
        """Make an empty repository at *path*."""
        path.mkdir(parents=True)
        repo = cls(path)
        repo.git("init", "--quiet", *options)
        return repo

    def git(self, *argv: str, env: Mapping[str, str] = NO_VARIABLES, stdin: bytes = b"") -> str:
        """Run git here and return its standard output without the newline at its end."""
        done = subprocess.run(
            ["git", *argv],
            cwd=self.path,
            env={**os.environ, **env},
            input=stdin,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, f"git {argv}: {done.stderr.decode(errors='replace')}"
        return os.fsdecode(done.stdout).removesuffix("\n")

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file below the top, with the folders that it needs."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def commit(self, message: str = "more") -> str:
        """Commit all that is there and return the commit's id."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def add_worktree(self, path: Path, *options: str) -> Repo:
        """Add a linked worktree with a detached HEAD."""
        self.git("worktree", "add", "--quiet", "--detach", *options, str(path))
        return Repo(path)

    def snapshot(
        self, env: Mapping[str, str] = NO_VARIABLES, folder: str = "", least: int = LEAST
    ) -> Snapshot:
        """Return what the code under test says of the content here.

        An index of *least* bytes or more is looked at through a copy.
        """
        with looking_from(self.path / folder, {**os.environ, **env}, least) as look:
            return look.snapshot()

    def tree_by_git(self, env: Mapping[str, str] = NO_VARIABLES) -> str:
        """Return the tree of ``git add -A`` and ``git write-tree`` on a copy of the index.

        New objects go into a folder of their own, so the repository stays as it is.
        """
        index = Path(self.path, self.git("rev-parse", "--git-path", "index", env=env))
        objects = Path(self.path, self.git("rev-parse", "--git-path", "objects", env=env))
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, "index")
            if index.exists():
                shutil.copy2(index, copy)
            aside = {
                **env,
                "GIT_INDEX_FILE": str(copy),
                "GIT_OBJECT_DIRECTORY": folder,
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects),
                "GIT_OPTIONAL_LOCKS": "0",
            }
            self.git("add", "--all", env=aside)
            return self.git("write-tree", env=aside)

    def toolcache(
        self,
        *words: str | bytes,
        env: Mapping[str, str] = NO_VARIABLES,
        folder: str = "",
        stdin: bytes | None = None,
    ) -> Ran:
        """Run git toolcache here as its own process."""
        done = subprocess.run(
            [sys.executable, "-m", "gitcache", *words],
            cwd=self.path / folder,
            env={**os.environ, **env},
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            check=False,
            timeout=60,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def keys(self) -> list[str]:
        """Return the keys under which something is stored."""
        refs = self.git("for-each-ref", "--format=%(refname)", "refs/toolcache/").split()
        return [ref.removeprefix("refs/toolcache/") for ref in refs]

    def traces(self) -> dict[str, tuple[bytes, int] | bytes]:
        """Return all that a look must leave alone: index, HEAD, refs and objects, by name."""
        git_dir = Path(self.path, self.git("rev-parse", "--absolute-git-dir"))
        common = Path(self.path, self.git("rev-parse", "--git-common-dir"))
        files = [git_dir / "index", git_dir / "HEAD", common / "packed-refs", common / "config"]
        found: dict[str, tuple[bytes, int] | bytes] = {
            str(path): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in files
            if path.exists()
        }
        for folder in ("refs", "objects"):
            names = sorted(str(path) for path in (common / folder).rglob("*"))
            found[folder] = "\n".join(names).encode()
        return found
