"""The private git folder of one installed folder, such as ``node_modules``.

Below the common dir, it holds an index of the folder and nothing else: no object is ever written.
Git reads it with none of the user's settings, so that the bytes on the disk are what counts; no
``.gitignore``, ``.gitattributes`` or ``.git`` that a package brings along hides or changes any.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

from gitcache.errors import RepositoryError
from gitcache.git.memo import MemoFolder, stat_of
from gitcache.git.plumbing import Git
from gitcache.git.repository import Repository

NOT_COUNTED: Final = {
    "__pycache__/": "byte code that Python makes from the source beside it",
    "node_modules/.cache/": "what compilers and linters keep from run to run (find-cache-dir)",
    "node_modules/.vite/": "dependencies that Vite has bundled from their sources",
    "node_modules/.vite-temp/": "Vite's settings, compiled for the time of a run",
    "node_modules/.vitest/": "how long Vitest's last runs took",
    "node_modules/.package-lock.json": "npm's note of what it installed, for npm alone",
    "node_modules/.modules.yaml": "pnpm's note of what it installed, with the time of it",
    "node_modules/.pnpm-workspace-state*.json": "pnpm's note of when it last looked",
    "node_modules/.yarn-state.yml": "yarn's note of what it installed, for yarn alone",
}
"""A pattern of gitignore(5) → what the files are that do not count."""

_ATTRIBUTES: Final = "* -text -filter -ident -working-tree-encoding\n"
"""Attributes under which a file is hashed as it is; they win over those of a package."""

_CONFIG: Final = (
    *("core.fileMode=true", "core.symlinks=true", "core.ignoreCase=false"),
    *("core.protectNTFS=false", "core.protectHFS=false", "core.precomposeUnicode=false"),
    *("core.autocrlf=false", "core.attributesFile=/dev/null", "core.excludesFile=/dev/null"),
    *("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.splitIndex=false"),
    *("core.fsync=index", "core.quotePath=false"),
)

_ALONE: Final = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
}


@dataclass(frozen=True, slots=True)
class InstalledGit:
    """An installed folder, and git with its private git folder."""

    folder: Path
    """Where the files are, symbolic links resolved."""

    path: Path
    """The private git folder."""

    git: Git

    @classmethod
    def of(cls, repository: Repository, folder: Path) -> Self:
        """Return *folder*'s private git, made where there is none.

        Raises:
            RepositoryError: it can't be made.
        """
        real = Path(os.path.realpath(folder))
        name = hashlib.sha256(os.fsencode(real)).hexdigest()[:32]
        path = repository.common_dir / "toolcache" / "installed" / name
        if not (path / "HEAD").exists():
            _make(path, real)
        environ = {
            **{key: value for key, value in repository.git.environ.items() if key[:4] != "GIT_"},
            **_ALONE,
            "GIT_DIR": str(path),
            "GIT_WORK_TREE": str(real),
        }
        return cls(real, path, Git(real, environ, _CONFIG, listener=repository.git.listener))

    @property
    def index(self) -> Path:
        """The index as the last look left it; need not exist."""
        return self.path / "index"

    @property
    def memos(self) -> MemoFolder:
        """Where the digest of an unchanged index is remembered."""
        return MemoFolder(self.path)

    @contextmanager
    def with_copy(self) -> Iterator[Self]:
        """Lend this git with a copy of the index, which :meth:`keep` makes the index.

        So looks at the same folder at the same time do not meet.
        """
        copy = self.path / f"index.{os.getpid()}"
        try:
            copy.with_name(f"{copy.name}.lock").unlink(missing_ok=True)  # a killed git's
            with suppress(FileNotFoundError):
                copy.write_bytes(self.index.read_bytes())
            environ = {**self.git.environ, "GIT_INDEX_FILE": str(copy)}
            yield replace(self, git=replace(self.git, environ=environ))
        except OSError as error:
            raise RepositoryError(f"{self.path} can't be written: {error.strerror}") from error
        finally:
            with suppress(OSError):
                copy.unlink()

    def keep(self) -> list[int] | None:
        """Make the copy that was lent the index of the next looks, and return its stat.

        None where another look has put its own there at the same moment.
        """
        copy = Path(self.git.environ["GIT_INDEX_FILE"])
        before = stat_of(copy)
        if before is None:
            return None
        copy.replace(self.index)
        after = stat_of(self.index)
        return after if _is_same_file(before, after) else None

    def nested(self, path: str) -> Self:
        """Return git for the repository that lies at *path* within the folder, without an index."""
        folder = self.folder / path
        environ = {
            **self.git.environ,
            "GIT_WORK_TREE": str(folder),
            "GIT_INDEX_FILE": str(self.path / "no-index"),
        }
        return replace(self, folder=folder, git=replace(self.git, cwd=folder, environ=environ))

    def exceptions(self) -> list[str]:
        """Return git's options for :data:`NOT_COUNTED`, seen from the folder."""
        patterns = ["**/" + each if "/" in each.rstrip("/") else each for each in NOT_COUNTED]
        if self.folder.name == "node_modules":
            names = [each.removeprefix("node_modules") for each in NOT_COUNTED]
            patterns += [each for each in names if each.startswith("/")]
        return [f"--exclude={each}" for each in patterns]


def _is_same_file(before: list[int], after: list[int] | None) -> bool:
    """Return whether the file with the stat *before* was renamed to that with *after*.

    A rename moves the time of change.
    """
    return after is not None and (before[:2], before[3:]) == (after[:2], after[3:])


def _make(path: Path, folder: Path) -> None:
    """Make the private git folder *path* in one step, so that it is never half there."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        for name in ("objects", "refs", "info"):
            (beside / name).mkdir(parents=True, exist_ok=True)
        (beside / "info" / "attributes").write_text(_ATTRIBUTES, "ascii")
        (beside / "folder").write_bytes(os.fsencode(folder))
        (beside / "HEAD").write_text("ref: refs/heads/none\n", "ascii")
        beside.rename(path)
    except OSError as error:
        from shutil import rmtree  # seldom needed, and slow to load

        rmtree(beside, ignore_errors=True)
        if not (path / "HEAD").exists():
            raise RepositoryError(f"{path} can't be made: {error.strerror}") from error
