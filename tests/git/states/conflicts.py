"""Files in conflict, and what of them lies on the disk."""

from __future__ import annotations

from tests.git.states.state import State, link, set_config, writing
from tests.support.repository import Repo


def conflict(repo: Repo) -> State:
    """Both sides changed one file; the marked file lies on the disk."""
    _merge(repo, ours={"a.txt": "ours\n"}, theirs={"a.txt": "theirs\n", "sub/b.txt": "theirs\n"})
    assert "<<<<<<<" in (repo.path / "a.txt").read_text()
    return State(here=repo, edit=writing(repo, "a.txt", "resolved\n"))


def conflict_resolved_on_disk(repo: Repo) -> State:
    """A conflict whose file is again what HEAD has, though the index does not know it."""
    _merge(repo, ours={"a.txt": "ours\n"}, theirs={"a.txt": "theirs\n"})
    repo.write("a.txt", "ours\n")
    return State(here=repo, edit=writing(repo, "a.txt", "theirs\n"))


def conflict_resolved_and_staged(repo: Repo) -> State:
    """A merge that is not committed yet, without a conflict left."""
    _merge(repo, ours={"a.txt": "ours\n"}, theirs={"a.txt": "theirs\n", "new.txt": "new\n"})
    repo.write("a.txt", "resolved\n")
    repo.git("add", "a.txt")
    return State(here=repo, edit=writing(repo, "new.txt", "edited\n"))


def conflict_with_the_file_removed(repo: Repo) -> State:
    """A conflict whose file is gone from the disk."""
    _merge(repo, ours={"a.txt": "ours\n"}, theirs={"a.txt": "theirs\n"})
    (repo.path / "a.txt").unlink()
    return State(here=repo, edit=writing(repo, "a.txt", "resolved\n"))


def conflict_with_a_removal_by_them(repo: Repo) -> State:
    """We changed what they removed: our file stays on the disk."""
    _merge(repo, ours={"a.txt": "ours\n"}, theirs={"a.txt": None})
    return State(here=repo, edit=(repo.path / "a.txt").unlink)


def conflict_with_a_removal_by_us(repo: Repo) -> State:
    """They changed what we removed: their file lies on the disk."""
    _merge(repo, ours={"a.txt": None}, theirs={"a.txt": "theirs\n"})
    return State(here=repo, edit=(repo.path / "a.txt").unlink)


def conflict_removed_by_both(repo: Repo) -> State:
    """One file was moved to two places: its old name is removed by both."""
    text = "line\n" * 30
    repo.write("old.txt", text)
    repo.commit()
    _merge(
        repo, ours={"old.txt": None, "ours.txt": text}, theirs={"old.txt": None, "theirs.txt": text}
    )
    assert "DD old.txt" in repo.git("status", "--porcelain")
    return State(here=repo, edit=writing(repo, "old.txt", "back\n"))


def conflict_of_two_new_files(repo: Repo) -> State:
    """Both sides added one file, with other contents and other modes."""
    _merge(repo, ours={"new.sh": "ours\n"}, theirs={"new.sh": "theirs\n"}, executable=True)
    return State(here=repo, edit=lambda: (repo.path / "new.sh").chmod(0o755))


def conflict_of_modes_that_do_not_count(repo: Repo) -> State:
    """The same where ``core.fileMode=false`` takes the mode from the index."""
    set_config(repo, {"core.fileMode": "false"})
    _merge(repo, ours={"new.sh": "ours\n"}, theirs={"new.sh": "theirs\n"}, executable=True)
    return State(here=repo, edit=writing(repo, "new.sh", "resolved\n"))


def conflict_of_a_file_and_a_folder(repo: Repo) -> State:
    """One side added a file, the other a folder of that name."""
    _merge(repo, ours={"x": "file\n"}, theirs={"x/in.txt": "in\n"})
    return State(here=repo, edit=writing(repo, "x/in.txt", "edited\n"))


def conflict_of_a_link_and_a_file(repo: Repo) -> State:
    """A link and a file were added under one name; the disk has the link."""
    _merge(repo, ours={"x": "file\n"}, theirs={"x": "other\n"})
    link(repo, "x", "a.txt")
    return State(here=repo, edit=lambda: link(repo, "x", "sub"))


def conflict_where_a_folder_came(repo: Repo) -> State:
    """A conflict in a file, where the disk now has a folder."""
    _merge(repo, ours={"a.txt": "ours\n"}, theirs={"a.txt": "theirs\n"})
    (repo.path / "a.txt").unlink()
    repo.write("a.txt/in.txt", "in\n")
    return State(here=repo, edit=writing(repo, "a.txt/in.txt", "edited\n"))


def conflict_in_an_ignored_file(repo: Repo) -> State:
    """A conflict in a tracked file that a rule would hide."""
    _merge(repo, ours={"a.txt": "ours\n"}, theirs={"a.txt": "theirs\n"})
    repo.write(".gitignore", "a.txt\n")
    return State(here=repo, edit=writing(repo, "a.txt", "resolved\n"))


def rebase_stopped(repo: Repo) -> State:
    """A rebase that waits for a conflict to be resolved: HEAD is detached."""
    repo.git("switch", "--quiet", "--create", "topic")
    repo.write("a.txt", "topic\n")
    repo.commit()
    repo.git("switch", "--quiet", "main")
    repo.write("a.txt", "main\n")
    repo.commit()
    _fails(repo, "rebase", "main", "topic")
    return State(here=repo, edit=writing(repo, "a.txt", "resolved\n"))


def _merge(
    repo: Repo,
    ours: dict[str, str | None],
    theirs: dict[str, str | None],
    *,
    executable: bool = False,
) -> None:
    """Merge two commits with the given files (None: removed) until git stops."""
    base = repo.git("rev-parse", "HEAD")
    repo.git("switch", "--quiet", "--create", "theirs")
    _apply(repo, theirs)
    if executable:
        repo.git("update-index", "--chmod=+x", *theirs)
        repo.git("commit", "--quiet", "--amend", "--no-edit")
        repo.git("reset", "--quiet", "--hard")
    repo.git("switch", "--quiet", "--create", "ours", base)
    _apply(repo, ours)
    _fails(repo, "merge", "--quiet", "theirs")


def _apply(repo: Repo, files: dict[str, str | None]) -> None:
    for name, text in files.items():
        if text is None:
            (repo.path / name).unlink()
        else:
            repo.write(name, text)
    repo.commit()


def _fails(repo: Repo, *argv: str) -> None:
    """Run git to a stop that it reports by its exit status."""
    repo.git("-c", f"alias.stops=!git {' '.join(argv)} >/dev/null && exit 1 || true", "stops")
