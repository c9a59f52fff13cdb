"""Ignored files that count: ``.env`` files beside the snapshot's, and what is declared."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitcache.errors import RepositoryError, SettingsError
from gitcache.git.file_digests import file_digests
from gitcache.git.ignored_files import ignored_parts
from gitcache.git.look import looking_from
from gitcache.git.memo import MemoFolder
from tests.support.footprint import footprint
from tests.support.repository import Repo
from tests.support.unprivileged import unprivileged

NO_MEMO = MemoFolder(None)

LATER_NS = 2_000_000_000 * 10**9
"""In 2033: everything has been left alone for long enough."""

REMEMBERED = "0123456789abcdef" * 4
"""What no content gives, so that it can only come from a memo."""


@pytest.fixture
def project(repo: Repo) -> Repo:
    """Return a worktree that ignores env files, ``*.local``, ``gen`` and ``node_modules``."""
    repo.write(".gitignore", ".env*\n*.local\ngen/\nnode_modules/\n")
    repo.write("sub/deep/er/c.txt", "c\n")
    repo.commit()
    return repo


def parts(
    repo: Repo, *declared: str, memos: MemoFolder = NO_MEMO, now_ns: int | None = None
) -> dict[str, str]:
    with looking_from(repo.path, os.environ) as look:
        return ignored_parts(look.repository, look.snapshot(), declared, memos, now_ns)


def names(repo: Repo, *declared: str, memos: MemoFolder = NO_MEMO) -> set[str]:
    found = parts(repo, *declared, memos=memos)
    assert all(len(value) == 64 and int(value, 16) >= 0 for value in found.values())
    return {name.removeprefix("ignored:") for name in found}


def test_clean_worktree_without_env_files_has_no_parts(project: Repo) -> None:
    assert parts(project) == {}


def test_env_files_count_in_every_folder_on_the_way_to_a_file(project: Repo) -> None:
    found = {".env", ".env.local", "sub/.env", "sub/deep/.env.test", "sub/deep/er/.env."}
    for name in (*found, ".envrc", "sub/x.env", "sub/.envx"):
        project.write(name, "A=1\n")
    assert names(project) == found


def test_no_value_leaves_as_text(project: Repo, tmp_path: Path) -> None:
    project.write(".env", "TOKEN=hunter2\n")
    memos = MemoFolder(tmp_path / "memo")
    assert "hunter2" not in repr(parts(project, memos=memos))
    parts(project, memos=memos, now_ns=LATER_NS)
    assert all(b"hunter2" not in each.read_bytes() for each in (tmp_path / "memo").iterdir())


@pytest.mark.parametrize("name", [".env", "sub/deep/.env", "sub/.env.local"])
def test_each_state_of_an_env_file_is_another(project: Repo, name: str) -> None:
    states = [parts(project)]
    for content in ("A=1\n", "A=2\n", ""):
        project.write(name, content)
        states.append(parts(project))
    assert len({str(each) for each in states}) == 4
    (project.path / name).unlink()
    assert parts(project) == states[0]


def test_states_are_told_apart_through_the_memo_too(project: Repo, tmp_path: Path) -> None:
    memos = MemoFolder(tmp_path / "memo")
    for name in (".env", "sub/.env", "sub/deep/er/.env.x"):
        for content in ("A=1\n", "A=2\n", "", "A=1\n"):
            project.write(name, content)
            assert parts(project, memos=memos) == parts(project)
        (project.path / name).unlink()
        assert parts(project, memos=memos) == parts(project) == {}


def test_what_is_settled_is_not_looked_into_again(project: Repo, tmp_path: Path) -> None:
    memos = MemoFolder(tmp_path / "memo")
    project.write("sub/.env", "A=1\n")
    first = parts(project, memos=memos, now_ns=LATER_NS)
    memo = memos.read("env-files")
    memo["names"]["sub"][1] = []
    memos.write("env-files", memo)
    assert [*first] == ["ignored:sub/.env"]
    assert parts(project, memos=memos) == {}
    project.write("sub/.env.local", "A=1\n")
    assert names(project, memos=memos) == {"sub/.env", "sub/.env.local"}


def test_settled_content_is_read_once(project: Repo, tmp_path: Path) -> None:
    memos = MemoFolder(tmp_path / "memo")
    file = project.write(".env", "A=1\n")
    parts(project, memos=memos, now_ns=LATER_NS)
    (name,) = {each.name for each in (tmp_path / "memo").iterdir()} - {"env-files"}
    memos.write(name, {str(file): [memos.read(name)[str(file)][0], REMEMBERED]})
    assert parts(project, memos=memos) == {"ignored:.env": REMEMBERED}
    os.utime(file, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns))  # only ctime moves
    assert parts(project, memos=memos) == parts(project)


def test_what_is_fresh_is_not_remembered(project: Repo, tmp_path: Path) -> None:
    memos = MemoFolder(tmp_path / "memo")
    project.write(".env", "A=1\n")
    parts(project, memos=memos)
    assert [each.name for each in (tmp_path / "memo").iterdir()] == ["env-files"]
    assert memos.read("env-files")["names"] == {}


def test_tracked_and_unignored_env_files_are_in_the_tree_alone(project: Repo) -> None:
    project.write(".env", "A=1\n")
    project.write("sub/.env", "A=1\n")
    project.git("add", "--force", ".env")
    assert names(project) == {"sub/.env"}
    project.git("commit", "--quiet", "--message", "an env file")
    assert names(project) == {"sub/.env"}
    project.write(".gitignore", "")
    assert names(project) == set()


def test_env_file_that_git_forgot_and_the_disk_has_counts(project: Repo) -> None:
    project.write(".env", "A=1\n")
    project.git("add", "--force", ".env")
    project.git("commit", "--quiet", "--message", "an env file")
    project.git("rm", "--quiet", "--cached", ".env")
    assert names(project) == {".env"}


def test_folders_of_new_files_count(project: Repo) -> None:
    for name in ("new/in/.env", "new/.env", "other/.env"):
        project.write(name, "A=1\n")
    assert names(project) == set()
    project.write("new/in/x.txt", "x\n")
    assert names(project) == {"new/in/.env", "new/.env"}


def test_wholly_ignored_folders_do_not_count(project: Repo) -> None:
    project.write("node_modules/x/.env", "A=1\n")
    project.write("gen/.env", "A=1\n")
    project.write("sub/node_modules/.env", "A=1\n")
    assert names(project) == set()


def test_before_the_first_commit_env_files_count(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "unborn")
    repo.write(".gitignore", ".env\n")
    repo.write(".env", "A=1\n")
    repo.write("sub/.env", "A=1\n")
    repo.write("sub/x", "x\n")
    assert names(repo) == {".env", "sub/.env"}


def test_env_file_in_a_submodules_top_counts(project: Repo) -> None:
    inner = Repo.init(project.path / "lib")
    inner.write("a.h", "a\n")
    inner.write(".gitignore", ".env\n")
    inner.commit()
    project.git("-c", "advice.addEmbeddedRepo=false", "add", "lib")
    inner.write(".env", "A=1\n")
    assert names(project) == {"lib/.env"}
    project.git("commit", "--quiet", "--message", "lib")
    assert names(project) == {"lib/.env"}


def test_folder_that_is_called_like_an_env_file_does_not_count(project: Repo) -> None:
    project.write(".env/bin/python", "a virtual environment\n")
    assert names(project) == set()


def test_link_in_place_of_a_folder_is_not_looked_through(project: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / ".env").write_text("A=1\n")
    (project.path / "sub").rename(outside / "deep")
    (outside / "deep/.env").write_text("A=1\n")
    (project.path / "sub").symlink_to(outside)
    assert names(project) == set()


def test_linked_env_file_counts_by_its_target_and_by_what_it_leads_to(
    project: Repo, tmp_path: Path
) -> None:
    shared, link = tmp_path / "shared.env", project.path / ".env"
    link.symlink_to(shared)
    states = [parts(project)]
    for content in ("A=1\n", "", "A=2\n"):
        shared.write_text(content)
        states.append(parts(project))
    link.unlink()
    shared.rename(tmp_path / "renamed.env")
    link.symlink_to(tmp_path / "renamed.env")
    states.append(parts(project))
    link.unlink()
    link.symlink_to(".env")
    states.append(parts(project))
    assert [list(each) for each in states] == [["ignored:.env"]] * 6
    assert len({str(each) for each in states}) == 6


def test_pipe_in_place_of_an_env_file_is_refused_and_not_waited_for(project: Repo) -> None:
    os.mkfifo(project.path / ".env")
    with pytest.raises(RepositoryError, match=r"\.env is neither a file nor a link"):
        parts(project)


def test_unreadable_file_is_refused() -> None:
    with unprivileged() as home:
        (home / ".env").write_text("A=1\n")
        (home / ".env").chmod(0)
        with pytest.raises(RepositoryError, match=r"\.env can't be read: Permission denied"):
            file_digests(home, [".env"], NO_MEMO, "memo", LATER_NS)


def test_folder_that_cannot_be_listed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with unprivileged() as home:
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
        repo = Repo.init(home / "repo")
        repo.write(".gitignore", "gen/\n")
        closed = repo.write("gen/in/a", "a\n").parent
        closed.chmod(0)
        try:
            with pytest.raises(RepositoryError, match=r"could not open directory 'gen/in/'"):
                parts(repo, "gen")
        finally:
            closed.chmod(0o755)


@pytest.mark.parametrize(
    ("declared", "left"),
    [
        (["!.env"], {".env.local", "sub/.env.a", "sub/deep/.env.a"}),
        (["!.env*"], set()),
        (["!.env", "!.env.*"], set()),
        (["!/.env"], {".env.local", "sub/.env", "sub/.env.a", "sub/deep/.env.a"}),
        (["!sub/.env"], {".env", ".env.local", "sub/.env.a", "sub/deep/.env.a"}),
        (["!sub/.env*"], {".env", ".env.local", "sub/deep/.env.a"}),
        (["!sub/**/.env.a"], {".env", ".env.local", "sub/.env"}),
        (["!**/deep/"], {".env", ".env.local", "sub/.env", "sub/.env.a"}),
        (["!deep"], {".env", ".env.local", "sub/.env", "sub/.env.a"}),
        (["!sub/"], {".env", ".env.local"}),
        (["!.ENV"], {".env", ".env.local", "sub/.env", "sub/.env.a", "sub/deep/.env.a"}),
        (["!.env*", "sub/.env"], {"sub/.env"}),
    ],
    ids=lambda each: " ".join(sorted(each)),
)
def test_patterns_leave_env_files_out(project: Repo, declared: list[str], left: set[str]) -> None:
    for name in (".env", ".env.local", "sub/.env", "sub/.env.a", "sub/deep/.env.a"):
        project.write(name, "A=1\n")
    assert names(project, *declared) == left


def test_declared_file_is_missing_empty_or_there(project: Repo) -> None:
    states = [parts(project, "conf/my.local")]
    for content in ("", "1\n", "2\n"):
        project.write("conf/my.local", content)
        states.append(parts(project, "conf/my.local"))
    assert [list(each) for each in states] == [["ignored:conf/my.local"]] * 4
    assert len({str(each) for each in states}) == 4
    (project.path / "conf/my.local").unlink()
    assert parts(project, "conf/my.local") == states[0]
    (project.path / "conf/my.local").mkdir()
    assert parts(project, "conf/my.local") not in states


def test_executable_bit_of_a_declared_file_counts(project: Repo) -> None:
    file = project.write("run.local", "#!/bin/sh\n")
    before = parts(project, "run.local")
    file.chmod(0o755)
    assert parts(project, "run.local") != before


@pytest.mark.parametrize(
    ("declared", "found"),
    [
        (["gen"], {"gen", "gen/a", "gen/in/b", "gen/in/c.local"}),
        (["gen/"], {"gen", "gen/a", "gen/in/b", "gen/in/c.local"}),
        (["gen/in"], {"gen/in", "gen/in/b", "gen/in/c.local"}),
        (["gen/a"], {"gen/a"}),
        (["./gen//a"], {"gen/a"}),
        ([":/gen/a"], {"gen/a"}),
        ([":(literal)*.local"], {"*.local"}),
        (["*.local"], {"x.local", "sub/x.local", "gen/in/c.local"}),
        ([":(glob)*.local"], {"x.local"}),
        ([":(icase)X.LOCAL"], {"x.local"}),
        (["*.local", ":!gen"], {"x.local", "sub/x.local"}),
        (["*.local", "!gen"], {"x.local", "sub/x.local"}),
        (["gen", ":!gen/in"], {"gen", "gen/a"}),
        (["gen", "!in"], {"gen", "gen/a"}),
        (["gen", "!gen/*"], {"gen"}),
        (["nothing.*"], set()),
        (["a.txt"], {"a.txt"}),
        (["*.txt"], set()),
    ],
    ids=lambda each: " ".join(sorted(each)),
)
def test_declared_pathspecs_find_ignored_files(
    project: Repo, declared: list[str], found: set[str]
) -> None:
    for name in ("gen/a", "gen/in/b", "gen/in/c.local", "x.local", "sub/x.local"):
        project.write(name, f"{name}\n")
    assert names(project, *declared) == found


def test_repository_within_an_ignored_folder_counts_by_its_files(project: Repo) -> None:
    inner = Repo.init(project.path / "gen/inner")
    inner.write("a", "a\n")
    before = parts(project, "gen")
    assert names(project, "gen") == {"gen", "gen/inner/a"}
    inner.commit()
    assert parts(project, "gen") == before
    inner.write("a", "b\n")
    assert parts(project, "gen") != before


def test_linked_folder_counts_by_the_files_that_it_leads_to(project: Repo, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "in").mkdir(parents=True)
    (data / "in/file").write_text("1\n")
    (data / "loop").symlink_to(data)
    (project.path / "data.local").symlink_to(data)
    before = parts(project, "data.local")
    assert [*before] == ["ignored:data.local"]
    (data / "in/file").write_text("2\n")
    edited = parts(project, "data.local")
    (data / "in/file").rename(data / "in/other")
    assert len({str(each) for each in (before, edited, parts(project, "data.local"))}) == 3


def test_many_files_share_one_part(project: Repo) -> None:
    for number in range(101):
        project.write(f"gen/{number}", "x\n")
    before = parts(project, "gen/*")
    assert [*before] == ["ignored"]
    project.write("gen/50", "y\n")
    assert parts(project, "gen/*") != before
    (project.path / "gen/50").unlink()
    assert len(parts(project, "gen/*")) == 100


@pytest.mark.parametrize(
    ("declared", "why"),
    [
        ("!", "'!' names nothing"),
        ("!/", "'!/' names nothing"),
        (":!gen", "':!gen' leaves out of nothing"),
        ("../x", "'../x' leads out of the worktree"),
        ("..", r"'\.\.' leads out of the worktree"),
        ("/etc/hosts", "'/etc/hosts' leads out of the worktree"),
        (":(nonsense)x", "git refuses ':\\(nonsense\\)x': Invalid pathspec magic"),
        ("../*.x", "outside repository$"),
        ("", "empty string is not a valid pathspec"),
    ],
)
def test_setting_that_says_nothing_is_refused(project: Repo, declared: str, why: str) -> None:
    with pytest.raises(SettingsError, match=f"^ignored_inputs: .*{why}"):
        parts(project, declared)


def test_damaged_memos_are_made_again(project: Repo, tmp_path: Path) -> None:
    memos = MemoFolder(tmp_path / "memo")
    project.write("sub/.env", "A=1\n")
    expected = parts(project, "gen", memos=memos, now_ns=LATER_NS)
    with looking_from(project.path, os.environ) as look:
        tree = look.snapshot().head_tree
    damages: list[dict[str, object]] = [
        {},
        {"tree": tree},
        {"tree": tree, "folders": 1, "held": [], "names": {}},
        {"tree": tree, "folders": [""], "held": [], "names": {"": 1}},
    ]
    for damage in damages:
        for memo in (tmp_path / "memo").iterdir():
            memos.write(memo.name, damage)
        assert parts(project, "gen", memos=memos) == expected


def test_look_leaves_no_trace(project: Repo) -> None:
    for name in (".env", "gen/a"):
        project.write(name, "A=1\n")
    with looking_from(project.path, os.environ) as look:
        repository, snapshot = look.repository, look.snapshot()
        before = footprint(project.path)
        ignored_parts(repository, snapshot, ["gen", "*.local"], NO_MEMO)
    assert footprint(project.path) == before


def test_worktrees_with_equal_files_agree(project: Repo, tmp_path: Path) -> None:
    linked = project.add_worktree(tmp_path / "linked")
    for repo in (project, linked):
        repo.write("sub/.env", "A=1\n")
        repo.write("gen/a", "a\n")
    assert parts(project, "gen", "x.local") == parts(linked, "gen", "x.local")


def test_commits_content_is_looked_at_beside_todays_files(project: Repo) -> None:
    project.write("sub/deep/.env", "A=1\n")
    project.git("mv", "sub/deep", "deep")
    project.write("sub/deep/.env", "A=1\n")
    project.write("deep/.env", "A=1\n")
    with looking_from(project.path, os.environ) as look:
        commit = look.commit("HEAD")
        assert {*ignored_parts(look.repository, commit, [], NO_MEMO)} == {"ignored:sub/deep/.env"}
