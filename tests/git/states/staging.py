"""What only an index can hold: intents, conflicts, flags; and indexes that are not as usual."""

from __future__ import annotations

from tests.git.states.state import Refusal, State, link, writing
from tests.support.repository import Repo


def intent_to_add(repo: Repo) -> State:
    """A file of which git knows the name only."""
    repo.write("new.txt", "new\n")
    repo.git("add", "--intent-to-add", "new.txt")
    return State(here=repo, edit=writing(repo, "new.txt", "edited\n"))


def intent_to_add_and_removed(repo: Repo) -> State:
    """A file of which git knows the name only, gone from the disk."""
    path = repo.write("new.txt", "new\n")
    repo.git("add", "--intent-to-add", "new.txt")
    path.unlink()
    return State(here=repo, edit=writing(repo, "new.txt", "new\n"))


def intent_to_add_an_empty_file(repo: Repo) -> State:
    """An empty file looks like what an intent holds, and is in the tree nevertheless."""
    repo.write("empty.txt", "")
    repo.write("deep/empty.txt", "")
    repo.git("add", "--intent-to-add", "empty.txt", "deep/empty.txt")
    return State(here=repo, edit=(repo.path / "deep/empty.txt").unlink)


def intent_to_add_an_ignored_file(repo: Repo) -> State:
    """A hidden file of which git knows the name only: it counts."""
    repo.write(".gitignore", "*.log\n")
    repo.write("new.log", "new\n")
    repo.git("add", "--intent-to-add", "--force", "new.log")
    return State(here=repo, edit=writing(repo, "new.log", "edited\n"))


def intent_to_add_a_program(repo: Repo) -> State:
    """A new program and a new link of which git knows the names only."""
    repo.write("run.sh", "echo\n").chmod(0o755)
    link(repo, "link", "a.txt")
    repo.git("add", "--intent-to-add", "run.sh", "link")
    return State(here=repo, edit=lambda: (repo.path / "run.sh").chmod(0o644))


def intent_to_add_what_was_removed(repo: Repo) -> State:
    """A file that was removed from the index and is meant to come back."""
    repo.git("rm", "--quiet", "--cached", "a.txt")
    repo.git("add", "--intent-to-add", "a.txt")
    return State(here=repo, edit=writing(repo, "a.txt", "edited\n"))


def corrupt_checksum(repo: Repo) -> State:
    """An index whose checksum is wrong: git does not look at it."""
    index = repo.path / ".git/index"
    index.write_bytes(index.read_bytes()[:-1] + b"\x99")
    return State(here=repo, edit=writing(repo, "a.txt", "edited\n"))


def corrupt_index(repo: Repo) -> Refusal:
    """An index that holds garbage."""
    index = repo.path / ".git/index"
    good = index.read_bytes()
    index.write_bytes(b"garbage" * 10)
    return Refusal(here=repo, names="index", cure=lambda: index.write_bytes(good))


def empty_index_file(repo: Repo) -> Refusal:
    """An index of no bytes, as a full disk leaves it."""
    index = repo.path / ".git/index"
    good = index.read_bytes()
    index.write_bytes(b"")
    return Refusal(here=repo, names="index", cure=lambda: index.write_bytes(good))


def missing_index(repo: Repo) -> State:
    """No index: every file of HEAD is staged as removed, and on the disk as new."""
    (repo.path / ".git/index").unlink()
    return State(here=repo, edit=writing(repo, "a.txt", "edited\n"))


def missing_index_and_a_missing_file(repo: Repo) -> State:
    """No index, and a file of HEAD is gone."""
    (repo.path / ".git/index").unlink()
    (repo.path / "a.txt").unlink()
    return State(here=repo, edit=writing(repo, "a.txt", "a\n"))
