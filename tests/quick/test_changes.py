"""Whatever changes between two calls, a memo holds only where the key is the same."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from gitcache.core.key import Key
from gitcache.engine.cached_run import run
from gitcache.engine.context import Context
from gitcache.engine.front import Finding, Hit, Miss, find
from gitcache.engine.overheard import IMPLIED, hear
from gitcache.engine.resolve import Request
from gitcache.quick.listener import Listener, Shown
from gitcache.quick.memo import Memo
from gitcache.quick.place import find_place
from gitcache.quick.question import question_of
from gitcache.quick.streams import Tape
from tests.support.calls import Recorder
from tests.support.overhearing import later, settle_clocks, still_holds
from tests.support.repository import Repo

SETTINGS = """\
[tools.test]
command = "tool"
env = ["DECLARED", "COLUMNS", "OWN_*"]
ignored_inputs = ["local.yml", "fixtures/*.bin"]
"""

_LOOKS = 200
_PAUSE = 0.1
"""Looks, and seconds between them, within which files have settled."""


@dataclass(frozen=True)
class Project:
    """A repository of Python and Node with a tool on the PATH and a stored pass."""

    repo: Repo
    beside: Path
    """A folder outside of the worktree."""

    patch: pytest.MonkeyPatch

    @property
    def context(self) -> Context:
        return replace(Context.of_this_process(), cwd=self.repo.path)

    @property
    def site(self) -> Path:
        return self.repo.path / ".venv" / "lib" / "python3.11" / "site-packages"

    def find(self) -> Finding:
        """Return what the ordinary path finds."""
        return find(Request("test"), self.context)

    def key(self) -> Key | None:
        """Return the key that the ordinary path derives."""
        finding = self.find()
        return finding.question.key if isinstance(finding, Hit | Miss) else None

    def question(self) -> bytes:
        """Return the spelling of a call."""
        cwd = str(self.repo.path)
        place = find_place(cwd)
        assert place is not None
        return question_of(["run", "test"], cwd, place, os.environ)

    def hear(self) -> tuple[bytes, Memo]:
        """Return the question of which the stored pass is the answer, and the memo on it."""
        for _ in range(_LOOKS):
            listener = Listener(IMPLIED, later)
            finding = hear(listener, self.context, self.find_heard(listener))
            assert isinstance(finding, Hit)
            memo = listener.memo(Shown((), "", Tape(), 0, b""), os.environ)
            if memo is not None:
                return self.question(), memo
            threading.Event().wait(_PAUSE)  # what a look remembers of young files is young as well
        pytest.fail(listener.spoiled)

    def find_heard(self, listener: Listener) -> Callable[[], Finding]:
        context = replace(self.context, listener=listener)
        return lambda: find(Request("test"), context)

    def holds(self, known: tuple[bytes, Memo]) -> bool:
        """Return whether a call would be answered by what is *known*."""
        question, memo = known
        return question == self.question() and still_holds(memo, self.repo.path, {})

    def set_first_on_path(self, folder: Path) -> str:
        """Put *folder* in front of the PATH, and return that."""
        self.patch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        return os.environ["PATH"]

    def write_unseen(self, path: Path, text: str) -> None:
        """Write *text*, as long as what is there, and give the file its old times again."""
        facts = path.stat()
        assert len(text) == facts.st_size
        path.write_text(text)
        os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def project(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return a project whose pass is stored, all of it settled."""
    program(tmp_path / "bin/tool", "exit 0")
    (tmp_path / "early").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path}/early:{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setenv("DECLARED", "one")
    repo.write("toolcache.toml", SETTINGS)
    ignored = ("toolcache.toml", ".env", "local.yml", "fixtures", ".venv", "node_modules", "built")
    repo.write(".gitignore", "".join(f"{each}\n" for each in ignored))
    repo.write("pyproject.toml", "[project]\nname = 'one'\n")
    repo.write("package.json", "{}\n")
    repo.write("local.yml", "one\n")
    repo.write("fixtures/a.bin", "one\n")
    repo.write("node_modules/one/index.js", "exports.value = 1;\n")
    repo.write(".venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n")
    (repo.path / ".venv/bin").mkdir()
    (repo.path / ".venv/bin/python").symlink_to("/usr/bin/python3")
    repo.write(".venv/lib/python3.11/site-packages/one.py", "VALUE = 1\n")
    repo.write(".venv/lib/python3.11/site-packages/__pycache__/one.pyc", "0")
    repo.commit("project")
    settle_clocks(monkeypatch)
    project = Project(repo, tmp_path, monkeypatch)
    answer = run(Request("test"), project.context, Recorder())
    assert answer.stored
    return project


Change = Callable[[Project], object]


def _add_submodule(project: Project) -> None:
    inner = Repo.init(project.beside / "inner")
    inner.write("in.txt", "in\n")
    inner.commit()
    project.repo.git("submodule", "--quiet", "add", str(inner.path))


def folder(path: Path) -> Path:
    """Make the folder *path* and those above it."""
    path.mkdir(parents=True)
    return path


def remove(path: Path) -> Path:
    """Remove the file *path*."""
    path.unlink()
    return path


def link(path: Path, to: Path | str) -> Path:
    """Put a symbolic link in the place of whatever file is there."""
    path.unlink(missing_ok=True)
    path.symlink_to(to)
    return path


MOVING: dict[str, Change] = {
    "a tracked file is edited": lambda p: p.repo.write("a.txt", "edited\n"),
    "a tracked file is edited unseen": lambda p: p.write_unseen(p.repo.path / "a.txt", "b\n"),
    "a tracked file may be executed": lambda p: (p.repo.path / "a.txt").chmod(0o755),
    "a tracked file becomes a link": lambda p: link(p.repo.path / "a.txt", "sub/b.txt"),
    "a new file": lambda p: p.repo.write("new.txt", ""),
    "a new file in a folder that was ignored": lambda p: (
        p.repo.write("built/new.txt", "new\n"),
        p.repo.write(".git/info/exclude", "!built\n"),
        p.repo.write("built/.gitignore", "!*\n"),
        p.repo.write(".gitignore", "toolcache.toml\n"),
    ),
    "an index of another content": lambda p: (
        p.repo.write("a.txt", "staged\n"),
        p.repo.git("add", "a.txt"),
    ),
    "HEAD moved": lambda p: (p.repo.write("a.txt", "more\n"), p.repo.commit()),
    "HEAD moved back": lambda p: p.repo.git("reset", "--quiet", "--hard", "HEAD~1"),
    "a flagged file is edited": lambda p: (
        p.repo.git("update-index", "--assume-unchanged", "a.txt"),
        p.repo.write("a.txt", "hidden\n"),
    ),
    "a file is taken on trust and gone": lambda p: (
        p.repo.git("update-index", "--skip-worktree", "a.txt"),
        remove(p.repo.path / "a.txt"),
    ),
    "an attribute of one's own converts": lambda p: (
        p.repo.write(".git/info/attributes", "*.txt text eol=crlf\n"),
        remove(p.repo.path / "a.txt"),
        p.repo.git("checkout", "--", "a.txt"),
    ),
    "the setting core.autocrlf converts": lambda p: (
        p.repo.git("config", "core.autocrlf", "true"),
        remove(p.repo.path / "a.txt"),
        p.repo.git("checkout", "--", "a.txt"),
    ),
    "an exclude file of one's own hides a file no more": lambda p: (
        p.repo.write(".git/info/exclude", "hidden.txt\n"),
        p.repo.write("hidden.txt", "hidden\n"),
        p.repo.write(".git/info/exclude", "\n"),
    ),
    "a submodule": _add_submodule,
    "the program is another": lambda p: program(p.beside / "bin/tool", "exit 1"),
    "the program is another unseen": lambda p: p.write_unseen(
        p.beside / "bin/tool", "#!/bin/sh\nexit 9\n"
    ),
    "an earlier program on the PATH": lambda p: program(p.beside / "early/tool", "exit 0; :"),
    "another order of the PATH": lambda p: (
        program(p.beside / "other/tool", "exit 0; :"),
        p.set_first_on_path(p.beside / "other"),
    ),
    "an interpreter of the project's appears": lambda p: program(
        p.beside / "early/python3", "exit 0"
    ),
    "a runner of the project's appears": lambda p: program(p.beside / "early/pytest", "exit 0"),
    "a declared variable is another": lambda p: p.patch.setenv("DECLARED", "two"),
    "a declared variable is empty": lambda p: p.patch.setenv("DECLARED", ""),
    "a declared variable is unset": lambda p: p.patch.delenv("DECLARED"),
    "a declared prefix gets a variable": lambda p: p.patch.setenv("OWN_NEW", "1"),
    "a declared variable of the terminal": lambda p: p.patch.setenv("COLUMNS", "80"),
    "a .env file": lambda p: p.repo.write(".env", "A=1\n"),
    "an empty .env file in a folder": lambda p: p.repo.write("sub/.env", ""),
    "a declared ignored file is edited": lambda p: p.repo.write("local.yml", "two\n"),
    "a declared ignored file is edited unseen": lambda p: p.write_unseen(
        p.repo.path / "local.yml", "six\n"
    ),
    "a declared ignored file is gone": lambda p: (p.repo.path / "local.yml").unlink(),
    "one more file that a declared pattern names": lambda p: p.repo.write("fixtures/b.bin", "1"),
    "settings that nobody tracks": lambda p: p.repo.write(
        "toolcache.toml", SETTINGS + "memory = '2GiB'\n"
    ),
    "settings with another command": lambda p: p.repo.write(
        "toolcache.toml", SETTINGS.replace('"tool"', '"tool more"')
    ),
    "inputs are declared": lambda p: p.repo.write(
        "toolcache.toml", SETTINGS + "inputs = ['sub']\n"
    ),
    "no settings": lambda p: (p.repo.path / "toolcache.toml").unlink(),
    "git's settings ask for a limit": lambda p: p.repo.git("config", "toolcache.memory", "2GiB"),
    "a project file is edited": lambda p: p.repo.write("pyproject.toml", ""),
    "an installed module is edited": lambda p: (p.site / "one.py").write_text("VALUE = 22\n"),
    "an installed module is edited unseen": lambda p: p.write_unseen(
        p.site / "one.py", "VALUE = 2\n"
    ),
    "one more installed module": lambda p: (p.site / "two.py").write_text(""),
    "an installed module is gone": lambda p: (p.site / "one.py").unlink(),
    "a list of paths appears": lambda p: (
        (folder(p.beside / "lib") / "more.py").write_text("1\n"),
        (p.site / "more.pth").write_text(f"{p.beside}/lib\n"),
    ),
    "the environment is gone": lambda p: shutil.rmtree(p.repo.path / ".venv"),
    "another environment": lambda p: (
        shutil.copytree(p.repo.path / ".venv", p.repo.path / "venv", symlinks=True),
        p.repo.write("venv/lib/python3.11/site-packages/two.py", ""),
        p.repo.write(".git/info/exclude", "venv\n"),
    ),
    "a package of Node's is edited": lambda p: p.repo.write("node_modules/one/index.js", "2\n"),
    "a package of Node's is edited unseen": lambda p: p.write_unseen(
        p.repo.path / "node_modules/one/index.js", "exports.value = 2;\n"
    ),
    "one more package of Node's": lambda p: p.repo.write("node_modules/two/index.js", "2\n"),
    "a package above the worktree": lambda p: (
        (folder(p.beside / "node_modules/up") / "index.js").write_text("1\n"),
    ),
    "a link to a package elsewhere": lambda p: (
        (folder(p.beside / "linked") / "index.js").write_text("1\n"),
        link(p.repo.path / "node_modules/linked", p.beside / "linked"),
    ),
}
"""What the key depends on."""


HARMLESS: dict[str, Change] = {
    "nothing": lambda _: None,
    "a commit of the same content": lambda p: p.repo.commit("same"),
    "another branch": lambda p: p.repo.git("checkout", "--quiet", "-b", "other"),
    "a variable that no tool sees": lambda p: p.patch.setenv("SOMETHING_ELSE", "1"),
    "another terminal": lambda p: p.patch.setenv("TERM", "xterm-256color"),
    "an ignored file that nobody declared": lambda p: p.repo.write("built/more", "1"),
    "a touched file": lambda p: (p.repo.path / "a.txt").touch(),
    "byte code": lambda p: (p.site / "__pycache__/one.pyc").write_text("1"),
    "refs are packed": lambda p: p.repo.git("pack-refs", "--all"),
    "all is packed": lambda p: p.repo.git("gc", "--quiet"),
    "memos are gone": lambda p: shutil.rmtree(p.repo.path / ".git/toolcache"),
}
"""What the key does not depend on; a memo need not hold, but may."""


@pytest.mark.parametrize("change", MOVING.values(), ids=MOVING.keys())
def test_memo_ends_with_the_key(project: Project, change: Change) -> None:
    memo, key = project.hear(), project.key()
    assert project.holds(memo)
    change(project)
    held = project.holds(memo)
    assert project.key() != key, "the change is none"
    assert not held


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS.keys())
def test_what_changes_no_key_gets_no_other_answer(project: Project, change: Change) -> None:
    memo, key = project.hear(), project.key()
    change(project)
    held = project.holds(memo)
    assert project.key() == key
    assert held or not isinstance(project.find(), Miss)


@pytest.mark.parametrize(
    "name", ["nothing", "another terminal", "a variable that no tool sees", "byte code"]
)
def test_memo_outlives_what_does_not_count(project: Project, name: str) -> None:
    memo = project.hear()
    HARMLESS[name](project)
    assert project.holds(memo)
