"""The part of a snapshot that pathspecs select: git's own choice, on content that may be new."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gitcache.core.content import Snapshot
from gitcache.errors import SettingsError
from gitcache.git.look import looking_from
from gitcache.git.memo import MemoFolder
from gitcache.git.repository import Repository
from gitcache.git.selection import left_out, select, select_tree
from tests.support.footprint import footprint
from tests.support.repository import NO_VARIABLES, Repo

NO_MEMO = MemoFolder(None)


def looked_at(repo: Repo, env: Mapping[str, str] = NO_VARIABLES) -> tuple[Repository, Snapshot]:
    with looking_from(repo.path, {**os.environ, **env}) as look:
        return look.repository, look.snapshot()


def selected(
    repo: Repo, *pathspecs: str, env: Mapping[str, str] = NO_VARIABLES, memos: MemoFolder = NO_MEMO
) -> str:
    return select_tree(*looked_at(repo, env), pathspecs, memos)


def by_git(repo: Repo, *pathspecs: str) -> str:
    """Return the tree of what ``git ls-files`` lists in a copy in which all is committed."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Repo(Path(shutil.copytree(repo.path, Path(folder, "copy"), symlinks=True)))
        copy.commit("all")
        listing = os.fsencode(copy.git("ls-files", "-s", "-z", "--", *pathspecs))
        aside = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        copy.git("read-tree", "--empty", env=aside)
        copy.git("update-index", "-z", "--index-info", env=aside, stdin=listing)
        return copy.git("write-tree", env=aside)


@pytest.fixture
def project(repo: Repo) -> Repo:
    """Return a worktree with files of every state: clean, changed, staged, new, gone, renamed."""
    names = ("src/a.py", "src/deep/b.py", "src/deep/B.md", "docs/a.md", "docs/A.py", "src.txt")
    for name in (*names, "src/[x].py", "src/x.py", "-x", "gone.py", "src/gone.py", "old.py"):
        repo.write(name, f"{name}\n")
    repo.write(".gitattributes", "*.md prose\n*.py code=yes -text\n")
    repo.commit()
    repo.write("src/a.py", "changed\n")
    repo.write("docs/a.md", "staged\n")
    repo.git("add", "docs/a.md")
    repo.write("src/new.py", "new\n")
    repo.write(os.fsdecode(b"src/bytes\xff.py"), "bytes\n")
    repo.write("line\nend.py", "line\n")
    (repo.path / "gone.py").unlink()
    (repo.path / "src/gone.py").unlink()
    (repo.path / "old.py").rename(repo.path / "renamed.py")
    return repo


@pytest.mark.parametrize(
    "pathspecs",
    [
        ["."],
        ["src"],
        ["src/"],
        ["./src//deep"],
        ["src", "docs/a.md"],
        ["*.py"],
        ["src/*.py"],
        ["src/?.py"],
        [":(glob)src/*.py"],
        [":(glob)**/*.py"],
        [":(glob)src/**"],
        [":(icase)SRC/DEEP/b.MD"],
        [":(icase,glob)docs/a.*"],
        [":(literal)src/[x].py"],
        ["src/[x].py"],
        [":/src"],
        [":(top)src"],
        ["src", ":!src/deep"],
        ["src", ":^*.py"],
        ["src", ":(exclude)src/a.py", "docs"],
        ["src", ":(exclude,glob)src/**/*.md"],
        [":!src"],
        [":(exclude)*.py", ":^docs"],
        ["src", "no/such"],
        ["-x"],
        ["renamed.py", "old.py", "gone.py"],
        [":(attr:prose)"],
        [":(attr:code=yes)src"],
        [":(attr:-text)", ":(exclude)src"],
        [":(attr:!prose)src"],
    ],
    ids=" ".join,
)
def test_git_selects_the_same_from_a_commit_of_all(project: Repo, pathspecs: Sequence[str]) -> None:
    assert selected(project, *pathspecs) == by_git(project, *pathspecs)


def test_everything_selected_is_the_snapshot_itself(project: Repo) -> None:
    repository, snapshot = looked_at(project)
    assert select_tree(repository, snapshot, ["."], NO_MEMO) == snapshot.tree
    assert select_tree(repository, snapshot, [], NO_MEMO) == snapshot.tree


def test_only_selected_files_move_the_id(repo: Repo) -> None:
    before = selected(repo, "sub")
    repo.write("a.txt", "an edit\n")
    repo.write("new.txt", "new\n")
    assert selected(repo, "sub") == before
    repo.write("sub/b.txt", "an edit\n")
    edited = selected(repo, "sub")
    repo.write("sub/new.txt", "new\n")
    added = selected(repo, "sub")
    (repo.path / "sub/new.txt").chmod(0o755)
    executable = selected(repo, "sub")
    (repo.path / "sub/b.txt").unlink()
    gone = selected(repo, "sub")
    assert len({before, edited, added, executable, gone}) == 5


def test_move_out_of_the_selection_counts_and_a_move_beyond_it_does_not(repo: Repo) -> None:
    before = selected(repo, "sub")
    repo.git("mv", "a.txt", "c.txt")
    assert selected(repo, "sub") == before
    repo.git("mv", "sub/b.txt", "b.txt")
    repo.write("sub/rest", "")
    assert selected(repo, "sub") == by_git(repo, "sub") != before


def test_ignored_files_are_never_selected(repo: Repo) -> None:
    repo.write(".gitignore", "*.log\n")
    before = selected(repo, "sub")
    repo.write("sub/x.log", "log\n")
    assert selected(repo, "sub") == before


def test_commit_and_stage_change_nothing_of_the_id(repo: Repo) -> None:
    repo.write("sub/new.txt", "new\n")
    new = selected(repo, "sub")
    repo.git("add", "--all")
    staged = selected(repo, "sub")
    repo.commit()
    assert new == staged == selected(repo, "sub") == by_git(repo, "sub")


def test_changed_attribute_file_selects_as_it_is_on_the_disk(project: Repo) -> None:
    project.write(".gitattributes", "*.txt prose\n")
    project.write("src/deep/.gitattributes", "*.py prose\n")
    assert selected(project, ":(attr:prose)") == by_git(project, ":(attr:prose)")
    assert select_paths(project, ":(attr:prose)") == {"a.txt", "src.txt", "sub/b.txt"} | {
        "src/deep/b.py"
    }
    (project.path / ".gitattributes").unlink()
    assert select_paths(project, ":(attr:prose)") == {"src/deep/b.py"}


def test_attributes_of_the_user_select_nothing(project: Repo, sealed: Path) -> None:
    project.write(".git/info/attributes", "* prose\n")
    attributes = sealed / "attributes"
    attributes.write_text("* prose\n")
    project.git("config", "--global", "core.attributesFile", str(attributes))
    (sealed / ".config/git").mkdir(parents=True)
    (sealed / ".config/git/attributes").write_text("* prose\n")
    assert select_paths(project, ":(attr:prose)") == {"docs/a.md", "src/deep/B.md"}


def select_paths(repo: Repo, *pathspecs: str) -> set[str]:
    repository, snapshot = looked_at(repo)
    everything = set(repo.git("ls-files", "-co", "--exclude-standard", "-z").split("\0"))
    there = {path for path in everything if path and os.path.lexists(repo.path / path)}
    return there - set(left_out(repository, snapshot, pathspecs))


def test_left_out_are_the_files_that_nothing_selects(project: Repo) -> None:
    repository, snapshot = looked_at(project)
    assert left_out(repository, snapshot, [":!src", ":!docs", ":!*.txt"]) == tuple(
        sorted(
            [
                *("a.txt", "docs/A.py", "docs/a.md", "src.txt", "src/[x].py", "src/a.py"),
                *(os.fsdecode(b"src/bytes\xff.py"), "src/deep/B.md", "src/deep/b.py"),
                *("src/new.py", "src/x.py", "sub/b.txt"),
            ]
        )
    )
    assert left_out(repository, snapshot, ["."]) == ()


@pytest.mark.parametrize("pathspecs", [["no/such"], ["gone.py", "old.py"], [":!."], ["*.nosuch"]])
def test_selection_of_nothing_is_an_error(project: Repo, pathspecs: Sequence[str]) -> None:
    with pytest.raises(SettingsError, match=r"^inputs select nothing: '"):
        selected(project, *pathspecs)


@pytest.mark.parametrize(
    ("pathspec", "why"),
    [
        (":(nonsense)x", "Invalid pathspec magic 'nonsense'"),
        ("../x", "'../x' is outside repository$"),
        ("/etc", "'/etc' is outside repository$"),
        ("", "empty string is not a valid pathspec"),
        (":(glob", "Missing '"),
        (":(glob,literal)x", "'literal' and 'glob' are incompatible"),
        (":(attr:)x", "attr spec must not be empty"),
    ],
)
def test_pathspec_that_git_refuses_is_named(repo: Repo, pathspec: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why) as caught:
        selected(repo, "sub", pathspec)
    assert caught.value.message.startswith(f"inputs: git refuses {pathspec!r}: ")


def test_pathspec_with_a_zero_byte_is_refused(repo: Repo) -> None:
    with pytest.raises(SettingsError, match=r"'a\\x00b' is no pathspec"):
        selected(repo, "a\0b")


@pytest.mark.parametrize("name", ["LITERAL", "GLOB", "NOGLOB", "ICASE"])
def test_variables_of_the_caller_give_no_pathspec_another_meaning(
    project: Repo, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = selected(project, "src/*.PY", "src/*.py")
    monkeypatch.setenv(f"GIT_{name}_PATHSPECS", "1")
    assert selected(project, "src/*.PY", "src/*.py") == before


def test_settings_of_the_user_change_no_selection(project: Repo) -> None:
    before = selected(project, "DOCS/*", "src/*.PY", "-x")
    for setting in ("core.ignoreCase=true", "core.quotePath=true", "core.splitIndex=true"):
        project.git("config", "--global", *setting.split("="))
    assert selected(project, "DOCS/*", "src/*.PY", "-x") == before


def test_nothing_is_left_in_the_repository(project: Repo) -> None:
    repository, snapshot = looked_at(project)
    before = footprint(project.path)
    select(repository, snapshot, ["src", ":(attr:prose)"], NO_MEMO)
    left_out(repository, snapshot, ["src"])
    assert footprint(project.path) == before


def test_before_the_first_commit_files_are_selected_too(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "unborn")
    repo.write("src/a", "a\n")
    repo.write("b", "b\n")
    assert selected(repo, "src") == by_git(repo, "src")
    (repo.path / "src/a").unlink()
    with pytest.raises(SettingsError, match="select nothing"):
        selected(repo, "src")


def test_linked_worktrees_with_equal_parts_agree(project: Repo, tmp_path: Path) -> None:
    linked = project.add_worktree(tmp_path / "linked")
    linked.write("docs/a.md", "other\n")
    project.write("src/a.py", "equal\n")
    linked.write("src/a.py", "equal\n")
    assert selected(linked, "src/a.py") == selected(project, "src/a.py")
    assert selected(linked, "docs") != selected(project, "docs")


def test_sha256_repository_gives_an_id_of_its_own_length(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "sha256", "--object-format=sha256")
    repo.write("src/a", "a\n")
    repo.write("b", "b\n")
    repo.commit()
    repo.write("src/new", "new\n")
    assert selected(repo, "src") == by_git(repo, "src")
    assert len(selected(repo, "src")) == 64


def test_index_and_commit_are_selected_from_as_well(repo: Repo) -> None:
    repo.write("sub/b.txt", "staged\n")
    repo.git("add", "sub")
    repo.write("sub/b.txt", "on the disk\n")
    with looking_from(repo.path, os.environ) as look:
        trees = [
            select_tree(look.repository, each, ["sub"], NO_MEMO)
            for each in (look.snapshot(), look.index(), look.commit("HEAD"))
        ]
    assert len(set(trees)) == 3
    repo.git("commit", "--quiet", "--message", "staged")
    with looking_from(repo.path, os.environ) as look:
        assert select_tree(look.repository, look.commit("HEAD"), ["sub"], NO_MEMO) == trees[1]


def test_submodule_is_selected_as_a_whole_or_refused(repo: Repo) -> None:
    inner = Repo.init(repo.path / "lib")
    inner.write("include/a.h", "a\n")
    inner.commit()
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "lib")
    repo.git("commit", "--quiet", "--message", "with lib")
    before = selected(repo, "lib")
    inner.commit("empty")
    assert selected(repo, "lib") == by_git(repo, "lib") != before
    for inside in ("lib/include", ":/lib/include/a.h", "./lib/*.h"):
        with pytest.raises(SettingsError, match="leads into the submodule lib"):
            selected(repo, "sub", inside)
    assert selected(repo, "sub", "lib", ":!lib/include") == selected(repo, "sub", "lib")


def test_blind_spots_of_other_paths_do_not_concern_a_selection(repo: Repo) -> None:
    repo.write("x:y", "colon\n")
    repo.commit()
    spots = {"sparse": "1", "conversion": "2", "assume-unchanged:a.txt": "3"} | {
        "skip-worktree:sub/b.txt": "4",
        "submodule:elsewhere": "5",
        "skip-worktree:x:y": "6",
    }
    repository, snapshot = looked_at(repo)
    snapshot = replace(snapshot, blind_spots=spots)

    def kept(*pathspecs: str) -> list[str]:
        return [*select(repository, snapshot, pathspecs, NO_MEMO).blind_spots.values()]

    assert kept("a.txt") == ["1", "2", "3", "5"]
    assert kept("sub") == ["1", "2", "4", "5"]
    assert kept("x:y") == ["1", "2", "5", "6"]
    assert kept() == kept(".") == ["1", "2", "3", "4", "5", "6"]


def test_repeated_selection_comes_from_the_memo(project: Repo, tmp_path: Path) -> None:
    memos = MemoFolder(tmp_path / "memo")
    repository, snapshot = looked_at(project)
    spots = {"assume-unchanged:src/a.py": "1", "assume-unchanged:docs/a.md": "2"}
    snapshot = replace(snapshot, blind_spots=spots)
    first = select(repository, snapshot, ["src"], memos)
    assert first.blind_spots == {"assume-unchanged:src/a.py": "1"}
    nowhere = replace(repository, git=replace(repository.git, cwd=tmp_path / "nowhere"))
    assert select(nowhere, snapshot, ["src"], memos) == first
    moved = replace(snapshot, blind_spots={**spots, "assume-unchanged:src/a.py": "3"})
    assert select(nowhere, moved, ["src"], memos).blind_spots == {"assume-unchanged:src/a.py": "3"}


def test_memo_of_another_content_or_of_other_pathspecs_does_not_answer(
    project: Repo, tmp_path: Path
) -> None:
    memos = MemoFolder(tmp_path / "memo")
    before = selected(project, "src", memos=memos)
    assert selected(project, "docs", memos=memos) == by_git(project, "docs")
    project.write("src/a.py", "again\n")
    assert selected(project, "src", memos=memos) == by_git(project, "src") != before


def test_memo_keeps_some_contents_and_survives_damage(repo: Repo, tmp_path: Path) -> None:
    memos = MemoFolder(tmp_path / "memo")
    trees = []
    for number in range(18):
        repo.write("sub/b.txt", f"{number}\n")
        trees.append(selected(repo, "sub", memos=memos))
    (memo,) = (tmp_path / "memo").iterdir()
    assert len(memos.read(memo.name)) == 16
    assert len(set(trees)) == 18
    content = [*memos.read(memo.name)][-1]
    damages: list[object] = [None, 1, [], {}, {"tree": 1, "blind_spots": []}]
    for damage in (*damages, {"tree": "x", "blind_spots": []}):
        memos.write(memo.name, {content: damage})
        assert selected(repo, "sub", memos=memos) == trees[-1]
    memo.write_bytes(b"{")
    assert selected(repo, "sub", memos=memos) == trees[-1]
