"""Where the repository is: asked of git, in whatever way it was found."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from gitcache.errors import RepositoryError
from gitcache.git.repository import Repository, find_repository
from gitcache.git.status import QUESTION
from tests.support.repository import Repo

EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}


def find(path: Path, **variables: str) -> Repository:
    return find_repository(path, {**os.environ, **variables})


def refusal(path: Path, **variables: str) -> RepositoryError:
    with pytest.raises(RepositoryError) as caught:
        find(path, **variables)
    return caught.value


def test_top_is_found_from_the_top(repo: Repo) -> None:
    found = find(repo.path)

    assert found.top == repo.path
    assert found.git_dir == found.common_dir == repo.path / ".git"
    assert found.objects == repo.path / ".git/objects"
    assert found.object_format == "sha1"
    assert found.prefix == ""
    assert found.git.cwd == repo.path


def test_prefix_is_the_callers_folder(repo: Repo) -> None:
    repo.write("sub/deep er/c.txt", "c\n")

    assert find(repo.path / "sub").prefix == "sub"
    assert find(repo.path / "sub/deep er").prefix == "sub/deep er"
    assert find(repo.path / "sub/deep er").top == repo.path


def test_linked_worktree_has_a_git_folder_of_its_own(repo: Repo, tmp_path: Path) -> None:
    other = repo.add_worktree(tmp_path / "other")

    found = find(other.path / "sub")

    assert found.top == other.path
    assert found.git_dir == repo.path / ".git/worktrees/other"
    assert found.common_dir == repo.path / ".git"
    assert found.objects == repo.path / ".git/objects"
    assert found.prefix == "sub"


def test_submodule_is_a_repository_of_its_own(repo: Repo, tmp_path: Path) -> None:
    inner = Repo.init(tmp_path / "inner")
    inner.commit()
    repo.git("submodule", "--quiet", "add", str(inner.path), "lib")

    found = find(repo.path / "lib")

    assert found.top == repo.path / "lib"
    assert found.common_dir == repo.path / ".git/modules/lib"


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_object_format_and_its_empty_tree(tmp_path: Path, object_format: str) -> None:
    repo = Repo.init(tmp_path / "repo", f"--object-format={object_format}")

    found = find(repo.path)

    assert found.object_format == object_format
    assert found.empty_tree == EMPTY_TREES[object_format]
    assert repo.git("hash-object", "-t", "tree", "--stdin") == EMPTY_TREES[object_format]


@pytest.mark.parametrize(
    "name", [b"two words", b"new\nline", b"caf\xc3\xa9", b"not \xff utf-8", b" \t", b"-x", b"a\r"]
)
def test_folder_of_any_name_is_found(tmp_path: Path, name: bytes) -> None:
    repo = Repo.init(tmp_path / os.fsdecode(name))
    repo.write(os.fsdecode(b"in " + name + b"/file"), "x\n")
    repo.commit()

    found = find(repo.path / os.fsdecode(b"in " + name))

    assert found.top == repo.path
    assert found.git_dir == repo.path / ".git"
    assert found.prefix == os.fsdecode(b"in " + name)
    assert found.git.run("rev-parse", "HEAD").decode().strip() == repo.git("rev-parse", "HEAD")


def test_symbolic_link_on_the_way_is_resolved_as_git_does(repo: Repo, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(repo.path)

    assert find(link / "sub").top == repo.path
    assert find(link / "sub").prefix == "sub"


def test_folder_outside_every_repository(tmp_path: Path) -> None:
    assert refusal(tmp_path).message == "not a git repository"


def test_repository_that_a_variable_names_wrongly(repo: Repo, tmp_path: Path) -> None:
    assert refusal(repo.path, GIT_DIR=str(tmp_path)).message == "not a git repository"


@pytest.mark.parametrize("inside", [".git", ".git/refs"])
def test_git_folder_has_no_working_tree(repo: Repo, inside: str) -> None:
    words = "this is a bare repository or a git folder, without a working tree"

    assert refusal(repo.path / inside).message == words


def test_bare_repository_has_no_working_tree(tmp_path: Path) -> None:
    bare = Repo.init(tmp_path / "bare.git", "--bare")
    words = "this is a bare repository or a git folder, without a working tree"

    assert refusal(bare.path).message == words


def test_damaged_settings_are_told_in_one_line(repo: Repo) -> None:
    repo.write(".git/config", "[core\n")

    assert refusal(repo.path).message == "bad config line 1 in file .git/config"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_repository_of_somebody_else_is_told_with_gits_advice(repo: Repo) -> None:
    for path in (repo.path, repo.path / ".git"):
        os.chown(path, 12345, 12345)

    error = refusal(repo.path)

    assert error.message == f"detected dubious ownership in repository at '{repo.path}'"
    assert error.hint == f"git config --global --add safe.directory {repo.path}"
    subprocess.run(error.hint.split(), check=True)
    assert find(repo.path).top == repo.path


def bare_with_a_tree(tmp_path: Path, repo: Repo) -> tuple[Path, Path]:
    """Return a git folder and, elsewhere, a working tree of it."""
    folder, tree = tmp_path / "git folder", tmp_path / "tree"
    (tree / "sub").mkdir(parents=True)
    (repo.path / ".git").rename(folder)
    return folder, tree


def answer_of_status(repository: Repository) -> bytes:
    return repository.git.run(*QUESTION)


@pytest.mark.parametrize("is_relative", [False, True])
def test_variables_that_name_the_repository_hold_in_every_folder(
    repo: Repo, tmp_path: Path, is_relative: bool
) -> None:
    """Our own calls run at the top, where a relative path would mean another place."""
    folder, tree = bare_with_a_tree(tmp_path, repo)
    variables: Mapping[str, str] = {
        "GIT_DIR": "../../git folder" if is_relative else str(folder),
        "GIT_WORK_TREE": ".." if is_relative else str(tree),
    }

    found = find(tree / "sub", **variables)

    assert (found.top, found.git_dir, found.prefix) == (tree, folder, "sub")
    assert b" a.txt\0" in answer_of_status(found)


def test_git_folder_alone_makes_the_callers_folder_the_top(repo: Repo, tmp_path: Path) -> None:
    folder, tree = bare_with_a_tree(tmp_path, repo)

    found = find(tree, GIT_DIR="../git folder")

    assert (found.top, found.git_dir, found.prefix) == (tree, folder, "")
    assert b" a.txt\0" in answer_of_status(found)


def test_working_tree_of_the_settings(repo: Repo, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    repo.git("config", "core.worktree", str(tree))

    found = find(repo.path)

    assert (found.top, found.git_dir, found.prefix) == (tree, repo.path / ".git", "")
    assert b" a.txt\0" in answer_of_status(found)


def test_extension_that_git_does_not_know_is_named(repo: Repo) -> None:
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.fromTheFuture", "1")

    assert refusal(repo.path).message == "unknown repository extension found: fromthefuture"


def test_index_of_a_hook_is_asked(repo: Repo) -> None:
    other = {"GIT_INDEX_FILE": ".git/other"}
    repo.git("read-tree", "--empty", env=other)

    assert b"1 D. N..." in answer_of_status(find(repo.path, **other))
    assert b"1 D. N..." not in answer_of_status(find(repo.path))


def test_objects_of_a_receiving_hook_are_known(repo: Repo, tmp_path: Path) -> None:
    quarantine = tmp_path / "quarantine"
    quarantine.mkdir()

    assert find(repo.path, GIT_OBJECT_DIRECTORY=str(quarantine)).objects == quarantine


PROBE = """\
import os, pathlib
from gitcache.git.repository import find_repository
print(repr(find_repository(pathlib.Path.cwd(), os.environ).prefix))
"""


@pytest.mark.parametrize("is_linked", [False, True])
def test_alias_tells_the_callers_folder(repo: Repo, tmp_path: Path, is_linked: bool) -> None:
    """Git runs a ``!alias`` at the top; only GIT_PREFIX says where its caller is."""
    where = repo.add_worktree(tmp_path / "other") if is_linked else repo
    probe = tmp_path / "probe.py"
    probe.write_text(PROBE)
    below = Repo(where.path / "sub")

    assert below.git("-c", f"alias.probe=!python '{probe}'", "probe") == "'sub'"
    assert where.git("-c", f"alias.probe=!python '{probe}'", "probe") == "''"


@pytest.mark.parametrize("prefix", ["gone/", "/etc/", "../", "sub/../..", "a.txt"])
def test_prefix_that_is_no_folder_here_does_not_count(repo: Repo, prefix: str) -> None:
    """It was meant for the repository of a process above us."""
    assert find(repo.path, GIT_PREFIX=prefix).prefix == ""


def test_prefix_of_the_folder_wins_over_the_variable(repo: Repo) -> None:
    repo.write("other/c.txt", "c\n")

    assert find(repo.path / "sub", GIT_PREFIX="other/").prefix == "sub"


def test_finding_writes_nothing(repo: Repo) -> None:
    before = repo.traces()
    times = stat.S_IMODE((repo.path / ".git").stat().st_mode), (repo.path / ".git").stat().st_mtime

    find(repo.path)

    assert repo.traces() == before
    now = (repo.path / ".git").stat()
    assert (stat.S_IMODE(now.st_mode), now.st_mtime) == times
