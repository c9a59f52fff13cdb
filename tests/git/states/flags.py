"""Files that git was told to take on trust, or to leave out."""

from __future__ import annotations

import os
import shutil

from tests.git.states.state import BlindState, link, set_config, writing
from tests.support.repository import Repo


def assumed_unchanged(repo: Repo) -> BlindState:
    """A file that git was told to take on trust, edited."""
    repo.git("update-index", "--assume-unchanged", "a.txt")
    return _trusted(repo)


def assumed_unchanged_and_removed(repo: Repo) -> BlindState:
    """A file that git was told to take on trust, gone from the disk."""
    repo.git("update-index", "--assume-unchanged", "a.txt")
    edit = writing(repo, "sub/b.txt", "edited\n")
    return BlindState(here=repo, edit=edit, overlooked=(repo.path / "a.txt").unlink)


def assumed_unchanged_by_mode(repo: Repo) -> BlindState:
    """A file that git was told to take on trust, made executable."""
    repo.git("update-index", "--assume-unchanged", "a.txt")
    edit = writing(repo, "sub/b.txt", "edited\n")
    return BlindState(here=repo, edit=edit, overlooked=lambda: (repo.path / "a.txt").chmod(0o755))


def assumed_unchanged_and_turned_into_a_link(repo: Repo) -> BlindState:
    """A file that git was told to take on trust, replaced by a link to the same bytes."""
    repo.write("same.txt", "a\n")
    repo.commit()
    repo.git("update-index", "--assume-unchanged", "a.txt")
    edit = writing(repo, "sub/b.txt", "edited\n")
    return BlindState(here=repo, edit=edit, overlooked=lambda: link(repo, "a.txt", "same.txt"))


def assumed_unchanged_and_staged(repo: Repo) -> BlindState:
    """A staged change in a file that git was told to take on trust."""
    repo.write("a.txt", "staged\n")
    repo.git("add", "a.txt")
    repo.git("update-index", "--assume-unchanged", "a.txt")
    return _trusted(repo)


def assumed_unchanged_with_an_odd_name(repo: Repo) -> BlindState:
    """Files taken on trust whose names hold line ends, quotes and bytes that are no text."""
    names = ('"quo"\nted', "carriage\r", os.fsdecode(b"bytes\xff"))
    for name in names:
        repo.write(name, "odd\n")
    repo.commit()
    repo.write(names[2], "edited\n")
    for name in names:
        repo.git("update-index", "--assume-unchanged", name)
    return BlindState(
        here=repo,
        edit=writing(repo, "a.txt", "edited\n"),
        overlooked=writing(repo, "carriage\r", "edited\n"),
    )


def assumed_unchanged_in_an_index_of_version_4(repo: Repo) -> BlindState:
    """The flag in an index whose names are compressed."""
    repo.git("update-index", "--index-version", "4")
    return assumed_unchanged(repo)


def assumed_unchanged_in_a_split_index(repo: Repo) -> BlindState:
    """The flag in an index of two files."""
    repo.git("update-index", "--split-index")
    return assumed_unchanged(repo)


def assumed_unchanged_everywhere(repo: Repo) -> BlindState:
    """``core.ignoreStat=true``: git takes on trust all that it has written."""
    set_config(repo, {"core.ignoreStat": "true"})
    repo.git("update-index", "--really-refresh")
    repo.git("update-index", "--assume-unchanged", "a.txt", "sub/b.txt")
    return BlindState(
        here=repo,
        edit=writing(repo, "new.txt", "new\n"),
        overlooked=writing(repo, "a.txt", "edited\n"),
    )


def skipped_and_edited(repo: Repo) -> BlindState:
    """A file marked as not in the worktree, which is there and edited."""
    repo.git("update-index", "--skip-worktree", "a.txt")
    return _trusted(repo)


def skipped_and_both_flags(repo: Repo) -> BlindState:
    """A file with both flags."""
    repo.git("update-index", "--skip-worktree", "a.txt")
    repo.git("update-index", "--assume-unchanged", "a.txt")
    return _trusted(repo)


def skipped_and_removed(repo: Repo) -> BlindState:
    """A file marked as not in the worktree, which was there unchanged and goes."""
    repo.git("update-index", "--skip-worktree", "a.txt")
    edit = writing(repo, "sub/b.txt", "edited\n")
    return BlindState(here=repo, edit=edit, overlooked=(repo.path / "a.txt").unlink)


def skipped_and_put_back(repo: Repo) -> BlindState:
    """A file marked as not in the worktree and missing: with it back the worktree is full."""
    repo.git("update-index", "--skip-worktree", "a.txt")
    (repo.path / "a.txt").unlink()
    return BlindState(
        here=repo,
        edit=writing(repo, "sub/b.txt", "edited\n"),
        overlooked=writing(repo, "a.txt", "a\n"),
    )


def skipped_where_a_folder_is(repo: Repo) -> BlindState:
    """A file marked as not in the worktree, where the disk has a folder with a hidden file."""
    repo.write(".gitignore", "*.log\n")
    repo.commit()
    repo.git("update-index", "--skip-worktree", "a.txt")
    (repo.path / "a.txt").unlink()
    repo.write("a.txt/in.log", "in\n")
    return BlindState(
        here=repo,
        edit=writing(repo, "sub/b.txt", "edited\n"),
        overlooked=lambda: shutil.rmtree(repo.path / "a.txt"),
    )


def _trusted(repo: Repo) -> BlindState:
    """Edit ``a.txt``, and once more behind git's back."""
    repo.write("a.txt", "edited\n")
    return BlindState(
        here=repo,
        edit=writing(repo, "sub/b.txt", "edited\n"),
        overlooked=writing(repo, "a.txt", "again!\n"),
    )
