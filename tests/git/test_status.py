"""Git's status, read: written-down answers, answers made up, and real ones."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcache.errors import RepositoryError
from gitcache.git.plumbing import Git
from gitcache.git.status import QUESTION, Record, Status, Tracked, Unmerged, Untracked, parse
from tests.support.repository import Repo

A, B, C = "a" * 40, "b" * 40, "c" * 40
ZERO = "0" * 40
COMMIT = "d" * 40


def asked_in(repo: Repo, folder: str = ".") -> Status:
    return parse(Git(repo.path / folder, dict(os.environ)).run(*QUESTION))


def answer(*lines: str) -> bytes:
    return b"".join(os.fsencode(line) + b"\0" for line in lines)


def test_clean_worktree() -> None:
    status = parse(answer(f"# branch.oid {COMMIT}", "# branch.head main"))

    assert (status.head, status.records) == (COMMIT, ())


def test_before_the_first_commit() -> None:
    assert parse(answer("# branch.oid (initial)", "# branch.head main")).head is None


def test_detached_head_with_a_branch_elsewhere() -> None:
    header = (f"# branch.oid {COMMIT}", "# branch.head (detached)")

    assert parse(answer(*header)).head == COMMIT


def test_headers_of_a_branch_with_an_upstream_and_a_stash() -> None:
    more = ("# branch.upstream origin/main", "# branch.ab +1 -2", "# stash 3", "? new")

    status = parse(answer(f"# branch.oid {COMMIT}", "# branch.head main", *more))

    assert (status.head, status.records) == (COMMIT, (Untracked("new"),))


@pytest.mark.parametrize(
    ("line", "record"),
    [
        (
            f"1 .M N... 100644 100644 100755 {A} {A} a.txt",
            Tracked("a.txt", ".", "M", "N...", "100644", "100644", "100755", A, A),
        ),
        (
            f"1 AD N... 000000 100644 000000 {ZERO} {B} two  words ",
            Tracked("two  words ", "A", "D", "N...", "000000", "100644", "000000", ZERO, B),
        ),
        (
            f"1 D. N... 120000 000000 000000 {A} {ZERO}  leading",
            Tracked(" leading", "D", ".", "N...", "120000", "000000", "000000", A, ZERO),
        ),
        (
            f"1 .M SCMU 160000 160000 160000 {C} {C} lib",
            Tracked("lib", ".", "M", "SCMU", "160000", "160000", "160000", C, C),
        ),
        (
            f"u UU N... 100644 100644 100644 100755 {A} {B} {C} in conflict",
            Unmerged("in conflict", "100755"),
        ),
        (
            f"u DU N... 100644 000000 100644 000000 {A} {ZERO} {C} u DU N...",
            Unmerged("u DU N...", "000000"),
        ),
        ("? a\nb", Untracked("a\nb")),
        ("? nested/", Untracked("nested/")),
        ("? 1 .M N...", Untracked("1 .M N...")),
        ("? # branch.oid x", Untracked("# branch.oid x")),
    ],
)
def test_one_line_is_one_record(line: str, record: Record) -> None:
    status = parse(answer(f"# branch.oid {COMMIT}", line))

    assert (status.head, status.records) == (COMMIT, (record,))


@pytest.mark.parametrize(
    "line", [f"2 R. N... 100644 100644 100644 {A} {A} R100 new", "! ignored", "x", "", "3 new"]
)
def test_unknown_form_is_refused(line: str) -> None:
    with pytest.raises(RepositoryError, match="which is unknown"):
        parse(answer(f"# branch.oid {COMMIT}", line))


paths = st.binary(min_size=1, max_size=30).filter(lambda raw: b"\0" not in raw).map(os.fsdecode)
modes = st.sampled_from(["000000", "100644", "100755", "120000", "160000"])
oids = st.text("0123456789abcdef", min_size=40, max_size=40)
tracked = st.builds(
    Tracked,
    path=paths,
    in_index=st.sampled_from(".MTADRCU"),
    on_disk=st.sampled_from(".MTADRCU"),
    submodule=st.sampled_from(["N...", "S...", "SC..", "S.MU", "SCMU"]),
    head_mode=modes,
    index_mode=modes,
    disk_mode=modes,
    head_oid=oids,
    index_oid=oids,
)
records = st.one_of(
    tracked,
    st.builds(Unmerged, path=paths, disk_mode=modes),
    st.builds(Untracked, path=paths),
)


def line_of(record: Record) -> str:
    """Return *record* as ``git help status`` describes it."""
    match record:
        case Tracked():
            xy = record.in_index + record.on_disk
            facts = (record.head_mode, record.index_mode, record.disk_mode)
            return " ".join(
                ("1", xy, record.submodule, *facts, record.head_oid, record.index_oid, record.path)
            )
        case Unmerged(path, mode):
            return f"u UU N... 100644 100644 100644 {mode} {A} {B} {C} {path}"
        case Untracked(path):
            return f"? {path}"


@given(st.lists(records, max_size=8))
def test_every_record_of_any_name_is_read_back(wanted: list[Record]) -> None:
    lines = [line_of(each) for each in wanted]

    status = parse(answer(f"# branch.oid {COMMIT}", "# branch.head main", *lines))

    assert (status.head, status.records) == (COMMIT, tuple(wanted))


def test_real_names_come_back_as_they_are(repo: Repo) -> None:
    names = [b"two words", b"new\nline", b"\xff", b" x ", b"# branch.oid y", b"? z", b'"q"']
    for name in names:
        repo.write(os.fsdecode(b"sub/" + name), "x\n")

    found = asked_in(repo, "sub").records

    assert {each.path for each in found} == {os.fsdecode(b"sub/" + name) for name in names}
    assert all(isinstance(each, Untracked) for each in found)


def test_real_changes_of_every_kind(repo: Repo) -> None:
    for name in ("changed", "removed", "gone", "moved", "linked", "program"):
        repo.write(name, f"{name}\n")
    head = repo.commit()
    repo.write("changed", "new\n")
    repo.git("rm", "--quiet", "removed")
    (repo.path / "gone").unlink()
    repo.git("mv", "moved", "target")
    (repo.path / "linked").unlink()
    (repo.path / "linked").symlink_to("a.txt")
    (repo.path / "program").chmod(0o755)
    repo.write("staged", "x\n")
    repo.git("add", "staged")

    status = asked_in(repo)

    facts = {
        each.path: (each.in_index + each.on_disk, each.head_mode, each.disk_mode)
        for each in status.records
        if isinstance(each, Tracked)
    }
    assert status.head == head
    assert facts == {
        "changed": (".M", "100644", "100644"),
        "removed": ("D.", "100644", "000000"),
        "gone": (".D", "100644", "000000"),
        "moved": ("D.", "100644", "000000"),
        "target": ("A.", "000000", "100644"),
        "linked": (".T", "100644", "120000"),
        "program": (".M", "100644", "100755"),
        "staged": ("A.", "000000", "100644"),
    }


def test_real_conflict(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", "other")
    repo.write("a.txt", "theirs\n")
    repo.commit()
    repo.git("switch", "--quiet", "main")
    repo.write("a.txt", "ours\n")
    repo.commit()
    with pytest.raises(AssertionError, match=r"^git .*merge"):  # it stops at the conflict
        repo.git("merge", "--quiet", "other")

    assert asked_in(repo).records == (Unmerged("a.txt", "100644"),)


def test_real_first_commit_to_come(tmp_path_factory: pytest.TempPathFactory) -> None:
    repo = Repo.init(tmp_path_factory.mktemp("unborn") / "repo")
    repo.write("a.txt", "a\n")

    status = asked_in(repo)

    assert (status.head, status.records) == (None, (Untracked("a.txt"),))


def test_real_nested_repository_and_detached_head(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--detach")
    nested = Repo.init(repo.path / "nested")
    nested.write("inside", "x\n")

    status = asked_in(repo)

    assert status.records == (Untracked("nested/"),)
    assert status.head == repo.git("rev-parse", "HEAD")
